//! A digest of a machine: the same bytes give the same number on every machine and target.

use crate::machine::{LockState, Machine, Pmd, TaskRun};

/// FNV-1a, 64 bit: simple, published, and without any dependence on word size.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Feeds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Feeds a number, little-endian.
    pub fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    /// The digest of what has been fed.
    pub fn finish(self) -> u64 {
        self.0
    }
}

impl Machine {
    /// Digest of everything that the machine holds.
    pub fn digest(&self) -> u64 {
        let mut d = Digest::default();
        for page in &self.pages {
            for word in [page.flags, page.count as u32, page.mapcount as u32, page.next, page.prev, page.index] {
                d.bytes(&word.to_le_bytes());
            }
            d.bytes(&page.mapping.to_le_bytes());
            d.bytes(&[page.isolator, page.locker]);
        }
        self.feed_zones(&mut d);
        self.feed_cpus(&mut d);
        self.feed_locks(&mut d);
        self.feed_spaces(&mut d);
        if let Some(swap) = &self.swap {
            self.zones.iter().for_each(|zone| d.number(u64::from(zone.free)));
            swap.feed(&mut d);
        }
        d.finish()
    }

    fn feed_zones(&self, d: &mut Digest) {
        for zone in &self.zones {
            for word in [zone.fresh, zone.freed] {
                d.bytes(&word.to_le_bytes());
            }
            feed_counts(d, zone.stat.iter().map(|&n| n as u64));
            zone.recent_scanned.iter().chain(&zone.recent_rotated).for_each(|&n| d.number(n));
            for list in &zone.lru {
                for word in [list.head, list.tail, list.entries, list.pages] {
                    d.bytes(&word.to_le_bytes());
                }
            }
        }
        feed_counts(d, self.vm_stat.iter().map(|&n| n as u64));
        feed_counts(d, self.events.iter().copied());
    }

    fn feed_cpus(&self, d: &mut Digest) {
        for cpu in &self.cpus {
            d.bytes(&[u8::from(cpu.irqs_off), cpu.preempt]);
        }
        for diffs in &self.diffs {
            feed_counts(d, diffs.iter().map(|&n| n as u64));
        }
        for pvec in self.pagevecs.iter().chain(&self.stacks) {
            d.bytes(&[pvec.nr]);
            pvec.filled().iter().for_each(|page| d.bytes(&page.to_le_bytes()));
        }
        for task in &self.tasks {
            let (run, lock) = match task.run {
                TaskRun::Runnable => (0, 0),
                TaskRun::Waits(lock) => (1 + lock.class as u8, lock.index),
                TaskRun::Sleeps => (254, 0),
                TaskRun::Done => (255, 0),
            };
            d.bytes(&[task.cpu, run, u8::from(task.woken)]);
            d.bytes(&lock.to_le_bytes());
        }
        for &(page, task) in &self.page_waiters {
            d.bytes(&page.to_le_bytes());
            d.bytes(&[task]);
        }
    }

    fn feed_locks(&self, d: &mut Digest) {
        let spaces = self.mm_locks.iter().flat_map(|mm| [&mm.mmap_sem, &mm.page_table_lock]);
        for LockState { holder, readers, queue } in
            self.lru_locks.iter().chain(&self.ptls).chain(&self.mapping_locks).chain(spaces)
        {
            d.bytes(&[*holder, *readers, queue.len() as u8]);
            d.bytes(queue);
        }
    }

    fn feed_spaces(&self, d: &mut Digest) {
        for mm in &self.mms {
            for vma in &mm.vmas {
                d.bytes(&[u8::from(vma.locked)]);
            }
            for pmd in &mm.pmds {
                let (kind, index) = match *pmd {
                    Pmd::None => (0, 0),
                    Pmd::Table(table) => (1, table),
                    Pmd::Huge(page) => (2, page),
                    Pmd::HugeZero => (3, 0),
                };
                d.bytes(&[kind]);
                d.bytes(&index.to_le_bytes());
            }
        }
        self.tables.iter().for_each(|pte| d.bytes(&pte.to_le_bytes()));
        for mapping in &self.mappings {
            d.bytes(&[u8::from(mapping.unevictable)]);
            mapping.cache.iter().for_each(|page| d.bytes(&page.to_le_bytes()));
        }
    }
}

// What is zero is left out, so that a counter that a run does not know changes nothing.
fn feed_counts(d: &mut Digest, counts: impl Iterator<Item = u64>) {
    for (item, n) in counts.enumerate().filter(|&(_, n)| n != 0) {
        d.bytes(&[item as u8]);
        d.number(n);
    }
    d.bytes(&[u8::MAX]);
}

//! A digest of a machine: the same bytes give the same number on every machine and target.

use crate::machine::{Machine, TaskRun};

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
        self.feed_spaces(&mut d);
        d.finish()
    }

    fn feed_zones(&self, d: &mut Digest) {
        for (zone, lock) in self.zones.iter().zip(&self.lru_locks) {
            for word in [zone.fresh, zone.freed] {
                d.bytes(&word.to_le_bytes());
            }
            zone.stat.iter().for_each(|&n| d.number(n as u64));
            zone.recent_scanned.iter().chain(&zone.recent_rotated).for_each(|&n| d.number(n));
            for list in &zone.lru {
                for word in [list.head, list.tail, list.entries, list.pages] {
                    d.bytes(&word.to_le_bytes());
                }
            }
            d.bytes(&[lock.holder, lock.readers]);
            d.bytes(&lock.queue);
        }
        self.vm_stat.iter().for_each(|&n| d.number(n as u64));
        self.events.iter().for_each(|&n| d.number(n));
    }

    fn feed_cpus(&self, d: &mut Digest) {
        for cpu in &self.cpus {
            d.bytes(&[u8::from(cpu.irqs_off), cpu.preempt]);
        }
        for diff in self.diffs.iter().flatten() {
            d.bytes(&diff.to_le_bytes());
        }
        for pvec in self.pagevecs.iter().chain(&self.stacks) {
            d.bytes(&[pvec.nr]);
            pvec.filled().iter().for_each(|page| d.bytes(&page.to_le_bytes()));
        }
        for task in &self.tasks {
            let run = match task.run {
                TaskRun::Runnable => 0,
                TaskRun::Waits(lock) => 1 + lock.class as u8,
                TaskRun::Done => 255,
            };
            d.bytes(&[task.cpu, run]);
        }
        for &(page, task) in &self.page_waiters {
            d.bytes(&page.to_le_bytes());
            d.bytes(&[task]);
        }
    }

    fn feed_spaces(&self, d: &mut Digest) {
        for mm in &self.mms {
            for vma in &mm.vmas {
                d.bytes(&[u8::from(vma.locked)]);
            }
        }
        self.tables.iter().for_each(|pte| d.bytes(&pte.to_le_bytes()));
        for mapping in &self.mappings {
            d.bytes(&[u8::from(mapping.unevictable)]);
            mapping.cache.iter().for_each(|page| d.bytes(&page.to_le_bytes()));
        }
    }
}

//! A digest of a machine: the same bytes give the same number on every machine and target.

use crate::machine::{
    LockState, Machine, PCP_TYPES, PER_CPU, PER_CPU_OF_ALL, PageList, PcpField, Pmd, RmapState, TaskRun,
};

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
        self.feed_work(&mut d);
        self.feed_allocators(&mut d);
        if let Some(rmap) = &self.rmap {
            feed_rmap(&mut d, rmap);
        }
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
        let per_cpu = self.pagevecs.iter().enumerate().map(|(at, pvec)| (at % PER_CPU, pvec));
        for (at, pvec) in per_cpu.chain(self.stacks.iter().map(|pvec| (0, pvec))) {
            // Those that only one kernel has say which they are, and nothing while they are empty.
            match at >= PER_CPU_OF_ALL {
                true if pvec.nr == 0 => continue,
                true => d.bytes(&[u8::MAX - at as u8, pvec.nr]),
                false => d.bytes(&[pvec.nr]),
            }
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

impl Machine {
    fn feed_work(&self, d: &mut Digest) {
        let work = &self.work;
        if work.pools.is_empty() {
            return;
        }
        for item in &work.items {
            d.bytes(&[item.func as u8, item.owner, u8::from(item.pending), u8::from(item.done), item.waiter]);
        }
        for pool in &work.pools {
            d.bytes(&[pool.list.len() as u8, u8::from(pool.idle), pool.worker]);
            pool.list.iter().chain([&pool.current]).for_each(|id| d.bytes(&id.to_le_bytes()));
        }
        d.bytes(&[work.allocated]);
        for mask in [work.has_work, work.offline] {
            d.number(mask as u64);
        }
        // CPUs beyond the first 64.
        for mask in [work.has_work, work.offline].map(|mask| (mask >> 64) as u64).into_iter().filter(|mask| *mask != 0)
        {
            d.number(mask);
        }
        d.bytes(&work.drain_gen.to_le_bytes());
        let locks = work.pools.iter().map(|pool| &pool.lock).chain([&work.drain_mutex, &work.hotplug]);
        for LockState { holder, readers, queue } in locks {
            d.bytes(&[*holder, *readers, queue.len() as u8]);
            d.bytes(queue);
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

impl Machine {
    // Nothing for zones with a simple free list.
    fn feed_allocators(&self, d: &mut Digest) {
        for buddy in self.zones.iter().filter_map(|zone| zone.buddy.as_ref()) {
            let locks = core::iter::once(&buddy.lock).chain(buddy.pcp.iter().map(|pcp| &pcp.lock));
            for LockState { holder, readers, queue } in locks {
                d.bytes(&[*holder, *readers, queue.len() as u8]);
                d.bytes(queue);
            }
            let lists = buddy.free_list.iter().flatten().chain(&buddy.local).chain(&buddy.dead);
            for list in lists.chain(buddy.pcp.iter().flat_map(|pcp| &pcp.lists[..PCP_TYPES as usize])) {
                [list.head, list.tail, list.len].iter().for_each(|word| d.bytes(&word.to_le_bytes()));
            }
            let (flags, plain) = (PcpField::Flags as usize, PcpField::HighMax as usize);
            let numbers = buddy.pcp.iter().flat_map(|pcp| &pcp.fields[..=plain]).chain(&buddy.nr_free);
            numbers.for_each(|number| d.bytes(&number.to_le_bytes()));
            for (cpu, pcp) in buddy.pcp.iter().enumerate() {
                feed_orders(d, cpu as u8, &pcp.lists, pcp.fields[flags]);
            }
            buddy.pageblocks.iter().for_each(|&mt| d.bytes(&[mt as u8]));
            d.bytes(&buddy.nr_isolate.to_le_bytes());
            d.bytes(&[u8::from(buddy.below_high), u8::from(buddy.reclaim_active)]);
            if buddy.nr_reserved_highatomic != 0 {
                d.bytes(&buddy.nr_reserved_highatomic.to_le_bytes());
            }
        }
    }
}

// What only blocks of higher orders use is left out where it is empty: runs without such blocks know nothing of it.
fn feed_orders(d: &mut Digest, cpu: u8, lists: &[PageList], flags: u32) {
    for (pindex, list) in lists.iter().enumerate().skip(PCP_TYPES as usize).filter(|(_, list)| list.len > 0) {
        d.bytes(&[cpu, pindex as u8]);
        [list.head, list.tail, list.len].iter().for_each(|word| d.bytes(&word.to_le_bytes()));
    }
    if flags != 0 {
        d.bytes(&[cpu, u8::MAX]);
        d.bytes(&flags.to_le_bytes());
    }
}

fn feed_rmap(d: &mut Digest, rmap: &RmapState) {
    for mm in &rmap.mms {
        mm.rss.iter().chain([&rmap.stats_flush]).for_each(|&n| d.number(n as u64));
        mm.rss_cpu.iter().flatten().for_each(|n| d.bytes(&n.to_le_bytes()));
        [mm.hiwater, mm.tlb_gen].into_iter().for_each(|n| d.number(n));
        [mm.flush_batched, mm.cpumask].into_iter().for_each(|n| d.bytes(&n.to_le_bytes()));
        d.bytes(&[u8::from(mm.on_mmlist)]);
    }
    for folio in &rmap.folios {
        for word in [folio.nr_mapped, folio.entire, folio.large, folio.slots[0], folio.slots[1], folio.pincount] {
            d.bytes(&word.to_le_bytes());
        }
        let flags = [folio.locked, folio.shared, folio.split_queued].map(u8::from);
        d.bytes(&[folio.owners[0], folio.owners[1], flags[0], flags[1], flags[2]]);
        d.bytes(&folio.swap.to_le_bytes());
    }
    for tlb in &rmap.tlbs {
        d.bytes(&[tlb.loaded_mm, u8::from(tlb.lazy)]);
        d.number(tlb.local_gen);
        d.bytes(&tlb.epoch.to_le_bytes());
        for (epoch, page) in &tlb.entries {
            d.bytes(&epoch.to_le_bytes());
            d.bytes(&page.to_le_bytes());
        }
    }
    for cpu in &rmap.memcg {
        cpu.memcg.iter().chain(&cpu.lruvec).for_each(|n| d.bytes(&n.to_le_bytes()));
        d.bytes(&cpu.updates.to_le_bytes());
        d.bytes(&[u8::from(cpu.linked)]);
    }
    d.bytes(&rmap.swap_map);
    for ubc in &rmap.ubcs {
        d.bytes(&ubc.cpumask.to_le_bytes());
        d.bytes(&[u8::from(ubc.required), u8::from(ubc.writable)]);
    }
    for LockState { holder, readers, queue } in rmap.rss_locks.iter().chain(&rmap.locks) {
        d.bytes(&[*holder, *readers, queue.len() as u8]);
        d.bytes(queue);
    }
}

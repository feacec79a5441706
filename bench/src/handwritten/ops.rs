//! Memory and counts in the hands of a plain loop: one zone, one CPU, small pages.

use sim_core::ledger::{Count, How, Ledger, Site};
use sim_core::machine::{Event, LockClass, Machine, NIL, NO_MAPPING, NOBODY, PageFlag, Pfn, Pmd, Stat};

/// Unevictable and inactive anonymous pages: indices of their lists.
pub const UNEVICTABLE: usize = 4;
pub const INACTIVE_ANON: usize = 0;

/// What the loop changes.
pub struct Hand {
    pub machine: Machine,
    pub ledger: Ledger,
    held: [u64; LockClass::ALL.len()],
    /// Operations so far; the range is entered as the third.
    clock: u64,
}

impl Hand {
    pub fn new(machine: Machine) -> Hand {
        Hand { machine, ledger: Ledger::default(), held: [0; LockClass::ALL.len()], clock: 1 }
    }

    /// Operations for which locks of a class were held.
    pub fn held(&self, class: LockClass) -> u64 {
        self.held[class as usize]
    }

    #[inline(always)]
    pub fn count(&mut self, count: Count) {
        self.ledger.counts[count as usize] += 1;
        self.clock += 1;
    }

    #[inline(always)]
    pub fn clear_vm_locked(&mut self) {
        self.machine.mms[0].vmas[0].locked = false;
        self.clock += 1;
    }

    #[inline(always)]
    pub fn flag(&mut self, page: Pfn, flag: PageFlag, how: How) -> bool {
        let word = &mut self.machine.pages[page as usize].flags;
        let was = *word & flag.bit() != 0;
        match how {
            How::Set | How::TestSet | How::PlainSet => *word |= flag.bit(),
            How::Clear | How::TestClear | How::PlainClear => *word &= !flag.bit(),
        }
        self.ledger.flags[flag as usize * 6 + how as usize] += 1;
        self.clock += 1;
        was
    }

    #[inline(always)]
    pub fn read_flag(&mut self, page: Pfn, flag: PageFlag) -> bool {
        self.count(Count::Reads);
        self.machine.pages[page as usize].has(flag)
    }

    #[inline(always)]
    pub fn get(&mut self, page: Pfn, site: Site) {
        self.machine.pages[page as usize].count += 1;
        self.ledger.gets[site as usize] += 1;
        self.clock += 1;
    }

    #[inline(always)]
    pub fn put(&mut self, page: Pfn, site: Site) {
        self.machine.pages[page as usize].count -= 1;
        self.ledger.puts[site as usize] += 1;
        self.clock += 1;
    }

    #[inline(always)]
    fn acquired(&mut self, class: LockClass) {
        self.ledger.locks[class as usize].acquired += 1;
        self.held[class as usize] = self.held[class as usize].wrapping_sub(self.clock);
        self.clock += 1;
    }

    #[inline(always)]
    fn released(&mut self, class: LockClass) {
        self.held[class as usize] = self.held[class as usize].wrapping_add(self.clock);
        self.clock += 1;
    }

    #[inline(always)]
    pub fn lock_ptl(&mut self, table: u32) {
        self.machine.ptls[table as usize].holder = 0;
        self.acquired(LockClass::Ptl);
    }

    #[inline(always)]
    pub fn unlock_ptl(&mut self, table: u32) {
        self.machine.ptls[table as usize].holder = NOBODY;
        self.released(LockClass::Ptl);
    }

    #[inline(always)]
    pub fn lock_lru(&mut self) {
        self.machine.lru_locks[0].holder = 0;
        self.machine.cpus[0].irqs_off = true;
        self.ledger.counts[Count::IrqPairs as usize] += 1;
        self.acquired(LockClass::Lru);
    }

    #[inline(always)]
    pub fn unlock_lru(&mut self) {
        self.machine.lru_locks[0].holder = NOBODY;
        self.machine.cpus[0].irqs_off = false;
        self.released(LockClass::Lru);
    }

    #[inline(always)]
    pub fn lock_page(&mut self, page: Pfn) {
        self.machine.pages[page as usize].flags |= PageFlag::Locked.bit();
        self.machine.pages[page as usize].locker = 0;
        self.ledger.flags[PageFlag::Locked as usize * 6 + How::TestSet as usize] += 1;
        self.acquired(LockClass::Page);
    }

    #[inline(always)]
    pub fn unlock_page(&mut self, page: Pfn) {
        self.machine.pages[page as usize].flags &= !PageFlag::Locked.bit();
        self.machine.pages[page as usize].locker = NOBODY;
        self.ledger.flags[PageFlag::Locked as usize * 6 + How::Clear as usize] += 1;
        self.released(LockClass::Page);
        self.count(Count::Reads);
    }

    /// Walks to an address, pins the page that is there under the lock of its table.
    #[inline(always)]
    pub fn follow_page(&mut self, addr: u32) -> Option<Pfn> {
        self.count(Count::Walks);
        let Pmd::Table(table) = self.machine.mms[0].pmds[addr as usize / 512] else { return None };
        self.lock_ptl(table);
        self.count(Count::Reads);
        let page = self.machine.tables[table as usize * 512 + addr as usize % 512];
        self.get(page, Site::FollowPage);
        self.unlock_ptl(table);
        Some(page)
    }

    #[inline(always)]
    pub fn page_evictable(&mut self, page: Pfn) -> bool {
        self.count(Count::Reads);
        let page = &self.machine.pages[page as usize];
        let pinned_down = page.mapping != NO_MAPPING && self.machine.mappings[page.mapping as usize].unevictable;
        !pinned_down && !page.has(PageFlag::Mlocked)
    }

    #[inline(always)]
    pub fn list_del(&mut self, page: Pfn, list: usize) {
        let links = &mut self.machine.pages[page as usize];
        let (next, prev) = (std::mem::replace(&mut links.next, NIL), std::mem::replace(&mut links.prev, NIL));
        links.isolator = 0;
        let list = &mut self.machine.zones[0].lru[list];
        list.entries -= 1;
        list.pages -= 1;
        match prev {
            NIL => list.head = next,
            prev => self.machine.pages[prev as usize].next = next,
        }
        match next {
            NIL => list.tail = prev,
            next => self.machine.pages[next as usize].prev = prev,
        }
        self.count(Count::ListDel);
    }

    #[inline(always)]
    pub fn list_add(&mut self, page: Pfn, list: usize) {
        let list = &mut self.machine.zones[0].lru[list];
        let head = std::mem::replace(&mut list.head, page);
        list.entries += 1;
        list.pages += 1;
        match head {
            NIL => list.tail = page,
            head => self.machine.pages[head as usize].prev = page,
        }
        let links = &mut self.machine.pages[page as usize];
        (links.next, links.prev, links.isolator) = (head, NIL, NOBODY);
        self.count(Count::ListAdd);
    }

    #[inline(always)]
    pub fn stat(&mut self, item: Stat, delta: i32, safe: bool) {
        let zone = &mut self.machine.zones[0];
        let diff = &mut self.machine.diffs[0][item as usize];
        let sum = i32::from(*diff) + delta;
        if sum.abs() <= i32::from(zone.threshold) {
            *diff = sum as i8;
        } else {
            *diff = 0;
            zone.stat[item as usize] += i64::from(sum);
            self.machine.vm_stat[item as usize] += i64::from(sum);
            self.ledger.counts[Count::Folds as usize] += 2;
        }
        self.count(if safe { Count::StatSafe } else { Count::StatPlain });
    }

    #[inline(always)]
    pub fn event(&mut self, event: Event, n: u64) {
        self.machine.events[event as usize] += n;
        self.ledger.events[event as usize] += n;
        self.count(Count::EventUpdates);
    }

    /// A page goes on the list that its flags name, as a drain puts it there.
    #[inline(always)]
    pub fn back_to_inactive(&mut self, page: Pfn) {
        self.flag(page, PageFlag::Lru, How::Set);
        self.list_add(page, INACTIVE_ANON);
        self.stat(Stat::InactiveAnon, 1, false);
        self.machine.zones[0].recent_scanned[0] += 1;
        self.clock += 1;
    }

    #[inline(always)]
    pub fn tick(&mut self) {
        self.clock += 1;
    }
}

//! Applying and reverting: each operation has one arm here and one function that does it, with its inverse beside it.

use super::{Op, Read, World, anon, area, locks, lru, tables, work};
use crate::machine::{CpuState, Machine, NO_WORK, PageFlag, TaskRun, WorkId};

/// What an operation returns to the code that made it, and what is needed to take it back. Twelve bytes, so that a
/// record of a step takes thirty-six.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed(4))]
pub struct Outcome {
    /// The value read, the old value, or 1 for success.
    pub ret: u32,
    /// What was overwritten.
    pub undo: u64,
}

impl Outcome {
    pub(super) const NONE: Outcome = Outcome { ret: 0, undo: 0 };

    pub(super) const fn undo(undo: u64) -> Outcome {
        Outcome { ret: 0, undo }
    }

    pub(super) const fn ret(ret: u32) -> Outcome {
        Outcome { ret, undo: 0 }
    }
}

impl World {
    /// A world that has not done anything.
    pub fn new(machine: Machine) -> World {
        World { machine, ledger: Default::default(), clock: 0 }
    }

    /// Applies an operation of a task; the ledger has it when it is `counted`.
    #[inline(always)]
    pub fn apply(&mut self, task: u8, op: Op, counted: bool) -> Outcome {
        let mut outcome = self.change(task, &op);
        if counted {
            outcome.undo |= self.tally(&op, outcome, 1);
        }
        self.clock += 1;
        outcome
    }

    /// Applies an operation of a task and counts it `n` times, 0 or 1.
    #[inline(always)]
    pub(crate) fn apply_counting(&mut self, task: u8, op: &Op, n: u64) -> Outcome {
        let mut outcome = self.change(task, op);
        outcome.undo |= self.tally(op, outcome, n);
        self.clock += 1;
        outcome
    }

    /// Takes back the operation that was applied last.
    pub fn revert(&mut self, task: u8, op: Op, outcome: Outcome, counted: bool) {
        self.clock -= 1;
        if counted {
            self.tally(&op, outcome, u64::MAX);
        }
        self.restore(task, op, outcome);
    }

    #[inline(always)]
    fn change(&mut self, task: u8, op: &Op) -> Outcome {
        let m = &mut self.machine;
        match *op {
            Op::Read { what, page } => Outcome::ret(read(m, what, page)),
            Op::ReadPagevec { pv } => Outcome::ret(u32::from(m.pagevec(pv).nr)),
            Op::Flag { flag, how, page } => lru::flag(m, flag, how, page),
            Op::Get { page, .. } => {
                m.page_mut(page).count += 1;
                Outcome::NONE
            }
            Op::Put { page, .. } => {
                let page = m.page_mut(page);
                page.count -= 1;
                Outcome::ret(u32::from(page.count == 0))
            }
            Op::Mapcount { page, delta } => {
                let page = m.page_mut(page);
                page.mapcount += i32::from(delta);
                Outcome::ret(page.mapcount as u32)
            }
            Op::SetMapping { page, mapping, index } => tables::set_mapping(m, page, mapping, index),
            Op::TryLockPage { page } => locks::trylock_page(m, task, page),
            Op::WaitPage { page } => locks::wait_page(m, task, page),
            Op::UnlockPage { page } => locks::unlock_page(m, page),
            Op::WakePage { page } => locks::wake_page(m, page),
            Op::SpinLock { class, irq, index } => locks::spin_lock(m, task, class, irq, index),
            Op::SpinWait { class, irq, index } => locks::spin_wait(m, task, class, irq, index),
            Op::SpinUnlock { class, irq, index } => locks::spin_unlock(m, task, class, irq, index),
            Op::Down { class, write, index } => locks::down(m, task, class, write, index),
            Op::DownReadTrylock { class, index } => locks::down_read_trylock(m, class, index),
            Op::DownWait { class, index, .. } => locks::down_wait(m, task, class, index),
            Op::Up { class, write, index } => locks::up(m, class, write, index),
            Op::Irq { off } => {
                let cpu = cpu_mut(m, task);
                let old = cpu.irqs_off;
                cpu.irqs_off = off;
                Outcome::undo(u64::from(old))
            }
            Op::Preempt { off } => {
                let cpu = cpu_mut(m, task);
                cpu.preempt = if off { cpu.preempt + 1 } else { cpu.preempt - 1 };
                Outcome::NONE
            }
            Op::ListAdd { lru, page } => lru::list_add(m, lru, page),
            Op::ListDel { lru, page } => lru::list_del(m, task, lru, page),
            Op::ListSize { lru, add, page } => lru::list_size(m, task, lru, add, page),
            Op::ReclaimStat { zone, file, rotated } => lru::reclaim_stat(m, zone, file, rotated, 1),
            Op::PvecAdd { pv, new, page } => lru::pvec_add(m, pv, new, page),
            Op::PvecNull { pv, slot } => lru::pvec_null(m, pv, slot),
            Op::PvecReinit { pv } => lru::pvec_reinit(m, pv),
            Op::Stat { zone, item, delta, .. } => lru::stat(m, task, zone, item, delta),
            Op::Event { event, n } => {
                m.events[event as usize] += u64::from(n);
                Outcome::NONE
            }
            Op::Alloc { zone, order, page } => tables::alloc(m, zone, order, page),
            Op::Free { page } => tables::free(m, page),
            Op::Walk { mm, vpn } => Outcome::ret(u32::from(m.pmd(mm, vpn) != crate::machine::Pmd::None)),
            Op::ReadPte { mm, vpn } => Outcome::ret(m.pte(mm, vpn)),
            Op::SetPte { mm, vpn, pte } => tables::set_pte(m, mm, vpn, pte),
            Op::PopulatePmd { mm, pmd } => tables::populate_pmd(m, mm, pmd),
            Op::SetHugePmd { mm, pmd, page } => tables::set_huge_pmd(m, mm, pmd, page),
            Op::SetVmLocked { mm, vma, locked } => tables::set_vm_locked(m, mm, vma, locked),
            Op::SetCache { mapping, index, page } => tables::set_cache(m, mapping, index, page),
            Op::SetMlockCount { page, value } => {
                let old = core::mem::replace(&mut m.page_mut(page).prev, value);
                Outcome::undo(u64::from(old))
            }
            Op::SplitTail { head, tail } => lru::split_tail(m, head, tail),
            Op::SplitHead { head } => lru::split_head(m, head),
            Op::Migrate { cpu } => {
                let old = core::mem::replace(&mut m.tasks[task as usize].cpu, cpu);
                Outcome::undo(u64::from(old))
            }
            Op::Sleep => locks::sleep(m, task),
            Op::Wake { task } => locks::wake(m, task),
            Op::Exit => {
                m.tasks[task as usize].run = TaskRun::Done;
                Outcome::NONE
            }
            Op::Barrier | Op::CondResched => Outcome::NONE,
            Op::PercpuWorks { alloc } => {
                work::percpu(m, alloc);
                Outcome::NONE
            }
            Op::InitWork { work } => work::init(m, work),
            Op::TestSetPending { work } => work::pending(m, work, true),
            Op::ClearPending { work } => work::pending(m, work, false),
            Op::InsertWork { work, cpu, at, .. } => work::insert(m, work, cpu, at),
            Op::NextWork { cpu } => work::next(m, cpu),
            Op::TakeWork { cpu } => work::take(m, cpu),
            Op::EndWork { cpu } => work::end(m, cpu, NO_WORK),
            Op::WakeWorker { cpu, .. } => work::wake_worker(m, cpu),
            Op::Idle => locks::sleep(m, task),
            Op::WaitForCompletion { work } => work::wait(m, task, work),
            Op::Complete { work } => work::complete(m, work),
            Op::PeekPagevec { pv, lru, .. } => work::peek(m, pv, lru),
            Op::HasWork { cpu } => work::has_work(m, cpu),
            Op::Offline { cpu, to } => work::offline(m, cpu, to),
            Op::DrainGen { advance } => work::generation(m, advance),
            Op::AreaAdd { list, tail, page } => area::add(m, task, list, tail, page),
            Op::AreaDel { list, page } | Op::AreaNext { list, page } => area::del(m, task, list, page),
            Op::AreaEmpty { list, zone, .. } => {
                Outcome::ret(u32::from(m.buddy(zone).is_none_or(|buddy| buddy.list(list).len == 0)))
            }
            Op::SetBuddy { order, page } => area::set_buddy(m, order, page),
            Op::ClearBuddy { page } => area::clear_buddy(m, page),
            Op::NrFree { zone, order, add } => area::nr_free(m, zone, order, add),
            Op::NrIsolate { zone, add } => area::nr_isolate(m, zone, add),
            Op::ReadIsolate { zone } => Outcome::ret(m.buddy(zone).map_or(0, |buddy| buddy.nr_isolate)),
            Op::SetPageblock { page, mt } => area::set_pageblock(m, page, mt),
            Op::SetPcpType { page, mt } => area::set_pcp_type(m, page, mt as u32),
            Op::ReadPcp { zone, cpu, field } => Outcome::ret(area::pcp(m, zone, cpu, field)),
            Op::SetPcp { zone, cpu, field, value } => area::set_pcp(m, zone, cpu, field, value),
            Op::ZoneBelowHigh { zone, on } => area::zone_below_high(m, zone, on),
            Op::ReadFreePages { zone } => {
                let free = m.zones[zone as usize].stat[crate::machine::Stat::FreePages as usize];
                Outcome::ret(u32::try_from(free).unwrap_or(0))
            }
            Op::PrepareNew { page, .. } => area::prepare_new(m, page),
            Op::PrepareFree { page, .. } => area::prepare_free(m, page),
            Op::Prefetch { .. } | Op::FlushTlbMm { .. } => Outcome::NONE,
            Op::SpinTrylock { class, index } => area::spin_trylock(m, task, class, index),
            Op::GetClearPte { mm, vpn } => {
                let undo = tables::set_pte(m, mm, vpn, crate::machine::PTE_NONE).undo;
                Outcome { ret: undo as u32, undo }
            }
            Op::Rmap(op) => super::rmap_apply::change(m, task, op),
            Op::Anon(op) => anon::apply(m, task, op),
        }
    }

    fn restore(&mut self, task: u8, op: Op, Outcome { ret, undo }: Outcome) {
        let m = &mut self.machine;
        match op {
            Op::Read { .. } | Op::ReadPagevec { .. } | Op::ReadPte { .. } | Op::Walk { .. } => {}
            Op::Barrier | Op::CondResched => {}
            Op::Flag { page, .. } => m.page_mut(page).flags = undo as u32,
            Op::Get { page, .. } => m.page_mut(page).count -= 1,
            Op::Put { page, .. } => m.page_mut(page).count += 1,
            Op::Mapcount { page, delta } => m.page_mut(page).mapcount -= i32::from(delta),
            Op::SetMapping { page, .. } => tables::unset_mapping(m, page, undo),
            Op::TryLockPage { page } => locks::untrylock_page(m, page, ret),
            Op::WaitPage { .. } => locks::unwait_page(m, task, ret),
            Op::UnlockPage { page } => locks::relock_page(m, page, undo),
            Op::WakePage { page } => locks::unwake_page(m, page, undo),
            Op::SpinLock { class, index, .. } => locks::unspin_lock(m, task, class, index, undo),
            Op::SpinWait { class, index, .. } => locks::unspin_wait(m, task, class, index, undo),
            Op::SpinUnlock { class, index, .. } => locks::unspin_unlock(m, task, class, index, undo),
            Op::Down { class, write, index } => locks::undown(m, task, class, write, index, undo),
            Op::DownReadTrylock { class, index } => locks::undown_read_trylock(m, class, index, ret),
            Op::DownWait { class, index, .. } => locks::undown_wait(m, task, class, index),
            Op::Up { class, write, index } => locks::unup(m, class, write, index, undo),
            Op::Irq { .. } => cpu_mut(m, task).irqs_off = undo != 0,
            Op::Preempt { off } => {
                let cpu = cpu_mut(m, task);
                cpu.preempt = if off { cpu.preempt - 1 } else { cpu.preempt + 1 };
            }
            Op::ListAdd { lru, page } => lru::unlist_add(m, lru, page, undo),
            Op::ListDel { lru, page } => lru::unlist_del(m, lru, page, undo),
            Op::ListSize { lru, add, page } => lru::unlist_size(m, lru, add, page, undo),
            Op::ReclaimStat { zone, file, rotated } => {
                lru::reclaim_stat(m, zone, file, rotated, u64::MAX);
            }
            Op::PvecAdd { pv, .. } => lru::unpvec_add(m, pv, undo),
            Op::PvecNull { pv, slot } => m.pagevec_mut(pv).slots[slot as usize] = undo as u32,
            Op::PvecReinit { pv } => m.pagevec_mut(pv).nr = undo as u8,
            Op::Stat { zone, item, delta, .. } => lru::unstat(m, task, zone, item, delta, undo),
            Op::Event { event, n } => m.events[event as usize] -= u64::from(n),
            Op::Alloc { zone, page, .. } => tables::unalloc(m, zone, page, undo),
            Op::Free { page } => tables::unfree(m, page, undo),
            Op::SetPte { mm, vpn, .. } => {
                tables::set_pte(m, mm, vpn, undo as u32);
            }
            Op::PopulatePmd { mm, pmd } => tables::unpopulate_pmd(m, mm, pmd, undo),
            Op::SetHugePmd { mm, pmd, .. } => tables::unset_huge_pmd(m, mm, pmd, undo),
            Op::SetVmLocked { mm, vma, .. } => {
                tables::set_vm_locked(m, mm, vma, undo != 0);
            }
            Op::SetCache { mapping, index, .. } => {
                tables::set_cache(m, mapping, index, undo as u32);
            }
            Op::SetMlockCount { page, .. } => m.page_mut(page).prev = undo as u32,
            Op::SplitTail { head, tail } => lru::unsplit_tail(m, head, tail, undo),
            Op::SplitHead { head } => lru::unsplit_head(m, head, undo),
            Op::Migrate { .. } => m.tasks[task as usize].cpu = undo as u8,
            Op::Sleep => locks::unsleep(m, task, ret),
            Op::Wake { task } => locks::unwake(m, task, undo),
            Op::Exit => m.tasks[task as usize].run = TaskRun::Runnable,
            Op::PercpuWorks { alloc } => work::percpu(m, !alloc),
            Op::InitWork { work } | Op::TestSetPending { work } | Op::ClearPending { work } => {
                work::restore(m, work, undo);
            }
            Op::InsertWork { cpu, .. } => work::uninsert(m, cpu, undo),
            Op::NextWork { cpu } => m.work.pools[cpu as usize].idle = undo != 0,
            Op::TakeWork { cpu } => work::untake(m, cpu, ret, undo),
            Op::EndWork { cpu } => {
                work::end(m, cpu, undo as WorkId);
            }
            Op::WakeWorker { cpu, .. } => work::unwake_worker(m, cpu, undo),
            Op::Idle => locks::unsleep(m, task, ret),
            Op::WaitForCompletion { work } => work::unwait(m, task, work, ret, undo),
            Op::Complete { work } => work::uncomplete(m, work, ret, undo),
            Op::PeekPagevec { .. } => {}
            Op::HasWork { .. } => work::unhas_work(m, ret, undo),
            Op::Offline { cpu, .. } => work::unoffline(m, cpu, undo),
            Op::DrainGen { .. } => m.work.drain_gen = ret,
            Op::AreaAdd { list, page, .. } => area::unadd(m, list, page, undo),
            Op::AreaDel { list, page } | Op::AreaNext { list, page } => area::undel(m, list, page, undo),
            Op::SetBuddy { page, .. } | Op::ClearBuddy { page } => m.page_mut(page).flags = undo as u32,
            Op::NrFree { zone, order, add } => {
                area::nr_free(m, zone, order, !add);
            }
            Op::NrIsolate { zone, add } => {
                area::nr_isolate(m, zone, !add);
            }
            Op::SetPageblock { page, .. } => {
                area::set_pageblock(m, page, crate::machine::MigrateType::from_index(undo as u32));
            }
            Op::SetPcpType { page, .. } => {
                area::set_pcp_type(m, page, undo as u32);
            }
            Op::SetPcp { zone, cpu, field, .. } => {
                area::set_pcp(m, zone, cpu, field, undo as u32);
            }
            Op::ZoneBelowHigh { zone, .. } => {
                area::zone_below_high(m, zone, undo != 0);
            }
            Op::AreaEmpty { .. } | Op::ReadIsolate { .. } | Op::ReadPcp { .. } | Op::ReadFreePages { .. } => {}
            Op::Prefetch { .. } | Op::FlushTlbMm { .. } => {}
            Op::PrepareNew { page, .. } => area::unprepare_new(m, page),
            Op::PrepareFree { page, .. } => area::unprepare_free(m, page, undo),
            Op::SpinTrylock { class, index } => area::unspin_trylock(m, class, index, ret),
            Op::GetClearPte { mm, vpn } => {
                tables::set_pte(m, mm, vpn, undo as u32);
            }
            Op::Rmap(op) => super::rmap_apply::restore(m, task, op, ret, undo),
            Op::Anon(op) => anon::revert(m, task, op, Outcome { ret, undo }),
        }
    }
}

#[inline(always)]
fn read(m: &Machine, what: Read, page: u32) -> u32 {
    match what {
        Read::Flag(flag) => u32::from(m.page(page).has(flag)),
        Read::Mapcount => m.page(page).mapcount as u32,
        Read::Evictable => u32::from(m.page_evictable(page)),
        Read::Waiters => u32::from(m.page_waiters.iter().any(|&(waited, _)| waited == page)),
        Read::MlockCount => m.page(page).prev,
        Read::Buddy | Read::HigherBuddy => area::buddy_order(m.page(page)),
        Read::PageCheck => u32::from(area::is_good(m.page(page))),
        Read::PcpType => m.page(page).index,
        Read::Pageblock => area::pageblock(m, page),
        Read::Refcount => m.page(page).count as u32,
    }
}

#[inline(always)]
pub(super) fn cpu_mut(m: &mut Machine, task: u8) -> &mut CpuState {
    let cpu = m.tasks[task as usize].cpu;
    &mut m.cpus[cpu as usize]
}

/// The flag word with a flag set or cleared.
#[inline(always)]
pub(super) const fn with(flags: u32, flag: PageFlag, set: bool) -> u32 {
    if set { flags | flag.bit() } else { flags & !flag.bit() }
}

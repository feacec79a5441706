//! Operations in words, for transcripts.

use alloc::format;
use alloc::string::{String, ToString};

use super::{Op, Read};
use crate::machine::{AreaList, NIL, NOBODY, PTE_NONE, PTE_ZERO, pte_page};

/// One operation as a line of a transcript: kernel names, page frame numbers.
pub fn text(op: &Op, ret: u32) -> String {
    match *op {
        Op::Read { what, page } => format!("read {} of page {page}: {ret}", read_name(what)),
        Op::ReadPagevec { pv } => format!("read count of {:?} pagevec {}: {ret}", pv.kind, pv.owner),
        Op::Flag { flag, how, page } => format!("{}.{} page {page}, was {ret}", flag.name(), how.name()),
        Op::Get { page, site, .. } => format!("{}:{} page {page}", site.get_name(), site.name()),
        Op::Put { page, site, .. } => {
            let zero = if ret == 1 { ", now 0" } else { "" };
            format!("_count.dec:{} page {page}{zero}", site.name())
        }
        Op::Mapcount { page, delta } => format!("_mapcount {delta:+} page {page}, now {ret}"),
        Op::SetMapping { page, mapping, index } => format!("page {page} belongs to mapping {mapping}, index {index}"),
        Op::TryLockPage { page } => {
            let how = if ret == 1 { "taken" } else { "held by another task" };
            format!("PG_locked.test_and_set page {page}, {how}")
        }
        Op::WaitPage { page } if ret == 0 => format!("the lock of page {page} is free again"),
        Op::WaitPage { page } => format!("sleep for the lock of page {page}"),
        Op::UnlockPage { page } => format!("PG_locked.clear page {page}"),
        Op::WakePage { page } => format!("wake a waiter of page {page}"),
        Op::SpinLock { class, irq, index } => format!("{} {index} taken{}", class.words(), irqs(irq, "off")),
        Op::SpinWait { class, index, .. } => format!("wait for {} {index}", class.words()),
        Op::SpinUnlock { class, irq, index } => format!("{} {index} released{}", class.words(), irqs(irq, "on")),
        Op::Down { class, write, index } => format!("{} {index} taken to {}", class.words(), access(write)),
        Op::DownReadTrylock { class, index } => {
            format!("{} {index} tried to read: {}", class.words(), if ret == 1 { "taken" } else { "busy" })
        }
        Op::DownWait { class, index, .. } => format!("sleep for {} {index}", class.words()),
        Op::Up { class, write, index } => format!("{} {index} released by {}r", class.words(), access(write)),
        Op::Irq { off } => format!("interrupts {}", if off { "off" } else { "on" }),
        Op::Preempt { off } => format!("preemption {}", if off { "off" } else { "on" }),
        Op::ListAdd { lru, page } => format!("list_add page {page} to {}", lru_name(lru)),
        Op::ListDel { lru, page } => format!("list_del page {page} from {}", lru_name(lru)),
        Op::ListSize { lru, add, page } => {
            format!("page {page} counted {} {}", if add { "on" } else { "off" }, lru_name(lru))
        }
        Op::ReclaimStat { zone, .. } => format!("reclaim_stat of zone {zone}"),
        Op::PvecAdd { pv, page, .. } => format!("page {page} into slot {ret} of {:?} pagevec {}", pv.kind, pv.owner),
        Op::PvecNull { pv, slot } => format!("slot {slot} of {:?} pagevec {} = NULL", pv.kind, pv.owner),
        Op::PvecReinit { pv } => format!("{:?} pagevec {} emptied", pv.kind, pv.owner),
        Op::Stat { zone, item, delta, .. } => {
            let fold = if ret == 1 { ", folded" } else { "" };
            format!("{} {delta:+} in zone {zone}{fold}", item.name())
        }
        Op::Event { event, n } => format!("{} +{n}", event.name()),
        Op::Alloc { zone, order, page } => format!("page {page} of order {order} from zone {zone}"),
        Op::Free { page } => format!("page {page} freed"),
        Op::Walk { mm, vpn } => format!("walk the page table of mm {mm} to {vpn}"),
        Op::ReadPte { mm, vpn } => format!("read PTE {vpn} of mm {mm}: {}", pte_text(ret)),
        Op::SetPte { mm, vpn, pte } => format!("PTE {vpn} of mm {mm} = {}", pte_text(pte)),
        Op::PopulatePmd { mm, pmd } => format!("pmd {pmd} of mm {mm} = an empty page table"),
        Op::SetHugePmd { mm, pmd, page: NIL } => format!("pmd {pmd} of mm {mm} = the huge zero page"),
        Op::SetHugePmd { mm, pmd, page } => format!("pmd {pmd} of mm {mm} = huge page {page}"),
        Op::SetVmLocked { mm, vma, locked } => format!("VM_LOCKED of vma {vma} of mm {mm} = {locked}"),
        Op::SetCache { mapping, index, page } => format!("page cache {mapping}[{index}] = {}", pte_text(page)),
        Op::SetMlockCount { page, value } => format!("mlock_count of page {page} = {value}"),
        Op::SplitTail { head, tail } => format!("tail {tail} split off huge page {head}"),
        Op::SplitHead { head } => format!("huge page {head} is a small page"),
        Op::Barrier => "smp_mb".to_string(),
        Op::CondResched => "cond_resched".to_string(),
        Op::Migrate { cpu } => format!("the task moves to CPU {cpu}"),
        Op::Sleep => if ret == 1 { "sleeps" } else { "does not sleep: it was woken" }.to_string(),
        Op::Wake { task } => format!("wakes task {task}{}", if ret == 1 { "" } else { ", which is awake" }),
        Op::Exit => "the task has finished".to_string(),
        _ => work_text(op, ret),
    }
}

fn work_text(op: &Op, ret: u32) -> String {
    match *op {
        Op::PercpuWorks { alloc: true } => "alloc_percpu of work items".to_string(),
        Op::PercpuWorks { .. } => "free_percpu of work items".to_string(),
        Op::InitWork { work } => format!("INIT_WORK {work}"),
        Op::TestSetPending { work } => format!("PENDING.test_and_set work {work}, was {ret}"),
        Op::ClearPending { work } => format!("PENDING.clear work {work}, was {ret}"),
        Op::InsertWork { work, cpu, barrier, .. } => {
            format!("{} {work} queued on CPU {cpu}", if barrier { "barrier" } else { "work" })
        }
        Op::NextWork { cpu } => format!("{ret} works queued on CPU {cpu}"),
        Op::TakeWork { cpu } => format!("work {ret} taken from CPU {cpu}"),
        Op::EndWork { cpu } => format!("the work of CPU {cpu} has run"),
        Op::WakeWorker { cpu, .. } => format!("wakes the kworker of CPU {cpu}, slept {ret}"),
        Op::Idle => if ret == 1 { "idles" } else { "does not idle: it was woken" }.to_string(),
        Op::WaitForCompletion { work } => format!("completion {work}: {}", if ret == 1 { "sleeps" } else { "done" }),
        Op::Complete { work } => format!("complete {work}, woken {ret}"),
        Op::PeekPagevec { pv, lru, .. } => format!("peek at {:?} pagevec {} list {lru}: {ret}", pv.kind, pv.owner),
        Op::HasWork { cpu: NOBODY } => "has_work = none".to_string(),
        Op::HasWork { cpu } => format!("has_work.set CPU {cpu}"),
        Op::Offline { cpu, to } => format!("CPU {cpu} goes down, its kworker runs on CPU {to}"),
        Op::DrainGen { advance } => format!("lru_drain_gen {}, was {ret}", if advance { "+1" } else { "read" }),
        _ => area_text(op, ret),
    }
}

fn area_text(op: &Op, ret: u32) -> String {
    match *op {
        Op::AreaAdd { list, tail, page } => {
            format!("page {page} to the {} of {}", if tail { "tail" } else { "head" }, area(list))
        }
        Op::AreaDel { list, page } => format!("page {page} off {}", area(list)),
        Op::AreaNext { list, page } => format!("next page of {}, then page {page}", area(list)),
        Op::AreaEmpty { list, .. } => format!("list_empty of {}: {ret}", area(list)),
        Op::SetBuddy { order, page } => format!("page {page} heads a free block of order {order}"),
        Op::ClearBuddy { page } => format!("page {page} heads no free block"),
        Op::NrFree { order, add, .. } => format!("nr_free of order {order} {}1", if add { '+' } else { '-' }),
        Op::NrIsolate { add, .. } => format!("nr_isolate_pageblock {}1", if add { '+' } else { '-' }),
        Op::ReadIsolate { .. } => format!("read nr_isolate_pageblock: {ret}"),
        Op::SetPageblock { page, mt } => format!("pageblock of page {page} = {}", mt.name()),
        Op::SetPcpType { page, mt } => format!("index of page {page} = {}", mt.name()),
        Op::ReadPcp { cpu, field, .. } => format!("read pcp.{} of CPU {cpu}: {ret}", field.name()),
        Op::SetPcp { cpu, field, value, .. } => format!("pcp.{} of CPU {cpu} = {value}", field.name()),
        Op::ZoneBelowHigh { on, .. } => format!("ZONE_BELOW_HIGH = {on}"),
        Op::ReadFreePages { .. } => format!("read NR_FREE_PAGES of the zone: {ret}"),
        Op::PrepareNew { page, .. } => format!("page {page} allocated, _count = 1"),
        Op::PrepareFree { page, .. } => format!("page {page} prepared to be freed"),
        Op::Prefetch { page } => format!("prefetch page {page}"),
        Op::SpinTrylock { class, index } => {
            format!("{} {index} {}", class.words(), if ret == 1 { "taken" } else { "is taken: not waited for" })
        }
        Op::GetClearPte { mm, vpn } => format!("PTE {vpn} of mm {mm} exchanged for none, was {}", pte_text(ret)),
        Op::FlushTlbMm { mm } => format!("flush the TLB for mm {mm}"),
        Op::Rmap(op) => op.text(ret),
        Op::Anon(op) => super::anon_text::text(op, ret),
        _ => String::new(),
    }
}

fn read_name(what: Read) -> &'static str {
    match what {
        Read::Flag(flag) => flag.name(),
        Read::Mapcount => "_mapcount",
        Read::Evictable => "page_evictable",
        Read::Waiters => "waitqueue_active",
        Read::MlockCount => "mlock_count",
        Read::Buddy => "PageBuddy",
        Read::HigherBuddy => "PageBuddy of the higher buddy",
        Read::PageCheck => "the fields that must be clear",
        Read::PcpType => "the migratetype in index",
        Read::Pageblock => "the pageblock's migratetype",
        Read::Refcount => "_refcount",
    }
}

fn lru_name(lru: u8) -> &'static str {
    crate::view::Lru::ALL[lru as usize].name()
}

fn irqs(irq: bool, state: &str) -> String {
    if irq { format!(", interrupts {state}") } else { String::new() }
}

fn access(write: bool) -> &'static str {
    if write { "write" } else { "read" }
}

pub(super) fn pte_text(pte: u32) -> String {
    match pte {
        PTE_NONE => "none".to_string(),
        PTE_ZERO => "the zero page".to_string(),
        pte => format!("page {}", pte_page(pte).unwrap_or(pte)),
    }
}

fn area(list: AreaList) -> String {
    match list {
        AreaList::Free { order, mt } => format!("free_list {order} {}", mt.name()),
        AreaList::Pcp { cpu, mt } => format!("pcp list {} of CPU {cpu}", mt.name()),
        AreaList::Local { cpu } => format!("the local list of CPU {cpu}"),
        AreaList::Dead { cpu } => format!("pages_to_free of CPU {cpu}"),
        AreaList::PcpOrder { cpu, pindex } => format!("pcp list {pindex} (order {}) of CPU {cpu}", list.order()),
    }
}

//! mm/memcontrol.c, lib/percpu_counter.c: statistics of folios and of address spaces.

use sim_macros::{kernel, look};

use super::Patch;
use crate::engine::Cpu;
use crate::machine::{LockClass, Member, PERCPU_BATCH, PageFlag, Pfn, Stat};
use crate::op::Note;

/// One statistics call of a folio: the node's counter, the memcg's and the lruvec's, and the notice that there is news.
/// One memcg level, the root cgroup. From 6.16 on (named lruvec_stat_mod_folio there) the primitives are safe against
/// interrupts and hand the whole count on.
#[kernel("mm/memcontrol.c", "6.3")]
pub async fn __mod_lruvec_page_state(cpu: &Cpu, folio: Pfn, item: Stat, delta: i32) {
    cpu.note(Note::StatBegin, folio, delta.unsigned_abs()).await;
    if cpu.has(Patch::LazyfreeBatch) {
        cpu.mod_zone_page_state(cpu.page_zone(folio), item, delta).await;
    } else {
        cpu.raw_mod_zone_page_state(cpu.page_zone(folio), item, delta).await;
    }
    __mod_memcg_lruvec_state(cpu, item, delta).await;
    cpu.note(Note::StatEnd, folio, 0).await;
}

/// `__mod_memcg_lruvec_state` with memcg_rstat_updated.
#[kernel("mm/memcontrol.c", "6.3")]
pub async fn __mod_memcg_lruvec_state(cpu: &Cpu, item: Stat, delta: i32) {
    cpu.memcg_add(item, delta).await;
    cpu.lruvec_add(item, delta).await;
    cpu.cgroup_rstat_updated().await;
    cpu.stats_updates(delta.unsigned_abs(), cpu.has(Patch::LazyfreeBatch)).await;
}

/// percpu_counter_add_batch of mm->rss_stat: folds when the CPU's part is 192 or more. 6.3 switches interrupts off for
/// every call, 6.16 and later for a fold alone.
#[kernel("lib/percpu_counter.c", "6.2")]
pub async fn add_mm_counter(cpu: &Cpu, mm: u8, member: Member, delta: i32) {
    let lock = u32::from(mm) * 4 + member as u32;
    if cpu.has(Patch::LazyfreeBatch) {
        if folds(cpu, mm, member, delta) {
            cpu.lock_spin(LockClass::PercpuCounter, true, lock).await;
            cpu.rss_add(mm, member, true, delta).await;
            cpu.unlock_spin(LockClass::PercpuCounter, true, lock).await;
            return;
        }
        cpu.rss_add(mm, member, false, delta).await;
        return;
    }
    cpu.local_irq_save().await;
    if folds(cpu, mm, member, delta) {
        cpu.lock_spin(LockClass::PercpuCounter, false, lock).await;
        cpu.rss_add(mm, member, true, delta).await;
        cpu.unlock_spin(LockClass::PercpuCounter, false, lock).await;
    } else {
        cpu.rss_add(mm, member, false, delta).await;
    }
    cpu.local_irq_restore().await;
}

#[look]
fn folds(cpu: &Cpu, mm: u8, member: Member, delta: i32) -> bool {
    let id = usize::from(cpu.id());
    let part = cpu.machine().rmap().mms[usize::from(mm)].rss_cpu[id][member as usize];
    (part + delta).abs() >= PERCPU_BATCH
}

/// mm_counter: which counter the pages of a folio are in.
#[look]
pub(super) fn mm_counter(cpu: &Cpu, folio: Pfn) -> Member {
    let page = cpu.page(folio);
    match (folio_test_anon(cpu, folio), page.has(PageFlag::Swapbacked)) {
        (true, _) => Member::Anon,
        (false, true) => Member::Shmem,
        (false, false) => Member::File,
    }
}

/// folio_test_anon
#[look]
pub(super) fn folio_test_anon(cpu: &Cpu, folio: Pfn) -> bool {
    let mapping = cpu.page(folio).mapping;
    cpu.machine().mappings.get(usize::from(mapping)).is_some_and(|mapping| !mapping.file)
}

/// The item that counts a folio's mapped pages.
#[look]
pub(super) fn mapped_item(cpu: &Cpu, folio: Pfn) -> Stat {
    if folio_test_anon(cpu, folio) { Stat::AnonMapped } else { Stat::FileMapped }
}

//! mm/rmap.c: what is counted less when PTEs map a page no more.

use sim_macros::{kernel, look};

use super::Patch;
use super::memcontrol::{__mod_lruvec_page_state, folio_test_anon, mapped_item};
use crate::engine::Cpu;
use crate::machine::{COMPOUND_MAPPED, HPAGE_PMD_ORDER, PageFlag, Pfn, VmaId};

/// One PTE less maps a page: its map count, the folio's count of mapped pages, and the statistics, for each page. With
/// patch 4 a call of the range function for one page. Departs in that munlock_vma_folio, which does nothing for a
/// folio mapped by PTEs in a VMA that is not locked, is left out; pmd mappings are not removed here.
#[kernel("mm/rmap.c", "6.3")]
pub async fn page_remove_rmap(cpu: &Cpu, folio: Pfn, page: Pfn) {
    if cpu.has(Patch::RmapRange) {
        folio_remove_rmap_range(cpu, folio, page, 1).await;
        return;
    }
    cpu.page_head_huge(folio).await;
    let mut nr = 0;
    if cpu.add_mapcount(page, -1).await == 0 {
        nr = 1;
        if is_large(cpu, folio) && cpu.add_nr_mapped(folio, -1).await as i32 >= COMPOUND_MAPPED {
            nr = 0;
        }
    }
    if nr > 0 {
        let item = mapped_item(cpu, folio);
        __mod_lruvec_page_state(cpu, folio, item, -nr).await;
        deferred_split_folio(cpu, folio).await;
    }
}

/// The same for some consecutive pages of a folio: one statistics call for all of them (patch 4). Pages that somebody
/// else maps still add nothing to it.
#[kernel("mm/rmap.c", "patch 4")]
pub async fn folio_remove_rmap_range(cpu: &Cpu, folio: Pfn, first: Pfn, pages: u32) {
    cpu.page_head_huge(folio).await;
    let mut nr = 0;
    for page in first..first + pages {
        if cpu.add_mapcount(page, -1).await > 0 {
            continue;
        }
        let by_pmd = is_large(cpu, folio) && cpu.add_nr_mapped(folio, -1).await as i32 >= COMPOUND_MAPPED;
        nr += i32::from(!by_pmd);
    }
    if nr > 0 {
        let item = mapped_item(cpu, folio);
        __mod_lruvec_page_state(cpu, folio, item, -nr).await;
        deferred_split_folio(cpu, folio).await;
    }
}

/// Some consecutive pages of a folio, as in 6.16 and later: first the counts of the large folio under their lock, then
/// each page, then the number of mapped pages by one atomic.
#[kernel("mm/rmap.c", "6.16")]
pub async fn folio_remove_rmap_ptes(cpu: &Cpu, folio: Pfn, first: Pfn, pages: u32, vma: VmaId) {
    if !is_large(cpu, folio) {
        if cpu.add_mapcount(first, -1).await == 0 {
            let item = mapped_item(cpu, folio);
            __mod_lruvec_page_state(cpu, folio, item, -1).await;
        }
        return;
    }
    let delta = -(pages as i32);
    cpu.lock_large_mapcount(folio).await;
    cpu.add_large_mapcount(folio, delta).await;
    cpu.add_mm_slot(vma.mm, folio, delta).await;
    cpu.unlock_large_mapcount(folio).await;
    let mut last = 0;
    for page in first..first + pages {
        if cpu.add_mapcount(page, -1).await == 0 {
            last += 1;
        }
    }
    if last == 0 {
        return;
    }
    let left = cpu.add_nr_mapped(folio, -last).await as i32;
    if left >= COMPOUND_MAPPED {
        return;
    }
    if left > 0 && may_split(cpu, folio) {
        cpu.deferred_split_add(folio).await;
    }
    let item = mapped_item(cpu, folio);
    __mod_lruvec_page_state(cpu, folio, item, -last).await;
}

/// A huge anonymous folio of which a page is no longer mapped is queued to be split, even when none is mapped any more.
#[kernel("mm/huge_memory.c", "6.3")]
pub async fn deferred_split_folio(cpu: &Cpu, folio: Pfn) {
    if cpu.page(folio).order() >= HPAGE_PMD_ORDER && may_split(cpu, folio) {
        cpu.deferred_split_add(folio).await;
    }
}

// Anonymous, not queued yet, not in the swap cache, and of more than two pages.
#[look]
fn may_split(cpu: &Cpu, folio: Pfn) -> bool {
    let page = cpu.page(folio);
    let queued = cpu.machine().rmap().folios[folio as usize].split_queued;
    folio_test_anon(cpu, folio) && page.order() > 1 && !queued && !page.has(PageFlag::SwapCache)
}

/// folio_test_large
#[look]
pub(super) fn is_large(cpu: &Cpu, folio: Pfn) -> bool {
    cpu.page(folio).order() > 0
}

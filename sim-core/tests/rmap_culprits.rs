//! Each rule of the reverse map is broken on purpose, and found; and what was counted on real kernels.

mod common;
mod rmap_common;

use common::run;
use rmap_common::config;
use sim_core::engine::{Checker, Cpu, Setup};
use sim_core::kernel::rmap_map::FolioKind;
use sim_core::ledger::{Count, How, Site};
use sim_core::machine::{Member, PTE_WRITE, PageFlag, Pfn, Stat, swap_pte};
use sim_core::op::{Held, Look, Note};
use sim_core::scenario::RmapLayout;

/// The rule that a task breaks, which is given the first folio.
fn broken_by<F, Fut>(variant: &str, layout: &RmapLayout, culprit: F) -> String
where
    F: FnOnce(Cpu, Pfn) -> Fut + 'static,
    Fut: Future<Output = ()> + 'static,
{
    let config = config(variant);
    let mut engine = layout.set_up(config);
    let checker = Some(Checker::new(config, &engine.world().machine));
    engine.begin(Setup { checker, ..Setup::default() }, false);
    let folio = engine.world().machine.rmap().range[0];
    engine.spawn("culprit", 0, move |cpu| culprit(cpu, folio));
    engine.run().unwrap();
    let timeline = engine.into_timeline();
    let violation = timeline.violation().expect("the rule is broken");
    violation.rule.split(':').next().unwrap().to_string()
}

fn file() -> RmapLayout {
    RmapLayout::file(&[2])
}

#[test]
fn g1_a_map_count_falls_without_a_pte() {
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        cpu.add_mapcount(folio, -1).await;
    });
    assert_eq!(rule, "G1");
}

#[test]
fn g2_a_pmd_is_counted_that_is_not_there() {
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        cpu.lock_ptl(0).await;
        cpu.set_entire_mapped(folio).await;
        cpu.add_nr_mapped(folio, 0).await;
        cpu.unlock_ptl(0).await;
    });
    assert_eq!(rule, "G2");
}

#[test]
fn g3_the_number_of_mapped_pages_is_wrong() {
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        cpu.lock_ptl(0).await;
        cpu.add_nr_mapped(folio, -1).await;
        cpu.unlock_ptl(0).await;
    });
    assert_eq!(rule, "G3");
}

#[test]
fn g4_the_count_of_all_mappings_is_wrong() {
    let rule = broken_by("today", &file(), |cpu, folio| async move {
        cpu.lock_ptl(0).await;
        cpu.add_large_mapcount(folio, -1).await;
        cpu.unlock_ptl(0).await;
    });
    assert_eq!(rule, "G4");
}

#[test]
fn g5_a_reference_of_nobody_is_dropped() {
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        cpu.put_page_testzero(folio, Site::Unmap, Held::Slot).await;
    });
    assert_eq!(rule, "G5");
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        cpu.give_free_page(folio).await;
    });
    assert_eq!(rule, "G5");
}

#[test]
fn g7_rss_is_lowered_without_a_pte() {
    let rule = broken_by("v6.3", &file(), |cpu, _| async move {
        cpu.lock_ptl(0).await;
        cpu.rss_add(0, Member::File, false, -1).await;
        cpu.unlock_ptl(0).await;
    });
    assert_eq!(rule, "G7");
}

#[test]
fn g8_the_statistics_part() {
    for which in 0..3 {
        let rule = broken_by("v6.3", &file(), move |cpu, _| async move {
            cpu.lock_ptl(0).await;
            match which {
                0 => cpu.memcg_add(Stat::FileMapped, -1).await,
                1 => cpu.lruvec_add(Stat::FileMapped, -1).await,
                _ => cpu.raw_mod_zone_page_state(0, Stat::FileMapped, -1).await,
            }
            cpu.unlock_ptl(0).await;
        });
        assert_eq!(rule, "G8");
    }
}

#[test]
fn g9_a_batch_is_left_open() {
    let rule = broken_by("v6.3", &file(), |cpu, _| async move {
        cpu.lock_ptl(0).await;
        cpu.xchg_pte(0, 0, 0).await;
        cpu.unlock_ptl(0).await;
    });
    assert_eq!(rule, "G9");
}

#[test]
fn g10_another_entry_than_the_address_has() {
    let rule = broken_by("v6.3", &file(), |cpu, _| async move {
        cpu.xchg_pte(0, 1, 0).await;
    });
    assert_eq!(rule, "G10");
    let rule = broken_by("v6.3", &file(), |cpu, _| async move {
        cpu.look_pte(Look::Ahead, 0, 512, 3).await;
    });
    assert_eq!(rule, "G10");
}

#[test]
fn g11_no_flush() {
    let rule = broken_by("v6.3", &file(), |cpu, _| async move {
        cpu.lock_ptl(0).await;
        cpu.xchg_pte(0, 0, 0).await;
        cpu.update_hiwater_rss(0).await;
    });
    assert_eq!(rule, "G11");
}

#[test]
fn g12_freed_while_a_tlb_has_it() {
    // Nobody maps the folio any more, by the book; its TLB entry is left.
    let layout = RmapLayout::file(&[0]);
    let rule = broken_by("v6.3", &layout, |cpu, folio| async move {
        cpu.lock_ptl(0).await;
        cpu.xchg_pte(0, 0, 0).await;
        cpu.add_mapcount(folio, -1).await;
        cpu.put_page_testzero(folio, Site::Unmap, Held::Map).await;
        cpu.rss_add(0, Member::File, false, -1).await;
        cpu.raw_mod_zone_page_state(0, Stat::FileMapped, -1).await;
        cpu.memcg_add(Stat::FileMapped, -1).await;
        cpu.lruvec_add(Stat::FileMapped, -1).await;
        cpu.unlock_ptl(0).await;
        cpu.get_page(folio, Site::Isolate, Held::Isolate).await;
        cpu.ref_freeze(folio, 2).await;
        cpu.delete_from_page_cache(folio).await;
        cpu.give_free_page(folio).await;
    });
    assert_eq!(rule, "G12");
}

#[test]
fn g13_put_back_with_more_than_it_had() {
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        cpu.lock_ptl(0).await;
        cpu.xchg_pte(0, 0, 0).await;
        cpu.put_pte(0, 0, 0, folio | PTE_WRITE).await;
    });
    assert_eq!(rule, "G13");
    let rule = broken_by("v6.3", &RmapLayout { dirty: vec![0], ..file() }, |cpu, _| async move {
        cpu.lock_ptl(0).await;
        let pte = cpu.xchg_pte(0, 0, 0).await;
        cpu.put_pte(0, 0, 0, pte).await;
        cpu.unlock_ptl(0).await;
    });
    assert_eq!(rule, "G13");
}

#[test]
fn g14_unmapped_and_still_mapped() {
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        cpu.note(Note::NotifierEnd, folio, 1).await;
    });
    assert_eq!(rule, "G14");
}

#[test]
fn g15_the_swap_map_and_the_ptes_part() {
    let layout = RmapLayout { kind: FolioKind::Anon, ..file() };
    let rule = broken_by("v6.3", &layout, |cpu, _| async move {
        cpu.lock_ptl(0).await;
        cpu.swap_map_inc(0).await;
        cpu.unlock_ptl(0).await;
    });
    assert_eq!(rule, "G15");
    let rule = broken_by("v6.3", &layout, |cpu, _| async move {
        cpu.lock_ptl(0).await;
        cpu.xchg_pte(0, 0, 0).await;
        cpu.put_pte(0, 0, 0, swap_pte(0)).await;
    });
    assert_eq!(rule, "G15");
}

#[test]
fn g16_a_folio_that_somebody_holds_is_frozen() {
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        // Four PTEs, four of the cache, one of the file system.
        cpu.ref_freeze(folio, 9).await;
    });
    assert_eq!(rule, "G16");
    let rule = broken_by("v6.3", &RmapLayout { holes: vec![0], ..RmapLayout::file(&[0]) }, |cpu, folio| async move {
        cpu.change_flag(PageFlag::Dirty, How::Set, folio).await;
        cpu.get_page(folio, Site::Isolate, Held::Isolate).await;
        cpu.ref_freeze(folio, 2).await;
    });
    assert_eq!(rule, "G16");
}

#[test]
fn g17_a_batch_with_a_gap() {
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        cpu.lock_ptl(0).await;
        for at in [0, 2] {
            cpu.xchg_pte(0, at as u16, at).await;
            cpu.add_mapcount(folio + at, -1).await;
        }
        cpu.ref_sub(folio, 2).await;
    });
    assert_eq!(rule, "G17");
    let rule = broken_by("v6.3", &file(), |cpu, folio| async move {
        cpu.ref_sub(folio, 1).await;
    });
    assert_eq!(rule, "G17");
}

/// Calls of each function for 512 pages that MADV_PAGEOUT reclaims, one CPU, one mapper.
#[test]
fn pageout_calls_what_it_called_on_real_kernels() {
    let calls = |variant, layout| {
        let run = run("rmap-pageout", variant, &[("pages", "512"), ("layout", layout)]);
        assert_eq!(run.timeline.violation(), None);
        let frames: Vec<&str> = run.timeline.frames().iter().map(|frame| frame.func.name).collect();
        move |name: &str| frames.iter().filter(|&&frame| frame == name).count()
    };
    // 6.1: everything once for a page, two walks of two calls, two statistics calls.
    let old = calls("v6.3", "0");
    for name in ["isolate_lru_page", "folio_referenced_one", "try_to_unmap", "try_to_unmap_one", "page_remove_rmap"] {
        assert_eq!(old(name), 512, "{name}");
    }
    for name in ["ptep_clear_flush", "flush_tlb_range", "__remove_mapping"] {
        assert_eq!(old(name), 512, "{name}");
    }
    assert_eq!((old("page_vma_mapped_walk"), old("__mod_lruvec_page_state")), (2048, 1024));
    // 7.2: once for a folio, no look at the references, and one call of the walk.
    let new = calls("today", "2");
    for name in ["isolate_lru_page", "try_to_unmap", "try_to_unmap_one", "folio_remove_rmap_ptes", "__remove_mapping"] {
        assert_eq!(new(name), 128, "{name}");
    }
    assert_eq!((new("page_vma_mapped_walk"), new("folio_referenced_one"), new("flush_tlb_range")), (128, 0, 128));
    assert_eq!(new("__mod_lruvec_page_state"), 256);
}

#[test]
fn two_processes_cost_twice_the_walks() {
    let one = run("rmap-unmap", "5-fixed", &[("processes", "1")]).ledger;
    let two = run("rmap-unmap", "5-fixed", &[("processes", "2")]).ledger;
    assert_eq!(two.count(Count::Mapcount), 2 * one.count(Count::Mapcount));
    assert_eq!(two.count(Count::TlbFlushes), 2 * one.count(Count::TlbFlushes));
    // The first process's pages are mapped still by the second: only the last one's are counted less.
    assert_eq!(two.count(Count::FolioStat), one.count(Count::FolioStat));
    assert_eq!(two.count(Count::NrMapped), one.count(Count::NrMapped));
}

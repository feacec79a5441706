//! Every rule of the page allocator is noticed when it is broken, and blocks of other types are taken as written.

mod pcp;

use pcp::*;
use sim_core::engine::Cpu;
use sim_core::ledger::Site;
use sim_core::machine::{AreaList, MigrateType, PAGEBLOCK_NR, PcpField, Pfn};
use sim_core::op::Held;

/// The rule that a task breaks.
fn broken<F, Fut>(variant: &str, task: F) -> String
where
    F: FnOnce(Cpu) -> Fut,
    Fut: Future<Output = ()> + 'static,
{
    let mut engine = engine(config(variant), 1, 1024, sized(4, 12));
    engine.spawn("test", 0, task);
    engine.run().unwrap();
    engine.violation().map(|violation| violation.rule.split(':').next().unwrap().to_string()).unwrap_or_default()
}

const PCP: AreaList = AreaList::Pcp { cpu: 0, mt: MOVABLE };

/// Takes a page that is about to be freed away from whoever had it.
async fn orphan(cpu: &Cpu) -> Pfn {
    let page = alloc(cpu, MOVABLE).await.unwrap();
    assert!(cpu.put_page_testzero(page, Site::PutPage, Held::Map).await);
    cpu.free_pages_prepare(page, 0).await;
    page
}

#[test]
fn rule_1_a_page_is_in_one_place() {
    for variant in ALL {
        let twice = broken(variant, |cpu| async move {
            let page = orphan(&cpu).await;
            cpu.area_add(PCP, false, page).await;
            cpu.area_add(AreaList::Pcp { cpu: 0, mt: MigrateType::Unmovable }, false, page).await;
        });
        assert_eq!(twice, "1");
        let in_use = broken(variant, |cpu| async move {
            let page = alloc(&cpu, MOVABLE).await.unwrap();
            cpu.area_add(PCP, false, page).await;
        });
        assert_eq!(in_use, "1");
        let lost = broken(variant, |cpu| async move {
            orphan(&cpu).await;
        });
        assert_eq!(lost, "1");
        let freed_twice = broken(variant, |cpu| async move {
            let page = orphan(&cpu).await;
            cpu.free_pages_prepare(page, 0).await;
        });
        assert_eq!(freed_twice, "1");
    }
}

#[test]
fn rule_2_a_block_is_what_its_head_says() {
    let wrong_order = broken("v4.15", |cpu| async move {
        cpu.lock_zone(0, true).await;
        cpu.set_buddy(0, 9).await;
        cpu.unlock_zone(0, true).await;
    });
    assert_eq!(wrong_order, "2");
}

#[test]
fn rule_3_free_pages_are_counted() {
    let orders = broken("v4.15", |cpu| async move {
        cpu.lock_zone(0, true).await;
        cpu.add_nr_free(0, 3, true).await;
        cpu.unlock_zone(0, true).await;
    });
    assert_eq!(orders, "3");
    let pages = broken("v4.15", |cpu| async move {
        cpu.local_irq_save().await;
        cpu.raw_mod_zone_page_state(0, sim_core::machine::Stat::FreePages, 1).await;
        cpu.local_irq_restore().await;
    });
    assert_eq!(pages, "3");
}

#[test]
fn rule_4_buddies_merge() {
    let rule = broken("v4.15", |cpu| async move {
        let pages = [orphan(&cpu).await, orphan(&cpu).await];
        cpu.lock_zone(0, true).await;
        for page in pages {
            cpu.raw_mod_zone_page_state(0, sim_core::machine::Stat::FreePages, 1).await;
            cpu.set_buddy(page, 0).await;
            cpu.area_add(AreaList::Free { order: 0, mt: MOVABLE }, false, page).await;
            cpu.add_nr_free(0, 0, true).await;
        }
        cpu.unlock_zone(0, true).await;
    });
    assert_eq!(rule, "4");
}

#[test]
fn rule_5_pages_on_lists_are_counted() {
    let rule = broken("v4.15", |cpu| async move {
        cpu.local_irq_save().await;
        cpu.set_pcp(0, PcpField::Count, 1).await;
        cpu.local_irq_restore().await;
    });
    assert_eq!(rule, "5");
}

#[test]
fn rule_7_interrupts_are_off() {
    let open = broken("v4.15", |cpu| async move {
        cpu.lock_zone(0, false).await;
    });
    assert_eq!(open, "7");
    let picked = broken("merged", |cpu| async move {
        let page = orphan(&cpu).await;
        cpu.area_add(AreaList::Local { cpu: 0 }, true, page).await;
    });
    assert_eq!(picked, "7");
    let locked = broken("merged", |cpu| async move {
        let page = orphan(&cpu).await;
        cpu.lock_zone(0, true).await;
        cpu.area_add(AreaList::Local { cpu: 0 }, true, page).await;
    });
    assert_eq!(locked, "7");
}

#[test]
fn rule_9_what_is_handed_out_is_counted() {
    let rule = broken("v4.15", |cpu| async move {
        cpu.count_vm_events(sim_core::machine::Event::Alloc, 1).await;
    });
    assert_eq!(rule, "9");
}

/// Blocks of one type: order and pages.
fn blocks(machine: &sim_core::machine::Machine, mt: MigrateType) -> Vec<(u8, Vec<Pfn>)> {
    let of = |order| (order, machine.area_list(0, AreaList::Free { order, mt }).collect::<Vec<_>>());
    (0..11).map(of).filter(|(_, blocks)| !blocks.is_empty()).collect()
}

#[test]
fn an_unmovable_page_takes_a_large_block_with_its_pageblocks() {
    for variant in ALL {
        let timeline = run_one(config(variant), 2048, sized(1, 12), |cpu| async move {
            assert_eq!(alloc(&cpu, MigrateType::Unmovable).await, Some(0));
        });
        let machine = &timeline.world().machine;
        // The first order-10 block has changed hands whole: both of its pageblocks.
        let [u, m] = [MigrateType::Unmovable, MOVABLE];
        assert_eq!(buddy(machine).pageblocks, [u, u, m, m], "{variant}");
        assert_eq!(blocks(machine, MOVABLE), [(10, vec![1024])]);
        let halves: Vec<(u8, Vec<Pfn>)> = (0..10).map(|order| (order, vec![1 << order])).collect();
        assert_eq!(blocks(machine, u), halves);
    }
}

/// A zone of one pageblock of which a movable order-8 block and an order-3 block are free, the rest in use.
async fn fragment(cpu: &Cpu) {
    for order in [8, 7, 6, 5, 4, 3] {
        alloc_block(cpu, order, MOVABLE).await.unwrap();
    }
    alloc_block(cpu, 3, MOVABLE).await.unwrap();
}

#[test]
fn a_pageblock_in_suitable_use_is_taken_over() {
    // 512 pages: all of order 8 and below in use, 0 free; then the order-5 block at 448 comes back: 32 pages free.
    for variant in ["v4.15", "today"] {
        let timeline = run_one(config(variant), 512, sized(1, 12), |cpu| async move {
            fragment(&cpu).await;
            free_block(&cpu, 448, 5).await;
            assert_eq!(alloc_block(&cpu, 0, MigrateType::Unmovable).await, Some(448));
        });
        let machine = &timeline.world().machine;
        // 32 free and 480 in use by nobody known as movable: 512 >= 256, so the pageblock changes its type.
        assert_eq!(buddy(machine).pageblocks, [MigrateType::Unmovable], "{variant}");
        let rest: Vec<(u8, Vec<Pfn>)> = (0..5).map(|order| (order, vec![448 + (1 << order)])).collect();
        assert_eq!(blocks(machine, MigrateType::Unmovable), rest, "{variant}");
        assert_eq!(blocks(machine, MOVABLE), []);
    }
}

#[test]
fn a_movable_page_takes_the_smallest_block_where_it_can_have_no_pageblock() {
    // An unmovable pageblock with a block of order 3 and one of order 1 free: too small to ask for the pageblock.
    for variant in ["v4.15", "today"] {
        let timeline = run_one(config(variant), 512, sized(1, 12), |cpu| async move {
            alloc_block(&cpu, 9, MigrateType::Unmovable).await.unwrap();
            cpu.set_pageblock(0, MigrateType::Unmovable).await;
            free_part(&cpu, 0, 3).await;
            free_part(&cpu, 16, 1).await;
            assert_eq!(alloc_block(&cpu, 0, MOVABLE).await, Some(16));
        });
        let machine = &timeline.world().machine;
        assert_eq!(buddy(machine).pageblocks, [MigrateType::Unmovable]);
        // 4.15 moves the block to the movable lists and splits it there; 7.1 leaves the rest where it was.
        let (moved, left) = (vec![(0, vec![17])], vec![(3, vec![0])]);
        if variant == "v4.15" {
            assert_eq!((blocks(machine, MOVABLE), blocks(machine, MigrateType::Unmovable)), (moved, left));
        } else {
            let left = vec![(0, vec![17]), (3, vec![0])];
            assert_eq!((blocks(machine, MOVABLE), blocks(machine, MigrateType::Unmovable)), (vec![], left));
        }
    }
}

#[test]
fn a_pageblock_with_too_little_free_keeps_its_type() {
    // Nothing in use suits a reclaimable request of an unmovable pageblock, and 10 free pages are not half of it.
    for variant in ["v4.15", "today"] {
        let timeline = run_one(config(variant), 512, sized(1, 12), |cpu| async move {
            alloc_block(&cpu, 9, MigrateType::Unmovable).await.unwrap();
            cpu.set_pageblock(0, MigrateType::Unmovable).await;
            free_part(&cpu, 0, 3).await;
            free_part(&cpu, 16, 1).await;
            assert_eq!(alloc_block(&cpu, 0, MigrateType::Reclaimable).await, Some(16));
        });
        let machine = &timeline.world().machine;
        assert_eq!(buddy(machine).pageblocks, [MigrateType::Unmovable]);
        let both = vec![(0, vec![17]), (3, vec![0])];
        // 4.15 has moved the blocks nevertheless; 7.1 steals one.
        let (mine, theirs) = if variant == "v4.15" { (both, vec![]) } else { (vec![], both) };
        assert_eq!(
            (blocks(machine, MigrateType::Reclaimable), blocks(machine, MigrateType::Unmovable)),
            (mine, theirs)
        );
    }
}

/// Frees a part of a block that is in use.
async fn free_part(cpu: &Cpu, page: Pfn, order: u8) {
    if page == 0 {
        assert!(cpu.put_page_testzero(page, Site::PutPage, Held::Map).await);
    }
    sim_core::kernel::page_free::free_pages_ok(cpu, page, order).await;
}

#[test]
fn isolation_moves_blocks_and_gives_them_back() {
    use sim_core::kernel::page_isolation::{set_migratetype_isolate, unset_migratetype_isolate};
    for variant in ALL {
        let task = |undo: bool| {
            run_one(config(variant), 2048, sized(4, 12), move |cpu| async move {
                alloc(&cpu, MOVABLE).await.unwrap();
                for block in [0, PAGEBLOCK_NR] {
                    set_migratetype_isolate(&cpu, 0, block).await;
                }
                if undo {
                    for block in [0, PAGEBLOCK_NR] {
                        unset_migratetype_isolate(&cpu, 0, block).await;
                    }
                }
            })
        };
        let isolated = task(false);
        let machine = &isolated.world().machine;
        assert_eq!(nr_free_pages(machine), 1024, "{variant}");
        let expected = [(2, 4), (3, 8), (4, 16), (5, 32), (6, 64), (7, 128), (8, 256), (9, 512)];
        let expected: Vec<(u8, Vec<Pfn>)> = expected.map(|(order, page)| (order, vec![page])).into();
        assert_eq!(blocks(machine, MigrateType::Isolate), expected);
        let back = task(true);
        let machine = &back.world().machine;
        assert_eq!((nr_free_pages(machine), buddy(machine).nr_isolate), (2044, 0));
        assert_eq!(blocks(machine, MigrateType::Isolate), []);
    }
}

//! Per-CPU lists of blocks (orders 1 to 3, and 9), as 5.18 and 7.1 have them: numbers by hand from their rules.

mod pcp;

use pcp::*;
use sim_core::engine::{Cpu, Timeline};
use sim_core::kernel::page_alloc::rmqueue_order;
use sim_core::kernel::page_alloc_fallback::move_to_free_list;
use sim_core::kernel::page_isolation::drain_local_pages;
use sim_core::kernel::pcp_bulk::free_pcppages_bulk_single;
use sim_core::kernel::pcp_orders::blocks_of_batch;
use sim_core::kernel::pcp_today::{lock_own_pcp, unlock_own_pcp};
use sim_core::ledger::Site;
use sim_core::machine::{
    AreaList, Event, LockClass, Machine, MachineSpec, MigrateType, PAGEBLOCK_NR, PcpField, PcpSpec, Pfn,
    order_to_pindex, pindex_to_order,
};
use sim_core::op::{Held, Op};

const LATER: [&str; 2] = ["v5.18", "today"];
const HIGH_ATOMIC: MigrateType = MigrateType::HighAtomic;

#[test]
fn lists_are_numbered_by_order_and_type() {
    let of = |order, mt| order_to_pindex(order, mt, true);
    let [unmovable, reclaimable] = [MigrateType::Unmovable, MigrateType::Reclaimable];
    assert_eq!([0, 1, 2, 3].map(|order| of(order, MOVABLE)), [1, 4, 7, 10]);
    assert_eq!((of(1, unmovable), of(3, reclaimable)), (3, 11));
    assert_eq!((of(9, unmovable), of(9, MOVABLE), of(9, reclaimable)), (12, 13, 12));
    assert_eq!(order_to_pindex(9, MOVABLE, false), 12);
    assert_eq!([0, 2, 3, 5, 6, 11, 12, 13].map(pindex_to_order), [0, 0, 1, 1, 2, 3, 9, 9]);
}

#[test]
fn a_refill_is_a_batch_of_pages_but_two_blocks_at_least() {
    // max(batch >> order, 2); a batch of 1 stays 1.
    assert_eq!([0, 1, 2, 3, 9].map(|order| blocks_of_batch(31, order)), [31, 15, 7, 3, 2]);
    assert_eq!([0, 1, 2, 3, 9].map(|order| blocks_of_batch(63, order)), [63, 31, 15, 7, 2]);
    assert_eq!([0, 1, 2, 3, 9].map(|order| blocks_of_batch(4, order)), [4, 2, 2, 2, 2]);
    assert_eq!([0, 1, 2, 3, 9].map(|order| blocks_of_batch(1, order)), [1; 5]);
    for variant in LATER {
        for (order, blocks) in [(1, 15), (2, 7), (3, 3), (9, 2)] {
            let timeline = run_one(config(variant), 4096, sized(31, 186), move |cpu| async move {
                assert_eq!(alloc_order(&cpu, order, MOVABLE).await, Some(0));
            });
            let machine = &timeline.world().machine;
            assert_eq!(refills(&timeline), [blocks as usize], "{variant}, order {order}");
            let pindex = order_to_pindex(order, MOVABLE, variant == "today");
            let rest: Vec<Pfn> = (1..blocks).map(|block| block << order).collect();
            assert_eq!(pcp_blocks(machine, 0, pindex), rest, "{variant}, order {order}");
            // One block is handed out, the others are listed; all are off the free lists.
            assert_eq!(pcp(machine, 0, PcpField::Count), (blocks - 1) << order, "{variant}, order {order}");
            assert_eq!(nr_free_pages(machine), i64::from(4096 - (blocks << order)), "{variant}, order {order}");
            assert_eq!(machine.events[Event::Alloc as usize], 1 << order, "{variant}, order {order}");
            assert_eq!(pcp(machine, 0, PcpField::AllocFactor), 0, "order 0 alone lets the refill double");
        }
    }
}

#[test]
fn other_orders_and_older_kernels_go_straight_to_the_free_lists() {
    for variant in ALL {
        let listed = |order: u8| {
            let timeline = run_one(config(variant), 4096, sized(4, 12), move |cpu| async move {
                let page = alloc_order(&cpu, order, MOVABLE).await.unwrap();
                free_order(&cpu, page, order).await;
            });
            timeline.records().iter().any(|record| matches!(record.op, Op::AreaAdd { list, .. } if list.pindex() > 2))
        };
        let with_lists: Vec<u8> = (1..11).filter(|&order| listed(order)).collect();
        let expected: &[u8] = if LATER.contains(&variant) { &[1, 2, 3, 9] } else { &[] };
        assert_eq!(with_lists, expected, "{variant}");
    }
}

/// Allocates so many blocks of order 1, then frees them in the order of allocation.
async fn pairs(cpu: &Cpu, blocks: u32) {
    let mut taken = Vec::new();
    for _ in 0..blocks {
        taken.push(alloc_order(cpu, 1, MOVABLE).await.unwrap());
    }
    for page in taken {
        free_order(cpu, page, 1).await;
    }
}

#[test]
fn a_burst_of_blocks_empties_the_lists_of_5_18() {
    // 7 blocks: refills of 2, 2, 2, 2; block 14 stays listed. Frees make count 4, 6, 8, 10, 12: n = 4 (free_factor 1) takes
    // 14 and 0. The next free finds free_factor 1: everything goes, 2 to 10. The last one alone too.
    let timeline = run_one(config("v5.18"), 1024, sized(4, 12), |cpu| async move { pairs(&cpu, 7).await });
    let machine = &timeline.world().machine;
    assert_eq!(refills(&timeline), [2; 4]);
    assert_eq!(drains(&timeline), [vec![14, 0], vec![2, 4, 6, 8, 10], vec![12]]);
    assert_eq!((pcp(machine, 0, PcpField::Count), pcp(machine, 0, PcpField::FreeFactor)), (0, 1));
    assert_eq!((free_lists(machine), nr_free_pages(machine)), (vec![(10, vec![0])], 1024));
    // A free counts as one, an allocation by its pages.
    assert_eq!((machine.events[Event::Alloc as usize], machine.events[Event::Free as usize]), (14, 7));
}

#[test]
fn an_allocation_ends_the_burst_in_5_18() {
    // 6 blocks: count 12 at the sixth free, n = 4 takes 0 and 2. An allocation halves free_factor to 0, so the next free
    // is as any other: count 8 - 2 + 2 = 8 < 12.
    let timeline = run_one(config("v5.18"), 1024, sized(4, 12), |cpu| async move {
        pairs(&cpu, 6).await;
        assert_eq!(alloc_order(&cpu, 1, MOVABLE).await, Some(10));
        free_order(&cpu, 10, 1).await;
    });
    let machine = &timeline.world().machine;
    assert_eq!(drains(&timeline), [[0, 2]]);
    assert_eq!(pcp_blocks(machine, 0, 4), [10, 8, 6, 4]);
    assert_eq!((pcp(machine, 0, PcpField::Count), nr_free_pages(machine)), (8, 1016));
}

#[test]
fn a_burst_of_blocks_empties_the_lists_of_today() {
    // 6 blocks; each free adds 2 to free_count. The sixth finds 10 >= 4 + 12 / 2, the one before was of order 1 too, and
    // count 12 >= 4: n = min(12, 4 << 5), by 4 pages at a time.
    for (high_max, high) in [(12, 12), (48, 24)] {
        let spec = PcpSpec { batch: 4, high: 12, high_max };
        let grown = run_one(config("today"), 1024, spec, |cpu| async move {
            for _ in 0..6 {
                alloc_order(&cpu, 1, MOVABLE).await.unwrap();
            }
        });
        // Where it may, high grows by a batch with each of the three refills.
        assert_eq!(pcp(&grown.world().machine, 0, PcpField::High), high);
        let timeline = run_one(config("today"), 1024, spec, |cpu| async move { pairs(&cpu, 6).await });
        let machine = &timeline.world().machine;
        assert_eq!(refills(&timeline), [2; 3]);
        assert_eq!(drains(&timeline), [[0, 2], [4, 6], [8, 10]]);
        assert_eq!((pcp(machine, 0, PcpField::Count), pcp(machine, 0, PcpField::FreeCount)), (0, 12));
        // max(high - 128, high_min)
        assert_eq!(pcp(machine, 0, PcpField::High), 12);
        assert_eq!((free_lists(machine), nr_free_pages(machine)), (vec![(10, vec![0])], 1024));
        assert_eq!((machine.events[Event::Alloc as usize], machine.events[Event::Free as usize]), (12, 12));
    }
}

#[test]
fn a_single_page_ends_the_burst_today() {
    // 6 blocks and a page: refills of 2, 2, 2 blocks and 4 pages, 13 to 15 stay. Frees of 5 blocks: count 5, 7, 9, 11, 13:
    // n = max(10, 4) cut to 12 - 4 = 8: {0, 2} {4, 6}. The page: count 6. The sixth block follows a page: no burst.
    let timeline = run_one(config("today"), 1024, sized(4, 12), |cpu| async move {
        let mut blocks = Vec::new();
        for _ in 0..6 {
            blocks.push(alloc_order(&cpu, 1, MOVABLE).await.unwrap());
        }
        let page = alloc(&cpu, MOVABLE).await.unwrap();
        for &block in &blocks[..5] {
            free_order(&cpu, block, 1).await;
        }
        free(&cpu, page).await;
        free_order(&cpu, blocks[5], 1).await;
    });
    let machine = &timeline.world().machine;
    assert_eq!((refills(&timeline), drains(&timeline)), (vec![2, 2, 2, 4], vec![vec![0, 2], vec![4, 6]]));
    assert_eq!(pcp_blocks(machine, 0, 4), [10, 8]);
    assert_eq!(pcp_list(machine, 0), [12, 13, 14, 15]);
    // 5 times 2, 1, 2.
    assert_eq!((pcp(machine, 0, PcpField::Count), pcp(machine, 0, PcpField::FreeCount)), (8, 13));
    let above = [(3, 0), (4, 16), (5, 32), (6, 64), (7, 128), (8, 256), (9, 512)].map(|(order, at)| (order, vec![at]));
    assert_eq!((free_lists(machine), nr_free_pages(machine)), (above.to_vec(), 1016));
}

#[test]
fn a_huge_page_is_more_than_a_drain_asks_for() {
    // A refill of two blocks, 0 and 512; the free makes count 1024. 5.18: n = 4, and block 512 is enough. Today: n = 512
    // cut to 12 - 4 = 8, by 4: one block for each part.
    for (variant, expected) in [("v5.18", vec![vec![512]]), ("today", vec![vec![512], vec![0]])] {
        let timeline = run_one(config(variant), 4096, sized(4, 12), |cpu| async move {
            let page = alloc_order(&cpu, 9, MOVABLE).await.unwrap();
            free_order(&cpu, page, 9).await;
        });
        let machine = &timeline.world().machine;
        assert_eq!(refills(&timeline), [2], "{variant}");
        assert_eq!(drains(&timeline), expected, "{variant}");
        let left = 2 - expected.len() as u32;
        assert_eq!(pcp(machine, 0, PcpField::Count), left * 512, "{variant}");
        assert_eq!(nr_free_pages(machine), i64::from(4096 - left * 512), "{variant}");
        assert_eq!(pcp(machine, 0, PcpField::Flags), 0, "{variant}: order 9 is no order of a burst");
    }
}

/// Pages 0, 1 and 2 on the list of order 0, blocks on that of order 1; nothing else is listed.
async fn two_lists(cpu: &Cpu) {
    let mut pages = Vec::new();
    for _ in 0..3 {
        pages.push(alloc(cpu, MOVABLE).await.unwrap());
    }
    let blocks = [alloc_order(cpu, 1, MOVABLE).await.unwrap(), alloc_order(cpu, 1, MOVABLE).await.unwrap()];
    for page in pages {
        free(cpu, page).await;
    }
    for block in blocks {
        free_order(cpu, block, 1).await;
    }
}

/// Lists looked at, and pages taken with each look.
fn looks(timeline: &Timeline) -> Vec<(u8, u32)> {
    let mut looks: Vec<(u8, u32)> = Vec::new();
    let locks = |op| matches!(op, Op::SpinLock { class: LockClass::Zone, .. });
    let at = timeline.records().iter().rposition(|record| locks(record.op));
    for record in &timeline.records()[at.unwrap()..] {
        match record.op {
            Op::AreaEmpty { list, again: false, .. } => looks.push((list.pindex(), 0)),
            Op::AreaDel { list: list @ (AreaList::Pcp { .. } | AreaList::PcpOrder { .. }), .. } => {
                looks.last_mut().unwrap().1 += 1 << list.order();
            }
            _ => {}
        }
    }
    looks
}

fn drained(variant: &str, n: u32, from: u8) -> Vec<(u8, u32)> {
    let timeline = run_one(config(variant), 1024, sized(1, 1000), move |cpu| async move {
        two_lists(&cpu).await;
        if cpu.has(sim_core::kernel::Patch::PcpLock) {
            assert!(lock_own_pcp(&cpu, 0).await);
            free_pcppages_bulk_single(&cpu, 0, n, from).await;
            unlock_own_pcp(&cpu, 0).await;
        } else {
            cpu.local_irq_save().await;
            free_pcppages_bulk_single(&cpu, 0, n, from).await;
            cpu.local_irq_restore().await;
        }
    });
    looks(&timeline)
}

#[test]
fn golden_picks_over_several_orders() {
    for variant in LATER {
        // 3 pages of order 0 and 2 blocks of order 1 (list 4). The last block may be more than is asked for.
        let up_to_4 = |last: u32| vec![(1, 3), (2, 0), (3, 0), (4, last)];
        assert_eq!(drained(variant, 3, 1), [(1, 3)], "{variant}");
        assert_eq!(drained(variant, 4, 1), up_to_4(2), "{variant}");
        assert_eq!(drained(variant, 5, 1), up_to_4(2), "{variant}");
        assert_eq!(drained(variant, 6, 1), up_to_4(4), "{variant}");
        // From list 4 on, around by way of the last list (12, or 13 today) and 0.
        let last = if variant == "today" { 13 } else { 12 };
        let mut around: Vec<(u8, u32)> = (5..=last).chain([0]).map(|list| (list, 0)).collect();
        around.insert(0, (4, 4));
        around.push((1, 2));
        assert_eq!(drained(variant, 6, 4), around, "{variant}");
        // No more than there is.
        assert_eq!(drained(variant, 1000, 4).iter().map(|look| look.1).sum::<u32>(), 7, "{variant}");
    }
}

#[test]
fn a_picture_has_lists_of_blocks_where_they_hold_something() {
    for variant in LATER {
        let timeline = run_one(config(variant), 4096, sized(4, 3000), |cpu| async move {
            let pages = [1, 9].map(|order| (order, MOVABLE));
            for (order, mt) in pages {
                alloc_order(&cpu, order, mt).await.unwrap();
            }
        });
        let lists = |timeline: &Timeline| {
            let view = timeline.view();
            let lists = view.allocators[0].pcps[0].lists.iter();
            lists.map(|list| (list.order, list.mt, list.pages.len())).collect::<Vec<_>>()
        };
        let [u, m, r] = [MigrateType::Unmovable, MOVABLE, MigrateType::Reclaimable];
        let order_0 = [(0, u, 0), (0, m, 0), (0, r, 0)];
        let all = [&order_0[..], &[(1, m, 1), (9, m, 1)]].concat();
        assert_eq!(lists(&timeline), all, "{variant}");
        let mut start = timeline;
        start.seek(0);
        assert_eq!(lists(&start), order_0, "{variant}");
    }
}

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

/// A block of order 1, at 0, that is about to be freed.
async fn orphan(cpu: &Cpu) {
    assert_eq!(alloc_order(cpu, 1, MOVABLE).await, Some(0));
    assert!(cpu.put_page_testzero(0, Site::PutPage, Held::Map).await);
    cpu.free_pages_prepare(0, 1).await;
}

async fn list_and_look(cpu: &Cpu, page: Pfn) {
    cpu.area_add(AreaList::PcpOrder { cpu: 0, pindex: 4 }, false, page).await;
    cpu.lock_zone(0, true).await;
    cpu.unlock_zone(0, true).await;
}

#[test]
fn what_is_wrong_with_a_list_of_blocks_is_noticed() {
    for variant in LATER {
        let counted_as_one = broken(variant, |cpu| async move {
            orphan(&cpu).await;
            cpu.local_irq_save().await;
            cpu.area_add(AreaList::PcpOrder { cpu: 0, pindex: 4 }, false, 0).await;
            let count = cpu.pcp(0, PcpField::Count);
            cpu.set_pcp(0, PcpField::Count, count + 1).await;
            cpu.local_irq_restore().await;
        });
        assert_eq!(counted_as_one, "5", "{variant}");
        let no_head = broken(variant, |cpu| async move {
            orphan(&cpu).await;
            list_and_look(&cpu, 1).await;
        });
        assert_eq!(no_head, "2", "{variant}");
        let twice = broken(variant, |cpu| async move {
            orphan(&cpu).await;
            cpu.area_add(AreaList::Pcp { cpu: 0, mt: MOVABLE }, false, 1).await;
            list_and_look(&cpu, 0).await;
        });
        assert_eq!(twice, "1", "{variant}");
        let in_use = broken(variant, |cpu| async move {
            assert_eq!(alloc(&cpu, MOVABLE).await, Some(0));
            assert_eq!(alloc(&cpu, MOVABLE).await, Some(1));
            assert!(cpu.put_page_testzero(0, Site::PutPage, Held::Map).await);
            cpu.free_pages_prepare(0, 0).await;
            list_and_look(&cpu, 0).await;
        });
        assert_eq!(in_use, "1", "{variant}: the other page of the block is somebody's");
    }
}

/// Runs a task on 2048 pages of which the second half is reserved.
fn with_reserve<F, Fut>(variant: &str, pages: u32, reserved: u32, task: F) -> Timeline
where
    F: FnOnce(Cpu) -> Fut,
    Fut: Future<Output = ()> + 'static,
{
    let config = config(variant);
    let mut machine = Machine::new(&MachineSpec { cpus: 1, zones: vec![pages], threshold: 2 });
    machine.add_buddy(0, sized(1, 12), config.has(sim_core::kernel::Patch::PcpAutoTune));
    machine.zones[0].buddy.as_mut().unwrap().nr_reserved_highatomic = reserved;
    let mut engine = sim_core::engine::Engine::new(config, machine);
    let checker = Some(sim_core::engine::Checker::new(config, &engine.world().machine));
    let setup = sim_core::engine::Setup { checker, ..Default::default() };
    engine.begin(setup, false);
    engine.spawn("test", 0, task);
    finish(engine)
}

async fn reserve_second_half(cpu: &Cpu) {
    cpu.lock_zone(0, true).await;
    for page in [1024, 1024 + PAGEBLOCK_NR] {
        cpu.set_pageblock(page, HIGH_ATOMIC).await;
    }
    move_to_free_list(cpu, 0, 1024, HIGH_ATOMIC, false).await;
    cpu.unlock_zone(0, true).await;
}

fn of_type(machine: &Machine, mt: MigrateType) -> Vec<(u8, Vec<Pfn>)> {
    let of = |order| (order, machine.area_list(0, AreaList::Free { order, mt }).collect::<Vec<_>>());
    (0..11).map(of).filter(|(_, blocks)| !blocks.is_empty()).collect()
}

#[test]
fn the_reserve_comes_first_for_who_tries_harder() {
    for variant in ALL {
        let timeline = with_reserve(variant, 2048, 1024, |cpu| async move {
            reserve_second_half(&cpu).await;
            assert_eq!(rmqueue_order(&cpu, 0, 4, MOVABLE, true).await, Some(1024));
            assert_eq!(rmqueue_order(&cpu, 0, 4, MOVABLE, false).await, Some(0));
            free_block(&cpu, 1024, 4).await;
            // All of the reserve, and one more that it has not.
            assert_eq!(rmqueue_order(&cpu, 0, 10, MOVABLE, true).await, Some(1024));
            assert_eq!(rmqueue_order(&cpu, 0, 4, MOVABLE, true).await, Some(16));
            free_block(&cpu, 1024, 10).await;
        });
        let machine = &timeline.world().machine;
        assert_eq!(of_type(machine, HIGH_ATOMIC), [(10, vec![1024])], "{variant}");
    }
}

#[test]
fn the_reserve_is_no_free_memory() {
    // min is 64. The zone's counter hides up to 2 pages, so after n pages it says 1024 - 3 * (n / 3). An allocation needs
    // more than 64, or 64 + 512: n / 3 up to 319, or 149; so 960 pages, or 450.
    for (reserved, expected) in [(0, 960), (512, 450)] {
        let timeline =
            with_reserve("v4.15", 1024, reserved, |cpu| async move { while alloc(&cpu, MOVABLE).await.is_some() {} });
        assert_eq!(handed_out(&timeline).len(), expected);
    }
}

#[test]
fn pages_of_the_reserve_wait_on_the_movable_list() {
    for variant in ALL {
        let task = |drain: bool| {
            run_one(config(variant), 2048, sized(1, 12), move |cpu| async move {
                let page = alloc(&cpu, MOVABLE).await.unwrap();
                cpu.set_pageblock(page, HIGH_ATOMIC).await;
                free(&cpu, page).await;
                if drain {
                    drain_local_pages(&cpu, 0).await;
                }
            })
        };
        assert_eq!(pcp_list(&task(false).world().machine, 0), [0], "{variant}");
        let drained = task(true);
        let machine = &drained.world().machine;
        // Back with its real type. Up to 6.9 blocks of an order of 9 merge whatever their types, but for ISOLATE.
        if variant == "today" {
            assert_eq!(of_type(machine, HIGH_ATOMIC), [(9, vec![0])]);
            assert_eq!(of_type(machine, MOVABLE), [(9, vec![512]), (10, vec![1024])]);
        } else {
            assert_eq!(of_type(machine, HIGH_ATOMIC), [(10, vec![0])], "{variant}");
            assert_eq!(of_type(machine, MOVABLE), [(10, vec![1024])], "{variant}");
        }
    }
}

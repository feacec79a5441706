//! Random work on several CPUs: no rule breaks, and 4.15 to 4.17 come to the same bytes.

mod pcp;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use pcp::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sim_core::kernel::page_isolation::{drain_local_pages, set_migratetype_isolate, unset_migratetype_isolate};
use sim_core::machine::{MigrateType, PAGEBLOCK_NR, PcpField, PcpSpec};

/// One piece of work of a CPU.
#[derive(Clone, Copy, Debug)]
enum Work {
    Alloc { mt: u32, n: u32 },
    Free { which: usize, n: u32 },
    AllocBlock { order: u8, mt: u32 },
    FreeBlock { which: usize },
    Drain,
    Isolate { range: u32 },
    Unisolate { range: u32 },
}

const RANGES: u32 = 4;

fn work() -> impl Strategy<Value = (u8, Work)> {
    let mt = prop_oneof![4 => Just(1u32), 1 => Just(0u32), 1 => Just(2u32)];
    let work = prop_oneof![
        6 => (mt.clone(), 1u32..40).prop_map(|(mt, n)| Work::Alloc { mt, n }),
        6 => (any::<usize>(), 1u32..40).prop_map(|(which, n)| Work::Free { which, n }),
        2 => (1u8..11, mt).prop_map(|(order, mt)| Work::AllocBlock { order, mt }),
        2 => any::<usize>().prop_map(|which| Work::FreeBlock { which }),
        1 => Just(Work::Drain),
        1 => (0..RANGES).prop_map(|range| Work::Isolate { range }),
        1 => (0..RANGES).prop_map(|range| Work::Unisolate { range }),
    ];
    (0u8..3, work)
}

#[derive(Default)]
struct Held {
    pages: Vec<u32>,
    blocks: Vec<(u32, u8)>,
    isolated: [bool; RANGES as usize],
}

async fn work_on(cpu: &sim_core::engine::Cpu, work: Work, held: &RefCell<Held>) {
    match work {
        Work::Alloc { mt, n } => {
            for _ in 0..n {
                let page = alloc(cpu, MigrateType::from_index(mt)).await;
                held.borrow_mut().pages.extend(page);
            }
        }
        Work::Free { which, n } => {
            for _ in 0..n {
                let count = held.borrow().pages.len();
                if count > 0 {
                    let page = held.borrow_mut().pages.swap_remove(which % count);
                    free(cpu, page).await;
                }
            }
        }
        Work::AllocBlock { order, mt } => {
            let block = alloc_order(cpu, order, MigrateType::from_index(mt)).await;
            held.borrow_mut().blocks.extend(block.map(|page| (page, order)));
        }
        Work::FreeBlock { which } => {
            let count = held.borrow().blocks.len();
            if count > 0 {
                let (page, order) = held.borrow_mut().blocks.swap_remove(which % count);
                free_order(cpu, page, order).await;
            }
        }
        Work::Drain => drain_local_pages(cpu, 0).await,
        Work::Isolate { range } | Work::Unisolate { range } => {
            let isolate = matches!(work, Work::Isolate { .. });
            let was = std::mem::replace(&mut held.borrow_mut().isolated[range as usize], isolate);
            for block in [2 * range, 2 * range + 1] {
                if isolate && !was {
                    set_migratetype_isolate(cpu, 0, block * PAGEBLOCK_NR).await;
                } else if was && !isolate {
                    unset_migratetype_isolate(cpu, 0, block * PAGEBLOCK_NR).await;
                }
            }
        }
    }
}

/// One CPU: does its own pieces of work when their turn has come, and sleeps otherwise.
async fn one_cpu(
    cpu: sim_core::engine::Cpu,
    me: u8,
    works: Rc<[(u8, Work)]>,
    turn: Rc<Cell<usize>>,
    held: Rc<RefCell<Held>>,
) {
    for (at, &(owner, work)) in works.iter().enumerate() {
        if owner != me {
            continue;
        }
        while turn.get() != at {
            cpu.sleep().await;
        }
        work_on(&cpu, work, &held).await;
        turn.set(at + 1);
        if let Some(&(next, _)) = works.get(at + 1)
            && next != me
        {
            cpu.wake_up_process(next).await;
        }
    }
}

/// The digest in the end; every rule is checked after every step, and everything can be taken back.
fn digest(variant: &str, batch: u32, high: u32, works: &[(u8, Work)]) -> u64 {
    let held = Rc::new(RefCell::new(Held::default()));
    let turn = Rc::new(Cell::new(0));
    let works: Rc<[(u8, Work)]> = works.into();
    let mut engine = engine(config(variant), 3, RANGES * 1024, sized(batch, high));
    for me in 0..3 {
        let (works, turn, held) = (works.clone(), turn.clone(), held.clone());
        engine.spawn("work", me, move |cpu| one_cpu(cpu, me, works, turn, held));
    }
    finish(engine).world().machine.digest()
}

/// One piece of work with blocks.
#[derive(Clone, Copy, Debug)]
enum Blocks {
    Alloc { order: u8, mt: u32, n: u32 },
    Free { which: usize, n: u32 },
    Drain,
}

fn blocks() -> impl Strategy<Value = (u8, Blocks)> {
    let order = prop_oneof![4 => 0u8..4, 1 => Just(9u8)];
    let mt = prop_oneof![4 => Just(1u32), 1 => Just(0u32), 1 => Just(2u32)];
    let work = prop_oneof![
        4 => (order, mt, 1u32..6).prop_map(|(order, mt, n)| Blocks::Alloc { order, mt, n }),
        4 => (any::<usize>(), 1u32..8).prop_map(|(which, n)| Blocks::Free { which, n }),
        1 => Just(Blocks::Drain),
    ];
    (0u8..2, work)
}

async fn blocks_on(cpu: &sim_core::engine::Cpu, work: Blocks, held: &RefCell<Vec<(u32, u8)>>) {
    match work {
        Blocks::Alloc { order, mt, n } => {
            for _ in 0..n {
                let block = alloc_order(cpu, order, MigrateType::from_index(mt)).await;
                held.borrow_mut().extend(block.map(|page| (page, order)));
            }
        }
        Blocks::Free { which, n } => {
            for _ in 0..n {
                let count = held.borrow().len();
                if count > 0 {
                    let (page, order) = held.borrow_mut().swap_remove(which % count);
                    free_order(cpu, page, order).await;
                }
            }
        }
        Blocks::Drain => drain_local_pages(cpu, 0).await,
    }
}

/// One CPU of two, which ends by emptying its lists; the last to work frees what is held.
async fn blocks_of_cpu(
    cpu: sim_core::engine::Cpu,
    works: Rc<[(u8, Blocks)]>,
    turn: Rc<Cell<usize>>,
    held: Rc<RefCell<Vec<(u32, u8)>>>,
    empty: bool,
) {
    let me = cpu.id();
    for at in 0..works.len() + 2 {
        let owner = works.get(at).map_or((at % 2) as u8, |work| work.0);
        if owner != me {
            continue;
        }
        while turn.get() != at {
            cpu.sleep().await;
        }
        if let Some(&(_, work)) = works.get(at) {
            blocks_on(&cpu, work, &held).await;
        } else if empty {
            blocks_on(&cpu, Blocks::Free { which: 0, n: u32::MAX >> 12 }, &held).await;
            drain_local_pages(&cpu, 0).await;
        }
        turn.set(at + 1);
        cpu.wake_up_process(1 - me).await;
    }
}

/// Every rule is checked after every step, and everything can be taken back; the sums are made here once more.
fn conserves(variant: &str, spec: PcpSpec, works: &[(u8, Blocks)], empty: bool) -> Result<(), TestCaseError> {
    let held = Rc::new(RefCell::new(Vec::new()));
    let turn = Rc::new(Cell::new(0));
    let works: Rc<[(u8, Blocks)]> = works.into();
    let mut engine = engine(config(variant), 2, 16_384, spec);
    for cpu in 0..2 {
        let (works, turn, held) = (works.clone(), turn.clone(), held.clone());
        engine.spawn("blocks", cpu, move |cpu| blocks_of_cpu(cpu, works, turn, held, empty));
    }
    let timeline = finish(engine);
    let machine = &timeline.world().machine;
    let in_use: u32 = held.borrow().iter().map(|&(_, order)| 1 << order).sum();
    let mut waiting = 0;
    for cpu in 0..2 {
        // Lists of three types for each order, then those of order 9.
        let pages =
            |pindex: u8| (pcp_blocks(machine, cpu, pindex).len() as u32) << [0, 1, 2, 3, 9][pindex as usize / 3];
        let listed: u32 = (0..14).map(pages).sum();
        prop_assert_eq!(listed, pcp(machine, cpu, PcpField::Count), "{} CPU {}", variant, cpu);
        waiting += listed;
    }
    let free: u32 = free_lists(machine).iter().map(|(order, blocks)| (blocks.len() as u32) << order).sum();
    prop_assert_eq!(in_use + waiting + free, 16_384, "{}", variant);
    prop_assert_eq!(nr_free_pages(machine), i64::from(free), "{}", variant);
    if empty {
        // All that was split has merged again.
        let blocks = free_lists(machine);
        prop_assert_eq!((in_use, waiting, blocks.len(), blocks[0].0), (0, 0, 1, 10), "{}", variant);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, rng_seed: RngSeed::Fixed(2018), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_variants_of_the_series_leave_the_same_bytes(
        batch in 1u32..9,
        more in 0u32..20,
        works in prop::collection::vec(work(), 1..40),
    ) {
        let high = batch + more;
        let first = digest("v4.15", batch, high, &works);
        for variant in &SAME[1..] {
            prop_assert_eq!(digest(variant, batch, high, &works), first, "{}", variant);
        }
    }

    #[test]
    fn no_rule_breaks_in_later_kernels(
        batch in 1u32..9,
        more in 0u32..20,
        works in prop::collection::vec(work(), 1..40),
    ) {
        digest("v5.18", batch, 2 * batch + more, &works);
        digest("today", batch, 2 * batch + more, &works);
    }

    #[test]
    fn blocks_are_kept_and_come_together_again(
        batch in 1u32..40,
        more in 0u32..200,
        tuned in any::<bool>(),
        empty in any::<bool>(),
        works in prop::collection::vec(blocks(), 1..40),
    ) {
        let high = 2 * batch + more;
        let spec = PcpSpec { batch, high, high_max: if tuned { 4 * high } else { high } };
        for variant in ["v4.15", "v5.18", "today"] {
            conserves(variant, spec, &works, empty)?;
        }
    }
}

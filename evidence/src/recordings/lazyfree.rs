//! MADV_FREE of 64 MiB, of which a quarter is written again before reclaim comes.

use sim_core::engine::{Cpu, Engine, Outcome, Setup};
use sim_core::kernel::madvise::sys_madvise;
use sim_core::kernel::program::touch;
use sim_core::kernel::vmscan_anon::{ScanControl, shrink_zone};
use sim_core::kernel::{Config, Patch};
use sim_core::machine::{Event, LockClass, Machine, MachineSpec, Mapping, SwapTuning, Vma, VmaId};
use sim_core::scenario::RunSpec;

use super::count::Counts;

const PAGES: u32 = 16_384;
const OWN: VmaId = VmaId { mm: 0, vma: 0 };
/// 25 of every 100 pages are written again: 4100.
const REWRITTEN: fn(&u32) -> bool = |addr| addr % 100 < 25;

/// What 5.10 has over 4.12, the variant of the series.
const V5_10: &[Patch] = &[Patch::NewInactive, Patch::TwoTouch, Patch::DrainDecides];
const V6_1: &[Patch] = &[Patch::TestClearLru, Patch::MlockBatch];

fn config(kernel: &str) -> Option<Config> {
    let of = |variant| RunSpec::new("madvise-free", variant).map(|spec| spec.variant.config).ok();
    let v5_10 = || Some(of("v4.12")?.without(Patch::SwapinActivate).with(V5_10).with_pagevec(15));
    match kernel {
        "5.10" => v5_10(),
        "6.1" => Some(v5_10()?.with(V6_1)),
        "7.2" => Some(of("today")?.with_pagevec(31)),
        _ => None,
    }
}

fn machine() -> Machine {
    let mut machine = Machine::new(&MachineSpec { cpus: 1, zones: vec![PAGES + 64], threshold: 30 });
    let mapping = machine.add_mapping(Mapping { file: false, unevictable: false, vmas: vec![OWN], cache: Vec::new() });
    machine.add_mm(PAGES);
    machine.mms[0].vmas.push(Vma { start: 0, end: PAGES, locked: false, mapping, pgoff: 0 });
    let tuning = SwapTuning { slots: PAGES, marks: [1, 2, 3], slice: 32, ratio: 1, write_time: 40 };
    machine.add_swap(tuning, vec![0; 4]);
    machine
}

/// All of the recording. Reclaim goes on until the file lists are empty.
pub fn counts(kernel: &str) -> Option<Counts> {
    let mut engine = Engine::new(config(kernel)?, machine());
    let mut counts = Counts::default();
    run(&mut engine, "fill", |cpu| async move {
        for addr in 0..PAGES {
            touch(&cpu, OWN, addr, true, 0).await;
        }
    });
    engine.begin(Setup::default(), true);
    run(&mut engine, "madvise", |cpu| async move { sys_madvise(&cpu, OWN, 0, PAGES, false).await });
    let (at_call, faults) = (event(&engine, Event::Lazyfree), event(&engine, Event::Fault));
    counts.set("pglazyfree at the call", at_call);
    counts.set("lru_lock at the call", engine.world().ledger.lock(LockClass::Lru).acquired);
    run(&mut engine, "write again", |cpu| async move {
        for addr in (0..PAGES).filter(REWRITTEN) {
            touch(&cpu, OWN, addr, true, 0).await;
        }
    });
    counts.set("pgfault of writing again", event(&engine, Event::Fault) - faults);
    run(&mut engine, "reclaim", |cpu| async move { reclaim(&cpu).await });
    counts.set("pglazyfree", event(&engine, Event::Lazyfree));
    counts.set("pglazyfreed", event(&engine, Event::Lazyfreed));
    counts.set("pages that kept their content", kept(&engine));
    Some(counts)
}

fn run<F: Future<Output = ()> + 'static>(engine: &mut Engine, name: &'static str, task: impl FnOnce(Cpu) -> F) {
    engine.spawn(name, 0, task);
    assert_eq!(engine.run(), Ok(Outcome::Finished), "a run of the project's own comes to its end");
}

fn event(engine: &Engine, event: Event) -> u64 {
    engine.world().machine.events[event as usize]
}

async fn reclaim(cpu: &Cpu) {
    let sc = &mut ScanControl::default();
    loop {
        shrink_zone(cpu, 0, sc).await;
        let lists = cpu.machine().zones[0].lru;
        if lists[2].entries + lists[3].entries == 0 {
            return;
        }
    }
}

// Pages that have been written again and are mapped or in swap still.
fn kept(engine: &Engine) -> u64 {
    let world = engine.world();
    (0..PAGES).filter(REWRITTEN).filter(|&addr| world.machine.pte(0, addr) != sim_core::machine::PTE_NONE).count()
        as u64
}

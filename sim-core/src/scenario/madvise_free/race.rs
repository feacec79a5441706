//! The race of 4.12 and 4.13: MADV_FREE cleans PTEs at once, but pages become lazy only when a pagevec is flushed.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::claims::kept_data;
use super::setup::add_process;
use crate::engine::{Engine, Schedule, Turn, Until};
use crate::kernel::madvise::sys_madvise;
use crate::kernel::program::touch;
use crate::kernel::swap::lru_add_drain;
use crate::kernel::vmscan_anon::{ScanControl, shrink_active_list, shrink_inactive_list};
use crate::kernel::{Config, Patch};
use crate::machine::{LockClass, Machine, MachineSpec, Pv, SwapTuning, VmaId};
use crate::op::Op;
use crate::scenario::built::Built;
use crate::scenario::params::{Param, Params};
use crate::scenario::spec::SpecError;
use crate::scenario::{Claim, End, Variant};
use crate::view::PagevecKind;

pub(super) const PARAMS: &[Param] = &[Param::number(
    "pages",
    4,
    1,
    64,
    "pages that MADV_FREE is called for; every 14 of them flush the pagevec themselves",
)];

const VMA: VmaId = VmaId { mm: 0, vma: 0 };
const FRAMES: u32 = 96;
// One slice takes all pages.
const TUNING: SwapTuning = SwapTuning { slots: 64, marks: [6, 8, 10], slice: 64, ratio: 1, write_time: 40 };

/// Two CPUs: the program on one, reclaim on the other.
pub(super) fn build(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let pages = params.get("pages");
    let engine = memory(variant.config.with_pagevec(14), pages);
    let tasks = move |engine: &mut Engine| {
        engine.spawn("madvise", 0, move |cpu| async move {
            sys_madvise(&cpu, VMA, 0, pages, false).await;
            lru_add_drain(&cpu).await;
            for addr in 0..pages {
                while !touch(&cpu, VMA, addr, false, 0).await {}
            }
        });
        engine.spawn("reclaim", 1, |cpu| async move {
            shrink_inactive_list(&cpu, 0, false, &mut ScanControl::default()).await;
        });
    };
    Ok(Built { engine, measured: None, migrations: Vec::new(), script: script(), tasks: Box::new(tasks) })
}

// madvise; reclaim isolates; the pagevec is flushed; reclaim goes on; the program reads its pages.
fn script() -> Schedule {
    let turn = |cpu, until| Turn { cpu, until };
    let called = Op::Up { class: LockClass::MmapSem, write: false, index: 0 };
    let isolated = Op::SpinUnlock { class: LockClass::Lru, irq: true, index: 0 };
    let flushed = Op::PvecReinit { pv: Pv { kind: PagevecKind::LruDeactivate, owner: 0 } };
    Schedule::Script(vec![
        turn(0, Until::After(called)),
        turn(1, Until::After(isolated)),
        turn(0, Until::After(flushed)),
        turn(1, Until::Blocked),
        turn(0, Until::Blocked),
    ])
}

// The pages are written to and on the inactive list.
fn memory(config: Config, pages: u32) -> Engine {
    let mut machine = Machine::new(&MachineSpec { cpus: 2, zones: vec![FRAMES], threshold: 32 });
    add_process(&mut machine, pages);
    machine.add_swap(TUNING, vec![0; 2]);
    let mut engine = Engine::new(config, machine);
    engine.spawn("populate", 0, move |cpu| async move {
        for addr in 0..pages {
            touch(&cpu, VMA, addr, true, 0).await;
        }
        lru_add_drain(&cpu).await;
        shrink_active_list(&cpu, 0, false, &mut ScanControl::default()).await;
    });
    let ended = engine.run();
    debug_assert!(matches!(ended, Ok(crate::engine::Outcome::Finished)), "the set-up runs to its end");
    engine.machine_mut().fold_diffs();
    engine
}

/// Nothing that was stored may be lost.
pub(super) fn claims(end: &End<'_>) -> Vec<Claim> {
    let known = end.spec.variant.config.has(Patch::CleanAddToSwap);
    let why = "add_to_swap leaves a clean page clean, so that it is never written to its slot";
    let kept = kept_data(end).map(|claim| claim.known(known, why));
    let claims: Vec<Claim> = kept.into_iter().collect();
    end.stopped(&claims).unwrap_or(claims)
}

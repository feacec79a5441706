//! Drawings of recorded runs at one moment: what both sides have in common, and where pages have been.

use sim_core::engine::Record;
use sim_core::machine::PageFlag;
use sim_core::op::Op;
use sim_core::scenario::Run;
use sim_core::view::{PagevecKind, View};

use crate::regions::{Regions, regions};
use crate::scene::Scene;
use crate::tape_log::TapeLog;
use crate::{Density, Options, Tapes, layout};

/// What the cells of the lists may cost in a run that is gone through from its start, in pages looked at.
const TAPE_WORK: u64 = 3_000_000;
/// What they may cost for one step of a longer run.
const TURN_WORK: u64 = 200_000;
/// What a view costs beside its pages.
const VIEW_WORK: u64 = 40;

/// The views and drawings of runs that stand side by side, each at its cursor. Cursors stay where they are.
pub fn drawings(runs: &mut [&mut Run]) -> Vec<(View, Scene)> {
    let kinds: Vec<PagevecKind> = runs.iter().flat_map(|run| kinds(run)).collect();
    let columns = runs.iter().map(|run| columns(run)).max().unwrap_or(14);
    let drawn: Vec<(View, Option<Tapes>)> = runs
        .iter_mut()
        .map(|run| {
            let view = view(run, &kinds);
            let tapes = tapes(run, &view, columns);
            (view, tapes)
        })
        .collect();
    let mut rows = Regions::default();
    for (view, tapes) in &drawn {
        rows = rows.max(&regions(view, &Options { columns, tapes: tapes.as_ref(), ..Options::default() }));
    }
    let scene = |(view, tapes): (View, Option<Tapes>)| {
        let options = Options { columns, tapes: tapes.as_ref(), regions: Some(&rows), ..Options::default() };
        let scene = layout(&view, &options);
        (view, scene)
    };
    drawn.into_iter().map(scene).collect()
}

fn view(run: &Run, kinds: &[PagevecKind]) -> View {
    let mut view = run.timeline.view();
    for cpu in &mut view.cpus {
        cpu.pagevecs.retain(|pvec| kinds.contains(&pvec.kind));
    }
    view
}

// Cells of the lists; none where lists are maps. What a run of any length costs is bounded.
fn tapes(run: &mut Run, view: &View, columns: u16) -> Option<Tapes> {
    if Density::of(view) == Density::Map {
        return None;
    }
    let work = run.timeline.numbers().frames().len() as u64 + VIEW_WORK;
    let moving = run.timeline.records().iter().filter(|record| moves_pages(record)).count() as u64;
    let mut log = match moving * work <= TAPE_WORK {
        true => TapeLog::new(columns),
        false => TapeLog::turning(columns, (TURN_WORK / work).clamp(1, 4096) as u32),
    };
    let (at, turn) = (run.timeline.cursor(), log.turn());
    let tapes = log.at(at as u32, |step| {
        let moved = step == 0 || moves_pages(&run.timeline.records()[step as usize - 1]);
        (moved || step.is_multiple_of(turn)).then(|| {
            if step as usize == at {
                return view.clone();
            }
            run.timeline.seek(step as usize);
            run.timeline.places()
        })
    });
    let tapes = tapes.clone();
    run.timeline.seek(at);
    Some(tapes)
}

/// Pagevecs that a run's kernel has and uses.
pub fn kinds(run: &Run) -> Vec<PagevecKind> {
    let view = run.timeline.view();
    let added = run.timeline.records().iter().filter_map(|record| match record.op {
        Op::PvecAdd { pv, .. } => Some(1u32 << pv.kind as u16),
        _ => None,
    });
    let added = added.fold(0, |all, kind| all | kind);
    let all = view.cpus.iter().flat_map(|cpu| &cpu.pagevecs).filter(|pvec| pvec.absent.is_none());
    let used = |kind: PagevecKind| added & 1 << kind as u16 != 0;
    all.filter(|pvec| !pvec.slots.is_empty() || used(pvec.kind)).map(|pvec| pvec.kind).collect()
}

/// Batches of 14 get 14 columns, of 15 get 15, larger ones 16: a batch is a row.
pub fn columns(run: &Run) -> u16 {
    let batch = match run.spec.params.get("pagevec") {
        0 => run.timeline.config().pagevec,
        set => set,
    };
    batch.clamp(14, 16) as u16
}

/// A step that may have changed where a page is.
pub fn moves_pages(record: &Record) -> bool {
    match record.op {
        Op::Flag { flag, .. } => !matches!(flag, PageFlag::Locked | PageFlag::Referenced | PageFlag::Dirty),
        Op::Read { .. }
        | Op::ReadPagevec { .. }
        | Op::ReadPte { .. }
        | Op::Get { .. }
        | Op::Put { .. }
        | Op::Mapcount { .. }
        | Op::TryLockPage { .. }
        | Op::WaitPage { .. }
        | Op::UnlockPage { .. }
        | Op::WakePage { .. }
        | Op::SpinLock { .. }
        | Op::SpinWait { .. }
        | Op::SpinUnlock { .. }
        | Op::Down { .. }
        | Op::DownReadTrylock { .. }
        | Op::DownWait { .. }
        | Op::Up { .. }
        | Op::Irq { .. }
        | Op::Preempt { .. }
        | Op::ReclaimStat { .. }
        | Op::Stat { .. }
        | Op::Event { .. }
        | Op::Walk { .. }
        | Op::SetPte { .. }
        | Op::Barrier
        | Op::CondResched
        | Op::Sleep
        | Op::Wake { .. }
        | Op::Exit => false,
        _ => true,
    }
}

//! Memory at the start: small ranges to mlock, and pages of another process that wait in pagevecs.

use alloc::vec;
use alloc::vec::Vec;

use super::lists;
use crate::engine::{Cpu, Engine};
use crate::kernel::Config;
use crate::kernel::memory::do_anonymous_page;
use crate::kernel::swap::lru_add_drain;
use crate::kernel::workqueue::worker_thread;
use crate::ledger::Site;
use crate::machine::{Machine, MachineSpec, Mapping, Pfn, TaskRun, Vma, VmaId, Workqueue, stat_threshold};
use crate::op::Held;
use crate::view::PagevecKind;

/// Who holds what when the run begins.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// CPUs of the machine.
    pub cpus: u8,
    /// Ranges of one page each that the process can mlock.
    pub ranges: u8,
    /// Range whose page waits in the lru_add pagevec of this CPU.
    pub range_on: Option<u8>,
    /// CPUs whose lru_add pagevec holds pages of another process.
    pub filled: Vec<u8>,
    /// Pages in each of these.
    pub waiting: u32,
    /// Which pagevec they wait in.
    pub kind: PagevecKind,
    /// Addresses of the other process without a page, which a task may touch.
    pub spare: u32,
    /// Tasks that call lru_add_drain_all.
    pub callers: u8,
    /// Lists whose pages wait in lru_add pagevecs; as many of each.
    pub lists: Vec<u8>,
}

impl Layout {
    /// One range, nothing in a pagevec.
    pub fn new(cpus: u8) -> Layout {
        Layout {
            cpus,
            ranges: 1,
            range_on: None,
            filled: Vec::new(),
            waiting: 1,
            kind: PagevecKind::LruAdd,
            spare: 0,
            callers: 1,
            lists: vec![0],
        }
    }

    /// CPUs 1, 2, .. hold pages; the caller's own CPU 0 last.
    pub fn fill(mut self, count: u8) -> Layout {
        self.filled = (1..=count).map(|at| at % self.cpus).collect();
        self
    }
}

/// A machine with the process under study, the other process, and no counter with a difference.
pub(super) fn memory(config: Config, layout: &Layout) -> Engine {
    let ranges = u32::from(layout.ranges);
    let others = layout.filled.len() as u32 * layout.waiting;
    let of_lists = layout.kind == PagevecKind::LruAdd && layout.lists != [0];
    let size = ranges + others * layout.lists.len() as u32 + layout.spare;
    let threshold = stat_threshold(u32::from(layout.cpus), u64::from(size));
    let spec = MachineSpec { cpus: layout.cpus, zones: vec![size], threshold };
    let mut machine = Machine::new(&spec);
    machine.work = Workqueue::new(layout.cpus, layout.callers);
    let mut engine = Engine::new(config, machine);
    space(&mut engine, layout.ranges, 1);
    if of_lists {
        lists::space(&mut engine, layout, others);
    } else if others + layout.spare > 0 {
        space(&mut engine, 1, others + layout.spare);
    }
    for at in 0..ranges {
        let own = layout.range_on.filter(|_| at == 0);
        let vma = VmaId { mm: 0, vma: at as u8 };
        fault(&mut engine, own.unwrap_or(0), vma, at..at + 1, own.is_none());
    }
    if of_lists {
        lists::fill(&mut engine, layout);
        engine.machine_mut().fold_diffs();
        return engine;
    }
    for (at, &cpu) in (0..).zip(&layout.filled) {
        let first = at * layout.waiting;
        let on_list = layout.kind != PagevecKind::LruAdd;
        fault(&mut engine, cpu, VmaId { mm: 1, vma: 0 }, first..first + layout.waiting, on_list);
        if on_list {
            hold(&mut engine, cpu, layout.kind, first..first + layout.waiting);
        }
    }
    engine.machine_mut().fold_diffs();
    engine
}

// An address space with so many VMAs of so many pages, side by side.
fn space(engine: &mut Engine, vmas: u8, pages: u32) {
    let mut machine = engine.machine_mut();
    let mapping = machine.add_mapping(Mapping { file: false, unevictable: false, vmas: Vec::new(), cache: Vec::new() });
    let mm = machine.add_mm(u32::from(vmas) * pages);
    for vma in 0..vmas {
        let start = u32::from(vma) * pages;
        let area = Vma { start, end: start + pages, locked: false, mapping, pgoff: start };
        machine.mms[mm as usize].vmas.push(area);
        machine.mappings[mapping as usize].vmas.push(VmaId { mm, vma });
    }
}

// A task on a CPU touches addresses; its pages wait in that CPU's pagevec unless it drains it.
fn fault(engine: &mut Engine, cpu: u8, vma: VmaId, addrs: core::ops::Range<u32>, drain: bool) {
    engine.spawn("fault", cpu, move |cpu| async move {
        for addr in addrs {
            do_anonymous_page(&cpu, vma, addr, 0).await;
        }
        if drain {
            lru_add_drain(&cpu).await;
        }
    });
    finish(engine);
}

// Pages that are on a list get a slot in another pagevec of a CPU, which holds a reference.
fn hold(engine: &mut Engine, cpu: u8, kind: PagevecKind, addrs: core::ops::Range<u32>) {
    engine.spawn("hold", cpu, move |cpu| async move {
        for addr in addrs {
            let page = cpu.machine().pte(1, addr);
            cpu.get_page(page, Site::LruCacheAdd, Held::Slot).await;
            cpu.pagevec_add(cpu.this_cpu_pvec(kind), page).await;
        }
    });
    finish(engine);
}

pub(super) fn finish(engine: &mut Engine) {
    let ended = engine.run();
    debug_assert!(matches!(ended, Ok(crate::engine::Outcome::Finished)), "the set-up runs to its end");
}

/// The page of a range.
pub(super) fn page_of(engine: &Engine, range: u32) -> Pfn {
    engine.world().machine.pte(0, range)
}

/// One kworker for each CPU, asleep.
pub(in crate::scenario) fn spawn_workers(engine: &mut Engine) {
    let cpus = engine.world().machine.work.pools.len() as u8;
    for pool in 0..cpus {
        let worker = engine.spawn_daemon("kworker", pool, move |cpu| async move { serve(&cpu, pool).await });
        let mut machine = engine.machine_mut();
        machine.work.pools[pool as usize].worker = worker;
        machine.tasks[worker as usize].run = TaskRun::Sleeps;
    }
}

async fn serve(cpu: &Cpu, pool: u8) {
    loop {
        worker_thread(cpu, pool).await;
    }
}

//! Sets memory up through kernel functions, then starts a task for each CPU.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::check_order::Order;
use super::make::{Blocks, make_all};
use super::spaces::{folios, spaces};
use super::{Memory, Misfit, Program};
use crate::engine::{Engine, Outcome};
use crate::kernel::{Config, Patch};
use crate::machine::{Machine, MachineSpec, Workqueue};
use crate::scenario::built::Built;
use crate::scenario::lru_drain::spawn_workers;
use crate::scenario::params::Params;
use crate::scenario::spec::{SpecError, parse_schedule};
use crate::scenario::variant::Variant;

/// Builds the scenario of a file.
pub(crate) fn build(variant: &Variant, _: &Params) -> Result<Built, SpecError> {
    let Some(program) = variant.program else {
        return Err(SpecError::Together(format!("variant `{}` has no program", variant.name)));
    };
    let fits = program.validate().and_then(|()| program.runs_on(variant.config));
    fits.map_err(SpecError::At)?;
    let mut engine = match folios(program)? {
        Some(layout) => layout.set_up(variant.config),
        None => Engine::new(variant.config, machine(program, variant.config)),
    };
    let shared = (Blocks::default(), Order::default());
    let most = flush_batches(&mut engine, program.setup.len());
    set_up(&mut engine, program, &shared)?;
    flush_batches_again(&mut engine, most);
    engine.machine_mut().fold_diffs();
    if let Some(swap) = &mut engine.machine_mut().swap {
        swap.clocks = clocks(program);
    }
    Ok(Built {
        engine,
        measured: program.measure.function(variant.config),
        migrations: Vec::new(),
        script: parse_schedule(&program.schedule)?,
        tasks: Box::new(move |engine| start(engine, program, &shared)),
    })
}

fn machine(program: &Program, config: Config) -> Machine {
    let spec = MachineSpec { cpus: program.cpus, zones: program.zones.clone(), threshold: program.threshold };
    let mut machine = Machine::new(&spec);
    spaces(&mut machine, program);
    match program.memory {
        Memory::Kworkers => machine.work = Workqueue::new(program.cpus, program.callers()),
        Memory::Pcp(spec) => machine.add_buddy(0, spec, config.has(Patch::PcpAutoTune)),
        // One clock for each call of the set-up.
        Memory::Swap(tuning) => machine.add_swap(tuning, vec![0; program.setup.len()]),
        Memory::Plain | Memory::Folios => {}
    }
    machine
}

// A TLB flush batch for each call of the set-up, which is a task of its own; says how many there were.
fn flush_batches(engine: &mut Engine, calls: usize) -> usize {
    let mut machine = engine.machine_mut();
    let tasks = machine.tasks.len() + calls;
    let Some(rmap) = &mut machine.rmap else { return 0 };
    let most = rmap.ubcs.len();
    rmap.ubcs.resize(most.max(tasks), Default::default());
    most
}

// The set-up has flushed what it put off: as many as before are enough for the run.
fn flush_batches_again(engine: &mut Engine, most: usize) {
    if let Some(rmap) = &mut engine.machine_mut().rmap {
        rmap.ubcs.truncate(most);
    }
}

// Clock of each task of the run.
fn clocks(program: &Program) -> Vec<u64> {
    let start = |cpu: usize| u64::from(program.starts.get(cpu).copied().unwrap_or(0));
    let busy = program.run.iter().enumerate().filter(|(_, calls)| !calls.is_empty());
    busy.map(|(cpu, _)| start(cpu)).collect()
}

impl Program {
    // Tasks up to the last one that waits for kworkers: these have work items of their own.
    fn callers(&self) -> u8 {
        let busy = self.run.iter().filter(|calls| !calls.is_empty());
        let last = busy.enumerate().filter(|(_, calls)| calls.iter().any(super::Call::drains_all)).last();
        last.map_or(1, |(task, _)| task as u8 + 1)
    }
}

fn set_up(engine: &mut Engine, program: &'static Program, shared: &(Blocks, Order)) -> Result<(), SpecError> {
    for (at, (cpu, call)) in program.setup.iter().enumerate() {
        let shared = shared.clone();
        engine.spawn(call.name(), *cpu, |cpu| async move {
            make_all(&cpu, program, &shared, core::slice::from_ref(call)).await;
        });
        if engine.run()? != Outcome::Finished {
            let why = engine
                .violation()
                .map_or_else(|| "it never ends".into(), |broken| format!("{}: {}", broken.rule, broken.detail));
            let text = format!("`{}`: {why}", call.name());
            return Err(SpecError::At(Misfit { path: format!("setup[{at}]"), text }));
        }
    }
    Ok(())
}

fn start(engine: &mut Engine, program: &'static Program, shared: &(Blocks, Order)) {
    for (cpu, calls) in (0..).zip(&program.run) {
        let Some(first) = calls.first() else { continue };
        let shared = shared.clone();
        engine.spawn(first.name(), cpu, move |cpu| async move { make_all(&cpu, program, &shared, calls).await });
    }
    if program.memory == Memory::Kworkers {
        spawn_workers(engine);
    }
}

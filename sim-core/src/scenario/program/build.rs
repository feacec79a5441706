//! The interpreter: sets memory up through kernel functions, then starts a task for each CPU.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::{Advice, Area, Call, Program, Span};
use crate::engine::{Cpu, Engine, Outcome};
use crate::kernel::fault::do_page_fault;
use crate::kernel::mlock::sys_munlock;
use crate::kernel::mlock_range::{sys_mlock, sys_mlockall};
use crate::kernel::mmap::{do_munmap, dup_mmap, isolate_range, madvise_dontneed, sys_mmap};
use crate::kernel::swap::lru_add_drain;
use crate::machine::{Machine, MachineSpec, Mapping, NIL, Vma, VmaId};
use crate::scenario::built::Built;
use crate::scenario::params::Params;
use crate::scenario::spec::{SpecError, parse_schedule};
use crate::scenario::variant::Variant;

/// Builds the scenario of a file.
pub(crate) fn build(variant: &Variant, _: &Params) -> Result<Built, SpecError> {
    let Some(program) = variant.program else {
        return Err(SpecError::Together(format!("variant `{}` has no program", variant.name)));
    };
    let fits = program.validate().and_then(|()| program.runs_on(variant.config));
    fits.map_err(|misfit| SpecError::Together(format!("{misfit}")))?;
    let spec = MachineSpec { cpus: program.cpus, zones: program.zones.clone(), threshold: program.threshold };
    let mut engine = Engine::new(variant.config, Machine::new(&spec));
    spaces(&mut engine, program);
    set_up(&mut engine, program)?;
    engine.machine_mut().fold_diffs();
    Ok(Built {
        engine,
        measured: program.measure.function(variant.config),
        migrations: Vec::new(),
        script: parse_schedule(&program.schedule)?,
        tasks: Box::new(|engine| start(engine, program)),
    })
}

fn spaces(engine: &mut Engine, program: &Program) {
    let mut machine = engine.machine_mut();
    let files = files(&mut machine, program);
    let mut own: Vec<Vec<u16>> = Vec::new();
    for process in &program.processes {
        let mut mappings = Vec::new();
        for area in &process.vmas {
            mappings.push(match area.file {
                Some((file, _)) => files[file as usize],
                None => add_mapping(&mut machine, false, 0),
            });
        }
        own.push(mappings);
    }
    for at in 0..program.processes.len() {
        let of = program.processes[at].child_of.map_or(at, usize::from);
        let areas = &program.processes[of].vmas;
        let mm = machine.add_mm(areas.last().map_or(1, |area| area.start + area.pages));
        for (index, (area, &mapping)) in (0..).zip(areas.iter().zip(&own[of])) {
            machine.mms[mm as usize].vmas.push(vma(area, mapping));
            machine.mappings[mapping as usize].vmas.push(VmaId { mm, vma: index });
        }
    }
}

fn vma(area: &Area, mapping: u16) -> Vma {
    let pgoff = area.file.map_or(0, |(_, offset)| offset);
    Vma { start: area.start, end: area.start + area.pages, locked: false, mapping, pgoff }
}

// Mappings of the files by their numbers; a file is as long as what is mapped of it.
fn files(machine: &mut Machine, program: &Program) -> Vec<u16> {
    let mut pages = vec![0; super::MAX_FILES as usize];
    for area in program.processes.iter().flat_map(|process| &process.vmas) {
        if let Some((file, offset)) = area.file {
            pages[file as usize] = pages[file as usize].max(offset + area.pages);
        }
    }
    pages.into_iter().map(|pages| if pages == 0 { 0 } else { add_mapping(machine, true, pages) }).collect()
}

fn add_mapping(machine: &mut Machine, file: bool, pages: u32) -> u16 {
    machine.add_mapping(Mapping { file, unevictable: false, vmas: Vec::new(), cache: vec![NIL; pages as usize] })
}

fn set_up(engine: &mut Engine, program: &'static Program) -> Result<(), SpecError> {
    for (at, (cpu, call)) in program.setup.iter().enumerate() {
        engine.spawn(call.name(), *cpu, |cpu| async move { make(&cpu, program, call).await });
        if engine.run()? != Outcome::Finished {
            let why = engine
                .violation()
                .map_or_else(|| "it never ends".into(), |broken| format!("{}: {}", broken.rule, broken.detail));
            return Err(SpecError::Together(format!("setup[{at}]: `{}`: {why}", call.name())));
        }
    }
    Ok(())
}

fn start(engine: &mut Engine, program: &'static Program) {
    for (cpu, calls) in (0..).zip(&program.run) {
        let Some(first) = calls.first() else { continue };
        engine.spawn(first.name(), cpu, move |cpu| async move {
            for call in calls {
                make(&cpu, program, call).await;
            }
        });
    }
}

fn place(program: &Program, span: Span) -> (VmaId, Area, core::ops::Range<u32>) {
    let area = program.vmas(span.process)[span.vma as usize];
    let first = area.start + span.first;
    let pages = span.pages.unwrap_or(area.pages - span.first);
    (VmaId { mm: span.process, vma: span.vma }, area, first..first + pages)
}

async fn make(cpu: &Cpu, program: &'static Program, call: &Call) {
    match *call {
        Call::Mmap { at, locked, populate } => {
            let (vma, area, _) = place(program, at);
            sys_mmap(cpu, vma, area.policy, locked, populate).await;
        }
        Call::Touch(span) => access(cpu, program, span, true).await,
        Call::Read(span) => access(cpu, program, span, false).await,
        Call::Mlock(span) => {
            let (vma, area, _) = place(program, span);
            sys_mlock(cpu, vma, area.policy).await;
        }
        Call::Munlock(span) => sys_munlock(cpu, place(program, span).0).await,
        Call::Mlockall(process) => {
            let policies = program.vmas(process).iter().map(|area| area.policy).collect();
            sys_mlockall(cpu, process, policies).await;
        }
        Call::Munmap(span) => do_munmap(cpu, place(program, span).0).await,
        Call::Madvise(span, Advice::Dontneed) => {
            let (vma, _, range) = place(program, span);
            madvise_dontneed(cpu, vma, range.start, range.end).await;
        }
        Call::Fork { process, child } => dup_mmap(cpu, process, child, program.vmas(process).len() as u8).await,
        Call::Drain { all: false } => lru_add_drain(cpu).await,
        Call::Isolate(span) => {
            let (vma, _, range) = place(program, span);
            isolate_range(cpu, vma, range.start, range.end).await;
        }
        // The table of functions says that no kernel has them yet, so no program with them is built.
        Call::Madvise(_, Advice::Free | Advice::Pageout)
        | Call::Drain { all: true }
        | Call::Reclaim { .. }
        | Call::Alloc { .. }
        | Call::Free { .. } => {}
    }
}

async fn access(cpu: &Cpu, program: &'static Program, span: Span, write: bool) {
    let (vma, area, range) = place(program, span);
    let mut addr = range.start;
    while addr < range.end {
        do_page_fault(cpu, vma, addr, area.policy, write).await;
        addr += area.policy.unit();
        cpu.pause().await;
    }
}

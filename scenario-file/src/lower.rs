//! A value that fits the table of fields becomes a program.

use serde_json::Value;
use sim_core::kernel::Patch;
use sim_core::kernel::fault::{Mempolicy, POLICY_ZONES};
use sim_core::kernel::rmap_map::FolioKind;
use sim_core::machine::{PcpSpec, SwapTuning};
use sim_core::scenario::closest;
use sim_core::scenario::program::{
    Advice, Area, Call, Folios, Heading, Kernel, Measure, Memory, Misfit, Process, Program, Span,
};

use crate::ScenarioFile;
use crate::fields::{KINDS, ORDERS};

/// Pages of a huge page.
const HUGE: u32 = 512;

/// The file.
///
/// # Errors
///
/// Names that nobody knows, or addresses behind the end of what an address space has.
pub fn file(value: &Value) -> Result<ScenarioFile, Misfit> {
    let heading = Heading {
        name: text(value, "name"),
        title: text(value, "title"),
        summary: text(value, "summary"),
        watch: text(value, "watch"),
    };
    let machine = &value["machine"];
    let processes: Vec<Process> = list(value, "processes").iter().map(process).collect();
    offsets_are_in_files(value)?;
    let program = Program {
        cpus: number(machine, "cpus", 1) as u8,
        zones: list(machine, "zones").iter().map(as_number).collect(),
        threshold: number(machine, "stat_threshold", 125) as i8,
        memory: memory(machine, &processes)?,
        processes,
        setup: list(value, "setup").iter().map(|call_of| (number(call_of, "cpu", 0) as u8, call(call_of))).collect(),
        run: list(value, "cpus").iter().map(|cpu| list(cpu, "run").iter().map(call).collect()).collect(),
        starts: list(value, "cpus").iter().map(|cpu| number(cpu, "starts", 0)).collect(),
        measure: match value["measure"].as_str() {
            Some("munlock-range") => Measure::MunlockRange,
            Some("try-to-unmap") => Measure::TryToUnmap,
            _ => Measure::Everything,
        },
        schedule: if value["schedule"].is_null() { "round-robin".to_string() } else { text(value, "schedule") },
    };
    Ok(ScenarioFile { heading, kernel: kernel(&value["config"])?, program })
}

// A machine has one thing beside its pages at most.
fn memory(machine: &Value, processes: &[Process]) -> Result<Memory, Misfit> {
    let mut found = Vec::new();
    if flag(machine, "kworkers") {
        found.push(("machine.kworkers", Memory::Kworkers));
    }
    let pcp = &machine["pcp"];
    if !pcp.is_null() {
        let high = number(pcp, "high", 1);
        let spec = PcpSpec { batch: number(pcp, "batch", 1), high, high_max: number(pcp, "high_max", high) };
        found.push(("machine.pcp", Memory::Pcp(spec)));
    }
    let swap = &machine["swap"];
    if !swap.is_null() {
        let tuning = SwapTuning {
            slots: number(swap, "slots", 1),
            marks: [number(swap, "min", 6), number(swap, "low", 8), number(swap, "high", 10)],
            slice: number(swap, "slice", 8),
            ratio: number(swap, "ratio", 1),
            write_time: number(swap, "write_time", 40),
        };
        found.push(("machine.swap", Memory::Swap(tuning)));
    }
    match found[..] {
        [(_, _), (path, _), ..] => {
            let text = format!("expected one of kworkers, pcp and swap, found {} of them", found.len());
            Err(Misfit { path: path.to_string(), text })
        }
        [(_, memory)] => Ok(memory),
        [] if processes.iter().flat_map(|process| &process.vmas).any(|area| area.folios.is_some()) => {
            Ok(Memory::Folios)
        }
        [] => Ok(Memory::Plain),
    }
}

fn kernel(config: &Value) -> Result<Kernel, Misfit> {
    Ok(Kernel {
        series: text(config, "series"),
        variant: text(config, "variant"),
        compare: config["compare"].as_str().map(str::to_string),
        on: patches(config, "on")?,
        off: patches(config, "off")?,
        pagevec: config["pagevec"].as_u64().map(|slots| slots as u32),
    })
}

fn patches(config: &Value, field: &str) -> Result<Vec<Patch>, Misfit> {
    let patch = |(at, name): (usize, &Value)| {
        let name = name.as_str().unwrap_or_default();
        Patch::ALL.into_iter().find(|patch| format!("{patch:?}") == name).ok_or_else(|| {
            let names: Vec<String> = Patch::ALL.iter().map(|patch| format!("{patch:?}")).collect();
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let hint = match closest(name, &known) {
                Some(close) => format!("; did you mean `{close}`? Known: "),
                None => "; known: ".to_string(),
            };
            let text = format!("expected the name of a patch, found `{name}`{hint}{}", known.join(", "));
            Misfit { path: format!("config.{field}[{at}]"), text }
        })
    };
    list(config, field).iter().enumerate().map(patch).collect()
}

// Anonymous memory has no offset.
fn offsets_are_in_files(value: &Value) -> Result<(), Misfit> {
    for (at, process) in list(value, "processes").iter().enumerate() {
        for (index, vma) in list(process, "vmas").iter().enumerate() {
            if vma["file"].is_null() && !vma["offset"].is_null() {
                let text = "is an offset in a file, and the VMA maps none; expected `file` beside it".to_string();
                return Err(Misfit { path: format!("processes[{at}].vmas[{index}].offset"), text });
            }
        }
    }
    Ok(())
}

fn process(value: &Value) -> Process {
    let mut end = 0;
    let mut vmas = Vec::new();
    for vma in list(value, "vmas") {
        let area = area(vma, end);
        end = area.start + area.pages;
        vmas.push(area);
    }
    Process { child_of: value["child_of"].as_u64().map(|process| process as u8), vmas }
}

// `end`: where the VMA before ends, which is where this one starts if it says nothing else.
fn area(value: &Value, end: u32) -> Area {
    let huge = flag(value, "huge");
    let zones = list(value, "zones");
    let mut policy = Mempolicy { zones: [0; POLICY_ZONES], nr: zones.len().clamp(1, POLICY_ZONES) as u8, huge };
    for (slot, zone) in policy.zones.iter_mut().zip(zones) {
        *slot = as_number(zone) as u8;
    }
    let file = value["file"].as_u64().map(|file| (file as u8, number(value, "offset", 0)));
    let start = number(value, "start", if huge { end.next_multiple_of(HUGE) } else { end });
    let folios = value["folios"].is_object().then(|| folios(&value["folios"]));
    Area { start, pages: number(value, "pages", 1), file, policy, split: flag(value, "split"), folios }
}

fn folios(value: &Value) -> Folios {
    let choice = |field, words: &[&str]| words.iter().position(|word| value[field] == *word).unwrap_or(0);
    let kinds = [FolioKind::File, FolioKind::Anon, FolioKind::Lazyfree];
    Folios { layout: choice("orders", ORDERS) as u8, kind: kinds[choice("kind", KINDS)] }
}

fn call(value: &Value) -> Call {
    let byte = |field| number(value, field, 0) as u8;
    let at = span(value);
    match value["call"].as_str().unwrap_or_default() {
        "mmap" => Call::Mmap { at, locked: flag(value, "locked"), populate: flag(value, "populate") },
        "touch" => Call::Touch(at),
        "read" => Call::Read(at),
        "mlock" => Call::Mlock(at),
        "munlock" => Call::Munlock(at),
        "mlockall" => Call::Mlockall(byte("process")),
        "munmap" => Call::Munmap(at),
        "madvise" => Call::Madvise(
            at,
            match value["advice"].as_str() {
                Some("FREE") => Advice::Free,
                Some("PAGEOUT") => Advice::Pageout,
                _ => Advice::Dontneed,
            },
        ),
        "fork" => Call::Fork { process: byte("process"), child: byte("child") },
        "reclaim" => Call::Reclaim { zone: byte("zone"), pages: number(value, "pages", 1) },
        "alloc" => Call::Alloc { zone: byte("zone"), order: byte("order"), block: byte("block") },
        "free" => Call::Free { block: byte("block") },
        "isolate" => Call::Isolate(at),
        "unmap" => Call::Unmap(at),
        "exit" => Call::Exit(byte("process")),
        "drain-pcp" => Call::DrainPcp { zone: byte("zone") },
        "isolate-block" => {
            Call::IsolateBlock { zone: byte("zone"), range: number(value, "range", 0), undo: flag(value, "undo") }
        }
        // The table of calls has no other.
        _ => Call::Drain { all: flag(value, "all") },
    }
}

fn span(value: &Value) -> Span {
    Span {
        process: number(value, "process", 0) as u8,
        vma: number(value, "vma", 0) as u8,
        first: number(value, "first", 0),
        pages: value["pages"].as_u64().map(|pages| pages as u32),
    }
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_string()
}

fn flag(value: &Value, field: &str) -> bool {
    value[field].as_bool().unwrap_or(false)
}

fn number(value: &Value, field: &str, default: u32) -> u32 {
    value[field].as_u64().map_or(default, |number| number as u32)
}

fn as_number(value: &Value) -> u32 {
    value.as_u64().unwrap_or(0) as u32
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

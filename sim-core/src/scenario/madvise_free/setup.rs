//! Memory of the benchmark: processes with a range each, all frames free, a swap device.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use crate::engine::Engine;
use crate::kernel::Config;
use crate::machine::{Machine, MachineSpec, Mapping, SwapTuning, Vma, VmaId, stat_threshold};
use crate::scenario::params::Params;
use crate::scenario::spec::SpecError;

// Ticks of a write to the device.
const WRITE_TIME: u32 = 40;
// From this many frames on (256 MiB) watermarks and slices are those of the kernel.
const LARGE: u32 = 1 << 16;

/// Sizes of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub processes: u8,
    pub pages: u32,
    pub ram: u32,
    pub loops: u32,
    pub skew: u32,
    pub bystander: u32,
    pub kswapd: bool,
    pub tuning: SwapTuning,
}

impl Sizes {
    pub fn new(params: &Params) -> Result<Sizes, SpecError> {
        let ram = params.get("ram");
        let marks = marks(ram, params)?;
        let slice = match params.get("slice") {
            0 if ram < LARGE => 8,
            0 => 32,
            n => n,
        };
        let tuning =
            SwapTuning { slots: params.get("swap"), marks, slice, ratio: params.get("ratio"), write_time: WRITE_TIME };
        Ok(Sizes {
            processes: params.get("processes") as u8,
            pages: params.get("pages"),
            ram,
            loops: params.get("loops"),
            skew: params.get("skew"),
            bystander: params.get("bystander"),
            kswapd: params.is("kswapd"),
            tuning,
        })
    }
}

// Given, or by the size of memory: min_free_kbytes is the root of 16 times the memory in KiB, low is a quarter more and
// high half more. That says nothing for a few hundred frames, which have small marks of their own.
fn marks(ram: u32, params: &Params) -> Result<[u32; 3], SpecError> {
    let given = [params.get("min"), params.get("low"), params.get("high")];
    let marks = if given != [0; 3] {
        given
    } else if ram < LARGE {
        [6, 8, 10]
    } else {
        let min = ((u64::from(ram) * 4 * 16).isqrt() as u32).clamp(128, 65536) / 4;
        [min, min + min / 4, min + min / 2]
    };
    let [min, low, high] = marks;
    if min > 0 && min <= low && low <= high && high < ram {
        return Ok(marks);
    }
    Err(SpecError::Together(format!(
        "min, low and high are {min}, {low} and {high}, and ram is {ram}; expected 0 < min <= low <= high < ram"
    )))
}

/// A machine whose processes have touched nothing yet. The last address space is the bystander's, where there is one;
/// the last CPU is kswapd's, where it is a task of its own.
pub(super) fn memory(config: Config, sizes: &Sizes) -> Engine {
    let spaces = sizes.processes + u8::from(sizes.bystander > 0);
    let cpus = spaces + u8::from(sizes.kswapd);
    let threshold = stat_threshold(u32::from(cpus), u64::from(sizes.ram));
    let mut machine = Machine::new(&MachineSpec { cpus, zones: vec![sizes.ram], threshold });
    let mut clocks = Vec::new();
    for space in 0..spaces {
        let own = space < sizes.processes;
        add_process(&mut machine, if own { sizes.pages } else { sizes.bystander });
        clocks.push(if own { u64::from(space) * u64::from(sizes.skew) } else { 0 });
    }
    clocks.resize(usize::from(cpus), 0);
    machine.add_swap(sizes.tuning, clocks);
    Engine::new(config, machine)
}

/// A process with one range of anonymous memory and an anon_vma of its own.
pub(super) fn add_process(machine: &mut Machine, pages: u32) -> VmaId {
    let mapping = machine.add_mapping(Mapping { file: false, unevictable: false, vmas: Vec::new(), cache: Vec::new() });
    let mm = machine.add_mm(pages);
    let vma = VmaId { mm, vma: 0 };
    machine.mms[mm as usize].vmas.push(Vma { start: 0, end: pages, locked: false, mapping, pgoff: 0 });
    machine.mappings[mapping as usize].vmas.push(vma);
    vma
}

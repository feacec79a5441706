//! Memory of the series: one zone with a page allocator, a process for each CPU, and what the processes run.

use alloc::format;
use alloc::vec::Vec;

use crate::engine::{Cpu, Engine, Milestone};
use crate::kernel::mmu_gather::{do_munmap, handle_mm_fault};
use crate::kernel::{Config, Patch};
use crate::machine::{Machine, MachineSpec, Mapping, PTRS_PER_PTE, PcpSpec, Vma, VmaId, stat_threshold, watermarks};
use crate::scenario::params::Params;
use crate::scenario::spec::SpecError;

/// What a run is made of, in pages of 4 KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// CPUs, each with a process of its own.
    pub cpus: u8,
    /// Pages of the zone.
    pub pages: u32,
    /// Pages that each process maps.
    pub touch: u32,
    /// Sizes of the per-CPU lists.
    pub pcp: PcpSpec,
    /// Times that each process maps, touches and unmaps.
    pub rounds: u32,
}

impl Sizes {
    pub fn from_params(params: &Params, config: Config) -> Result<Sizes, SpecError> {
        let (batch, high) = (params.get("batch"), params.get("high"));
        let high_max = params.maybe("high_max").unwrap_or(high);
        let sizes = Sizes {
            cpus: params.get("cpus").max(1) as u8,
            pages: params.get("pages"),
            touch: params.get("touch"),
            pcp: PcpSpec { batch, high, high_max },
            rounds: params.get("rounds").max(1),
        };
        sizes.check(config)?;
        Ok(sizes)
    }

    fn check(&self, config: Config) -> Result<(), SpecError> {
        let PcpSpec { batch, high, high_max } = self.pcp;
        if high < batch && (high, batch) != (0, 1) {
            let text =
                format!("high is {high} and batch is {batch}; expected batch at most high, or 1 where high is 0");
            return Err(SpecError::Together(text));
        }
        if config.has(Patch::SinglePass) && high == batch {
            let text =
                format!("high and batch are both {high}; expected a high above batch: this kernel drains the rest");
            return Err(SpecError::Together(text));
        }
        if high_max < high {
            let text = format!("high_max is {high_max} and high is {high}; expected high_max to be high or more");
            return Err(SpecError::Together(text));
        }
        let needed = self.needed(config);
        if u64::from(self.pages) < needed {
            let text = format!(
                "pages is {}, too few for {} CPUs that touch {} pages each and keep some on their lists; expected {needed} \
                 or more",
                self.pages, self.cpus, self.touch
            );
            return Err(SpecError::Together(text));
        }
        Ok(())
    }

    // Pages in use and on lists at most, what the counter may hide, and the reserve below the watermark.
    fn needed(&self, config: Config) -> u64 {
        let kept = u64::from(self.pcp.high_max) + 2 * u64::from(self.pcp.batch) + u64::from(config.pagevec);
        let hidden = u64::from(self.threshold().unsigned_abs());
        let reserve = watermarks(self.pages, config.has(Patch::PcpAutoTune))[0];
        u64::from(self.cpus) * (u64::from(self.touch) + kept + hidden) + u64::from(reserve) + 1
    }

    fn threshold(&self) -> i8 {
        stat_threshold(u32::from(self.cpus), u64::from(self.pages))
    }

    /// The machine, all memory free, with an address space for each CPU.
    pub fn engine(&self, config: Config) -> Engine {
        let spec = MachineSpec { cpus: self.cpus, zones: alloc::vec![self.pages], threshold: self.threshold() };
        let mut machine = Machine::new(&spec);
        machine.add_buddy(0, self.pcp, config.has(Patch::PcpAutoTune));
        for _ in 0..self.cpus {
            let mapping =
                machine.add_mapping(Mapping { file: false, unevictable: false, vmas: Vec::new(), cache: Vec::new() });
            let mm = machine.add_mm(self.touch.next_multiple_of(PTRS_PER_PTE));
            let vma = Vma { start: 0, end: self.touch, locked: false, mapping, pgoff: 0 };
            machine.mms[mm as usize].vmas.push(vma);
            machine.mappings[mapping as usize].vmas.push(VmaId { mm, vma: 0 });
        }
        Engine::new(config, machine)
    }
}

/// page_fault1 of will-it-scale: map a range, write to each page of it, unmap it; so many times. Stops where memory is
/// used up.
pub(super) async fn page_fault1(cpu: Cpu, touch: u32, rounds: u32) {
    let vma = VmaId { mm: cpu.task, vma: 0 };
    let tables = touch.div_ceil(PTRS_PER_PTE);
    for round in 0..rounds {
        for addr in 0..touch {
            cpu.milestone(Milestone::LoopAt(round * touch + addr));
            if !handle_mm_fault(&cpu, vma, addr, 0).await {
                break;
            }
            cpu.let_others_run().await;
        }
        do_munmap(&cpu, vma, 0, round * tables).await;
        cpu.let_others_run().await;
        cpu.pause().await;
    }
    cpu.milestone(Milestone::RangeDone);
}

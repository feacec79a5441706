//! What must fit together in a program whose machine has more than pages and lists.

use alloc::format;
use alloc::vec::Vec;

use super::check::{Checked, long, misfit, one_of, within};
use super::{Area, Call, MAX_BATCH, MAX_FOLIO_PAGES, MAX_FOLIO_PROCESSES, MAX_HIGH, MAX_SLICE, MAX_SLOTS, MAX_TICKS};
use super::{Measure, Memory, MemoryKind, Program, Span};
use crate::machine::{MAX_ORDER, PTRS_PER_PTE, PcpSpec, SwapTuning};
use crate::scenario::rmap_unmap::RmapLayout;

/// Most CPUs of a machine with TLBs.
const FOLIO_CPUS: u32 = 8;

impl Call {
    /// It waits for the kworkers of other CPUs, or asks them for work.
    pub(super) const fn drains_all(&self) -> bool {
        matches!(self, Call::Mlock(_) | Call::Drain { all: true })
    }
}

impl Program {
    /// The sizes of what the machine has, and what its VMAs may be.
    pub(super) fn memory_fits(&self) -> Checked {
        let kind = self.memory.kind();
        match self.memory {
            Memory::Pcp(spec) => lists(spec)?,
            Memory::Swap(tuning) => device(tuning, self.zones[0])?,
            Memory::Plain | Memory::Kworkers | Memory::Folios => {}
        }
        for (cpu, &ticks) in self.starts.iter().enumerate() {
            within(|| format!("cpus[{cpu}].starts"), ticks, 0, MAX_TICKS)?;
        }
        if matches!(kind, MemoryKind::Plain | MemoryKind::Kworkers) {
            return self.no_folios();
        }
        if self.zones.len() > 1 {
            let text = format!("expected one zone on a machine with {}, found {}", kind.words(), self.zones.len());
            return misfit("machine.zones", text);
        }
        if kind == MemoryKind::Folios {
            return self.folios();
        }
        self.no_folios()?;
        for (at, process) in self.processes.iter().enumerate() {
            for (index, area) in process.vmas.iter().enumerate() {
                anonymous(&format!("processes[{at}].vmas[{index}]"), area, kind)?;
            }
        }
        if kind == MemoryKind::Swap {
            self.nothing_after_the_end()?;
        }
        self.one_thread(kind)
    }

    fn no_folios(&self) -> Checked {
        for (at, process) in self.processes.iter().enumerate() {
            if let Some(index) = process.vmas.iter().position(|area| area.folios.is_some()) {
                let text = format!("expected a machine with folios alone, found {}", self.memory.kind().words());
                return misfit(format!("processes[{at}].vmas[{index}].folios"), text);
            }
        }
        Ok(())
    }

    // One process maps them, and its children do.
    fn folios(&self) -> Checked {
        within(|| "machine.cpus".into(), self.cpus.into(), 1, FOLIO_CPUS)?;
        long(|| "processes".into(), self.processes.len(), 1, MAX_FOLIO_PROCESSES)?;
        let path = "processes[0].vmas[0]";
        let [area] = self.processes[0].vmas[..] else {
            return misfit("processes[0].vmas", "with folios, expected one VMA and no other".into());
        };
        let Some(folios) = area.folios else {
            return misfit(format!("{path}.folios"), "is missing; expected folios in the only VMA".into());
        };
        if let Some(at) = self.processes.iter().skip(1).position(|process| process.child_of != Some(0)) {
            let text = "with folios, expected 0: the children of process 0 map what it maps";
            return misfit(format!("processes[{}].child_of", at + 1), text.into());
        }
        anonymous(path, &area, MemoryKind::Folios)?;
        within(|| format!("{path}.pages"), area.pages, 1, MAX_FOLIO_PAGES)?;
        within(|| format!("{path}.start"), area.start, 0, PTRS_PER_PTE - 1)?;
        let orders = match RmapLayout::orders(area.pages, folios.layout.into()) {
            Ok(orders) => orders,
            Err(error) => return misfit(format!("{path}.folios"), format!("{error}")),
        };
        let frames = RmapLayout::file(&orders).frames();
        if self.zones[0] != frames {
            let text = format!("expected {frames}, as many pages as the folios take, found {}", self.zones[0]);
            return misfit("machine.zones[0]", text);
        }
        Ok(())
    }

    // Where a process has one thread: who uses its pages in the run.
    fn one_thread(&self, kind: MemoryKind) -> Checked {
        let mut users = alloc::vec![None; self.processes.len()];
        for (cpu, calls) in self.run.iter().enumerate() {
            for (at, call) in calls.iter().enumerate() {
                let process = match call {
                    Call::Exit(process) => Some(*process),
                    _ => call.span().map(|span| span.process),
                };
                let Some(user) = process.and_then(|process| users.get_mut(process as usize)) else { continue };
                if user.is_some_and(|other| other != cpu) {
                    let text = format!(
                        "CPU {} runs this process too; expected one CPU for a process on a machine with {}",
                        user.unwrap_or_default(),
                        kind.words()
                    );
                    return misfit(format!("cpus[{cpu}].run[{at}].process"), text);
                }
                *user = Some(cpu);
            }
        }
        Ok(())
    }

    // What a process has given up with swap stays so: nothing tells the checker that it would read zeroes there. Calls of
    // the set-up come before all others.
    fn nothing_after_the_end(&self) -> Checked {
        let setup: Vec<&Call> = self.setup.iter().map(|(_, call)| call).collect();
        nothing_after_the_end("setup", &setup, 0)?;
        for (cpu, calls) in self.run.iter().enumerate() {
            let all: Vec<&Call> = setup.iter().copied().chain(calls).collect();
            nothing_after_the_end(&format!("cpus[{cpu}].run"), &all, setup.len())?;
        }
        Ok(())
    }

    /// What the ledger is asked to count can happen on this machine.
    pub(super) fn measure_fits(&self) -> Checked {
        let kind = self.memory.kind();
        let (word, happens) = match self.measure {
            Measure::Everything => return Ok(()),
            Measure::MunlockRange => ("munlock-range", matches!(kind, MemoryKind::Plain | MemoryKind::Kworkers)),
            Measure::TryToUnmap => ("try-to-unmap", kind == MemoryKind::Folios),
        };
        if happens {
            return Ok(());
        }
        let other = match kind {
            MemoryKind::Plain | MemoryKind::Kworkers => "everything or munlock-range",
            MemoryKind::Folios => "everything or try-to-unmap",
            MemoryKind::Pcp | MemoryKind::Swap => "everything",
        };
        let text = format!("{word} never happens on a machine with {}; expected {other}", kind.words());
        misfit("measure", text)
    }

    /// What a call may name on this machine.
    pub(super) fn call_fits(&self, path: &str, call: &Call) -> Checked {
        match *call {
            Call::Exit(process) => one_of(|| format!("{path}.process"), "processes", process, self.processes.len()),
            Call::DrainPcp { zone } => one_of(|| format!("{path}.zone"), "zones", zone, self.zones.len()),
            Call::Alloc { order, .. } => within(|| format!("{path}.order"), order.into(), 0, u32::from(MAX_ORDER) - 1),
            Call::Free { block } => {
                let known = |(_, call): (_, &Call)| matches!(*call, Call::Alloc { block: other, .. } if other == block);
                if self.calls().any(known) {
                    return Ok(());
                }
                misfit(format!("{path}.block"), format!("expected the block of an `alloc`, found {block}"))
            }
            Call::IsolateBlock { zone, range, .. } => {
                one_of(|| format!("{path}.zone"), "zones", zone, self.zones.len())?;
                let ranges = self.zones[zone as usize] >> (MAX_ORDER - 1);
                one_of(|| format!("{path}.range"), "ranges of 1024 pages", range as u8, ranges as usize)
            }
            Call::Mlock(span) if self.memory == Memory::Kworkers => self.mlock_fits(path, span),
            Call::Unmap(span) | Call::Madvise(span, super::Advice::Pageout) => {
                let area = self.vmas(span.process)[span.vma as usize];
                let whole = span.first == 0 && span.pages.is_none_or(|pages| pages == area.pages);
                if whole { Ok(()) } else { misfit(format!("{path}.pages"), "expected all pages of the VMA".into()) }
            }
            _ => Ok(()),
        }
    }

    // The mlock that drains is written for ranges of a few pages.
    fn mlock_fits(&self, path: &str, span: Span) -> Checked {
        let area = self.vmas(span.process)[span.vma as usize];
        let one_table = area.start / PTRS_PER_PTE == (area.start + area.pages - 1) / PTRS_PER_PTE;
        let zone_0 = area.policy.nr == 1 && area.policy.zones[0] == 0;
        if one_table && zone_0 && area.file.is_none() && !area.policy.huge {
            return Ok(());
        }
        let text = "with `kworkers`, mlock expects a VMA of small anonymous pages of zone 0 that one page table maps";
        misfit(format!("{path}.vma"), text.into())
    }

    /// Calls that the set-up cannot make.
    pub(super) fn set_up_fits(&self, at: usize, call: &Call) -> Checked {
        if self.memory == Memory::Kworkers && call.drains_all() {
            let text = format!("`{}` needs kworkers, which start with the run; expected it in `cpus`", call.name());
            return misfit(format!("setup[{at}]"), text);
        }
        Ok(())
    }
}

// The calls from a place on, held against all that come before each.
fn nothing_after_the_end(path: &str, calls: &[&Call], from: usize) -> Checked {
    for (at, call) in calls.iter().enumerate().skip(from) {
        let Some(span) = call.span().filter(|_| !matches!(call, Call::Munmap(_))) else { continue };
        for before in &calls[..at] {
            let what = match **before {
                Call::Munmap(gone) if (gone.process, gone.vma) == (span.process, span.vma) => "was unmapped",
                Call::Exit(process) if process == span.process => "is gone since its process exited",
                _ => continue,
            };
            let text = format!(
                "`{}` of VMA {} of process {}, which {what}; expected no use of it after that on a machine with `swap`",
                call.name(),
                span.vma,
                span.process
            );
            return misfit(format!("{path}[{}]", at - from), text);
        }
    }
    Ok(())
}

fn anonymous(path: &str, area: &Area, kind: MemoryKind) -> Checked {
    let refuse = |field: &str, what: &str| {
        let text = format!("expected {what} on a machine with {}", kind.words());
        misfit(format!("{path}.{field}"), text)
    };
    if area.file.is_some() {
        return refuse("file", "anonymous memory");
    }
    if area.policy.huge {
        return refuse("huge", "false");
    }
    if area.policy.nr != 1 {
        return refuse("zones", "one zone");
    }
    Ok(())
}

fn lists(PcpSpec { batch, high, high_max }: PcpSpec) -> Checked {
    within(|| "machine.pcp.batch".into(), batch, 1, MAX_BATCH)?;
    within(|| "machine.pcp.high".into(), high, batch, MAX_HIGH)?;
    within(|| "machine.pcp.high_max".into(), high_max, high, MAX_HIGH)
}

fn device(tuning: SwapTuning, frames: u32) -> Checked {
    within(|| "machine.swap.slots".into(), tuning.slots, 1, MAX_SLOTS)?;
    within(|| "machine.swap.slice".into(), tuning.slice, 1, MAX_SLICE)?;
    within(|| "machine.swap.ratio".into(), tuning.ratio, 1, 100)?;
    let [min, low, high] = tuning.marks;
    if min > 0 && min <= low && low <= high && high < frames {
        return Ok(());
    }
    let text = format!(
        "min, low and high are {min}, {low} and {high}, and the zone has {frames} pages; expected 0 < min <= low <= high < pages"
    );
    misfit("machine.swap", text)
}

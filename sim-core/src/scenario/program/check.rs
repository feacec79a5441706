//! What must fit together in a program. Numbers are within their bounds here already, or are found not to be.

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::{Area, Call, MAX_CALLS, MAX_CPUS, MAX_FILES, MAX_PAGES, MAX_PROCESSES, MAX_START, MAX_WORK, MAX_ZONES};
use super::{Program, Span};
use crate::scenario::spec::parse_schedule;

/// Something that does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Place, as `cpus[0].run[2].pages`.
    pub path: String,
    /// What was found and what was expected.
    pub text: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.text)
    }
}

pub(super) type Checked = Result<(), Misfit>;

pub(super) fn misfit(path: impl Into<String>, text: String) -> Checked {
    Err(Misfit { path: path.into(), text })
}

// A number must be in its bounds.
pub(super) fn within(path: impl Fn() -> String, found: u32, min: u32, max: u32) -> Checked {
    if (min..=max).contains(&found) {
        return Ok(());
    }
    let expected = if min == max { format!("{min}") } else { format!("a number from {min} to {max}") };
    misfit(path(), format!("expected {expected}, found {found}"))
}

// A list must be as long as it may be.
pub(super) fn long(path: impl Fn() -> String, found: usize, min: u32, max: u32) -> Checked {
    if (min as usize..=max as usize).contains(&found) {
        return Ok(());
    }
    let expected = if min == max { format!("{min}") } else { format!("{min} to {max}") };
    misfit(path(), format!("expected a list of {expected}, found a list of {found}"))
}

// A place in a list must be one that the list has.
pub(super) fn one_of(path: impl Fn() -> String, what: &str, found: u8, count: usize) -> Checked {
    if usize::from(found) < count {
        return Ok(());
    }
    misfit(path(), format!("expected the number of one of {count} {what}, from 0 on, found {found}"))
}

impl Program {
    /// Checks that everything fits together.
    ///
    /// # Errors
    ///
    /// Names the place and what was expected there.
    pub fn validate(&self) -> Checked {
        self.machine()?;
        long(|| "processes".into(), self.processes.len(), 1, MAX_PROCESSES)?;
        for at in 0..self.processes.len() {
            self.process(at)?;
        }
        self.memory_fits()?;
        long(|| "setup".into(), self.setup.len(), 0, MAX_CALLS)?;
        for (at, (cpu, call)) in self.setup.iter().enumerate() {
            one_of(|| format!("setup[{at}].cpu"), "CPUs", *cpu, self.cpus.into())?;
            self.set_up_fits(at, call)?;
        }
        long(|| "cpus".into(), self.run.len(), 1, u32::from(self.cpus))?;
        for (cpu, calls) in self.run.iter().enumerate() {
            long(|| format!("cpus[{cpu}].run"), calls.len(), 0, MAX_CALLS)?;
        }
        let mut work = 0;
        for (path, call) in self.calls() {
            work += self.call(&path, call)?;
            self.call_fits(&path, call)?;
            if work > MAX_WORK {
                return misfit(path, format!("all calls together name more than {MAX_WORK} pages; expected fewer"));
            }
        }
        self.order_fits()?;
        self.measure_fits()?;
        parse_schedule(&self.schedule).map(drop).or_else(|error| misfit("schedule", format!("{error}")))
    }

    fn machine(&self) -> Checked {
        within(|| "machine.cpus".into(), self.cpus.into(), 1, MAX_CPUS)?;
        long(|| "machine.zones".into(), self.zones.len(), 1, MAX_ZONES)?;
        for (at, &pages) in self.zones.iter().enumerate() {
            within(|| format!("machine.zones[{at}]"), pages, 1, MAX_PAGES)?;
        }
        within(|| "machine.stat_threshold".into(), self.threshold.max(0) as u32, 1, 125)
    }

    fn process(&self, at: usize) -> Checked {
        let process = &self.processes[at];
        let path = format!("processes[{at}]");
        if let Some(parent) = process.child_of {
            one_of(|| format!("{path}.child_of"), "processes", parent, self.processes.len())?;
            if self.processes[parent as usize].child_of.is_some() || parent as usize == at {
                return misfit(format!("{path}.child_of"), "expected a process that is no child itself".into());
            }
            if !process.vmas.is_empty() {
                return misfit(format!("{path}.vmas"), "a child has the VMAs of its parent; expected none here".into());
            }
            return Ok(());
        }
        if process.vmas.is_empty() {
            return misfit(format!("{path}.vmas"), "is missing; expected a list of VMAs, or `child_of`".into());
        }
        long(|| format!("{path}.vmas"), process.vmas.len(), 1, MAX_PROCESSES)?;
        let mut end = 0;
        for (index, area) in process.vmas.iter().enumerate() {
            self.area(&format!("{path}.vmas[{index}]"), area)?;
            if area.start < end {
                let text = format!("starts at page {}; expected {end} or more, behind the one before", area.start);
                return misfit(format!("{path}.vmas[{index}].start"), text);
            }
            self.split(&format!("{path}.vmas[{index}]"), area, index, end)?;
            end = area.start + area.pages;
        }
        Ok(())
    }

    // What was split off lies behind the rest, which is anonymous too.
    fn split(&self, path: &str, area: &Area, index: usize, end: u32) -> Checked {
        if area.split && (index == 0 || area.file.is_some() || area.start != end) {
            let text = "expected an anonymous VMA right behind the one that it was split from";
            return misfit(format!("{path}.split"), text.into());
        }
        Ok(())
    }

    fn area(&self, path: &str, area: &Area) -> Checked {
        within(|| format!("{path}.pages"), area.pages, 1, MAX_PAGES)?;
        within(|| format!("{path}.start"), area.start, 0, MAX_START + MAX_PAGES * MAX_PROCESSES)?;
        if let Some((file, offset)) = area.file {
            within(|| format!("{path}.file"), file.into(), 0, MAX_FILES - 1)?;
            within(|| format!("{path}.offset"), offset, 0, MAX_PAGES - 1)?;
        }
        for (at, &zone) in area.policy.zones.iter().take(area.policy.nr.into()).enumerate() {
            one_of(|| format!("{path}.zones[{at}]"), "zones", zone, self.zones.len())?;
        }
        let unit = area.policy.unit();
        if area.policy.huge && area.file.is_some() {
            return misfit(format!("{path}.huge"), "a file is mapped by small pages; expected false".into());
        }
        if !area.start.is_multiple_of(unit) || !area.pages.is_multiple_of(unit) {
            return misfit(format!("{path}.pages"), format!("with huge, start and pages are multiples of {unit}"));
        }
        Ok(())
    }

    // Pages that a call names.
    fn call(&self, path: &str, call: &Call) -> Result<u64, Misfit> {
        match *call {
            Call::Mlockall(process) => {
                one_of(|| format!("{path}.process"), "processes", process, self.processes.len())?;
                Ok(self.all_pages(process))
            }
            Call::Fork { process, child } => {
                self.fork(path, process, child)?;
                Ok(self.all_pages(process))
            }
            Call::Reclaim { zone, pages } => {
                one_of(|| format!("{path}.zone"), "zones", zone, self.zones.len())?;
                Ok(pages.into())
            }
            Call::Alloc { zone, .. } => {
                one_of(|| format!("{path}.zone"), "zones", zone, self.zones.len())?;
                Ok(1)
            }
            Call::Exit(process) => {
                one_of(|| format!("{path}.process"), "processes", process, self.processes.len())?;
                Ok(self.all_pages(process))
            }
            Call::Drain { .. } | Call::Free { .. } | Call::DrainPcp { .. } | Call::IsolateBlock { .. } => Ok(1),
            _ => call.span().map_or(Ok(1), |span| self.span(path, call, span)),
        }
    }

    fn all_pages(&self, process: u8) -> u64 {
        self.vmas(process).iter().map(|area| u64::from(area.pages)).sum()
    }

    fn fork(&self, path: &str, process: u8, child: u8) -> Checked {
        one_of(|| format!("{path}.process"), "processes", process, self.processes.len())?;
        one_of(|| format!("{path}.child"), "processes", child, self.processes.len())?;
        if self.processes[child as usize].child_of != Some(process) {
            let text = format!("expected a process with \"child_of\": {process}");
            return misfit(format!("{path}.child"), text);
        }
        if self.vmas(process).iter().any(|area| area.policy.huge) {
            return misfit(path, "fork of huge pages is not modelled; expected VMAs without huge".into());
        }
        Ok(())
    }

    fn span(&self, path: &str, call: &Call, span: Span) -> Result<u64, Misfit> {
        one_of(|| format!("{path}.process"), "processes", span.process, self.processes.len())?;
        let vmas = self.vmas(span.process);
        one_of(|| format!("{path}.vma"), "VMAs", span.vma, vmas.len())?;
        let area = &vmas[span.vma as usize];
        within(|| format!("{path}.first"), span.first, 0, area.pages - 1)?;
        let rest = area.pages - span.first;
        let pages = span.pages.unwrap_or(rest);
        within(|| format!("{path}.pages"), pages, 1, rest)?;
        let unit = area.policy.unit();
        if !span.first.is_multiple_of(unit) || !pages.is_multiple_of(unit) {
            misfit(format!("{path}.pages"), format!("in a huge VMA, first and pages are multiples of {unit}"))?;
        }
        if area.policy.huge && matches!(call, Call::Munmap(_) | Call::Madvise(..)) {
            misfit(path, format!("{} of huge pages is not modelled; expected a VMA without huge", call.name()))?;
        }
        Ok(pages.into())
    }
}

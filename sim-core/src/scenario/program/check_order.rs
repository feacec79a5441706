//! What the order of the calls says: a child comes from one fork, and a VMA is mapped once. Calls of the set-up, and those
//! of one CPU, follow one another; between CPUs the run decides, and [`Order`] watches it.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::check::{Checked, misfit};
use super::{Call, MemoryKind, Program, Span};

/// Where a call stands: in the set-up, or in what a CPU runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    SetUp(usize),
    Run(usize, usize),
}

impl Place {
    /// It is over before the other one begins, whatever the run decides.
    fn before(self, other: Place) -> bool {
        match (self, other) {
            (Place::SetUp(one), Place::SetUp(two)) => one < two,
            (Place::SetUp(_), Place::Run(..)) => true,
            (Place::Run(..), Place::SetUp(_)) => false,
            (Place::Run(cpu, one), Place::Run(other, two)) => cpu == other && one < two,
        }
    }

    /// The run decides which of the two comes first.
    fn beside(self, other: Place) -> bool {
        matches!((self, other), (Place::Run(cpu, _), Place::Run(other, _)) if cpu != other)
    }

    fn path(self) -> String {
        match self {
            Place::SetUp(at) => format!("setup[{at}]"),
            Place::Run(cpu, at) => format!("cpus[{cpu}].run[{at}]"),
        }
    }
}

impl Call {
    // Who makes it, or whose memory it changes.
    const fn process(&self) -> Option<u8> {
        match *self {
            Call::Mlockall(process) | Call::Exit(process) | Call::Fork { process, .. } => Some(process),
            _ => match self.span() {
                Some(span) => Some(span.process),
                None => None,
            },
        }
    }

    fn maps(&self, at: Span) -> bool {
        matches!(self, Call::Mmap { at: other, .. } if same(*other, at))
    }

    fn unmaps(&self, at: Span) -> bool {
        matches!(self, Call::Munmap(other) if same(*other, at))
    }
}

fn same(one: Span, two: Span) -> bool {
    (one.process, one.vma) == (two.process, two.vma)
}

impl Program {
    /// The order of the calls, as far as it is known before the run.
    pub(super) fn order_fits(&self) -> Checked {
        let calls = self.placed();
        for &(place, call) in &calls {
            self.child_is_there(&calls, place, call)?;
            match *call {
                Call::Fork { child, .. } => forked_once(&calls, place, child)?,
                Call::Mmap { at, .. } => mapped_once(&calls, place, at)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn placed(&self) -> Vec<(Place, &Call)> {
        let setup = self.setup.iter().enumerate().map(|(at, (_, call))| (Place::SetUp(at), call));
        let run = self
            .run
            .iter()
            .enumerate()
            .flat_map(|(cpu, calls)| calls.iter().enumerate().map(move |(at, call)| (Place::Run(cpu, at), call)));
        setup.chain(run).collect()
    }

    // A child waits for its fork; those that map folios are there from the start.
    fn waits_for_fork(&self, process: u8) -> bool {
        let child = self.processes.get(usize::from(process)).is_some_and(|process| process.child_of.is_some());
        child && self.memory.kind() != MemoryKind::Folios
    }

    fn child_is_there(&self, calls: &[(Place, &Call)], place: Place, call: &Call) -> Checked {
        let Some(process) = call.process().filter(|&process| self.waits_for_fork(process)) else { return Ok(()) };
        let mut forks = calls.iter().filter(|(_, call)| matches!(call, Call::Fork { child, .. } if *child == process));
        if forks.any(|(fork, _)| fork.before(place) || fork.beside(place)) {
            return Ok(());
        }
        let text = format!("`{}` of process {process}, a child; expected its `fork` before this", call.name());
        misfit(place.path(), text)
    }
}

fn forked_once(calls: &[(Place, &Call)], place: Place, wanted: u8) -> Checked {
    let is_fork = |call: &Call| matches!(call, Call::Fork { child, .. } if *child == wanted);
    match calls.iter().take_while(|(other, _)| *other != place).find(|(_, call)| is_fork(call)) {
        Some((first, _)) => {
            let text = format!("process {wanted} is forked by {} already; expected one `fork` of it", first.path());
            misfit(format!("{}.child", place.path()), text)
        }
        None => Ok(()),
    }
}

// Refused where no munmap can come in between.
fn mapped_once(calls: &[(Place, &Call)], place: Place, at: Span) -> Checked {
    let earlier = calls.iter().take_while(|(other, _)| *other != place).filter(|(_, call)| call.maps(at));
    let may_unmap = |first: Place| {
        calls.iter().filter(|(_, call)| call.unmaps(at)).any(|&(other, _)| !other.before(first) && !place.before(other))
    };
    let Some((first, _)) = earlier.filter(|(first, _)| !may_unmap(*first)).last() else { return Ok(()) };
    let text = format!(
        "`mmap` of VMA {} of process {}, which {} has mapped; expected a `munmap` in between",
        at.vma,
        at.process,
        first.path()
    );
    misfit(place.path(), text)
}

/// What has been forked and mapped so far, in the order that the run takes.
#[derive(Clone, Default)]
pub(super) struct Order(Rc<RefCell<Seen>>);

#[derive(Default)]
struct Seen {
    forked: BTreeSet<u8>,
    mapped: BTreeSet<(u8, u8)>,
}

impl Order {
    /// What keeps the call from being made now.
    pub fn refuses(&self, program: &Program, call: &Call) -> Option<String> {
        let seen = self.0.borrow();
        match *call {
            Call::Mmap { at, .. } if seen.mapped.contains(&(at.process, at.vma)) => {
                Some(format!("`mmap` of VMA {} of process {}, which is mapped", at.vma, at.process))
            }
            _ => {
                let process = call.process().filter(|&process| program.waits_for_fork(process))?;
                let there = seen.forked.contains(&process);
                (!there)
                    .then(|| format!("`{}` of process {process}, a child that has not been forked yet", call.name()))
            }
        }
    }

    /// The call begins: a VMA is taken before its pages are there.
    pub fn begins(&self, call: &Call) {
        let mut seen = self.0.borrow_mut();
        match *call {
            Call::Mmap { at, .. } => {
                seen.mapped.insert((at.process, at.vma));
            }
            Call::Munmap(at) => {
                seen.mapped.remove(&(at.process, at.vma));
            }
            _ => {}
        }
    }

    /// The call is over.
    pub fn ended(&self, call: &Call) {
        if let Call::Fork { child, .. } = *call {
            self.0.borrow_mut().forked.insert(child);
        }
    }
}

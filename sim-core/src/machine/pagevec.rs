//! struct pagevec: a small array of page pointers, per CPU or on the stack.

use crate::view::PagevecKind;

use super::page::Pfn;

/// Slots that fit in the largest pagevec (31 from 6.9 on).
pub const PAGEVEC_MAX: usize = 31;
/// Pagevecs of each CPU.
pub const PER_CPU: usize = 9;
/// Of these, the ones that every kernel has; behind them are four that only 3.2 has.
pub(crate) const PER_CPU_OF_ALL: usize = 5;
/// Pagevecs on the stack of each task.
pub const ON_STACK: usize = 2;

/// One pagevec. Slots behind `nr` keep what they held, as in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pagevec {
    /// Filled slots.
    pub nr: u8,
    /// A bit for each slot that holds a new folio (mlock batches of 5.18 and later).
    pub new: u32,
    /// Page of each slot; [`super::NIL`] is NULL.
    pub slots: [Pfn; PAGEVEC_MAX],
}

impl Pagevec {
    /// An empty one.
    pub const EMPTY: Pagevec = Pagevec { nr: 0, new: 0, slots: [super::NIL; PAGEVEC_MAX] };

    /// The filled slots.
    pub fn filled(&self) -> &[Pfn] {
        &self.slots[..self.nr as usize]
    }
}

/// Names a pagevec: its kind and the CPU (per-CPU kinds) or task (on-stack kinds) that owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pv {
    /// Which.
    pub kind: PagevecKind,
    /// CPU or task.
    pub owner: u8,
}

impl Pv {
    /// The per-CPU one at an index of the table.
    pub(crate) fn at(index: usize) -> Pv {
        Pv { kind: PagevecKind::PER_CPU[index % PER_CPU], owner: (index / PER_CPU) as u8 }
    }

    /// It lives on a task's stack.
    #[inline(always)]
    pub const fn on_stack(self) -> bool {
        matches!(self.kind, PagevecKind::OnStack | PagevecKind::Putback)
    }

    /// Index into the per-CPU or the on-stack table.
    #[inline(always)]
    pub(crate) const fn slot(self) -> usize {
        match self.kind {
            PagevecKind::OnStack => self.owner as usize * ON_STACK,
            PagevecKind::Putback => self.owner as usize * ON_STACK + 1,
            kind => self.owner as usize * PER_CPU + kind.per_cpu_slot(),
        }
    }
}

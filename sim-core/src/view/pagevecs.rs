//! Kinds of pagevecs: which there are, what they are called, and the five for the LRU lists of 3.2.

use super::PagevecKind;
use crate::machine::PER_CPU;

impl PagevecKind {
    /// Per-CPU ones in the order of the machine's table.
    pub(crate) const PER_CPU: [PagevecKind; PER_CPU] = [
        PagevecKind::LruAdd,
        PagevecKind::LruRotate,
        PagevecKind::LruDeactivate,
        PagevecKind::Activate,
        PagevecKind::Mlock,
        PagevecKind::LruAddActiveAnon,
        PagevecKind::LruAddInactiveFile,
        PagevecKind::LruAddActiveFile,
        PagevecKind::LruAddUnevictable,
    ];

    /// The lru_add pagevecs that only 3.2 has, in LRU order.
    pub const OF_LISTS: [PagevecKind; 4] = [
        PagevecKind::LruAddActiveAnon,
        PagevecKind::LruAddInactiveFile,
        PagevecKind::LruAddActiveFile,
        PagevecKind::LruAddUnevictable,
    ];

    /// The lru_add pagevec of 3.2 for a list: `lru_add_pvecs[lru]`. Later kernels have the first alone, for all lists.
    #[inline(always)]
    pub const fn lru_add(lru: u8) -> PagevecKind {
        match lru {
            0 => PagevecKind::LruAdd,
            1 => PagevecKind::LruAddActiveAnon,
            2 => PagevecKind::LruAddInactiveFile,
            3 => PagevecKind::LruAddActiveFile,
            _ => PagevecKind::LruAddUnevictable,
        }
    }

    /// For which list an lru_add pagevec is, in a kernel that has one for each; none for other kinds.
    #[inline(always)]
    pub const fn list(self) -> Option<u8> {
        match self {
            PagevecKind::LruAdd => Some(0),
            PagevecKind::LruAddActiveAnon => Some(1),
            PagevecKind::LruAddInactiveFile => Some(2),
            PagevecKind::LruAddActiveFile => Some(3),
            PagevecKind::LruAddUnevictable => Some(4),
            _ => None,
        }
    }

    /// Place among the per-CPU ones; the kinds on stacks, which have none, come in between.
    #[inline(always)]
    pub(crate) const fn per_cpu_slot(self) -> usize {
        let index = self as usize;
        if index > PagevecKind::Putback as usize { index - crate::machine::ON_STACK } else { index }
    }

    /// In words: "lru_add pagevec".
    pub const fn name(self) -> &'static str {
        match self {
            PagevecKind::LruAdd => "lru_add pagevec",
            PagevecKind::LruRotate => "rotate pagevec",
            PagevecKind::LruDeactivate => "deactivate pagevec",
            PagevecKind::Activate => "activate pagevec",
            PagevecKind::Mlock => "mlock batch",
            PagevecKind::OnStack => "on-stack pagevec",
            PagevecKind::Putback => "putback pagevec",
            PagevecKind::LruAddActiveAnon => "lru_add pagevec for active anon",
            PagevecKind::LruAddInactiveFile => "lru_add pagevec for inactive file",
            PagevecKind::LruAddActiveFile => "lru_add pagevec for active file",
            PagevecKind::LruAddUnevictable => "lru_add pagevec for unevictable",
        }
    }

    /// Beside its slots, where there is little room; `lists`: those for other lists are drawn too.
    pub(super) const fn label(self, lists: bool) -> &'static str {
        match self {
            PagevecKind::LruAdd if lists => "lru_add inact. anon",
            PagevecKind::LruAddActiveAnon => "lru_add act. anon",
            PagevecKind::LruAddInactiveFile => "lru_add inact. file",
            PagevecKind::LruAddActiveFile => "lru_add act. file",
            PagevecKind::LruAddUnevictable => "lru_add unevictable",
            kind => kind.name(),
        }
    }
}

//! Classes of work that a profile gives a time to.

use crate::named::named;

named! {
    /// What a step is made of, as far as time goes. The classes of the counting rules, and what memory and other CPUs
    /// add to them.
    enum CostClass,
    /// Key in a profile.
    key {
        /// One locked instruction on a line that this CPU owns.
        Rmw = "rmw",
        /// Taking a free spinlock whose line this CPU owns: its locked instruction and what goes with it.
        Spin = "spin",
        /// Releasing it: a plain store.
        Unlock = "unlock",
        /// Interrupts off and on again, as a pair; half of it at either end.
        Irq = "irq_pair",
        /// get_cpu and put_cpu, as a pair; half of it at either end.
        Preempt = "preempt_pair",
        /// One list_add or list_del.
        List = "list_move",
        /// One plain store or load of this CPU's own data.
        Plain = "plain",
        /// Adding a page to a pagevec.
        Pagevec = "pagevec_add",
        /// `__mod_zone_page_state` and its kind.
        Stat = "stat",
        /// What `mod_zone_page_state`, safe against interrupts, costs beside.
        StatSafe = "stat_safe",
        /// One event update.
        Event = "event",
        /// A walk of the page table.
        Walk = "walk",
        /// A full barrier.
        Barrier = "barrier",
        /// cond_resched that does not switch.
        Resched = "cond_resched",
        /// Switching from one task to another: at either end of a sleep.
        Switch = "context_switch",
        /// Waking a task, on the side of the one who wakes.
        Wake = "wake",
        /// Interrupting another CPU, on the side of the one who sends.
        Ipi = "ipi",
        /// From waking a task to its first step, on an idle CPU.
        WakeLatency = "wake_latency",
        /// Allocating and freeing per-CPU work items.
        PercpuAlloc = "alloc_percpu",
        /// Invalidating one page in a TLB.
        Invlpg = "invlpg",
        /// Flushing a TLB.
        TlbFlush = "tlb_flush",
        /// A statistics call of a folio, its atomics apart.
        FolioStat = "folio_stat",
        /// Clearing or copying the 4 KiB of a page, and the fault that asks for it.
        Fill = "fill_page",
        /// Handing a page to the swap device, or asking for one.
        Io = "swap_io",
        /// From one holder of a contended lock to the next in line.
        Handover = "lock_handover",
        /// Issuing a prefetch.
        Prefetch = "prefetch",
        /// A line in this CPU's second-level cache, beyond the access itself.
        LineNear = "line_near",
        /// A line that other caches share, beyond the access itself.
        LineShared = "line_shared",
        /// A line that another CPU has changed.
        LineRemote = "line_remote",
        /// A line that no cache has.
        LineMemory = "line_memory",
    }
}

/// Number of classes.
pub const CLASSES: usize = CostClass::ALL.len();

//! Modelled times of both sides, side by side: pure arithmetic on what the core reports.

use sim_core::cost::{CostClass, Timing};
use sim_core::ledger::detail::{Detail, Function};
use sim_core::machine::LockClass;

use crate::text::thousands;

/// A time of each side, in picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub name: &'static str,
    /// Old and new.
    pub ps: [u64; 2],
}

/// What a lock class is waited for and held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockLine {
    /// Class.
    pub class: LockClass,
    /// Waited, old and new.
    pub wait: [u64; 2],
    /// Held, old and new.
    pub hold: [u64; 2],
}

/// A function of both sides, like a line of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionLine {
    /// Kernel name.
    pub name: &'static str,
    /// Calls.
    pub calls: [u64; 2],
    /// Without what it calls.
    pub own: [u64; 2],
    /// With what it calls.
    pub inclusive: [u64; 2],
}

/// The whole runs: elapsed, busy, and the three ways to wait.
pub fn sums(timings: [&Timing; 2]) -> Vec<Line> {
    let line = |name, read: fn(&Timing) -> u64| Line { name, ps: timings.map(read) };
    vec![
        line("elapsed", |timing| timing.totals.elapsed),
        line("busy, all CPUs", |timing| timing.totals.busy),
        line("waiting for locks, spinning", |timing| timing.totals.spin()),
        line("waiting for locks, asleep", |timing| timing.totals.all_lock_wait() - timing.totals.spin()),
        line("asleep for something else", |timing| {
            timing.wait.iter().sum::<u64>().saturating_sub(timing.totals.all_lock_wait())
        }),
    ]
}

/// Lock classes that are waited for or held on a side.
pub fn locks(timings: [&Timing; 2]) -> Vec<LockLine> {
    let line = |&class: &LockClass| LockLine {
        class,
        wait: timings.map(|timing| timing.totals.lock_wait[class as usize]),
        hold: timings.map(|timing| timing.totals.lock_hold[class as usize]),
    };
    let used = |line: &LockLine| line.wait != [0; 2] || line.hold != [0; 2];
    LockClass::ALL.iter().map(line).filter(used).collect()
}

/// Classes of work that take time on a side, the longest first; last what functions cost beside their steps.
pub fn classes(timings: [&Timing; 2]) -> Vec<(Option<CostClass>, [u64; 2])> {
    let line = |&class: &CostClass| (Some(class), timings.map(|timing| timing.totals.by_class[class as usize]));
    let mut lines: Vec<_> = CostClass::ALL.iter().map(line).filter(|(_, ps)| *ps != [0; 2]).collect();
    lines.sort_by_key(|(_, ps)| std::cmp::Reverse(ps[0].max(ps[1])));
    let rest = timings.map(|timing| timing.totals.busy - timing.totals.by_class.iter().sum::<u64>());
    lines.extend((rest != [0; 2]).then_some((None, rest)));
    lines
}

/// Functions of both sides, the longest with all that it calls first.
pub fn functions(details: [&Detail; 2]) -> Vec<FunctionLine> {
    let mut names: Vec<&'static str> =
        details.iter().flat_map(|detail| detail.functions.iter().map(|function| function.name)).collect();
    names.sort_unstable();
    names.dedup();
    let line = |name: &'static str| {
        let found = details.map(|detail| detail.function(name));
        let read = |read: fn(&Function) -> u64| found.map(|function| function.map_or(0, read));
        FunctionLine {
            name,
            calls: read(|function| function.calls),
            own: read(|function| function.own.ps),
            inclusive: read(|function| function.inclusive.ps),
        }
    };
    let mut lines: Vec<FunctionLine> = names.into_iter().map(line).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.inclusive[0].max(line.inclusive[1])));
    lines
}

/// A unit that all times of a table are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Nanoseconds.
    Nano,
    /// Microseconds.
    Micro,
    /// Milliseconds.
    Milli,
}

impl Scale {
    /// The unit in which the largest time has two digits or more before the point.
    pub fn of(most_ps: u64) -> Scale {
        match most_ps {
            0..10_000_000 => Scale::Nano,
            10_000_000..10_000_000_000 => Scale::Micro,
            _ => Scale::Milli,
        }
    }

    /// As it is written.
    pub fn unit(self) -> &'static str {
        ["ns", "µs", "ms"][self as usize]
    }

    /// A time with two decimals, rounded half up.
    pub fn show(self, ps: u64) -> String {
        let hundredth = [10, 10_000, 10_000_000][self as usize];
        let hundredths = ps.saturating_add(hundredth / 2) / hundredth;
        format!("{}.{:02}", thousands(hundredths / 100), hundredths % 100)
    }
}

/// A share of a run's units, in picoseconds.
pub fn per_unit(ps: u64, units: u32) -> u64 {
    (ps + u64::from(units) / 2) / u64::from(units.max(1))
}

/// How much less or more, in percent with one decimal: "−46.3 %", "±0 %"; none where there is nothing to compare with.
pub fn change(ps: [u64; 2]) -> Option<String> {
    let [old, new] = ps;
    if old == 0 {
        return None;
    }
    if old == new {
        return Some("±0\u{202f}%".to_string());
    }
    let tenths = (u128::from(old.abs_diff(new)) * 2000 + u128::from(old)) / (2 * u128::from(old));
    let sign = if new < old { "\u{2212}" } else { "+" };
    let whole = u64::try_from(tenths / 10).unwrap_or(u64::MAX);
    Some(format!("{sign}{}.{}\u{202f}%", thousands(whole), tenths % 10))
}

/// What a class of work is, in words.
pub fn words(class: CostClass) -> &'static str {
    match class {
        CostClass::Rmw => "locked instruction",
        CostClass::Spin => "free spinlock taken",
        CostClass::Unlock => "spinlock released",
        CostClass::Irq => "interrupts off and on, a pair",
        CostClass::Preempt => "preemption off and on, a pair",
        CostClass::List => "list_add or list_del",
        CostClass::Plain => "plain load or store",
        CostClass::Pagevec => "page into a pagevec",
        CostClass::Stat => "zone statistic",
        CostClass::StatSafe => "the same, safe against interrupts: besides",
        CostClass::Event => "event counter",
        CostClass::Walk => "page-table walk",
        CostClass::Barrier => "full barrier",
        CostClass::Resched => "cond_resched that does not switch",
        CostClass::Switch => "context switch",
        CostClass::Wake => "waking a task",
        CostClass::Ipi => "interrupt to another CPU",
        CostClass::WakeLatency => "from waking to the first step",
        CostClass::PercpuAlloc => "per-CPU work items made and freed",
        CostClass::Invlpg => "one page out of a TLB",
        CostClass::TlbFlush => "TLB flush",
        CostClass::FolioStat => "folio statistic",
        CostClass::Fill => "4 KiB cleared or copied, with the fault",
        CostClass::Io => "page to or from the swap device",
        CostClass::Handover => "contended lock to the next in line",
        CostClass::Prefetch => "prefetch",
        CostClass::LineNear => "cache line from the second level",
        CostClass::LineShared => "cache line that others share",
        CostClass::LineRemote => "cache line that another CPU changed",
        CostClass::LineMemory => "cache line from memory",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Which;
    use crate::session::{Session, Subject};
    use scenario_file::profile::Price;
    use sim_core::scenario::SCENARIOS;
    use stage::Form;
    use std::rc::Rc;

    fn session() -> Session {
        let mut subject = Subject::of(&SCENARIOS[0]);
        subject.set("pages", "20".into());
        Session::open(&subject, Form::Wide).unwrap()
    }

    #[test]
    fn what_is_shown_adds_up() {
        let session = session();
        let timings = Which::BOTH.map(|which| session.timing(which));
        let both = [&*timings[0], &*timings[1]];
        let busy = sums(both)[1].ps;
        let by_class = classes(both).iter().fold([0, 0], |sum, (_, ps)| [sum[0] + ps[0], sum[1] + ps[1]]);
        assert_eq!(by_class, busy);
        assert!(busy[1] > 0 && busy[1] < busy[0], "{busy:?}");
        let details = Which::BOTH.map(|which| session.detail(which));
        let lines = functions([&details[0], &details[1]]);
        let own = lines.iter().fold([0, 0], |sum, line| [sum[0] + line.own[0], sum[1] + line.own[1]]);
        assert_eq!(own, [details[0].total.ps, details[1].total.ps]);
        assert!(locks(both).iter().any(|line| line.hold[0] > 0));
    }

    #[test]
    fn a_price_moves_what_it_is_paid_for() {
        let session = session();
        let before = session.timing(Which::Old).totals.by_class[CostClass::Rmw as usize];
        let base = session.profile();
        let dear = base.with(&base, &Price::Class("rmw".into()), "15.088").unwrap();
        session.set_profile(Some(Rc::new(dear)));
        assert_eq!(session.timing(Which::Old).totals.by_class[CostClass::Rmw as usize], 2 * before, "twice 7.544 ns");
        assert_eq!(session.costs().name, "opteron-2013, edited");
        session.set_profile(None);
        assert_eq!(session.timing(Which::Old).totals.by_class[CostClass::Rmw as usize], before);
    }

    #[test]
    fn times_are_written_in_one_unit() {
        assert_eq!((Scale::of(9_999_999), Scale::of(10_000_000)), (Scale::Nano, Scale::Micro));
        assert_eq!(Scale::Nano.show(7_514), "7.51");
        assert_eq!(Scale::Micro.show(1_234_565_000), "1\u{202f}234.57");
        assert_eq!(Scale::Milli.show(10_000_000_000), "10.00");
        assert_eq!(per_unit(1_000, 3), 333);
    }

    #[test]
    fn changes_are_in_percent_of_old() {
        assert_eq!(change([1000, 537]).as_deref(), Some("\u{2212}46.3\u{202f}%"));
        assert_eq!(change([1000, 2500]).as_deref(), Some("+150.0\u{202f}%"));
        assert_eq!(change([7, 7]).as_deref(), Some("±0\u{202f}%"));
        assert_eq!(change([0, 7]), None);
    }
}

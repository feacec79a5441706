//! Words of the picture: what labels, badges and sentences say.

use sim_core::view::{CpuView, Hold, LockView, Lru, PageNo, PageView, PagevecKind, Place, View};

use crate::scene::{Badge, FenceState, Padlock, Span};

/// The page with this number. Numbers are indices unless huge pages leave gaps.
pub(crate) fn page_of(view: &View, no: PageNo) -> Option<&PageView> {
    let here = view.pages.get(no as usize).filter(|p| p.no == no);
    here.or_else(|| view.pages.binary_search_by_key(&no, |p| p.no).ok().map(|i| &view.pages[i]))
}

/// The number on a page's tile: "17", "THP 0" for a huge page.
pub(crate) fn page_label(page: &PageView) -> String {
    if page.nr > 1 { format!("THP {}", page.no) } else { page.no.to_string() }
}

/// "1 step", "5 steps", "1 204 steps" with narrow spaces.
pub(crate) fn steps(n: u32) -> String {
    count(n, "step", "steps")
}

/// "1 page", "39 pages".
pub(crate) fn count(n: u32, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

/// A count with a narrow no-break space between thousands, from 1 000 on.
pub(crate) fn thousands(n: u32) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + 6);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// "1st", "2nd", "34th".
pub(crate) fn ordinal(n: u32) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{}{ending}", thousands(n))
}

/// "a", "a and b", "a, b and c".
fn join(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A run of plain text.
pub(crate) fn plain(text: impl Into<String>) -> Span {
    Span { text: text.into(), bold: false }
}

/// A run of bold text.
pub(crate) fn bold(text: impl Into<String>) -> Span {
    Span { text: text.into(), bold: true }
}

/// Name of a pagevec in the narrow drawing.
pub(crate) fn short_pagevec(kind: PagevecKind) -> &'static str {
    match kind {
        PagevecKind::LruAdd => "lru_add",
        PagevecKind::LruRotate => "rotate",
        PagevecKind::LruDeactivate => "deactiv.",
        PagevecKind::Activate => "activate",
        PagevecKind::Mlock => "mlock",
        PagevecKind::OnStack => "on stack",
        PagevecKind::Putback => "putback",
        PagevecKind::LruAddActiveAnon => "act.anon",
        PagevecKind::LruAddInactiveFile => "in.file",
        PagevecKind::LruAddActiveFile => "act.file",
        PagevecKind::LruAddUnevictable => "unevict.",
    }
}

/// Name of a list in the narrow drawing.
pub(crate) fn short_list(lru: Lru) -> &'static str {
    ["inactive", "active", "inact. f.", "active f.", "unevict."][lru.index()]
}

/// How the lock of a page is called.
const PAGE_LOCK: &str = "the lock of page ";

/// What a CPU is doing with locks: "holds lru_lock and the lock of page 17", "waits for ptl, 7 steps".
pub(crate) fn cpu_state(cpu: &CpuView, narrow: bool) -> String {
    if let Some((what, since)) = &cpu.waits {
        return if narrow { format!("waits for {what}") } else { format!("waits for {what}, {}", steps(*since)) };
    }
    if cpu.holds.is_empty() {
        return if cpu.task.is_some() { "holds no spinlock".into() } else { "idle".into() };
    }
    let page_locks = cpu.holds.iter().filter(|hold| hold.starts_with(PAGE_LOCK)).count();
    let mut holds = cpu.holds.clone();
    if page_locks > 1 {
        // Each has its badge or its ring at the page.
        holds.retain(|hold| !hold.starts_with(PAGE_LOCK));
        holds.push(format!("{page_locks} page locks"));
    }
    if narrow {
        let short: Vec<String> = holds.iter().map(|h| h.replace(PAGE_LOCK, "lock of ")).collect();
        return format!("holds {}", short.join(", "));
    }
    format!("holds {}", join(&holds))
}

/// The badge of interrupts and preemption.
pub(crate) fn irq_badge(cpu: &CpuView, ring: bool, narrow: bool) -> Badge {
    let (state, head, tail) = match (cpu.irqs_off, cpu.preempt_off, cpu.irq_pairs) {
        (Some(_), _, n) => (FenceState::Held, "IRQs off", format!("{} time", ordinal(n.max(1)))),
        (None, true, _) => (FenceState::Preempt, "preemption off", "IRQs on".into()),
        (None, false, 0) => (FenceState::Free, "IRQs on", "never off".into()),
        (None, false, n) => (FenceState::Free, "IRQs on", format!("off {}× so far", thousands(n))),
    };
    let spans = if narrow { vec![bold(head)] } else { vec![bold(format!("{head},")), plain(tail)] };
    Badge { state, ring, padlock: None, spans }
}

/// How a lock's fence looks.
pub(crate) fn lock_fence(lock: &LockView) -> FenceState {
    match (&lock.holder, lock.waiters.is_empty()) {
        (_, false) => FenceState::Wanted,
        (Some(_), true) => FenceState::Held,
        (None, true) => FenceState::Free,
    }
}

/// The badges of a lock: who waits, then who holds it.
pub(crate) fn lock_badges(lock: &LockView, last_hold: bool, narrow: bool) -> Vec<Badge> {
    let mut badges: Vec<Badge> = waiters(&lock.waiters, narrow).into_iter().collect();
    let text = if narrow { short_lock_text(lock) } else { lock_text(lock, last_hold) };
    badges.push(Badge {
        state: if lock.holder.is_some() { FenceState::Held } else { FenceState::Free },
        ring: lock.changed,
        padlock: Some(if lock.holder.is_some() { Padlock::Closed } else { Padlock::Open }),
        spans: vec![bold(lock.name), plain(text)],
    });
    badges
}

fn lock_text(lock: &LockView, last_hold: bool) -> String {
    let times = lock.taken;
    match (lock.holder, lock.last_hold) {
        (Some(hold), _) if lock.changed => {
            format!("CPU {}, just taken, {} time", hold.cpu, ordinal(times))
        }
        (Some(hold), _) => format!("CPU {}, {}", hold.cpu, steps(hold.steps)),
        (None, Some(held)) if lock.changed => format!("just freed, held {}", steps(held)),
        (None, None) if lock.changed => "just freed".into(),
        (None, _) if times == 0 => "free, never taken".into(),
        (None, Some(held)) if last_hold => format!("free, taken {}×, last held {}", thousands(times), steps(held)),
        (None, _) => format!("free, taken {}×", thousands(times)),
    }
}

fn short_lock_text(lock: &LockView) -> String {
    match lock.holder {
        Some(hold) if lock.changed => format!("CPU {}, just taken", hold.cpu),
        Some(hold) => format!("CPU {}, {}", hold.cpu, steps(hold.steps)),
        None if lock.changed => "just freed".into(),
        None if lock.taken == 0 => "free, never taken".into(),
        None => format!("free, taken {}×", thousands(lock.taken)),
    }
}

/// "CPU 1 waits, 7 steps"; the time is that of the first in the queue.
fn waiters(queue: &[Hold], narrow: bool) -> Option<Badge> {
    let first = queue.first()?;
    let cpus: Vec<String> = queue.iter().map(|hold| hold.cpu.to_string()).collect();
    let head = match queue.len() {
        1 => format!("CPU {} waits", cpus[0]),
        _ => format!("CPUs {} wait", join(&cpus)),
    };
    let text = if narrow { head } else { format!("{head}, {}", steps(first.steps)) };
    Some(Badge { state: FenceState::Wanted, ring: false, padlock: None, spans: vec![plain(text)] })
}

/// The badge of a page lock: "3 steps", or "3" where there is little room.
pub(crate) fn page_lock_badge(hold: Hold, short: bool) -> Badge {
    let text = if short { thousands(hold.steps) } else { steps(hold.steps) };
    Badge { state: FenceState::Held, ring: false, padlock: Some(Padlock::Closed), spans: vec![bold(text)] }
}

/// The badge of a page lock that stands away from its tile: "page 2, 41 steps".
pub(crate) fn far_page_lock_badge(page: PageNo, hold: Hold, short: bool) -> Badge {
    let text = if short {
        format!("{page}: {}", thousands(hold.steps))
    } else {
        format!("page {page}, {}", steps(hold.steps))
    };
    Badge { state: FenceState::Held, ring: false, padlock: Some(Padlock::Closed), spans: vec![bold(text)] }
}

/// Where a page is: "unevictable list", "lru_add pagevec of CPU 0, slot 3, on no list".
pub(crate) fn place(view: &View, place: Place) -> String {
    match place {
        Place::Free => "free".into(),
        Place::New => "on no list yet".into(),
        Place::List { zone, lru } if view.zones.len() > 1 => {
            let zone = view.zones.iter().find(|z| z.id == zone);
            format!("{} list of {}", lru.name(), zone.map_or("its zone", |z| &z.name))
        }
        Place::List { lru, .. } => format!("{} list", lru.name()),
        Place::Pagevec { cpu, kind, slot } => {
            format!("{} of CPU {cpu}, slot {slot}, on no list", pagevec_name(view, cpu, kind))
        }
        Place::Isolated { cpu } => format!("isolated by CPU {cpu}, on no list"),
    }
}

/// Name of a pagevec: "on-stack pagevec".
pub(crate) fn pagevec_name(view: &View, cpu: u8, kind: PagevecKind) -> &'static str {
    let cpu = view.cpus.iter().find(|c| c.id == cpu);
    let found = cpu.and_then(|c| c.pagevecs.iter().find(|p| p.kind == kind));
    found.map_or("pagevec", |p| p.name)
}

/// The full sentence of a page's tile.
pub(crate) fn page_sentence(view: &View, page: &PageView) -> String {
    let mut text = match page.nr {
        0 | 1 => format!("page {}: ", page.no),
        nr if page.place == Place::Free => format!("block of {nr} pages from page {} on: ", page.no),
        nr => format!("huge page {} of {nr} small ones: ", page.no),
    };
    text.push_str(&place(view, page.place));
    if let Some(hold) = page.lock {
        text.push_str(&format!(", locked by CPU {}", hold.cpu));
    }
    if page.pinned {
        text.push_str(", pinned");
    }
    text.push_str(&format!(", count {}, mapcount {}", page.count, page.mapcount));
    text
}

/// The full sentence of a slot that only refers to a page.
pub(crate) fn reference_sentence(view: &View, no: PageNo, pagevec: &str, slot: usize) -> String {
    let elsewhere = match page_of(view, no).map(|p| p.place) {
        Some(Place::List { .. }) => "still on the ",
        _ => "",
    };
    let is = page_of(view, no).map_or(String::from("elsewhere"), |p| place(view, p.place));
    format!("page {no}, slot {slot} of the {pagevec}; the page is {elsewhere}{is}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals() {
        let found: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 34, 102, 111, 1112].map(ordinal).into();
        let expect = "1st 2nd 3rd 4th 11th 12th 13th 21st 34th 102nd 111th 1\u{202f}112th";
        assert_eq!(found.join(" "), expect);
    }

    #[test]
    fn counts_have_narrow_spaces() {
        assert_eq!(steps(1), "1 step");
        assert_eq!(steps(14_680_064), "14\u{202f}680\u{202f}064 steps");
        assert_eq!(thousands(999), "999");
    }

    #[track_caller]
    fn check(lock: LockView, expect: &[&str]) {
        let badges = lock_badges(&LockView { name: "lru_lock", ..lock }, true, false);
        let texts: Vec<String> =
            badges.iter().map(|b| b.spans.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(texts, expect);
    }

    #[test]
    fn several_page_locks_are_counted() {
        let holds = |locks: &[&str]| CpuView {
            holds: locks.iter().map(|lock| lock.to_string()).collect(),
            ..CpuView::default()
        };
        let one = holds(&["lru_lock", "the lock of page 17"]);
        assert_eq!(cpu_state(&one, false), "holds lru_lock and the lock of page 17");
        assert_eq!(cpu_state(&one, true), "holds lru_lock, lock of 17");
        let three = holds(&["the lock of page 0", "the lock of page 8", "the lock of page 16", "ptl"]);
        assert_eq!(cpu_state(&three, false), "holds ptl and 3 page locks");
    }

    #[test]
    fn every_state_of_a_lock_has_its_words() {
        let hold = |cpu, steps| Hold { cpu, steps };
        let lock = LockView::default;
        check(lock(), &["lru_lock free, never taken"]);
        check(LockView { taken: 18, ..lock() }, &["lru_lock free, taken 18×"]);
        check(LockView { taken: 2, last_hold: Some(43), ..lock() }, &["lru_lock free, taken 2×, last held 43 steps"]);
        let held = LockView { holder: Some(hold(0, 5)), taken: 34, ..lock() };
        check(held.clone(), &["lru_lock CPU 0, 5 steps"]);
        check(LockView { changed: true, ..held.clone() }, &["lru_lock CPU 0, just taken, 34th time"]);
        check(
            LockView { changed: true, last_hold: Some(1), taken: 3, ..lock() },
            &["lru_lock just freed, held 1 step"],
        );
        let one = vec![hold(1, 7)];
        check(LockView { waiters: one, ..held.clone() }, &["CPU 1 waits, 7 steps", "lru_lock CPU 0, 5 steps"]);
        let two = vec![hold(1, 7), hold(2, 1)];
        check(LockView { waiters: two, ..held }, &["CPUs 1 and 2 wait, 7 steps", "lru_lock CPU 0, 5 steps"]);
    }
}

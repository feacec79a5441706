//! What a subject is now, in facts: a name and a value each.

use sim_core::ask::{Counter, ListId, Subject};
use sim_core::machine::{
    LockClass, LockId, PTE_DIRTY, PTE_NONE, PTE_WRITE, PTE_YOUNG, PTE_ZERO, Pmd, Pv, pte_page, pte_swap,
};
use sim_core::op::World;
use sim_core::view::{PageNo, Place, View};

use crate::link::Which;
use crate::session::Session;
use crate::text::thousands;
use crate::track::Track;

type Facts = Vec<(&'static str, String)>;

/// Pages of a list that are named.
const NAMED: usize = 16;

/// What one side knows of a subject at its cursor.
pub fn facts(session: &Session, which: Which, subject: Subject) -> Facts {
    let side = session.side(which);
    let track = &side.track;
    match subject {
        Subject::Page(page) => of_page(&side.view, page),
        Subject::Lock(LockClass::Page, Some(page)) => of_page_lock(&side.view, page),
        Subject::Lock(class, index) => of_lock(track, class, index),
        Subject::List(list) => of_list(track, list),
        Subject::Counter(counter) => of_counter(track, counter),
        Subject::Pte(mm, at) => of_pte(track, mm, at),
        Subject::Function(name) => of_function(track, name),
    }
}

fn world(track: &Track) -> &World {
    track.run.timeline.world()
}

fn of_page(view: &View, page: PageNo) -> Facts {
    let there = view.pages.get(page as usize).filter(|found| found.no == page);
    let Some(page) = there.or_else(|| view.pages.iter().find(|found| found.no == page)) else {
        return vec![("place", "no such page in this run".into())];
    };
    let lock = match page.lock {
        Some(hold) => format!("CPU {}, for {}", hold.cpu, steps(hold.steps)),
        None => "free".into(),
    };
    let flags = if page.flags.is_empty() { "none".into() } else { page.flags.join(" ") };
    vec![
        ("place", place(view, page.place)),
        ("flags", flags),
        ("_count", format!("{}{}", page.count, if page.pinned { ", pinned" } else { "" })),
        ("_mapcount", page.mapcount.to_string()),
        ("page lock", lock),
    ]
}

fn of_page_lock(view: &View, page: PageNo) -> Facts {
    let lock = of_page(view, page).pop();
    lock.map_or(Vec::new(), |(_, value)| vec![("held by", value)])
}

/// "1 step".
fn steps(n: u32) -> String {
    format!("{} {}", thousands(n.into()), if n == 1 { "step" } else { "steps" })
}

fn place(view: &View, place: Place) -> String {
    match place {
        Place::Free => "free".into(),
        Place::New => "on no list yet".into(),
        Place::List { zone, lru } => format!("{} list of zone {zone}", lru.name()),
        Place::Pagevec { cpu, kind, slot } => {
            let cpus = view.cpus.iter().filter(|one| one.id == cpu);
            let name =
                cpus.flat_map(|one| &one.pagevecs).find(|pvec| pvec.kind == kind).map_or("pagevec", |pvec| pvec.name);
            format!("slot {slot} of the {name} of CPU {cpu}, on no list")
        }
        Place::Isolated { cpu } => format!("isolated by CPU {cpu}, on no list"),
    }
}

fn of_lock(track: &Track, class: LockClass, index: Option<u32>) -> Facts {
    let timeline = &track.run.timeline;
    let (now, index_of) = (track.cursor(), timeline.index());
    let holds = index_of.holds_of(class).filter(|span| index.is_none_or(|index| span.lock.index == index));
    let begun: Vec<_> = holds.filter(|span| span.start <= now).collect();
    let cpus = |span: &&&sim_core::engine::HoldSpan| span.end > now;
    let held: Vec<String> =
        begun.iter().filter(cpus).map(|span| held_by(class, index, span.lock, span.cpu, now - span.start)).collect();
    let is_it = |lock: LockId| lock.class == class && index.is_none_or(|index| lock.index == index);
    let waits: Vec<_> = index_of.waits().iter().filter(|span| is_it(span.lock) && span.start <= now).collect();
    let waiting: Vec<String> = waits
        .iter()
        .filter(|span| span.end > now)
        .map(|span| format!("CPU {}, for {}", span.cpu, steps(now - span.start)))
        .collect();
    let over = begun.iter().filter(|span| span.end <= now);
    let last = over.clone().max_by_key(|span| span.end).map(|span| span.end - span.start);
    let longest = over.map(|span| span.end - span.start).max();
    let taken = format!("{}× so far, contended {}×", thousands(begun.len() as u64), thousands(waits.len() as u64));
    let mut facts = vec![
        ("held by", if held.is_empty() { "nobody".into() } else { held.join("; ") }),
        ("waits", if waiting.is_empty() { "nobody".into() } else { waiting.join("; ") }),
        ("taken", taken),
    ];
    if let (Some(last), Some(longest)) = (last, longest) {
        facts.push(("held for", format!("{} last, {} at most", steps(last), steps(longest))));
    }
    facts
}

fn held_by(class: LockClass, index: Option<u32>, lock: LockId, cpu: u8, age: u32) -> String {
    let which = if index.is_none() && class != LockClass::Page { format!(" ({})", lock.index) } else { String::new() };
    format!("CPU {cpu}{which}, for {}", steps(age))
}

fn of_list(track: &Track, list: ListId) -> Facts {
    let (timeline, machine) = (&track.run.timeline, &world(track).machine);
    let number = |frame: u32| timeline.numbers().of(frame).map_or("?".to_string(), |page| page.to_string());
    let named = |frames: &mut dyn Iterator<Item = u32>| {
        let all: Vec<String> = frames.map(number).collect();
        let rest = all.len().saturating_sub(NAMED);
        let more = if rest > 0 { format!(" … and {} more", thousands(rest as u64)) } else { String::new() };
        format!("{}{more}", all[..all.len().min(NAMED)].join(" "))
    };
    match list {
        ListId::Lru(zone, lru) if usize::from(zone) < machine.zones.len() => {
            let size = machine.zones[usize::from(zone)].lru[lru.index()].pages;
            let pages = named(&mut machine.list(zone, lru.index() as u8));
            vec![("pages", thousands(size.into())), ("tail first", pages)]
        }
        ListId::Pagevec(kind, owner) => {
            let pv = Pv { kind, owner };
            let owners = if pv.on_stack() { machine.tasks.len() } else { machine.cpus.len() };
            if usize::from(owner) >= owners {
                return vec![("pages", "no such pagevec in this run".into())];
            }
            let filled = machine.pagevec(pv).filled();
            vec![("pages", filled.len().to_string()), ("in order", named(&mut filled.iter().copied()))]
        }
        ListId::Pcp(zone, cpu) => {
            let zone = track.run.timeline.view().allocators.into_iter().find(|one| one.zone == zone);
            let pcp = zone.and_then(|zone| zone.pcps.into_iter().find(|pcp| pcp.cpu == cpu));
            pcp.map_or(vec![("pages", "no such lists in this run".into())], |pcp| {
                vec![("pages", format!("{} of {} at most, in batches of {}", pcp.count, pcp.high, pcp.batch))]
            })
        }
        ListId::Free(zone, order) => {
            let zone = track.run.timeline.view().allocators.into_iter().find(|one| one.zone == zone);
            let lists = zone.map_or(Vec::new(), |zone| zone.free_lists);
            let blocks = lists.iter().filter(|list| list.order == order).map(|list| list.blocks.len());
            vec![("blocks", thousands(blocks.sum::<usize>() as u64))]
        }
        ListId::Picked(cpu) | ListId::Dead(cpu) => {
            let allocators = track.run.timeline.view().allocators;
            let pcps = allocators.iter().flat_map(|zone| &zone.pcps).filter(|pcp| pcp.cpu == cpu);
            let picked = matches!(list, ListId::Picked(_));
            let pages = pcps.map(|pcp| if picked { pcp.picked.len() } else { pcp.dead.len() });
            vec![("pages", thousands(pages.sum::<usize>() as u64))]
        }
        ListId::Lru(..) => vec![("pages", "no such zone in this run".into())],
    }
}

fn of_counter(track: &Track, counter: Counter) -> Facts {
    let start = counter.value(track.run.timeline.start());
    let now = counter.value(world(track));
    let number = |value: i64| {
        let sign = if value < 0 { "\u{2212}" } else { "" };
        format!("{sign}{}", thousands(value.unsigned_abs()))
    };
    let mut facts = vec![("now", number(now)), ("at the start", number(start))];
    if let Counter::Key(key) = counter {
        facts[1] = ("at the end", thousands(key.of(&track.run.ledger)));
    }
    facts
}

fn of_pte(track: &Track, mm: u8, at: u32) -> Facts {
    let (timeline, machine) = (&track.run.timeline, &world(track).machine);
    let range = machine.mms.get(usize::from(mm)).and_then(|mm| mm.vmas.first().zip(mm.vmas.last()));
    let vpn = range.map(|(first, last)| (first.start + at, last.end)).filter(|(vpn, end)| vpn < end);
    let Some((vpn, _)) = vpn else { return vec![("maps", "no such PTE in this run".into())] };
    let pte = machine.pte(mm, vpn);
    let maps = match (pte_page(pte), pte_swap(pte)) {
        (Some(frame), _) => timeline.numbers().of(frame).map_or("a page".into(), |page| format!("page {page}")),
        (_, Some(slot)) => format!("nothing: slot {slot} of the swap device"),
        _ if pte == PTE_ZERO => "the zero page".into(),
        _ if pte == PTE_NONE => "nothing".into(),
        _ => "nothing present".into(),
    };
    let bits = [(PTE_YOUNG, "young"), (PTE_DIRTY, "dirty"), (PTE_WRITE, "write")];
    let set: Vec<&str> = bits.iter().filter(|(bit, _)| pte & bit != 0).map(|(_, name)| *name).collect();
    let mut facts = vec![("maps", maps)];
    if pte_page(pte).is_some() {
        facts.push(("bits", if set.is_empty() { "none of young, dirty, write".into() } else { set.join(" ") }));
    }
    if matches!(machine.pmd(mm, vpn), Pmd::Huge(_) | Pmd::HugeZero) {
        facts.push(("level", "part of a huge pmd".into()));
    }
    facts
}

fn of_function(track: &Track, name: &'static str) -> Facts {
    let (timeline, now) = (&track.run.timeline, track.cursor());
    let mut calls = timeline.frames().iter().filter(|frame| frame.func.name == name).peekable();
    let Some(first) = calls.peek() else { return vec![("called", "never in this run".into())] };
    let (file, version) = (first.func.file, first.func.version);
    let begun: Vec<_> = calls.filter(|frame| frame.start < now).collect();
    let running = begun.iter().filter(|frame| frame.end > now || frame.end == u32::MAX).count();
    let state = if running > 0 { "runs now" } else { "does not run now" };
    vec![
        ("called", format!("{}× so far, {state}", thousands(begun.len() as u64))),
        ("follows", format!("{file} of {version}")),
    ]
}

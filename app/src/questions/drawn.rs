//! What the parts of a drawing are, as subjects.

use sim_core::ask::{ListId, Subject};
use sim_core::machine::LockClass;
use sim_core::view::{Lru, PagevecKind, View};
use stage::{About, Key, about};

use crate::track::Track;

/// The subject of a shape: what a name names, what a fence's lock is, which PTE a mark stands for.
pub fn subject_of(track: &Track, view: &View, key: Key) -> Option<Subject> {
    match key {
        Key::Page(page) => Some(Subject::Page(page)),
        Key::Zone(zone) => Some(Subject::Lock(LockClass::Lru, Some(zone.into()))),
        Key::Space(_) => Some(Subject::Lock(LockClass::Ptl, None)),
        Key::Pte(space, index) => pte(view, space, index),
        Key::Text(..) => named(track, view, about(key)?),
        _ => None,
    }
}

/// The lock of a shelf, by the name on its badge.
pub fn lock_named(name: &str) -> Option<Subject> {
    let is_it = |class: &&LockClass| class.name() == name || class.words() == name;
    LockClass::ALL.iter().find(is_it).map(|&class| Subject::Lock(class, None))
}

fn named(track: &Track, view: &View, about: About) -> Option<Subject> {
    let list = match about {
        About::List(zone, list) => ListId::Lru(zone, *Lru::ALL.get(usize::from(list))?),
        About::Pagevec(cpu, line) => {
            let pagevec = view.cpus.iter().find(|one| one.id == cpu)?.pagevecs.get(line)?;
            if pagevec.absent.is_some() {
                return None;
            }
            ListId::Pagevec(pagevec.kind, owner(track, cpu, pagevec.kind))
        }
        About::Row(shelf, row) => return row_of(view, shelf, row).map(Subject::List),
    };
    Some(Subject::List(list))
}

// A pagevec on a stack belongs to a task: the one on this CPU that uses it.
fn owner(track: &Track, cpu: u8, kind: PagevecKind) -> u8 {
    if !matches!(kind, PagevecKind::OnStack | PagevecKind::Putback) {
        return cpu;
    }
    let tasks = &track.run.timeline.world().machine.tasks;
    let on_it = (0..tasks.len() as u8).filter(|&task| tasks[usize::from(task)].cpu == cpu);
    let used = track.lives();
    let steps = |task: &u8| {
        used.all().find(|(subject, _)| *subject == Subject::List(ListId::Pagevec(kind, *task))).map_or(0, |(_, n)| n)
    };
    on_it.max_by_key(steps).unwrap_or(0)
}

/// PTEs are named by pages from the start of the range; a huge one covers 512 of them.
fn pte(view: &View, space: u8, index: u32) -> Option<Subject> {
    let view = view.spaces.get(usize::from(space))?;
    let mm = view.name.strip_prefix("Process ").and_then(|number| number.parse().ok()).unwrap_or(0);
    let before = view.ptes.get(..index as usize)?;
    let at = before.iter().map(|pte| if pte.huge { 512 } else { 1 }).sum();
    Some(Subject::Pte(mm, at))
}

/// Shelves of the page allocator come first: the lists of each CPU, then the free lists, zone by zone.
fn row_of(view: &View, shelf: u8, row: usize) -> Option<ListId> {
    /// CPUs up to which each has a shelf.
    const CPUS: usize = 4;
    /// Orders that have a row each.
    const ORDERS: usize = 4;
    // That of the work items stands before them.
    let mut left = usize::from(shelf).checked_sub(usize::from(view.workqueue.is_some()))?;
    for zone in &view.allocators {
        let pcps = zone.pcps.len().min(CPUS);
        if left < pcps {
            let pcp = &zone.pcps[left];
            let main =
                pcp.lists.iter().filter(|list| list.order == 0 && list.mt == sim_core::machine::MigrateType::Movable);
            return Some(match row.checked_sub(main.count()) {
                None => ListId::Pcp(zone.zone, pcp.cpu),
                Some(0) => ListId::Picked(pcp.cpu),
                Some(1) if !pcp.dead.is_empty() => ListId::Dead(pcp.cpu),
                Some(_) => ListId::Pcp(zone.zone, pcp.cpu),
            });
        }
        if left == pcps {
            return (row < ORDERS).then_some(ListId::Free(zone.zone, row as u8));
        }
        left -= pcps + 1;
    }
    None
}

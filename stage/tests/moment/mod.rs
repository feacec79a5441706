//! Hand-made views: munlock of 56 pages with both sides at page 17, and views with everything that is rare.

// Each test program uses some of these.
#![allow(dead_code)]

use sim_core::view::*;

/// Pages of the moment.
pub const PAGES: u32 = 56;

/// A page like most here: mlocked, mapped once, on the unevictable list.
pub fn page(no: PageNo) -> PageView {
    PageView {
        no,
        place: Place::List { zone: 0, lru: Lru::Unevictable },
        nr: 1,
        zone: 0,
        flags: vec!["PG_lru", "PG_unevictable", "PG_mlocked", "PG_swapbacked"],
        count: 1,
        mapcount: 1,
        pinned: false,
        file: false,
        mlocked: true,
        lock: None,
    }
}

/// An address space that maps pages `0..n` in order.
pub fn space(n: u32, cursor: u32) -> SpaceView {
    SpaceView {
        name: "Address space".into(),
        ptl: LockView { name: "ptl", taken: 18, last_hold: Some(3), ..LockView::default() },
        mmap_sem: LockView { name: "mmap_sem", holder: Some(Hold { cpu: 0, steps: 600 }), ..LockView::default() },
        vm_locked: false,
        ptes: (0..n).map(|no| PteView { page: Some(no), huge: false }).collect(),
        cursor: Some(cursor),
    }
}

/// A zone with nothing on its lists.
pub fn zone(id: u8) -> ZoneView {
    let list = |lru| ListView { lru, pages: Vec::new(), ordered: true };
    ZoneView {
        id,
        name: format!("Zone {id}"),
        lru_lock: LockView { name: "lru_lock", ..LockView::default() },
        lists: Lru::ALL.map(list).into(),
    }
}

/// An empty pagevec of 14.
pub fn pagevec(kind: PagevecKind, name: &'static str) -> PagevecView {
    PagevecView { kind, name, capacity: 14, slots: Vec::new(), absent: None }
}

/// An idle CPU with the two pagevecs of the scenario.
pub fn cpu(id: u8) -> CpuView {
    CpuView {
        id,
        task: Some("munlock".into()),
        pagevecs: vec![
            pagevec(PagevecKind::OnStack, "on-stack pagevec"),
            pagevec(PagevecKind::LruAdd, "lru_add pagevec"),
        ],
        ..CpuView::default()
    }
}

/// Puts a page on a list's head.
pub fn put(view: &mut View, no: PageNo, zone: u8, lru: Lru) {
    let page = &mut view.pages[no as usize];
    page.place = Place::List { zone, lru };
    page.zone = zone;
    view.zones[usize::from(zone)].lists[lru.index()].pages.push(no);
}

/// Puts a page into a pagevec that is then its place.
pub fn batch(view: &mut View, no: PageNo, cpu: u8, kind: PagevecKind) {
    let pagevec = view.cpus[usize::from(cpu)].pagevecs.iter_mut().find(|p| p.kind == kind);
    let pagevec = pagevec.expect("the CPU has this pagevec");
    view.pages[no as usize].place = Place::Pagevec { cpu, kind, slot: pagevec.slots.len() as u8 };
    pagevec.slots.push(Some(no));
}

fn base(step: u32, steps: u32) -> View {
    View {
        step,
        steps,
        spaces: vec![space(PAGES, 17)],
        cpus: vec![cpu(0)],
        zones: vec![zone(0)],
        pages: (0..PAGES).map(page).collect(),
        touch: Touch::default(),
        next: None,
        swap: None,
    }
}

/// The old side: it has just taken lru_lock to put page 16, alone in the lru_add pagevec, back on a list.
pub fn old() -> View {
    let mut view = base(647, 2121);
    for no in 0..16 {
        put(&mut view, no, 0, Lru::InactiveAnon);
    }
    batch(&mut view, 16, 0, PagevecKind::LruAdd);
    for no in 17..PAGES {
        put(&mut view, no, 0, Lru::Unevictable);
    }
    let locked = &mut view.pages[17];
    locked.pinned = true;
    locked.count = 2;
    locked.lock = Some(Hold { cpu: 0, steps: 3 });
    let cpu = &mut view.cpus[0];
    cpu.irqs_off = Some(1);
    cpu.irq_pairs = 34;
    cpu.holds = vec!["lru_lock".into(), "the lock of page 17".into()];
    cpu.pagevecs[0].absent = Some("not in this kernel, patch 3 brings it");
    let lock = &mut view.zones[0].lru_lock;
    *lock = LockView { holder: Some(Hold { cpu: 0, steps: 0 }), taken: 34, changed: true, ..lock.clone() };
    view.touch = Touch { pages: vec![16], lock: Some(LockRef::Lru(0)), ..Touch::default() };
    view.next = Some(NextPlace { page: 16, place: Place::List { zone: 0, lru: Lru::InactiveAnon } });
    view
}

/// The new side: it notes page 17 in the fourth slot of its on-stack pagevec.
pub fn new() -> View {
    let mut view = base(311, 1152);
    for no in 0..14 {
        put(&mut view, no, 0, Lru::InactiveAnon);
    }
    for no in 14..PAGES {
        put(&mut view, no, 0, Lru::Unevictable);
    }
    for no in 14..18 {
        view.pages[no].pinned = true;
        view.pages[no].count = 2;
    }
    let cpu = &mut view.cpus[0];
    cpu.irq_pairs = 2;
    cpu.pagevecs[0].slots = (14..18).map(Some).collect();
    let lock = &mut view.zones[0].lru_lock;
    *lock = LockView { taken: 2, last_hold: Some(43), ..lock.clone() };
    view.touch = Touch { pages: vec![17], slot: Some((0, PagevecKind::OnStack, 3)), ..Touch::default() };
    view
}

/// Everything that the moment does not show: two zones, three CPUs, waiters, huge, file, active, isolated, new and
/// free pages, a hole, a pagevec of another CPU, a lock just freed.
pub fn rare() -> View {
    let mut view = base(1204, 14_680);
    view.spaces = vec![space(40, 22), space(20, 3)];
    view.spaces[0].ptes[5].page = None;
    view.spaces[0].ptes[10..14].fill(PteView { page: Some(10), huge: true });
    view.spaces[0].vm_locked = true;
    view.spaces[0].ptl.holder = Some(Hold { cpu: 0, steps: 2 });
    view.spaces[1].name = "Other process".into();
    view.spaces[1].ptl = LockView { name: "ptl", ..LockView::default() };
    view.cpus = vec![cpu(0), cpu(1), cpu(2)];
    view.zones = vec![zone(0), zone(1)];
    view.pages.retain(|p| p.no < 40 && !(11..14).contains(&p.no));
    fill_rare(&mut view);
    let cpu = &mut view.cpus[1];
    cpu.waits = Some(("lru_lock".into(), 7));
    cpu.irqs_off = Some(7);
    cpu.irq_pairs = 3;
    view.cpus[0].preempt_off = true;
    view.cpus[0].holds = vec!["lru_lock".into()];
    view.cpus[2].task = None;
    view.zones[0].lru_lock = LockView {
        holder: Some(Hold { cpu: 0, steps: 41 }),
        waiters: vec![Hold { cpu: 1, steps: 7 }],
        taken: 12,
        ..view.zones[0].lru_lock.clone()
    };
    let lock = &mut view.zones[1].lru_lock;
    *lock = LockView { taken: 4, last_hold: Some(9), changed: true, ..lock.clone() };
    view.touch = Touch { pages: vec![22], pte: Some(22), lock: Some(LockRef::Lru(1)), ..Touch::default() };
    view.next = Some(NextPlace { page: 22, place: Place::Pagevec { cpu: 0, kind: PagevecKind::LruAdd, slot: 0 } });
    view
}

fn fill_rare(view: &mut View) {
    let at = |view: &View, no: PageNo| view.pages.iter().position(|p| p.no == no).expect("page exists");
    let numbers: Vec<PageNo> = view.pages.iter().map(|p| p.no).collect();
    for no in numbers {
        let i = at(view, no);
        let zone = u8::from(no >= 24);
        view.pages[i].zone = zone;
        view.pages[i].file = no % 3 == 0;
        let lru = match no {
            0..4 => Lru::InactiveAnon,
            4..8 => Lru::ActiveAnon,
            8..10 => Lru::InactiveFile,
            24..30 => Lru::ActiveFile,
            _ => Lru::Unevictable,
        };
        view.pages[i].place = match no {
            20 | 21 => Place::Pagevec { cpu: 1, kind: PagevecKind::LruAdd, slot: (no - 20) as u8 },
            22 | 23 => Place::Isolated { cpu: 0 },
            35 => Place::New,
            36..40 => Place::Free,
            _ => Place::List { zone, lru },
        };
        if let Place::List { zone, lru } = view.pages[i].place {
            view.zones[usize::from(zone)].lists[lru.index()].pages.push(no);
        }
    }
    view.cpus[1].pagevecs[1].slots = vec![Some(20), Some(21)];
    view.cpus[0].isolated = vec![22, 23];
    view.cpus[0].pagevecs[0].slots = vec![Some(14), None, Some(30)];
    let huge = at(view, 10);
    view.pages[huge].nr = 512;
    let locked = at(view, 22);
    view.pages[locked].lock = Some(Hold { cpu: 0, steps: 4 });
    view.pages[locked].pinned = true;
    let locked = at(view, 2);
    view.pages[locked].lock = Some(Hold { cpu: 2, steps: 1204 });
    view.pages[locked].pinned = true;
}

//! Fills a [`View`] from a timeline at its cursor.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::place::Slots;
use super::{
    CpuView, Hold, ListView, LockRef, LockView, Lru, NextPlace, PageView, PagevecKind, PagevecView, Place, PteView,
    SpaceView, Touch, View, ZoneView,
};
use crate::engine::{HoldSpan, Milestone, Timeline};
use crate::kernel::{Config, Patch};
use crate::machine::{LockClass, LockId, Machine, NIL, NOBODY, PageFlag, Pfn, Pmd, Pv, TaskRun, pte_page};
use crate::op::{AnonOp, Op};

// How far ahead the picture looks for the place that a page in hand goes to.
const LOOK_AHEAD: usize = 40;
// How far back it looks for what a CPU is at.
const RECENT: usize = 512;

impl Timeline {
    /// The picture at the cursor.
    pub fn view(&self) -> View {
        let machine = &self.world().machine;
        let slots = Slots::new(machine);
        let held = self.held();
        View {
            step: self.cursor() as u32,
            steps: self.len() as u32,
            spaces: (0..machine.mms.len() as u8).filter(|&mm| self.shows_space(mm)).map(|mm| self.space(mm)).collect(),
            cpus: (0..machine.cpus.len() as u8).map(|cpu| self.cpu(cpu, &slots, &held)).collect(),
            zones: (0..machine.zones.len() as u8).map(|zone| self.zone(zone)).collect(),
            pages: self.numbers().frames().iter().map(|&frame| self.page(frame, &slots)).collect(),
            touch: self.touch(),
            next: self.next_place(&slots),
            workqueue: self.workqueue(),
            allocators: self.allocators(),
            rmap: self.rmap_view(),
            swap: self.swap_view(),
        }
    }

    /// What of [`Timeline::view`] says which page is on which list, and nothing else: cheap enough to be made at each
    /// step of a run.
    pub fn places(&self) -> View {
        let machine = &self.world().machine;
        let slots = Slots::new(machine);
        let page = |&frame: &Pfn| PageView {
            no: self.numbers().of(frame).unwrap_or(NIL),
            place: slots.place(machine, *self.config(), frame),
            nr: if machine.rmap.is_some() { 1 } else { machine.page(frame).nr() },
            zone: machine.page(frame).zone(),
            flags: Vec::new(),
            count: 0,
            mapcount: 0,
            pinned: false,
            file: false,
            mlocked: false,
            lock: None,
        };
        let zone = |id: u8| ZoneView {
            id,
            name: String::new(),
            lru_lock: LockView::default(),
            lists: Lru::ALL.iter().map(|&lru| self.list(id, lru)).collect(),
        };
        View {
            step: self.cursor() as u32,
            steps: self.len() as u32,
            zones: (0..machine.zones.len() as u8).map(zone).collect(),
            pages: self.numbers().frames().iter().map(page).collect(),
            allocators: self.allocator_names(),
            ..View::default()
        }
    }

    /// The lock of a class, as a badge.
    pub(super) fn lock_view(&self, lock: LockId) -> LockView {
        let step = self.cursor() as u32;
        let begun = self.index().begun(lock, step);
        let last = begun.last();
        let holder = last.filter(|span| span.end > step).map(|span| Hold { cpu: span.cpu, steps: step - span.start });
        let ended = begun.iter().rev().find(|span| span.end <= step);
        let waiters = self.index().waits().iter().filter(|wait| wait.lock == lock);
        LockView {
            name: lock.class.words(),
            holder,
            waiters: waiters
                .filter(|wait| wait.start <= step && step < wait.end)
                .map(|wait| Hold { cpu: wait.cpu, steps: step - wait.start })
                .collect(),
            taken: begun.len() as u32,
            last_hold: ended.map(|span| span.end - span.start),
            changed: self.last().is_some_and(|record| record.op.lock() == Some(lock)),
        }
    }

    // Address spaces that something of the run happens in: the one under study, and others with pages of their own or
    // with locked pages.
    fn shows_space(&self, mm: u8) -> bool {
        mm == 0
            || self.world().machine.rmap.is_some()
            || self.world().machine.mms[mm as usize].vmas.first().is_some_and(|vma| vma.mapping != 0)
    }

    fn space(&self, mm: u8) -> SpaceView {
        let machine = &self.world().machine;
        let vma = machine.mms[mm as usize].vmas[0];
        let name = if machine.mms.len() > 1 && self.shows_space(1) {
            format!("Process {mm}")
        } else {
            "Address space".to_string()
        };
        SpaceView {
            name,
            ptl: self.ptl(mm),
            mmap_sem: self.lock_view(LockId { class: LockClass::MmapSem, index: u32::from(mm) }),
            vm_locked: vma.locked,
            ptes: self.ptes(mm, vma.start, machine.mms[mm as usize].vmas.last().map_or(vma.end, |last| last.end)),
            cursor: self.loop_at().filter(|_| mm == 0).map(|page| page / self.unit(mm)),
        }
    }

    fn ptes(&self, mm: u8, start: u32, end: u32) -> Vec<PteView> {
        let machine = &self.world().machine;
        let mut ptes = Vec::new();
        let mut vpn = start;
        while vpn < end {
            match machine.pmd(mm, vpn) {
                Pmd::Huge(head) => {
                    ptes.push(PteView { page: self.numbers().of(head), huge: true });
                    vpn += crate::machine::HPAGE_PMD_NR;
                }
                Pmd::HugeZero => {
                    ptes.push(PteView { page: None, huge: true });
                    vpn += crate::machine::HPAGE_PMD_NR;
                }
                Pmd::None | Pmd::Table(_) => {
                    let pte = machine.pte(mm, vpn);
                    let page = pte_page(pte).and_then(|page| self.numbers().of(page));
                    ptes.push(PteView { page, huge: false });
                    vpn += 1;
                }
            }
        }
        ptes
    }

    // The page-table lock to show: the one held, else the one taken last.
    fn ptl(&self, mm: u8) -> LockView {
        let machine = &self.world().machine;
        let step = self.cursor() as u32;
        let tables = machine.mms[mm as usize].pmds.iter().filter_map(|pmd| match pmd {
            Pmd::Table(table) => Some(LockId { class: LockClass::Ptl, index: *table }),
            _ => None,
        });
        let huge = LockId { class: LockClass::PageTable, index: u32::from(mm) };
        let locks: Vec<LockId> = tables.chain(core::iter::once(huge)).collect();
        let latest =
            locks.iter().max_by_key(|&&lock| self.index().begun(lock, step).last().map_or(0, |span| span.start));
        let mut view = self.lock_view(latest.copied().unwrap_or(huge));
        view.name = "ptl";
        view.taken = locks.iter().map(|&lock| self.index().begun(lock, step).len() as u32).sum();
        view
    }

    // Small pages of one entry of the range.
    fn unit(&self, mm: u8) -> u32 {
        let machine = &self.world().machine;
        match machine.pmd(mm, machine.mms[mm as usize].vmas[0].start) {
            Pmd::Huge(_) | Pmd::HugeZero => crate::machine::HPAGE_PMD_NR,
            Pmd::None | Pmd::Table(_) => 1,
        }
    }

    // Index of the page that the range loop is at.
    fn loop_at(&self) -> Option<u32> {
        if self.world().machine.swap.is_some() {
            // The loop counts rounds there, not pages.
            return None;
        }
        match self.milestone_at(self.cursor())?.milestone {
            Milestone::LoopAt(page) => Some(page),
            _ => None,
        }
    }

    fn zone(&self, id: u8) -> ZoneView {
        let lru_lock = self.lock_view(LockId { class: LockClass::Lru, index: u32::from(id) });
        let lists = Lru::ALL.iter().map(|&lru| self.list(id, lru)).collect();
        ZoneView { id, name: format!("Zone {id}"), lru_lock, lists }
    }

    fn list(&self, zone: u8, lru: Lru) -> ListView {
        let machine = &self.world().machine;
        let ordered = lru != Lru::Unevictable || !self.config().has(Patch::MlockBatch);
        let pages = if ordered {
            machine.list(zone, lru.index() as u8).filter_map(|frame| self.numbers().of(frame)).collect()
        } else {
            let on_it = |&frame: &Pfn| {
                let page = machine.page(frame);
                page.zone() == zone && page.has(PageFlag::Unevictable) && page.isolator == NOBODY
            };
            self.numbers()
                .frames()
                .iter()
                .filter(|&frame| on_it(frame))
                .filter_map(|&frame| self.numbers().of(frame))
                .collect()
        };
        ListView { lru, pages, ordered }
    }

    fn page(&self, frame: Pfn, slots: &Slots) -> PageView {
        let machine = &self.world().machine;
        let page = machine.page(frame);
        let lock = (page.locker != NOBODY).then(|| self.page_lock(frame)).flatten();
        PageView {
            no: self.numbers().of(frame).unwrap_or(NIL),
            place: slots.place(machine, *self.config(), frame),
            nr: if machine.rmap.is_some() { 1 } else { page.nr() },
            zone: page.zone(),
            flags: PageFlag::ALL.iter().filter(|&&flag| page.has(flag)).map(|flag| flag.name()).collect(),
            count: page.count,
            mapcount: page.mapcount,
            pinned: slots.pinned(machine, frame),
            file: !page.has(PageFlag::Swapbacked),
            mlocked: page.has(PageFlag::Mlocked),
            lock,
        }
    }

    fn page_lock(&self, frame: Pfn) -> Option<Hold> {
        let step = self.cursor() as u32;
        let span = self.index().begun(LockId { class: LockClass::Page, index: frame }, step).last()?;
        (span.end > step).then(|| Hold { cpu: span.cpu, steps: step - span.start })
    }

    fn cpu(&self, id: u8, slots: &Slots, held: &[HoldSpan]) -> CpuView {
        let machine = &self.world().machine;
        let step = self.cursor() as u32;
        let state = machine.cpus[id as usize];
        let irqs = self.index().irqs_off().iter().filter(|span| span.cpu == id && span.start <= step);
        let last_off = irqs.clone().next_back();
        let awake = |&task: &usize| {
            let state = machine.tasks[task];
            state.cpu == id && !matches!(state.run, TaskRun::Done | TaskRun::Sleeps)
        };
        // Where several are awake on a CPU, the one that it is at.
        let recent = self.records()[..self.cursor()].iter().rev().take(RECENT).find(|record| record.cpu == id);
        let task = recent.map(|record| usize::from(record.task)).filter(awake);
        let task = task.or_else(|| (0..machine.tasks.len()).find(awake));
        let waits = self.index().waits().iter().find(|wait| wait.cpu == id && wait.start <= step && step < wait.end);
        let in_hand = |&frame: &Pfn| slots.place(machine, *self.config(), frame) == Place::Isolated { cpu: id };
        let frames = self.numbers().frames().iter();
        CpuView {
            id,
            task: task.map(|task| self.task_names()[task].to_string()),
            irqs_off: last_off.filter(|span| step < span.end).map(|span| step - span.start),
            irq_pairs: irqs.count() as u32,
            preempt_off: state.preempt > 0 && !state.irqs_off,
            holds: held.iter().filter(|span| span.cpu == id).map(|span| self.lock_name(span.lock)).collect(),
            waits: waits.map(|wait| (self.lock_name(wait.lock), step - wait.start)),
            isolated: frames.filter(|&frame| in_hand(frame)).filter_map(|&frame| self.numbers().of(frame)).collect(),
            pagevecs: self.pagevecs(id),
        }
    }

    // Locks that CPUs hold, looked for once for all of them. mmap_sem is held all through munlock and says nothing.
    fn held(&self) -> Vec<HoldSpan> {
        let step = self.cursor() as u32;
        let classes = [
            LockClass::Lru,
            LockClass::Page,
            LockClass::Ptl,
            LockClass::PageTable,
            LockClass::AnonVma,
            LockClass::IMmap,
            LockClass::Zone,
            LockClass::Pcp,
            LockClass::SwapInfo,
            LockClass::SwapAvail,
            LockClass::Tree,
            LockClass::Cluster,
        ];
        let open = classes.iter().flat_map(|&class| self.index().holds_of(class));
        open.filter(|span| span.start <= step && step < span.end).copied().collect()
    }

    /// A lock in words: "lru_lock", "the lock of page 17".
    pub fn lock_name(&self, lock: LockId) -> String {
        match lock.class {
            LockClass::Page => match self.numbers().of(lock.index) {
                Some(number) => format!("the lock of page {number}"),
                None => "the lock of a page".to_string(),
            },
            LockClass::Lru if self.world().machine.zones.len() > 1 => format!("lru_lock of zone {}", lock.index),
            LockClass::PageTable => "ptl".to_string(),
            LockClass::Pool => format!("the pool lock of CPU {}", lock.index),
            class => class.words().to_string(),
        }
    }

    fn pagevecs(&self, cpu: u8) -> Vec<PagevecView> {
        let machine = &self.world().machine;
        let config = *self.config();
        let mut pagevecs = Vec::new();
        if let Some(task) = (0..machine.tasks.len() as u8).find(|&task| machine.tasks[task as usize].cpu == cpu) {
            for kind in [PagevecKind::OnStack, PagevecKind::Putback] {
                pagevecs.push(self.pagevec(Pv { kind, owner: task }, config));
            }
        }
        for kind in [PagevecKind::LruAdd, PagevecKind::Mlock] {
            pagevecs.push(self.pagevec(Pv { kind, owner: cpu }, config));
        }
        // In LRU order behind the first.
        let used = PagevecKind::OF_LISTS.into_iter().filter(|&kind| self.uses_pagevec(kind));
        let lists: Vec<_> = used.map(|kind| self.pagevec(Pv { kind, owner: cpu }, config)).collect();
        let after = pagevecs.len() - 1;
        pagevecs.splice(after..after, lists);
        pagevecs
    }

    // The run puts pages into one of this kind, or takes them out, or they wait in one all the time.
    fn uses_pagevec(&self, kind: PagevecKind) -> bool {
        let machine = &self.world().machine;
        let waits = |cpu| machine.pagevec(Pv { kind, owner: cpu }).nr > 0;
        self.index().uses_pagevec(kind) || (0..machine.cpus.len() as u8).any(waits)
    }

    fn pagevec(&self, pv: Pv, config: Config) -> PagevecView {
        let filled = self.world().machine.pagevec(pv).filled();
        PagevecView {
            kind: pv.kind,
            name: pv.kind.label(PagevecKind::OF_LISTS.iter().any(|&kind| self.uses_pagevec(kind))),
            capacity: config.pagevec as u8,
            slots: filled.iter().map(|&frame| if frame == NIL { None } else { self.numbers().of(frame) }).collect(),
            absent: absent(pv.kind, config),
        }
    }

    fn touch(&self) -> Touch {
        let Some(record) = self.last() else { return Touch::default() };
        let (machine, numbers) = (&self.world().machine, self.numbers());
        let pages = record.op.page().and_then(|frame| numbers.of(frame)).into_iter().collect();
        let pte = match record.op {
            Op::Walk { mm: 0, vpn } | Op::ReadPte { mm: 0, vpn } | Op::SetPte { mm: 0, vpn, .. } => {
                Some((vpn - machine.mms[0].vmas[0].start) / self.unit(0))
            }
            Op::Rmap(op) => op.entry().filter(|&(mm, _)| mm == 0).and_then(|(_, vpn)| {
                let vma = machine.mms[0].vmas[0];
                (vma.start..vma.end).contains(&vpn).then(|| vpn - vma.start)
            }),
            Op::Anon(op) => op.address().filter(|&(mm, _)| mm == 0).map(|(_, vpn)| vpn - machine.mms[0].vmas[0].start),
            _ => None,
        };
        let slot = match record.op {
            Op::PvecAdd { pv, .. } => Some((record.cpu, pv.kind, record.outcome.ret as u8 - 1)),
            Op::PvecNull { pv, slot } => Some((record.cpu, pv.kind, slot)),
            _ => None,
        };
        let list = match record.op {
            Op::ListAdd { lru, page } | Op::ListDel { lru, page } | Op::ListSize { lru, page, .. } => {
                Some((machine.page(page).zone(), Lru::ALL[lru as usize]))
            }
            Op::Anon(AnonOp::AddTail { lru, page }) => Some((machine.page(page).zone(), Lru::ALL[lru as usize])),
            _ => None,
        };
        Touch {
            cpu: record.cpu,
            pages,
            pte,
            lock: record.op.lock().map(|lock| self.lock_ref(machine, lock)),
            slot,
            list,
            irq: matches!(
                record.op,
                Op::SpinLock { irq: true, .. } | Op::SpinUnlock { irq: true, .. } | Op::Irq { .. } | Op::Preempt { .. }
            ),
        }
    }

    fn lock_ref(&self, machine: &Machine, lock: LockId) -> LockRef {
        match lock.class {
            LockClass::Lru => LockRef::Lru(lock.index as u8),
            LockClass::MmapSem => LockRef::MmapSem(lock.index as u8),
            LockClass::PageTable => LockRef::Ptl(lock.index as u8),
            LockClass::Page => self.numbers().of(lock.index).map_or(LockRef::Other, LockRef::Page),
            LockClass::Ptl => {
                let owns = |mm: &crate::machine::Mm| mm.pmds.contains(&Pmd::Table(lock.index));
                machine.mms.iter().position(owns).map_or(LockRef::Other, |mm| LockRef::Ptl(mm as u8))
            }
            _ => LockRef::Other,
        }
    }

    // The next place of the page that the current function moves next.
    fn next_place(&self, slots: &Slots) -> Option<NextPlace> {
        let last = self.last()?;
        let machine = &self.world().machine;
        let depth = self.depth(last.frame());
        let ahead = self.records()[self.cursor()..].iter().take(LOOK_AHEAD).filter(|record| record.task == last.task);
        for record in ahead.take_while(|record| self.depth(record.frame()) >= depth) {
            let (frame, place) = match record.op {
                Op::ListAdd { lru, page } | Op::ListSize { lru, page, add: true } => {
                    (page, Place::List { zone: machine.page(page).zone(), lru: Lru::ALL[lru as usize] })
                }
                Op::PvecAdd { pv, page, .. } if pv.kind != PagevecKind::OnStack => {
                    let slot = record.outcome.ret as u8 - 1;
                    (page, Place::Pagevec { cpu: record.cpu, kind: pv.kind, slot })
                }
                _ => continue,
            };
            let here = slots.place(machine, *self.config(), frame);
            let off_lists = !matches!(here, Place::List { .. });
            return self
                .numbers()
                .of(frame)
                .filter(|_| off_lists && here != place)
                .map(|page| NextPlace { page, place });
        }
        None
    }
}

fn absent(kind: PagevecKind, config: Config) -> Option<&'static str> {
    let later = config.has(Patch::MlockBatch);
    match kind {
        PagevecKind::OnStack if later => Some("not in this kernel since 5.18"),
        PagevecKind::OnStack if !config.has(Patch::BatchIsolate) => Some("not in this kernel, patch 3 brings it"),
        PagevecKind::Putback if later => Some("not in this kernel since 5.18"),
        PagevecKind::Putback if !config.has(Patch::BatchPutback) => Some("not in this kernel, patch 5 brings it"),
        PagevecKind::Mlock if !later => Some("not in this kernel, 5.18 brings it"),
        _ => None,
    }
}

impl View {
    /// Leaves out the pagevecs that neither side's kernel has.
    pub fn drop_absent(old: &mut View, new: &mut View) {
        let has = |view: &View, kind: PagevecKind| {
            view.cpus
                .iter()
                .flat_map(|cpu| &cpu.pagevecs)
                .any(|pagevec| pagevec.kind == kind && pagevec.absent.is_none())
        };
        let kinds = [PagevecKind::OnStack, PagevecKind::Putback, PagevecKind::LruAdd, PagevecKind::Mlock];
        let kinds = kinds.into_iter().chain(PagevecKind::OF_LISTS);
        let keep: Vec<_> = kinds.filter(|&kind| has(old, kind) || has(new, kind)).collect();
        for cpu in old.cpus.iter_mut().chain(&mut new.cpus) {
            cpu.pagevecs.retain(|pagevec| keep.contains(&pagevec.kind));
        }
    }
}

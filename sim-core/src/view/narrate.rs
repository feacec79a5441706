//! One sentence for each step, in plain words.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Lru, PagevecKind};
use crate::engine::{Record, Timeline};
use crate::ledger::{How, Site};
use crate::machine::{Event, LockClass, LockId, MigrateType, PTE_NONE, PTE_ZERO, PageFlag, Pfn, Pv, Stat, pte_page};
use crate::op::{Op, Read};

/// A sentence in pieces; the key words are strong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub Vec<(String, bool)>);

impl Words {
    // Reads `*..*` as strong.
    fn marked(text: &str) -> Words {
        let pieces = text.split('*').enumerate().filter(|(_, piece)| !piece.is_empty());
        Words(pieces.map(|(index, piece)| (piece.to_string(), index % 2 == 1)).collect())
    }

    /// The sentence without marks.
    pub fn plain(&self) -> String {
        self.0.iter().map(|(text, _)| text.as_str()).collect()
    }
}

impl Timeline {
    /// What the last step did.
    pub fn sentence(&self) -> Words {
        if self.last().is_none() && self.world().machine.swap.is_some() {
            return Words::marked(
                "Memory is set up; nothing has run yet. Each program has a *clock*: who is behind goes next.",
            );
        }
        let Some(record) = self.last() else {
            return Words::marked("Memory is set up: every page is *mapped and in its place*. Nothing has run yet.");
        };
        let words = Sentence { timeline: self, record }.say();
        Words::marked(&format!("CPU {} {words}.", record.cpu))
    }
}

pub(super) struct Sentence<'a> {
    pub(super) timeline: &'a Timeline,
    record: &'a Record,
}

impl Sentence<'_> {
    fn say(&self) -> String {
        let ret = self.record.outcome.ret;
        match self.record.op {
            Op::Read { what, page } => self.read(what, page, ret),
            Op::ReadPagevec { pv } => self.read_pagevec(pv, ret),
            Op::Flag { flag, how, page } => self.flag(flag, how, page, ret),
            Op::Get { page, site, .. } => self.get(page, site),
            Op::Put { page, site, .. } => self.put(page, site, ret),
            Op::Mapcount { page, delta } => {
                let verb = if delta > 0 { "one PTE more maps" } else { "one PTE less maps" };
                format!("counts: *{verb}* {}, {ret} now", self.page(page))
            }
            Op::SetMapping { page, .. } => format!("notes what {} belongs to", self.page(page)),
            Op::TryLockPage { page } if ret == 1 => format!("takes *the lock of {}*", self.page(page)),
            Op::TryLockPage { page } => format!("finds {} *locked by somebody else*", self.page(page)),
            Op::WaitPage { page } => format!("*sleeps* until the lock of {} is free", self.page(page)),
            Op::UnlockPage { page } => format!("*unlocks* {}", self.page(page)),
            Op::WakePage { page } => format!("*wakes* the task that waits for {}", self.page(page)),
            Op::SpinLock { class, irq, index } => self.spin_lock(LockId { class, index }, irq),
            Op::SpinWait { class, index, .. } => {
                format!("must *wait for {}*, which is taken, and spins", self.lock(LockId { class, index }))
            }
            Op::SpinUnlock { class, irq, index } => self.spin_unlock(LockId { class, index }, irq),
            Op::Down { class, write, .. } => {
                format!("takes *{}* to {}", class.words(), if write { "write" } else { "read" })
            }
            Op::DownReadTrylock { class, .. } if ret == 1 => {
                format!("gets *{}* to read, without waiting", class.words())
            }
            Op::DownReadTrylock { class, .. } => format!("can't get {} and *goes on without it*", class.words()),
            Op::DownWait { class, .. } => format!("*sleeps* until {} is free", class.words()),
            Op::Up { class, .. } => format!("lets *{}* go", class.words()),
            Op::Irq { off } => format!("turns interrupts *{}*", on_off(!off)),
            Op::Preempt { off: true } => "*can't be preempted* from here on: it works on its own pagevecs".to_string(),
            Op::Preempt { off: false } => "*can be preempted* again".to_string(),
            Op::ListAdd { lru, page } => {
                format!("puts {} at the head of the *{}* list", self.page(page), Lru::ALL[lru as usize].name())
            }
            Op::ListDel { lru, page } => {
                format!("takes {} off the *{}* list", self.page(page), Lru::ALL[lru as usize].name())
            }
            Op::ListSize { lru, add, page } => {
                let verb = if add { "counts" } else { "no longer counts" };
                format!("*{verb}* {} as {}: that list has no links", self.page(page), Lru::ALL[lru as usize].name())
            }
            Op::ReclaimStat { .. } => "notes for reclaim that it *scanned* one page more".to_string(),
            Op::PvecAdd { pv, page, .. } => self.pagevec_add(pv, page, ret),
            Op::PvecNull { pv, slot } => format!("*drops* slot {} of its {}", slot + 1, pv.kind.name()),
            Op::PvecReinit { pv } => format!("*empties* its {}", pv.kind.name()),
            Op::Stat { item, delta, .. } => stat(item, delta, ret),
            Op::Event { event, n } => self.event(event, n),
            Op::Alloc { page, .. } => format!("takes {} from the *free list*", self.page(page)),
            Op::Free { page } => format!("*frees* {}", self.page(page)),
            Op::Walk { mm, vpn } => format!("*walks* the page table to the PTE of address {}", self.index(mm, vpn)),
            Op::ReadPte { mm, vpn } => self.read_pte(mm, vpn, ret),
            Op::SetPte { mm, vpn, pte: PTE_NONE } => format!("*clears* the PTE of address {}", self.index(mm, vpn)),
            Op::SetPte { mm, vpn, .. } => format!("writes the *PTE* of address {}", self.index(mm, vpn)),
            Op::PopulatePmd { .. } => "hangs an *empty page table* under the pmd".to_string(),
            Op::SetHugePmd { .. } => "maps a *huge page*".to_string(),
            Op::SetVmLocked { locked, .. } => {
                format!(
                    "{} *VM_LOCKED*: the range {} locked",
                    if locked { "sets" } else { "clears" },
                    if locked { "is" } else { "is no longer" }
                )
            }
            Op::SetCache { page: crate::machine::NIL, .. } => "takes the page *out of the page cache*".to_string(),
            Op::SetCache { page, .. } => format!("puts {} into the *page cache*", self.page(page)),
            Op::SetMlockCount { page, value } => format!("sets the *mlock_count* of {} to {value}", self.page(page)),
            Op::SplitTail { tail, .. } => format!("splits *tail {tail}* off the huge page; it inherits the flags"),
            Op::SplitHead { .. } => "makes the head of the huge page *a small page*".to_string(),
            Op::Barrier => "makes what it wrote *visible before* it reads on: smp_mb".to_string(),
            Op::CondResched => "would *let another task run* here, if one were waiting".to_string(),
            Op::Migrate { cpu } => format!("runs the task no longer: the scheduler *moves it to CPU {cpu}*"),
            Op::Sleep if ret == 1 => "*sleeps* until somebody wakes it".to_string(),
            Op::Sleep => "would sleep, but *has been woken* already".to_string(),
            Op::Wake { task } => format!("*wakes* {}", self.timeline.task_names()[usize::from(task)]),
            Op::Exit => "*has finished* its task".to_string(),
            op @ (Op::AreaAdd { .. }
            | Op::AreaDel { .. }
            | Op::AreaNext { .. }
            | Op::AreaEmpty { .. }
            | Op::SetBuddy { .. }
            | Op::ClearBuddy { .. }
            | Op::NrFree { .. }
            | Op::NrIsolate { .. }
            | Op::ReadIsolate { .. }
            | Op::SetPageblock { .. }
            | Op::SetPcpType { .. }
            | Op::ReadPcp { .. }
            | Op::SetPcp { .. }
            | Op::ZoneBelowHigh { .. }
            | Op::ReadFreePages { .. }
            | Op::PrepareNew { .. }
            | Op::PrepareFree { .. }
            | Op::Prefetch { .. }
            | Op::SpinTrylock { .. }
            | Op::GetClearPte { .. }
            | Op::FlushTlbMm { .. }) => self.allocator(op, ret),
            Op::Rmap(op) => self.rmap(op, ret),
            Op::Anon(op) => self.anon(op, ret),
            _ => super::narrate_work::say(self.timeline, self.record),
        }
    }

    pub(super) fn page(&self, frame: Pfn) -> String {
        match self.timeline.numbers().of(frame) {
            Some(number) => format!("page {number}"),
            None => format!("frame {frame}"),
        }
    }

    fn number(&self, frame: Pfn) -> u32 {
        self.timeline.numbers().of(frame).unwrap_or(frame)
    }

    fn lock(&self, lock: LockId) -> String {
        if lock.class == LockClass::Ptl { "the page-table lock".to_string() } else { self.timeline.lock_name(lock) }
    }

    pub(super) fn index(&self, mm: u8, vpn: u32) -> u32 {
        vpn - self.timeline.world().machine.mms[mm as usize].vmas[0].start
    }

    fn read(&self, what: Read, frame: Pfn, ret: u32) -> String {
        let page = self.page(frame);
        match (what, ret) {
            (Read::Flag(PageFlag::Lru), 0) => format!("looks at {page}: it is on *no list* (PG_lru is clear)"),
            (Read::Flag(PageFlag::Lru), _) => format!("looks at {page}: it is *on a list* (PG_lru is set)"),
            (Read::Flag(flag), 0) => format!("looks at {page}: *{} is clear*", flag.name()),
            (Read::Flag(flag), _) => format!("looks at {page}: *{} is set*", flag.name()),
            (Read::Mapcount, 1) => format!("looks who maps {page}: *this process only*"),
            (Read::Mapcount, n) => format!("looks who maps {page}: *{n} PTEs*"),
            (Read::Evictable, 0) => format!("looks whether {page} may be reclaimed: *no, it is mlocked*"),
            (Read::Evictable, _) => format!("looks whether {page} may be reclaimed: *yes, evictable*"),
            (Read::Waiters, 0) => format!("sees that *nobody waits* for {page}"),
            (Read::Waiters, _) => format!("sees that *somebody waits* for {page}"),
            (Read::Buddy, 0) => format!("looks at the buddy, {page}: *not free as a whole*"),
            (Read::Buddy, n) => format!("looks at the buddy, {page}: *a free block of order {}*", n - 1),
            (Read::HigherBuddy, 0) => {
                format!("looks at {page}, the buddy of the pair: *not free*, so no merge is near")
            }
            (Read::HigherBuddy, n) => format!("looks at {page}, the buddy of the pair: *free, order {}*", n - 1),
            (Read::PageCheck, 0) => format!("checks {page}: *something is still set*, it is given up"),
            (Read::PageCheck, _) => format!("checks that nothing is left on {page}: *it is clean*"),
            (Read::PcpType, mt) => format!("reads the type kept in {page}: *{}*", MigrateType::from_index(mt).name()),
            (Read::Pageblock, mt) => format!("reads the pageblock's type: *{}*", MigrateType::from_index(mt).name()),
            (Read::Refcount, n) => format!("reads how many hold {page}: *{n} references*"),
            (Read::MlockCount, n) => format!("reads how often {page} is mlocked: *{n}*"),
        }
    }

    fn read_pagevec(&self, pv: Pv, ret: u32) -> String {
        match ret {
            0 => format!("looks into its {}: *empty*", pv.kind.name()),
            1 => format!("looks into its {}: *1 page waits*", pv.kind.name()),
            n => format!("looks into its {}: *{n} pages wait*", pv.kind.name()),
        }
    }

    fn flag(&self, flag: PageFlag, how: How, frame: Pfn, ret: u32) -> String {
        let (page, name) = (self.page(frame), flag.name());
        match how {
            How::TestClear if ret == 1 => format!("clears *{name}* of {page}, which was set"),
            How::TestClear => format!("finds *{name}* of {page} clear already"),
            How::TestSet if ret == 1 => format!("finds *{name}* of {page} set already"),
            How::TestSet | How::Set | How::PlainSet => format!("sets *{name}* of {page}"),
            How::Clear | How::PlainClear => format!("clears *{name}* of {page}"),
        }
    }

    fn get(&self, frame: Pfn, site: Site) -> String {
        let (page, count) = (self.page(frame), self.timeline.world().machine.page(frame).count);
        match site {
            Site::FollowPage => format!("*pins* {page}: its _count is {count} now"),
            Site::LruCacheAdd => format!("gets a reference of {page} *for the pagevec slot*: _count {count}"),
            Site::MlockBatch => format!("gets a reference of {page} *for the batch*: _count {count}"),
            Site::Isolate | Site::IsolateUnlessZero => {
                format!("gets a reference of {page} *to isolate it*: _count {count}")
            }
            _ => format!("gets *a reference* of {page}: _count {count}"),
        }
    }

    fn put(&self, frame: Pfn, site: Site, ret: u32) -> String {
        let (page, count) = (self.page(frame), self.timeline.world().machine.page(frame).count);
        if ret == 1 {
            return format!("drops the *last reference* of {page}, which must be freed now");
        }
        match site {
            Site::PutbackLruPage => format!("drops the *isolator's reference* of {page}: _count {count}"),
            Site::ReleasePages => format!("drops the reference of {page} that *its slot* stood for: _count {count}"),
            _ => format!("drops *its pin* of {page}: _count {count}"),
        }
    }

    fn spin_lock(&self, lock: LockId, irq: bool) -> String {
        let name = self.lock(lock);
        let irqs = if irq { " and turns interrupts off" } else { "" };
        match self.purpose() {
            Some(purpose) => format!("takes *{name}*{irqs} {purpose}"),
            None => format!("takes *{name}*{irqs}"),
        }
    }

    // What the function that takes the lock is after.
    fn purpose(&self) -> Option<String> {
        let frame = self.record.frame()?;
        let machine = &self.timeline.world().machine;
        let filled = |kind, owner| machine.pagevec(Pv { kind, owner }).nr;
        let task = self.record.task;
        Some(match self.timeline.frames()[frame as usize].func.name {
            "__pagevec_lru_add" => {
                let putback = filled(PagevecKind::Putback, task);
                let drained = match putback {
                    0 => self.emptied_next().unwrap_or(Pv { kind: PagevecKind::LruAdd, owner: self.record.cpu }),
                    _ => Pv { kind: PagevecKind::Putback, owner: task },
                };
                match *machine.pagevec(drained).filled() {
                    [frame] => format!("to put *one page*, {}, back on a list", self.number(frame)),
                    ref filled => format!("to put *{} pages* back on their lists", filled.len()),
                }
            }
            "isolate_pagevec" => format!("to isolate *{}* at once", pages(filled(PagevecKind::OnStack, task))),
            "relock_lruvec_irq" => format!("for its batch of *{}*", pages(filled(PagevecKind::Mlock, self.record.cpu))),
            "isolate_lru_page" => "to take *one page* off its list".to_string(),
            "add_page_to_unevictable_list" => "to put *one page* on the unevictable list".to_string(),
            "munlock_vma_page_under_lock" => "to munlock and isolate *one huge page*".to_string(),
            "free_dead_page" => "to take a *dead page* off its list".to_string(),
            "split_huge_page_refcount" => "for the *whole split*".to_string(),
            "mlock_pte_range" => "for *the whole table*".to_string(),
            "__munlock_pagevec_fill" | "get_locked_pte" => "to look at *several PTEs*".to_string(),
            "follow_page_mask" => "to look at *one PTE*".to_string(),
            _ => return None,
        })
    }

    // The pagevec for a list of 3.2 that this task goes on to empty.
    fn emptied_next(&self) -> Option<Pv> {
        let own = |record: &&Record| record.task == self.record.task;
        let ahead = self.timeline.records()[self.timeline.cursor()..].iter().filter(own);
        let mut emptied = ahead.filter_map(|record| match record.op {
            Op::PvecReinit { pv } => Some(pv),
            _ => None,
        });
        emptied.next().filter(|pv| pv.kind.list().is_some())
    }

    fn spin_unlock(&self, lock: LockId, irq: bool) -> String {
        let begun = self.timeline.index().begun(lock, self.timeline.cursor() as u32);
        let steps = begun.last().map_or(0, |span| span.end.saturating_sub(span.start));
        let irqs = if irq { " and turns interrupts on" } else { "" };
        format!("lets *{}* go after {steps} steps{irqs}", self.lock(lock))
    }

    fn pagevec_add(&self, pv: Pv, frame: Pfn, filled: u32) -> String {
        let size = self.timeline.config().pagevec;
        let page = self.page(frame);
        match pv.kind {
            PagevecKind::OnStack => {
                format!("notes {page} in slot *{filled} of {size}* on its own stack: *no lock, no atomic*")
            }
            PagevecKind::Putback => format!("lines {page} up to go back, *{filled} of {size}*: *no reference taken*"),
            kind => format!("puts {page} into its {}, slot *{filled} of {size}*", kind.name()),
        }
    }

    fn event(&self, event: Event, n: u32) -> String {
        let name = event.name();
        match n {
            0 => format!("counts *no* {name}"),
            1 => format!("counts one *{name}*"),
            n => format!("counts *{n}* {name} at once"),
        }
    }

    fn read_pte(&self, mm: u8, vpn: u32, pte: u32) -> String {
        let index = self.index(mm, vpn);
        match pte {
            PTE_NONE => format!("reads the PTE of address {index}: *no page there*"),
            PTE_ZERO => format!("reads the PTE of address {index}: *the zero page*"),
            pte => format!("reads the PTE of address {index}: it maps *{}*", self.page(pte_page(pte).unwrap_or(pte))),
        }
    }
}

fn stat(item: Stat, delta: i32, folded: u32) -> String {
    let fold = if folded == 1 { ", and *folds* it into the zone's: 2 atomics" } else { "" };
    let by = if delta < 0 { format!("\u{2212}{}", -i64::from(delta)) } else { format!("+{delta}") };
    format!("counts *{} {by}* in its own difference{fold}", item.name())
}

fn pages(n: u8) -> String {
    if n == 1 { "one page".to_string() } else { format!("{n} pages") }
}

fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

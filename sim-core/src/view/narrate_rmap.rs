//! Sentences for the steps of unmapping.

use alloc::format;
use alloc::string::{String, ToString};

use super::narrate::Sentence;
use crate::machine::{NIL, PTE_HWPOISON, PTE_NONE, PTRS_PER_PTE, pte_page, pte_swap};
use crate::op::{Look, Note, RmapOp};

impl Sentence<'_> {
    pub(super) fn rmap(&self, op: RmapOp, ret: u32) -> String {
        match op {
            RmapOp::Look { why, mm, index, addr } => self.look(why, mm, index, addr, ret),
            RmapOp::Xchg { mm, index, addr } => {
                let at = self.index(mm, entry(addr, index));
                match pte_page(ret) {
                    Some(page) => format!("*clears the PTE* of address {at}, which mapped *{}*", self.page(page)),
                    None => format!("*clears the PTE* of address {at}: before, {}", self.pte(ret)),
                }
            }
            RmapOp::Put { mm, index, addr, pte } => {
                let at = self.index(mm, entry(addr, index));
                match pte_page(pte) {
                    Some(page) => format!("*puts the PTE* of address {at} back: it maps {} again", self.page(page)),
                    None => format!("writes the PTE of address {at}: *{}*", self.pte(pte)),
                }
            }
            RmapOp::MkOld { mm, index, addr } => {
                let at = self.index(mm, entry(addr, index));
                let was = if ret == 1 { "*was used* since the last look" } else { "was *not used*" };
                format!("clears the young bit of the PTE of address {at}, which {was}")
            }
            RmapOp::Touch { mm, write, vpn } => self.touched(mm, write, vpn, ret),
            RmapOp::GenInc { .. } => "raises *tlb_gen*: whoever lags must flush".to_string(),
            RmapOp::Invlpg { mm, vpn } => {
                format!("takes address {} *out of its TLB*: INVLPG", self.index(mm, vpn))
            }
            RmapOp::FullFlush => "*empties its whole TLB*".to_string(),
            RmapOp::CaughtUp { .. } => "notes that its TLB is *up to date*".to_string(),
            RmapOp::Ipi { cpu } if ret == 1 => format!("*interrupts CPU {cpu}*, which empties its TLB"),
            RmapOp::Ipi { cpu } => format!("*interrupts CPU {cpu}*, whose TLB is up to date"),
            RmapOp::UbcAdd { .. } => "notes which CPUs to *flush later*".to_string(),
            RmapOp::FlushBatched { .. } => {
                format!("counts one more flush that is *pending* for the address space: {ret}")
            }
            RmapOp::UbcReset => "has *nothing left* to flush later".to_string(),
            RmapOp::Rss { member, delta, fold, .. } => {
                let fold = if fold { ", and *folds* its part into the common count" } else { "" };
                format!("counts *{} {}* in its own part{fold}", member.name(), signed(delta))
            }
            RmapOp::Hiwater { .. } => "notes the *most memory* that the process ever had".to_string(),
            RmapOp::Note { what, page, arg } => self.noted(what, page, arg),
            RmapOp::Memcg { item, delta } => {
                format!("counts *{} {}* for the memory cgroup", item.name(), signed(delta))
            }
            RmapOp::Lruvec { item, delta } => format!("counts *{} {}* for its lruvec", item.name(), signed(delta)),
            RmapOp::RstatUpdated if ret == 1 => "puts the cgroup on the list of those *with news*".to_string(),
            RmapOp::RstatUpdated => "sees that the cgroup is on the list of those *with news*".to_string(),
            RmapOp::StatsUpdates { by, .. } if ret > 0 => {
                format!("counts {by} *changes* not flushed yet, and hands {ret} on: 1 atomic")
            }
            RmapOp::StatsUpdates { by, .. } => format!("counts {by} *changes* not flushed yet"),
            RmapOp::NrMapped { folio, delta } => {
                format!("counts *mapped pages* of the folio of {}: {}, {ret} now", self.page(folio), signed(delta))
            }
            RmapOp::Entire { folio } => format!("maps the folio of {} *by a pmd*", self.page(folio)),
            RmapOp::Large { folio, lock: true } => format!("takes the *bit lock* of the folio of {}", self.page(folio)),
            RmapOp::Large { folio, .. } => format!("lets the *bit lock* of the folio of {} go", self.page(folio)),
            RmapOp::LargeMapcount { delta, .. } => {
                format!("counts *all mappings* of the folio: {}, {ret} now", signed(delta))
            }
            RmapOp::MmSlot { delta, .. } => {
                format!("counts *this process's mappings* of the folio: {}, {ret} now", signed(delta))
            }
            RmapOp::RefSub { folio, n, .. } => {
                format!("drops *{n} references* of the folio of {} by one atomic: {ret} left", self.page(folio))
            }
            RmapOp::RefFreeze { folio, .. } if ret == 1 => {
                format!("*freezes* the folio of {}: nobody else holds it", self.page(folio))
            }
            RmapOp::RefFreeze { folio, .. } => format!("finds that *somebody holds* the folio of {}", self.page(folio)),
            RmapOp::Swap { entry, dup: true } if ret == 0 => format!("*can't count* swap entry {entry} once more"),
            RmapOp::Swap { entry, dup: true } => format!("counts *swap entry {entry}* once more"),
            RmapOp::Swap { entry, .. } => format!("counts *swap entry {entry}* once less"),
            RmapOp::MmListAdd { .. } => "puts the process on the list of those *with swap entries*".to_string(),
            RmapOp::DeferSplit { folio } => format!("queues the folio of {} *to be split*", self.page(folio)),
            RmapOp::CacheDel { folio } => format!("takes the folio of {} *out of the page cache*", self.page(folio)),
        }
    }

    fn look(&self, why: Look, mm: u8, index: u16, addr: u32, pte: u32) -> String {
        let at = self.index(mm, entry(addr, index));
        if u32::from(index) >= PTRS_PER_PTE {
            return format!("reads *entry {index} of a table of {PTRS_PER_PTE}*: memory behind the page table");
        }
        let what = match why {
            Look::Walk => "walks to the PTE of",
            Look::Read => "reads the PTE of",
            Look::Ahead => "peeks at the next PTE,",
            Look::Age => "looks at the PTE of",
        };
        let slip = if entry(addr, index) == addr || why == Look::Ahead {
            String::new()
        } else {
            format!(", while its address is *{}*", self.index(mm, addr))
        };
        format!("{what} address {at}: {}{slip}", self.pte(pte))
    }

    fn touched(&self, mm: u8, write: bool, vpn: u32, ret: u32) -> String {
        let what = if write { "writes" } else { "reads" };
        let at = self.index(mm, vpn);
        match ret {
            NIL => format!("{what} address {at} in user code and would *fault*"),
            page => format!("{what} address {at} in user code and reaches *{}*", self.page(page)),
        }
    }

    fn noted(&self, what: Note, page: u32, arg: u32) -> String {
        match what {
            Note::NotifierStart => "tells the MMU notifiers that the range *will change*".to_string(),
            Note::NotifierEnd if arg & 1 == 1 => "ends with the folio *unmapped from this VMA*".to_string(),
            Note::NotifierEnd => "*gives up*: the folio stays mapped in this VMA".to_string(),
            Note::Notify => "tells the MMU notifiers that *one address* has changed".to_string(),
            Note::PageHeadHuge | Note::PageHuge => "asks whether the folio is *hugetlb*: it is not".to_string(),
            Note::HwpoisonTest => format!("asks whether {} is *poisoned*", self.page(page)),
            Note::ByValue => "*copies* the walk and the range for the call".to_string(),
            Note::StatBegin => format!("begins *one statistics call* for {}", pages(arg)),
            Note::StatEnd => "ends the statistics call".to_string(),
            Note::Warn => "*warns*: the folio is neither swappable nor lazyfree; its PTE stays cleared".to_string(),
        }
    }

    fn pte(&self, pte: u32) -> String {
        if let Some(page) = pte_page(pte) {
            return format!("it maps *{}*", self.page(page));
        }
        match pte {
            PTE_NONE => "*nothing there*".to_string(),
            PTE_HWPOISON => "*a poison entry*".to_string(),
            _ => pte_swap(pte).map_or("something else".to_string(), |entry| format!("*swap entry {entry}*")),
        }
    }
}

// The address that an entry belongs to.
fn entry(addr: u32, index: u16) -> u32 {
    addr - addr % PTRS_PER_PTE + u32::from(index)
}

fn signed(delta: i32) -> String {
    if delta < 0 { format!("\u{2212}{}", -i64::from(delta)) } else { format!("+{delta}") }
}

fn pages(n: u32) -> String {
    if n == 1 { "one page".to_string() } else { format!("*{n} pages*") }
}

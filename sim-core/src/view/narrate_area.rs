//! Sentences for what the page allocator does.

use alloc::format;
use alloc::string::{String, ToString};

use super::narrate::Sentence;
use crate::machine::{AreaList, LockClass};
use crate::op::Op;

impl Sentence<'_> {
    pub(super) fn allocator(&self, op: Op, ret: u32) -> String {
        match op {
            Op::AreaAdd { list, tail, page } => {
                let end = if tail { "tail" } else { "head" };
                format!("puts {} at the *{end}* of {}{}", self.page(page), list_name(list), locked(ret))
            }
            Op::AreaDel { list, page } => {
                format!("takes {} off {}{}", self.page(page), list_name(list), locked(ret))
            }
            Op::AreaNext { page, .. } => format!("notes who comes *next*, and goes on with {}", self.page(page)),
            Op::AreaEmpty { list, again, .. } => {
                let what = if ret == 1 { "*empty*" } else { "*not empty*" };
                let goes = if again { "looks whether more is on" } else { "looks at" };
                format!("{goes} {}: {what}", list_name(list))
            }
            Op::SetBuddy { order, page } => format!("marks {} as a *free block of order {order}*", self.page(page)),
            Op::ClearBuddy { page } => format!("clears the mark of {}: *no free block* any more", self.page(page)),
            Op::NrFree { order, add, .. } => {
                format!("counts one free block of order {order} *{}*", if add { "more" } else { "less" })
            }
            Op::SetPcpType { page, mt } => format!("keeps the type *{}* in {}", mt.name(), self.page(page)),
            Op::SetPageblock { mt, .. } => format!("gives the pageblock the type *{}*", mt.name()),
            Op::Prefetch { page } => format!("asks for the cache line of {}, *without waiting*", self.page(page)),
            _ => self.allocator_number(op, ret),
        }
    }

    fn allocator_number(&self, op: Op, ret: u32) -> String {
        match op {
            Op::NrIsolate { add: true, .. } => "counts one *isolated pageblock* more".to_string(),
            Op::NrIsolate { .. } => "counts one *isolated pageblock* less".to_string(),
            Op::ReadIsolate { .. } if ret == 0 => "sees that *no pageblock is isolated*".to_string(),
            Op::ReadIsolate { .. } => format!("sees that *{ret} pageblocks are isolated*: types are read again"),
            Op::ReadPcp { cpu, field, .. } => format!("reads *{}* of the lists of CPU {cpu}: {ret}", field.name()),
            Op::SetPcp { cpu, field, value, .. } => {
                format!("writes *{} = {value}* of the lists of CPU {cpu}", field.name())
            }
            Op::ZoneBelowHigh { on: true, .. } => "notes that free pages are *below the high watermark*".to_string(),
            Op::ZoneBelowHigh { .. } => "notes that free pages are *above the high watermark*".to_string(),
            Op::ReadFreePages { .. } => format!("reads how many pages are free in the zone: *{ret}*"),
            Op::PrepareNew { page, .. } => format!("hands out {}: its *count is 1*", self.page(page)),
            Op::PrepareFree { page, .. } => {
                format!("clears flags and mapping of {}, which *is to be freed*", self.page(page))
            }
            Op::SpinTrylock { class, .. } => match (class, ret) {
                (LockClass::Pcp, 1) => "gets the *lock of its own page lists*".to_string(),
                (_, 1) => format!("gets *{}* without waiting", class.words()),
                _ => format!("can't get {} and *goes on without it*", class.words()),
            },
            Op::GetClearPte { mm, vpn } => format!("*clears* the PTE of address {}, atomically", self.index(mm, vpn)),
            Op::FlushTlbMm { .. } => "*flushes* the TLB: the old addresses are gone everywhere".to_string(),
            other => crate::op::text(&other, ret),
        }
    }
}

fn locked(ret: u32) -> &'static str {
    if ret == 1 { ", *under zone->lock*" } else { "" }
}

fn list_name(list: AreaList) -> String {
    match list {
        AreaList::Free { order, mt } => format!("the free list of order {order} ({})", mt.name()),
        AreaList::Pcp { mt, .. } => format!("its own {} list", mt.name()),
        AreaList::Local { .. } => "the list on its stack".to_string(),
        AreaList::Dead { .. } => "the list of dead pages".to_string(),
        AreaList::PcpOrder { .. } => format!("its own list of order {}", list.order()),
    }
}

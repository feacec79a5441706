//! Numbers of pages: what stands on the tiles.

use alloc::vec;
use alloc::vec::Vec;

use super::PageNo;
use crate::machine::{Machine, NIL, Pfn, Pmd, pte_page};

/// Page numbers by frame and frames by number, fixed when the run starts: pages are numbered in the order in which the
/// page tables of the address spaces name them first, then in the order in which the run allocates them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    by_frame: Vec<u32>,
    frames: Vec<Pfn>,
}

impl Numbers {
    pub(crate) fn new(machine: &Machine) -> Numbers {
        let mut numbers = Numbers { by_frame: vec![NIL; machine.pages.len()], frames: Vec::new() };
        // Every frame of a page allocator takes part: its number is its place in memory.
        for zone in machine.zones.iter().filter(|zone| zone.buddy.is_some()) {
            (zone.start..zone.end).for_each(|frame| numbers.add(frame));
        }
        // Folios keep the numbers of their pages in the range, whether these are mapped or not.
        let range = machine.rmap.iter().flat_map(|rmap| &rmap.range);
        range.flat_map(|&head| head..head + machine.page(head).nr()).for_each(|page| numbers.add(page));
        if machine.swap.is_some() {
            // Pages come and go here: every frame has the number that it has in memory.
            (0..machine.pages.len() as Pfn).for_each(|frame| numbers.add(frame));
        }
        for mm in &machine.mms {
            for pmd in &mm.pmds {
                match *pmd {
                    Pmd::Table(table) => {
                        let ptes = &machine.tables[table as usize * 512..][..512];
                        ptes.iter().filter_map(|&pte| pte_page(pte)).for_each(|page| numbers.add(page));
                    }
                    Pmd::Huge(head) => numbers.add(head),
                    Pmd::None | Pmd::HugeZero => {}
                }
            }
        }
        // Where tasks fault in more while others drain, every frame takes part.
        if !machine.work.pools.is_empty() {
            (0..machine.pages.len() as Pfn).for_each(|frame| numbers.add(frame));
        }
        numbers
    }

    /// Numbers a page that the run allocates, behind all others.
    pub(crate) fn add(&mut self, frame: Pfn) {
        let number = &mut self.by_frame[frame as usize];
        if *number == NIL {
            *number = self.frames.len() as u32;
            self.frames.push(frame);
        }
    }

    /// Number of the page in a frame; none for frames that take no part in the run.
    pub fn of(&self, frame: Pfn) -> Option<PageNo> {
        self.by_frame.get(frame as usize).copied().filter(|&number| number != NIL)
    }

    /// Frame of a page.
    pub fn frame(&self, page: PageNo) -> Option<Pfn> {
        self.frames.get(page as usize).copied()
    }

    /// Frames of all numbered pages, by number.
    pub fn frames(&self) -> &[Pfn] {
        &self.frames
    }
}

//! Fills [`Lanes`] from a timeline.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::{Block, FunctionKind, FunctionSpan, Lanes, Span};
use crate::engine::{Frame, HoldSpan, Milestone, Timeline};
use crate::machine::LockClass;

// Functions that make a phase of a batch, by name.
const PHASES: &[(&str, &str)] =
    &[("isolate_pagevec", "isolate"), ("__putback_lru_fast", "put"), ("mlock_folio_batch", "munlock")];

impl Timeline {
    /// The lanes of the whole run; `lock` is the one that the picture is about.
    pub fn lanes(&self, lock: LockClass) -> Lanes {
        Lanes {
            steps: self.len() as u32,
            stopped: self.violation().map(|violation| violation.rule),
            blocks: self.blocks(),
            functions: self.function_spans(),
            lock: lock.words(),
            holds: self.holds_lane(&[lock]),
            page_lock: self.holds_lane(&[LockClass::Page]),
            ptl: self.holds_lane(&[LockClass::Ptl, LockClass::PageTable]),
            waits: self.index().waits().iter().map(|wait| self.span(wait.cpu, wait.start, wait.end)).collect(),
            works: self.work_spans(),
            sleeps: self.sleep_spans(),
        }
    }

    fn span(&self, cpu: u8, start: u32, end: u32) -> Span {
        Span { cpu, start, end: end.min(self.len() as u32) }
    }

    fn holds_lane(&self, classes: &[LockClass]) -> Vec<Span> {
        let holds = classes.iter().flat_map(|&class| self.index().holds_of(class));
        let mut spans: Vec<Span> = holds.map(|&HoldSpan { cpu, start, end, .. }| self.span(cpu, start, end)).collect();
        spans.sort_by_key(|span| span.start);
        spans
    }

    // One block for each batch where pages are batched, else one for each page of the loop.
    fn blocks(&self) -> Vec<Block> {
        let calls: Vec<(u32, u32)> = self
            .marks()
            .iter()
            .filter_map(|mark| if let Milestone::Call(call) = mark.milestone { Some((call, mark.step)) } else { None })
            .collect();
        if !calls.is_empty() {
            return pages_as_blocks(&calls, self.step_of(Milestone::SyscallExit).unwrap_or(self.len()) as u32);
        }
        let batches: Vec<Frame> = self.frames().iter().filter(is_batch).collect();
        let pages: Vec<(u32, u32)> = self
            .marks()
            .iter()
            .filter_map(|mark| match mark.milestone {
                Milestone::LoopAt(page) => Some((page, mark.step)),
                _ => None,
            })
            .collect();
        let end = self.step_of(Milestone::RangeDone).unwrap_or(self.len()) as u32;
        if batches.is_empty() {
            return self.with_unmaps(pages_as_blocks(&pages, end));
        }
        let mut blocks = Vec::new();
        let mut from = pages.first().map_or(0, |&(_, step)| step);
        let mut first = 0;
        for batch in batches {
            let until = batch.end.min(self.len() as u32);
            let seen = pages.partition_point(|&(_, step)| step <= batch.start);
            let Some(last) = seen.checked_sub(1).filter(|&last| last >= first) else { continue };
            blocks.push(Block {
                span: Span { cpu: 0, start: from, end: until },
                pages: (pages[first].0, pages[last].0),
                phases: self.phases(&batch, from, until),
            });
            (from, first) = (until, seen);
        }
        blocks
    }

    // Where a program unmaps what it has gone through, that is a block of its own and not part of the last page.
    fn with_unmaps(&self, blocks: Vec<Block>) -> Vec<Block> {
        let unmaps: Vec<(u32, u32)> = self
            .frames()
            .iter()
            .filter(|frame| frame.func.name == "do_munmap" && frame.end > frame.start)
            .map(|frame| (frame.start, frame.end.min(self.len() as u32)))
            .collect();
        let mut split = Vec::with_capacity(blocks.len() + unmaps.len());
        for block in blocks {
            let Span { cpu, start, end } = block.span;
            match unmaps.iter().find(|unmap| start < unmap.0 && unmap.0 < end) {
                None => split.push(block),
                Some(&(from, until)) => {
                    let next = block.pages.1 + 1;
                    split.push(Block { span: Span { cpu, start, end: from }, ..block });
                    split.push(Block {
                        span: Span { cpu, start: from, end: until.min(end) },
                        pages: (next, next),
                        phases: alloc::vec![("munmap".to_string(), from, until.min(end))],
                    });
                }
            }
        }
        split
    }

    fn phases(&self, batch: &Frame, from: u32, until: u32) -> Vec<(alloc::string::String, u32, u32)> {
        let mut phases = alloc::vec![("pin".to_string(), from, batch.start)];
        let inner = self.frames().iter().filter(|frame| frame.start >= batch.start && frame.end <= batch.end);
        let named = inner.filter_map(|frame| {
            let name =
                PHASES.iter().find(|(func, _)| *func == frame.func.name && !core::ptr::eq(frame.func, batch.func))?.1;
            Some((name, frame.start, frame.end))
        });
        let mut at = batch.start;
        for (name, start, end) in named {
            if start > at {
                phases.push(("munlock".to_string(), at, start));
            }
            phases.push((name.to_string(), start, end));
            at = end;
        }
        if at < until {
            phases.push(("munlock".to_string(), at, until));
        }
        phases
    }

    // The calls right below the range loop, in steps, each with its kind.
    fn function_spans(&self) -> Vec<FunctionSpan> {
        if let Some(spans) = self.spans_of_calls() {
            return spans;
        }
        let Some(top) = self.frames().iter().position(|frame| frame.func.name.ends_with("_pages_range")) else {
            return self.shaded_spans();
        };
        let depth = self.depth(Some(top as u32));
        let mut spans: Vec<FunctionSpan> = self
            .frames()
            .iter()
            .enumerate()
            .filter(|&(index, frame)| frame.end > frame.start && self.shows_function(index as u32, depth))
            .map(|(_, frame)| FunctionSpan {
                span: self.span(0, frame.start, frame.end),
                name: frame.func.name,
                kind: kind(frame.func.name),
            })
            .collect();
        spans.sort_by_key(|span| span.span.start);
        spans
    }

    // Where there is no range loop: the outermost functions that have a shade.
    fn shaded_spans(&self) -> Vec<FunctionSpan> {
        let shaded = |frame: &Frame| kind(frame.func.name) != FunctionKind::Other && frame.end > frame.start;
        let outermost = |frame: &Frame| {
            let mut above = frame.parent();
            while let Some(parent) = above.and_then(|index| self.frames().get(index)) {
                if shaded(&parent) {
                    return false;
                }
                above = parent.parent();
            }
            shaded(frame)
        };
        let spans = self.frames().iter().filter(outermost).map(|frame| FunctionSpan {
            span: self.span(0, frame.start, frame.end),
            name: frame.func.name,
            kind: kind(frame.func.name),
        });
        let mut spans: Vec<FunctionSpan> = spans.collect();
        spans.sort_by_key(|span| span.span.start);
        spans
    }

    // The innermost function with a shade of its own, seen from the range loop.
    fn shows_function(&self, frame: u32, top: usize) -> bool {
        let func = self.frames()[frame as usize].func;
        let parent = self.frames().get(frame).and_then(|frame| frame.parent());
        let depth = self.depth(Some(frame));
        let shaded = kind(func.name) != FunctionKind::Other;
        let parent_shaded =
            parent.is_some_and(|parent| kind(self.frames()[parent as usize].func.name) != FunctionKind::Other);
        depth > top && shaded && !parent_shaded || depth == top + 1 && !shaded
    }
}

fn is_batch(frame: &Frame) -> bool {
    matches!(frame.func.name, "__munlock_pagevec" | "mlock_folio_batch") && frame.end > frame.start
}

fn pages_as_blocks(pages: &[(u32, u32)], end: u32) -> Vec<Block> {
    let ends = pages.iter().skip(1).map(|&(_, step)| step).chain(core::iter::once(end));
    pages
        .iter()
        .zip(ends)
        .map(|(&(page, start), end)| Block {
            span: Span { cpu: 0, start, end },
            pages: (page, page),
            phases: Vec::new(),
        })
        .collect()
}

/// The kind of a kernel function, by name.
pub fn kind(name: &str) -> FunctionKind {
    match name {
        "lru_add_drain" | "__pagevec_lru_add" | "lru_cache_add" | "lru_add_drain_all" | "lru_add_drain_all_async" => {
            FunctionKind::Drain
        }
        "isolate_lru_page" | "isolate_pagevec" | "munlock_folio_one" => FunctionKind::Isolate,
        "putback_lru_page" | "__putback_lru_fast" => FunctionKind::Putback,
        "follow_page_mask" | "__munlock_pagevec_fill" | "get_locked_pte" => FunctionKind::Walk,
        // The other series.
        "page_vma_mapped_walk" | "isolate_lru_pages" => FunctionKind::Walk,
        "rmqueue_bulk" | "clear_pte" | "do_swap_page" => FunctionKind::Isolate,
        "free_folios" | "putback_lru_pages" => FunctionKind::Putback,
        "lru_cache_add_lru" | "free_pcppages_bulk" | "free_pcppages_bulk_single" | "shrink_page" => FunctionKind::Drain,
        "page_remove_rmap" | "folio_remove_rmap_ptes" | "folio_remove_rmap_range" => FunctionKind::Drain,
        _ => FunctionKind::Other,
    }
}

//! The source of the modelled functions, embedded for the code panel, and which lines a variant does not have.
//!
//! The listing is the code: nothing can drift. A branch that depends on a patch is written as
//! `if cpu.has(Patch::X)` (or `!cpu.has`, joined by `&&`), and that form is what is read here.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Config, Patch};

const FILES: &[(&str, &str)] = &[
    ("kernel/huge_memory.rs", include_str!("huge_memory.rs")),
    ("kernel/memory.rs", include_str!("memory.rs")),
    ("kernel/mlock.rs", include_str!("mlock.rs")),
    ("kernel/mlock_batch.rs", include_str!("mlock_batch.rs")),
    ("kernel/mlock_pagevec.rs", include_str!("mlock_pagevec.rs")),
    ("kernel/mm_inline.rs", include_str!("mm_inline.rs")),
    ("kernel/rmap.rs", include_str!("rmap.rs")),
    ("kernel/swap.rs", include_str!("swap.rs")),
    ("kernel/truncate.rs", include_str!("truncate.rs")),
    ("kernel/vmscan.rs", include_str!("vmscan.rs")),
    ("kernel/lru_drain.rs", include_str!("lru_drain.rs")),
    ("kernel/mlock_call.rs", include_str!("mlock_call.rs")),
    ("kernel/workqueue.rs", include_str!("workqueue.rs")),
    ("kernel/mmu_gather.rs", include_str!("mmu_gather.rs")),
    ("kernel/page_alloc.rs", include_str!("page_alloc.rs")),
    ("kernel/page_alloc_fallback.rs", include_str!("page_alloc_fallback.rs")),
    ("kernel/page_free.rs", include_str!("page_free.rs")),
    ("kernel/page_isolation.rs", include_str!("page_isolation.rs")),
    ("kernel/pcp_bulk.rs", include_str!("pcp_bulk.rs")),
    ("kernel/pcp_today.rs", include_str!("pcp_today.rs")),
    ("kernel/pcp_orders.rs", include_str!("pcp_orders.rs")),
    ("kernel/memcontrol.rs", include_str!("memcontrol.rs")),
    ("kernel/pageout.rs", include_str!("pageout.rs")),
    ("kernel/rmap_batch.rs", include_str!("rmap_batch.rs")),
    ("kernel/rmap_map.rs", include_str!("rmap_map.rs")),
    ("kernel/rmap_remove.rs", include_str!("rmap_remove.rs")),
    ("kernel/rmap_swap.rs", include_str!("rmap_swap.rs")),
    ("kernel/rmap_unmap.rs", include_str!("rmap_unmap.rs")),
    ("kernel/rmap_walk.rs", include_str!("rmap_walk.rs")),
    ("kernel/shrink.rs", include_str!("shrink.rs")),
    ("kernel/tlb.rs", include_str!("tlb.rs")),
    ("kernel/alloc_2015.rs", include_str!("alloc_2015.rs")),
    ("kernel/madvise.rs", include_str!("madvise.rs")),
    ("kernel/madvise_today.rs", include_str!("madvise_today.rs")),
    ("kernel/memory_swap.rs", include_str!("memory_swap.rs")),
    ("kernel/page_io.rs", include_str!("page_io.rs")),
    ("kernel/program.rs", include_str!("program.rs")),
    ("kernel/rmap_2015.rs", include_str!("rmap_2015.rs")),
    ("kernel/swap_lazy.rs", include_str!("swap_lazy.rs")),
    ("kernel/swap_state.rs", include_str!("swap_state.rs")),
    ("kernel/swapfile.rs", include_str!("swapfile.rs")),
    ("kernel/vmscan_anon.rs", include_str!("vmscan_anon.rs")),
    ("kernel/vmscan_page.rs", include_str!("vmscan_page.rs")),
    ("kernel/fault.rs", include_str!("fault.rs")),
    ("kernel/mlock_range.rs", include_str!("mlock_range.rs")),
    ("kernel/mmap.rs", include_str!("mmap.rs")),
    ("kernel/vmscan_kswapd.rs", include_str!("vmscan_kswapd.rs")),
];

/// Text of a source file, by the path that a step's location gives; none for files that model nothing.
pub fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(suffix, _)| path.ends_with(suffix)).map(|&(_, text)| text)
}

/// Last part of a path.
pub fn short_name(path: &'static str) -> &'static str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// One line of a function, as a variant sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// Number in its file, from 1.
    pub number: u32,
    /// Its text.
    pub text: &'static str,
    /// The variant does not have it.
    pub absent: bool,
    /// What brings it or takes it away, on the first line of such a block: "patch 3 adds".
    pub note: Option<String>,
}

/// Lines of the function whose `#[kernel]` attribute is on a line, from its `fn` line to its closing brace.
pub fn function(path: &str, attribute: u32, config: Config) -> Vec<SourceLine> {
    let Some(text) = file(path) else { return Vec::new() };
    let lines = (1u32..).zip(text.lines()).skip(attribute as usize - 1);
    let mut body = Vec::new();
    for (number, text) in lines.skip_while(|(_, text)| !text.contains("fn ")) {
        body.push((number, text));
        if text == "}" {
            break;
        }
    }
    Reader::default().read(&body, config)
}

// What is known of a condition for a variant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    Yes,
    No,
    Unknown,
}

struct Block {
    indent: usize,
    absent: bool,
    // A branch before this one in the chain is taken by every run of the variant.
    settled: bool,
    truth: Truth,
    patch: Option<Patch>,
    returns: bool,
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    // Nothing behind a branch that is always taken and returns.
    unreachable: Option<Patch>,
}

impl Reader {
    fn read(mut self, body: &[(u32, &'static str)], config: Config) -> Vec<SourceLine> {
        let mut lines = Vec::new();
        let mut condition = String::new();
        for &(number, text) in body {
            let trimmed = text.trim_start();
            let indent = text.len() - trimmed.len();
            self.close(indent, trimmed);
            let absent = self.unreachable.is_some() || self.blocks.iter().any(|block| block.absent);
            let mut line = SourceLine { number, text, absent, note: None };
            if let Some(block) = self.blocks.last_mut() {
                block.returns |= trimmed.starts_with("return");
            }
            if !condition.is_empty() || starts_branch(trimmed) {
                condition.push_str(trimmed);
                condition.push(' ');
                if trimmed.ends_with('{') {
                    line.note = self.open(indent, &core::mem::take(&mut condition), config).filter(|_| !absent);
                }
            }
            if text == "}" {
                line.absent = false;
            }
            lines.push(line);
        }
        lines
    }

    // Leaves the blocks that end on this line; an `else` goes on with the chain.
    fn close(&mut self, indent: usize, trimmed: &str) {
        while trimmed.starts_with('}') && self.blocks.last().is_some_and(|block| block.indent == indent) {
            if trimmed.starts_with("} else") {
                return;
            }
            let Some(block) = self.blocks.pop() else { return };
            if block.truth == Truth::Yes
                && block.returns
                && self.blocks.iter().all(|outer| outer.truth != Truth::Unknown)
            {
                self.unreachable = block.patch;
            }
        }
    }

    // Enters a branch; returns the note for its line.
    fn open(&mut self, indent: usize, condition: &str, config: Config) -> Option<String> {
        let previous = if condition.starts_with("} else") { self.blocks.pop() } else { None };
        let settled = previous.as_ref().is_some_and(|block| block.settled || block.truth == Truth::Yes);
        let (truth, patch) = evaluate(condition, config);
        let patch = patch.or_else(|| previous.as_ref().and_then(|block| block.patch));
        let absent = settled || truth == Truth::No;
        self.blocks.push(Block { indent, absent, settled, truth, patch, returns: false });
        let patch = patch.filter(|_| condition.contains("cpu.has(Patch::"))?;
        absent.then(|| note(patch, config))
    }
}

fn note(patch: Patch, config: Config) -> String {
    let verb = if config.has(patch) { "removes" } else { "adds" };
    alloc::format!("{} {verb}", patch.source())
}

fn starts_branch(trimmed: &str) -> bool {
    trimmed.starts_with("if ") || trimmed.starts_with("} else")
}

// Value of a condition as far as patches decide it, and the patch that does.
fn evaluate(condition: &str, config: Config) -> (Truth, Option<Patch>) {
    if condition.contains("||") || !condition.contains("if ") {
        return (Truth::Unknown, None);
    }
    let mut truth = Truth::Yes;
    let mut named = None;
    for part in condition.split("&&") {
        let Some(patch) = named_patch(part) else {
            truth = if truth == Truth::No { Truth::No } else { Truth::Unknown };
            continue;
        };
        let holds = config.has(patch) != part.contains("!cpu.has(");
        named = named.filter(|_| truth == Truth::No).or(Some(patch));
        if !holds {
            truth = Truth::No;
        }
    }
    (truth, named)
}

fn named_patch(part: &str) -> Option<Patch> {
    let rest = part.split("cpu.has(Patch::").nth(1)?;
    let ident = rest.split(')').next()?;
    Patch::ALL.iter().copied().find(|patch| alloc::format!("{patch:?}") == ident)
}

//! A figure as text: lists, locks and counts in lines that fit into a mail.

use sim_core::view::{CpuView, LockView, PageNo, View};

use super::{Figure, FigureSide};

/// Columns of a mail.
const WIDTH: usize = 72;

pub fn text(figure: &Figure) -> String {
    let mut out = Lines::default();
    out.line(
        "",
        &format!(
            "{}, {}",
            figure.scenario,
            if figure.params.is_empty() { "default parameters" } else { &figure.params }
        ),
    );
    for side in &figure.sides {
        out.text.push('\n');
        one_side(&mut out, side);
    }
    out.text.push('\n');
    counts(&mut out, figure);
    if !figure.link.is_empty() {
        out.text.push('\n');
        out.broken("", &figure.link);
    }
    out.text
}

#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    /// A line that starts at an indent, wrapped at blanks; what follows is set in further. A longer word is broken.
    fn line(&mut self, indent: &str, text: &str) {
        let plain = text.replace(['\u{202f}', '\u{a0}'], " ").replace('\u{2212}', "-").replace(['–', '—'], "-");
        let mut column = 0;
        for word in plain.replace('×', "x").split(' ').filter(|word| !word.is_empty()) {
            for (part, piece) in pieces(word, WIDTH - indent.len() - 2).into_iter().enumerate() {
                let length = piece.chars().count();
                if column == 0 {
                    self.text.push_str(indent);
                    column = indent.len();
                } else if part > 0 || column + 1 + length > WIDTH {
                    self.text.push('\n');
                    self.text.push_str(indent);
                    self.text.push_str("  ");
                    column = indent.len() + 2;
                } else {
                    self.text.push(' ');
                    column += 1;
                }
                self.text.push_str(&piece);
                column += length;
            }
        }
        self.text.push('\n');
    }

    /// A text without blanks in as many lines as it takes: a link, to be joined again.
    fn broken(&mut self, indent: &str, text: &str) {
        for piece in pieces(text, WIDTH - indent.len()) {
            self.text.push_str(indent);
            self.text.push_str(&piece);
            self.text.push('\n');
        }
    }
}

fn pieces(word: &str, most: usize) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    chars.chunks(most.max(1)).map(|piece| piece.iter().collect()).collect()
}

fn one_side(out: &mut Lines, side: &FigureSide) {
    let name = if side.name.is_empty() { String::new() } else { format!("{}: ", side.name) };
    out.line("", &format!("{name}{} ({}), step {} of {}", side.label, side.variant, side.step, side.steps));
    out.line("  ", &side.sentence);
    if let Some(broken) = &side.broken {
        out.line("  ", &format!("BROKEN RULE: {broken}"));
    }
    spaces(out, &side.view);
    side.view.cpus.iter().for_each(|cpu| one_cpu(out, cpu));
    zones(out, &side.view);
    allocators(out, &side.view);
    page_locks(out, &side.view);
    swap(out, &side.view);
}

fn spaces(out: &mut Lines, view: &View) {
    for space in view.spaces.iter().filter(|space| !space.ptes.is_empty()) {
        let mapped = space.ptes.iter().filter(|pte| pte.page.is_some()).count();
        let vma = if space.vm_locked { ", VM_LOCKED" } else { "" };
        out.line("  ", &format!("{}: {mapped} of {} PTEs map a page{vma}", space.name, space.ptes.len()));
        lock(out, &space.mmap_sem);
        lock(out, &space.ptl);
    }
}

fn one_cpu(out: &mut Lines, cpu: &CpuView) {
    let mut words = vec![cpu.task.clone().unwrap_or_else(|| "idle".into())];
    words.extend(cpu.irqs_off.map(|steps| format!("interrupts off for {steps} steps")));
    words.extend(cpu.preempt_off.then(|| "preemption off".to_string()));
    words.extend((!cpu.holds.is_empty()).then(|| format!("holds {}", cpu.holds.join(", "))));
    words.extend(cpu.waits.as_ref().map(|(what, steps)| format!("waits for {what}, {steps} steps so far")));
    out.line("  ", &format!("CPU {}: {}", cpu.id, words.join(", ")));
    for pvec in cpu.pagevecs.iter().filter(|pvec| pvec.absent.is_none()) {
        let pages: Vec<PageNo> = pvec.slots.iter().flatten().copied().collect();
        out.line("    ", &format!("{} {}/{}: {}", pvec.name, pvec.slots.len(), pvec.capacity, ranges(&pages)));
    }
    if !cpu.isolated.is_empty() {
        out.line("    ", &format!("isolated: {}", ranges(&cpu.isolated)));
    }
}

fn zones(out: &mut Lines, view: &View) {
    for zone in &view.zones {
        out.line("  ", &zone.name);
        lock(out, &zone.lru_lock);
        for list in zone.lists.iter().filter(|list| !list.pages.is_empty()) {
            let count = list.pages.len();
            out.line("    ", &format!("{:<13} {count:>5}  {}", list.lru.name().replace(' ', "_"), ranges(&list.pages)));
        }
    }
}

fn allocators(out: &mut Lines, view: &View) {
    for zone in &view.allocators {
        out.line("  ", &format!("allocator of zone {}: {} pages free", zone.zone, zone.nr_free_pages));
        lock(out, &zone.lock);
        let orders = zone.nr_free.iter().enumerate().filter(|(_, n)| **n > 0);
        let orders: Vec<String> = orders.map(|(order, n)| format!("{n} of order {order}")).collect();
        if !orders.is_empty() {
            out.line("    ", &format!("free blocks: {}", orders.join(", ")));
        }
        for pcp in &zone.pcps {
            let picked =
                if pcp.picked.is_empty() { String::new() } else { format!(", picked {}", ranges(&pcp.picked)) };
            out.line(
                "    ",
                &format!("CPU {}: pcp count {} of high {}, batch {}{picked}", pcp.cpu, pcp.count, pcp.high, pcp.batch),
            );
            lock(out, &pcp.lock);
        }
    }
}

fn page_locks(out: &mut Lines, view: &View) {
    let locked = view.pages.iter().filter_map(|page| Some((page.no, page.lock?)));
    for (page, hold) in locked.take(8) {
        out.line("  ", &format!("page {page}: PG_locked, by CPU {} for {} steps", hold.cpu, hold.steps));
    }
}

fn swap(out: &mut Lines, view: &View) {
    let Some(swap) = &view.swap else { return };
    let used = swap.slots.iter().filter(|slot| slot.count > 0 || slot.has_cache).count();
    let writes = swap.writes.len();
    out.line(
        "  ",
        &format!(
            "swap: {used} of {} slots in use, {writes} writes under way, {} frames free",
            swap.slots.len(),
            swap.free_frames
        ),
    );
}

/// Whose a lock is; nothing of one that has never been taken.
fn lock(out: &mut Lines, lock: &LockView) {
    if lock.name.is_empty() || lock.taken == 0 && lock.holder.is_none() && lock.waiters.is_empty() {
        return;
    }
    let mut text = match lock.holder {
        Some(hold) => format!("{}: HELD by CPU {} for {} steps", lock.name, hold.cpu, hold.steps),
        None => format!("{}: free", lock.name),
    };
    if !lock.waiters.is_empty() {
        let waiters: Vec<String> = lock.waiters.iter().map(|wait| format!("CPU {}", wait.cpu)).collect();
        text.push_str(&format!(", awaited by {}", waiters.join(", ")));
    }
    out.line("    ", &format!("{text}; taken {} times", lock.taken));
}

/// "0-13 16 18-20": pages in their order, neighbours that follow each other as a range.
fn ranges(pages: &[PageNo]) -> String {
    let mut runs: Vec<(PageNo, PageNo)> = Vec::new();
    for &page in pages {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == page => *last = page,
            _ => runs.push((page, page)),
        }
    }
    let words =
        runs.iter().map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    words.collect::<Vec<_>>().join(" ")
}

fn counts(out: &mut Lines, figure: &Figure) {
    let two = figure.sides.len() > 1;
    let heading = if two {
        format!("{:<24}{:>12}{:>12}{:>12}", "so far", "old", "new", "diff")
    } else {
        format!("{:<24}{:>12}", "so far", "count")
    };
    out.text.push_str(&heading);
    out.text.push('\n');
    for (label, values) in &figure.rows {
        let numbers: String = values.iter().map(|n| format!("{n:>12}")).collect();
        let difference = match values[..] {
            [old, new] if old == new => format!("{:>12}", 0),
            [old, new] => format!("{:>+12}", new as i64 - old as i64),
            _ => String::new(),
        };
        out.text.push_str(&format!("{label:<24}{numbers}{difference}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_a_range() {
        assert_eq!(ranges(&[0, 1, 2, 5, 4, 7, 8]), "0-2 5 4 7-8");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn no_line_is_longer_than_a_mail_takes() {
        let mut out = Lines::default();
        out.line("    ", &format!("word {} {}", "x".repeat(300), "several more words ".repeat(20)));
        out.broken("", &"y".repeat(500));
        assert!(out.text.lines().all(|line| line.chars().count() <= WIDTH), "{}", out.text);
        assert_eq!(out.text.matches('x').count(), 300);
    }
}

//! How long the model works between two breaths: the longest of each report, in ms.
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

fn main() {
    let slice: u64 = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(4_000);
    for (series, make) in evidence::REPORTS {
        if std::env::args().nth(1).is_some_and(|wanted| wanted != *series && wanted != "all") {
            continue;
        }
        let last = Rc::new(Cell::new(Instant::now()));
        let gaps = Rc::new(RefCell::new(Vec::new()));
        let start = Instant::now();
        let (at, all) = (last.clone(), gaps.clone());
        let breathe = move || -> evidence::Breath {
            all.borrow_mut().push((at.get().elapsed().as_micros(), start.elapsed().as_millis()));
            at.set(Instant::now());
            Box::pin(std::future::ready(()))
        };
        let pace = evidence::Pace { progress: Box::new(|_| true), breathe: Box::new(breathe), slice };
        let made = evidence::run(make(&pace));
        let mut gaps = gaps.borrow().clone();
        gaps.push((last.get().elapsed().as_micros(), start.elapsed().as_millis()));
        gaps.sort_unstable();
        let longest: Vec<_> = gaps.iter().rev().take(8).collect();
        println!(
            "{series}: {:?}, {} breaths, longest (us, at ms) {longest:?}, ok {}",
            start.elapsed(),
            gaps.len(),
            made.is_ok()
        );
    }
}

//! Numbers along the axis.

use sim_core::engine::Milestone;

use super::axis::{Axis, By};
use super::window::Window;
use crate::link::{Pair, Which};
use crate::text::{self, thousands};

/// Pixels between two numbers at least.
const APART: f64 = 86.0;

/// A number on the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Pixels from the left.
    pub x: f64,
    /// What stands there.
    pub label: String,
}

/// A milestone of both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Pixels from the left, for each side.
    pub x: [f64; 2],
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `least`, nor below 1.
pub fn round_up(least: f64) -> f64 {
    let power = 10_f64.powf(least.max(1.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|by| by * power).find(|&step| step >= least).unwrap_or(10.0 * power)
}

/// The numbers of a window: steps or times at round places, or the milestones themselves.
pub fn ticks(axis: &Axis, window: &Window, unit: &str) -> Vec<Tick> {
    if axis.by() == By::Milestone {
        return milestones(axis, window, unit);
    }
    let step = round_up(window.length / window.width * APART);
    let first = (window.from / step).ceil() as u64;
    let last = (window.to() / step).floor() as u64;
    (first..=last.min(first + 1000))
        .map(|n| {
            let place = n as f64 * step;
            Tick { x: window.x(place), label: label(axis.by(), place as u64, step as u64) }
        })
        .collect()
}

fn label(by: By, place: u64, step: u64) -> String {
    match (by, step) {
        (By::Time, 0..1_000) => format!("{}.{:03} ns", thousands(place / 1000), place % 1000),
        (By::Time, 1_000..1_000_000) => format!("{} ns", thousands(place / 1000)),
        (By::Time, _) => format!("{} µs", thousands(place / 1_000_000)),
        _ => thousands(place),
    }
}

fn milestones(axis: &Axis, window: &Window, unit: &str) -> Vec<Tick> {
    let mut ticks: Vec<Tick> = Vec::new();
    let beats = axis.beats().all();
    let visible = visible(axis, window);
    // Round numbers, where not all have room.
    let stride = stride(window, visible.clone(), beats.len());
    for (i, beat) in visible.clone().map(|i| (i, beats[i])) {
        let x = window.x(axis.point(Which::Old, beat.at.old));
        let room = ticks.last().is_none_or(|last| x - last.x >= APART * 0.6);
        let round = number(beat.milestone).map_or(stride == 1, |number| (number as usize).is_multiple_of(stride));
        if room && (round || i == 0 || i + 1 == beats.len()) {
            let name = match beat.milestone {
                None if beat.at == Pair::default() => "start".to_string(),
                None => "end".to_string(),
                milestone => text::milestone(milestone, None, unit).0,
            };
            ticks.push(Tick { x, label: name });
        }
    }
    ticks
}

// The number of the page, call or table that a milestone is about.
fn number(milestone: Option<Milestone>) -> Option<u32> {
    match milestone? {
        Milestone::LoopAt(n) | Milestone::Call(n) | Milestone::Zapped(n) => Some(n),
        _ => None,
    }
}

// Beats in sight: both sides are there at the same place.
fn visible(axis: &Axis, window: &Window) -> std::ops::Range<usize> {
    let beats = axis.beats().all();
    let place = |at: Pair| Which::BOTH.map(|which| axis.point(which, at.of(which)));
    let start = beats.partition_point(|beat| place(beat.at).into_iter().all(|place| place < window.from));
    let end = beats.partition_point(|beat| place(beat.at).into_iter().any(|place| place <= window.to()));
    start.saturating_sub(1)..end.max(start).min(beats.len())
}

fn stride(window: &Window, visible: std::ops::Range<usize>, all: usize) -> usize {
    let fits = (window.width / (APART * 0.6)).max(1.0);
    let stride = round_up(visible.len() as f64 / fits);
    (stride as usize).clamp(1, all.max(1))
}

/// The milestones of both sides in sight, some of them where they are closer than `apart` pixels.
pub fn joints(axis: &Axis, window: &Window, apart: f64) -> Vec<Joint> {
    let beats = axis.beats().all();
    let visible = visible(axis, window);
    let most = (window.width / apart.max(1.0)).max(1.0);
    let stride = (visible.len() as f64 / most).ceil().max(1.0) as usize;
    let start = visible.start.next_multiple_of(stride);
    (start..visible.end)
        .step_by(stride)
        .map(|i| {
            let at = beats[i].at;
            Joint { x: Which::BOTH.map(|which| window.x(axis.point(which, at.of(which)))) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!([0.2, 1.0, 1.1, 3.0, 7.0, 23.0, 1000.0].map(round_up), [1.0, 1.0, 2.0, 5.0, 10.0, 50.0, 1000.0]);
    }

    #[test]
    fn times_are_written_in_the_unit_of_their_distance() {
        assert_eq!(label(By::Time, 1_500, 500), "1.500 ns");
        assert_eq!(label(By::Time, 20_000, 10_000), "20 ns");
        assert_eq!(label(By::Time, 5_000_000, 1_000_000), "5 µs");
        assert_eq!(label(By::Step, 12_000, 1_000), "12\u{202f}000");
    }
}

//! Time on the processor, which another program that runs at the same time does not lengthen.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Nanoseconds that this process has been on a CPU; none where the system does not say.
fn on_cpu() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// A moment in CPU time, or in wall time where there is no other.
#[derive(Clone, Copy)]
pub struct Moment(Duration);

impl Moment {
    /// Now.
    pub fn now() -> Moment {
        static START: OnceLock<Instant> = OnceLock::new();
        Moment(on_cpu().map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos))
    }

    /// Seconds since then.
    pub fn seconds(self) -> f64 {
        (Moment::now().0 - self.0).as_secs_f64()
    }
}

/// What the times are.
pub fn explanation() -> &'static str {
    match on_cpu() {
        Some(_) => "Times are CPU time of one core. Other programs still take cache and memory bandwidth.",
        None => "Times are wall time: this system does not tell CPU time.",
    }
}

/// Times that are too short for [`Moment`]: wall time of one piece of work, in milliseconds.
pub fn milliseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

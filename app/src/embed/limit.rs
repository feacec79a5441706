//! How many messages a host may send: a burst, then so many a second. A host that drags a slider never meets it.

/// Messages that may come at once.
const BURST: f64 = 200.0;
/// Messages that may come in a second for long.
const RATE: f64 = 100.0;
/// What a pair of runs costs, in messages: it is recorded anew.
pub const LOAD: f64 = 25.0;
/// The refusal itself is told so often, in milliseconds.
const TELL_EVERY: f64 = 1000.0;

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// It is looked at.
    Yes,
    /// It is dropped, and the host is told.
    Tell,
    /// It is dropped, and the host has just been told.
    No,
}

/// Messages that may still come.
#[derive(Clone, Debug)]
pub struct Bucket {
    level: f64,
    at: f64,
    told: f64,
}

impl Default for Bucket {
    fn default() -> Self {
        Bucket { level: BURST, at: 0.0, told: f64::NEG_INFINITY }
    }
}

impl Bucket {
    /// Takes a message of some cost at a time in milliseconds.
    pub fn take(&mut self, now: f64, cost: f64) -> Allowed {
        self.level = BURST.min(self.level + (now - self.at).max(0.0) * RATE / 1000.0);
        self.at = now;
        if cost <= self.level {
            self.level -= cost;
            return Allowed::Yes;
        }
        if now - self.told < TELL_EVERY {
            return Allowed::No;
        }
        self.told = now;
        Allowed::Tell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(bucket: &mut Bucket, from: f64, every: f64, count: u32, cost: f64) -> [usize; 3] {
        let taken: Vec<Allowed> = (0..count).map(|i| bucket.take(every.mul_add(i.into(), from), cost)).collect();
        [Allowed::Yes, Allowed::Tell, Allowed::No].map(|one| taken.iter().filter(|&&other| other == one).count())
    }

    #[test]
    fn a_slider_is_never_stopped() {
        assert_eq!(allowed(&mut Bucket::default(), 0.0, 16.7, 3600, 1.0), [3600, 0, 0]);
    }

    #[test]
    fn a_flood_is_stopped_and_told_once_a_second() {
        let mut bucket = Bucket::default();
        assert_eq!(allowed(&mut bucket, 0.0, 0.0, 10_000, 1.0), [200, 1, 9_799]);
        assert_eq!(bucket.take(999.0, 500.0), Allowed::No);
        assert_eq!(bucket.take(1001.0, 500.0), Allowed::Tell);
        assert_eq!(bucket.take(2000.0, 1.0), Allowed::Yes, "it fills again");
    }

    #[test]
    fn loads_cost_more() {
        assert_eq!(allowed(&mut Bucket::default(), 0.0, 0.0, 100, LOAD)[0], 8);
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing() {
        let mut bucket = Bucket::default();
        allowed(&mut bucket, 1000.0, 0.0, 200, 1.0);
        assert_ne!(bucket.take(0.0, 1.0), Allowed::Yes);
    }
}

//! Where a recorded run had a choice of CPU, and among whom.
//!
//! Mostly there is a decision before every step and the same CPUs can go on as before, so decisions are kept as spans.

use alloc::vec::Vec;

/// A CPU that could go on, with the task that it was at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// CPU.
    pub cpu: u8,
    /// Task.
    pub task: u8,
}

/// One decision of a recorded run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision<'a> {
    /// Choices that were made before it.
    pub before: &'a [u8],
    /// Who could go on, by CPU: two at least.
    pub ready: &'a [Ready],
    /// The CPU that went on.
    pub chosen: u8,
}

impl Decision<'_> {
    /// The choices of a run that is the same until here and lets another CPU go on; none where that CPU could not.
    pub fn instead(&self, cpu: u8) -> Option<Vec<u8>> {
        let can = self.ready.iter().any(|ready| ready.cpu == cpu);
        can.then(|| self.before.iter().copied().chain([cpu]).collect())
    }
}

/// Decisions one after the other, one before each step, among the same CPUs.
#[derive(Clone, Debug)]
struct Span {
    /// Steps before the first of them.
    step: u32,
    /// Number of the first, from 0.
    first: u32,
    /// How many there are.
    count: u32,
    /// Who could go on: a range of [`Decisions::ready`].
    ready: (u32, u32),
}

/// All decisions of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decisions {
    spans: Vec<Span>,
    ready: Vec<Ready>,
}

impl Decisions {
    /// Adds one, after so many steps.
    pub fn add(&mut self, step: u32, ready: impl Iterator<Item = Ready> + Clone) {
        let next = self.spans.last().map_or(0, |span| span.first + span.count);
        let same = |span: &Span| self.among(span.ready).iter().copied().eq(ready.clone());
        let range = self.spans.last().filter(|span| same(span)).map(|span| span.ready);
        if let (Some(_), Some(last)) = (range, self.spans.last_mut())
            && last.step + last.count == step
        {
            last.count += 1;
            return;
        }
        let range = range.unwrap_or_else(|| {
            let start = self.ready.len() as u32;
            self.ready.extend(ready);
            (start, self.ready.len() as u32)
        });
        self.spans.push(Span { step, first: next, count: 1, ready: range });
    }

    /// The last decision after so many steps, of a run that made these choices.
    pub fn at<'a>(&'a self, step: u32, choices: &'a [u8]) -> Option<Decision<'a>> {
        let span = &self.spans[self.spans.partition_point(|span| span.step <= step).checked_sub(1)?];
        let number = (span.first + (step - span.step)) as usize;
        let chosen = *choices.get(number).filter(|_| step - span.step < span.count)?;
        Some(Decision { before: &choices[..number], ready: self.among(span.ready), chosen })
    }

    /// Bytes of it.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.spans[..]) + size_of_val(&self.ready[..])
    }

    fn among(&self, (start, end): (u32, u32)) -> &[Ready] {
        &self.ready[start as usize..end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn ready(cpus: &[u8]) -> vec::IntoIter<Ready> {
        cpus.iter().map(|&cpu| Ready { cpu, task: cpu }).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn decisions_are_found_by_their_step() {
        let mut all = Decisions::default();
        // Two decisions after step 3: the first CPU made no step.
        for (step, cpus) in [(0, &[0, 1][..]), (1, &[0, 1]), (3, &[0, 1]), (3, &[0, 2]), (4, &[0, 2]), (9, &[0, 1, 2])]
        {
            all.add(step, ready(cpus));
        }
        let choices = [1, 0, 1, 2, 0, 2];
        let found = |step| all.at(step, &choices).map(|one| (one.before.len(), one.ready.len(), one.chosen));
        assert_eq!(found(0), Some((0, 2, 1)));
        assert_eq!(found(1), Some((1, 2, 0)));
        assert_eq!(found(2), None);
        assert_eq!(found(3), Some((3, 2, 2)));
        assert_eq!(found(4), Some((4, 2, 0)));
        assert_eq!(found(8), None);
        assert_eq!(found(9), Some((5, 3, 2)));
        assert_eq!(found(10), None);
        assert_eq!(all.at(9, &choices).unwrap().instead(1), Some(vec![1, 0, 1, 2, 0, 1]));
        assert_eq!(all.at(4, &choices).unwrap().instead(1), None);
        assert_eq!(all.spans.len(), 4, "what goes on is one span");
    }
}

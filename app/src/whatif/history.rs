//! Undo and redo of anything that has a before and an after.

/// Changes that can be undone.
pub const MOST: usize = 100;

/// Changes that were made, and those that were undone.
#[derive(Debug)]
pub struct History<T> {
    undo: Vec<(String, T)>,
    redo: Vec<(String, T)>,
}

impl<T> Default for History<T> {
    fn default() -> History<T> {
        History { undo: Vec::new(), redo: Vec::new() }
    }
}

impl<T> History<T> {
    /// Notes a change: what was before it, and what it is in words. What had been undone is gone.
    pub fn note(&mut self, what: String, before: T) {
        self.redo.clear();
        if self.undo.len() == MOST {
            self.undo.remove(0);
        }
        self.undo.push((what, before));
    }

    /// What the next undo undoes.
    pub fn undoes(&self) -> Option<&str> {
        self.undo.last().map(|(what, _)| what.as_str())
    }

    /// What the next redo does again.
    pub fn redoes(&self) -> Option<&str> {
        self.redo.last().map(|(what, _)| what.as_str())
    }

    /// What to go back to, or on to.
    pub fn peek(&self, redo: bool) -> Option<&T> {
        if redo { &self.redo } else { &self.undo }.last().map(|(_, state)| state)
    }

    /// The change has been undone, or done again; what there was until now is where the way back leads. Its words.
    pub fn turned(&mut self, redo: bool, now: T) -> Option<String> {
        let (from, to) = if redo { (&mut self.redo, &mut self.undo) } else { (&mut self.undo, &mut self.redo) };
        let (what, _) = from.pop()?;
        to.push((what.clone(), now));
        Some(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let mut history = History::default();
        for n in 0..3 {
            history.note(format!("to {}", n + 1), n);
        }
        let mut now = 3;
        for expected in [2, 1, 0] {
            let before = *history.peek(false).unwrap();
            assert_eq!(before, expected);
            history.turned(false, now);
            now = before;
        }
        assert_eq!(history.peek(false), None);
        assert_eq!(history.redoes(), Some("to 1"));
        let after = *history.peek(true).unwrap();
        assert_eq!((after, history.turned(true, now)), (1, Some("to 1".into())));
        history.note("another way".into(), 1);
        assert_eq!((history.redoes(), history.undoes()), (None, Some("another way")));
    }

    #[test]
    fn the_oldest_goes_first() {
        let mut history = History::default();
        for n in 0..MOST + 7 {
            history.note(String::new(), n);
        }
        let kept = std::iter::from_fn(|| {
            let state = *history.peek(false)?;
            history.turned(false, 0);
            Some(state)
        });
        assert_eq!(kept.last(), Some(7));
    }
}

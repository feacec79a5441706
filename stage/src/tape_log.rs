//! Tapes at any step of a run, without replaying the run each time.

use sim_core::view::View;

use crate::tape::Tapes;

/// Steps from one kept state to the next.
const EVERY: u32 = 64;

/// The tapes of one run: the present, and enough of the past to go back to any step.
///
/// What it answers depends on the step alone, so that stepping, going back and seeking show the same picture.
#[derive(Clone, Debug)]
pub struct TapeLog {
    columns: u16,
    /// Steps after which the past is forgotten and lists are packed; 0 for never.
    turn: u32,
    /// States after the steps 0, 64, 128, ...
    kept: Vec<Tapes>,
    step: u32,
    now: Tapes,
}

impl TapeLog {
    /// An empty log for a drawing with so many columns.
    pub fn new(columns: u16) -> TapeLog {
        TapeLog { columns, turn: 0, kept: Vec::new(), step: 0, now: Tapes::default() }
    }

    /// The same for a run that is too long to be gone through from its start: at each multiple of `turn` steps the
    /// tapes are those of the view alone, so that no seek looks at more than `turn` views.
    pub fn turning(columns: u16, turn: u32) -> TapeLog {
        TapeLog { turn: turn.max(1), step: u32::MAX, ..TapeLog::new(columns) }
    }

    /// Steps after which the past is forgotten; 0 for never. For these steps `view_at` must give a view.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The tapes after `step` steps.
    ///
    /// `view_at` gives the view after so many steps. It may give `None` where that step moved no page (no list change,
    /// no allocation, no free), which saves making a view; for step 0 it must give one.
    pub fn at(&mut self, step: u32, mut view_at: impl FnMut(u32) -> Option<View>) -> &Tapes {
        if self.turn > 0 {
            return self.since_turn(step, view_at);
        }
        if self.kept.is_empty() {
            let first = view_at(0).unwrap_or_default();
            self.now = Tapes::of(&first, self.columns);
            self.kept.push(self.now.clone());
            self.step = 0;
        }
        let nearest = (step / EVERY).min(self.kept.len() as u32 - 1);
        if step < self.step || nearest * EVERY > self.step {
            self.now = self.kept[nearest as usize].clone();
            self.step = nearest * EVERY;
        }
        while self.step < step {
            self.step += 1;
            if let Some(view) = view_at(self.step) {
                self.now.advance(&view);
            }
            if self.step == self.kept.len() as u32 * EVERY {
                self.kept.push(self.now.clone());
            }
        }
        &self.now
    }

    fn since_turn(&mut self, step: u32, mut view_at: impl FnMut(u32) -> Option<View>) -> &Tapes {
        let turn = step - step % self.turn;
        if step < self.step || turn > self.step {
            self.now = Tapes::of(&view_at(turn).unwrap_or_default(), self.columns);
            self.step = turn;
        }
        while self.step < step {
            self.step += 1;
            if let Some(view) = view_at(self.step) {
                self.now.advance(&view);
            }
        }
        &self.now
    }

    /// Forgets what comes after `step`: the run took another turn there.
    pub fn forget_after(&mut self, step: u32) {
        self.kept.truncate((step / EVERY + 1) as usize);
        if step < self.step {
            // The next question starts from a kept state.
            self.step = u32::MAX;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::view::{ListView, LockView, Lru, ZoneView};

    /// A list that loses a page at the tail at each third step and gets one at the head at each fourth.
    fn view_at(step: u32) -> View {
        let pages = (step / 3..200 + step / 4).collect();
        let list = ListView { lru: Lru::InactiveAnon, pages, ordered: true };
        let zone = ZoneView { id: 0, name: "Zone 0".into(), lru_lock: LockView::default(), lists: vec![list] };
        View { step, zones: vec![zone], ..View::default() }
    }

    #[test]
    fn seeking_and_stepping_agree() {
        let mut stepped = TapeLog::new(14);
        let walk: Vec<Tapes> = (0..300).map(|s| stepped.at(s, |s| Some(view_at(s))).clone()).collect();
        let mut sought = TapeLog::new(14);
        for step in [299, 3, 64, 63, 128, 65, 0, 250, 249, 251] {
            assert_eq!(sought.at(step, |s| Some(view_at(s))), &walk[step as usize], "step {step}");
            assert_eq!(stepped.at(step, |s| Some(view_at(s))), &walk[step as usize], "back to {step}");
        }
    }

    #[test]
    fn a_long_run_is_never_gone_through_from_its_start() {
        let mut stepped = TapeLog::turning(14, 50);
        let walk: Vec<Tapes> = (0..300).map(|s| stepped.at(s, |s| Some(view_at(s))).clone()).collect();
        let mut sought = TapeLog::turning(14, 50);
        for step in [299, 3, 64, 50, 49, 128, 0, 250, 249, 251] {
            let mut views = 0;
            let view = |s| {
                views += 1;
                Some(view_at(s))
            };
            assert_eq!(sought.at(step, view), &walk[step as usize], "step {step}");
            assert!(views <= 50, "{views} views for step {step}");
        }
    }

    #[test]
    fn a_forgotten_future_is_made_again() {
        let mut log = TapeLog::new(14);
        let at_70 = log.at(70, |s| Some(view_at(s))).clone();
        log.at(200, |s| Some(view_at(s)));
        log.forget_after(70);
        assert_eq!(log.at(70, |s| Some(view_at(s))), &at_70);
        assert_eq!(log.kept.len(), 2);
    }
}

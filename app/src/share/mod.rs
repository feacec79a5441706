//! What the Share dialog says, without a browser: the link with its parts in words, and what to paste into a page.

pub mod embed;
pub mod explain;

use permalink::hash::Link;

/// What of the moment goes into the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The steps that both sides have made.
    pub step: bool,
    /// What is looked at.
    pub look: bool,
    /// What both runs come out at.
    pub outcome: bool,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { step: true, look: true, outcome: true }
    }
}

impl Parts {
    /// The link with these parts alone.
    pub fn of(self, link: Link) -> Link {
        Link {
            step: if self.step { link.step } else { Default::default() },
            look: link.look.filter(|_| self.look),
            seal: link.seal.filter(|_| self.outcome),
            ..link
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Pair, Which};

    #[test]
    fn what_is_not_wanted_is_left_out() {
        let link = Link {
            step: Pair::new(3, 4),
            look: Some((Which::New, "page:2".into())),
            seal: Some(Default::default()),
            ..Link::default()
        };
        assert_eq!(Parts::default().of(link.clone()), link);
        let bare = Parts { step: false, look: false, outcome: false }.of(link);
        assert_eq!(bare, Link::default());
    }
}

//! What the reader asks of the two runs: what is known of a subject, what a text may mean, where to stop. Nothing here
//! knows of the browser.

mod breaks;
mod drawn;
mod life;
mod search;
mod state;
mod suggest;

pub use breaks::{Break, read_breaks};
pub use drawn::{lock_named, subject_of};
pub use life::{Life, Row};
pub use search::{Answer, Found, Group, Hit, search};
pub use state::facts;

use sim_core::ask::{Subject, read_subject};

use crate::link::Which;
use crate::session::Session;

/// Reads the subject of a link, or of an element of the page.
///
/// # Errors
///
/// Says what is not known.
pub fn read(session: &Session, text: &str) -> Result<Subject, String> {
    read_subject(text, &session.functions())
}

/// The page, lock or counter that the step just made touches: of the active side first.
pub fn touched(session: &Session) -> Option<(Which, Subject)> {
    let sides = [session.active, session.active.other()];
    sides.into_iter().find_map(|which| {
        let page = session.side(which).view.touch.pages.first();
        page.map(|&page| (which, Subject::Page(page)))
    })
}

#[cfg(test)]
mod tests;

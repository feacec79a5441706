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
use sim_core::machine::LockClass;
use sim_core::view::PageNo;

use crate::link::Which;
use crate::session::Session;

/// Reads the subject of a link, or of an element of the page.
///
/// # Errors
///
/// Says what is not known.
pub fn read(session: &Session, text: &str) -> Result<Subject, String> {
    let subject = read_subject(text, &session.functions())?;
    let known = |page| Which::BOTH.into_iter().any(|which| has(session, which, page));
    match subject {
        Subject::Page(page) | Subject::Lock(LockClass::Page, Some(page)) if !known(page) => {
            Err(format!("no page {page} is in these runs"))
        }
        _ => Ok(subject),
    }
}

fn has(session: &Session, which: Which, page: PageNo) -> bool {
    session.side(which).track.run.timeline.numbers().frame(page).is_some()
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

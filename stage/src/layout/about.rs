//! What the texts of a drawing are about, for those who want to know more of it.

use super::text;
use crate::key::Key;
use crate::tape::LISTS;

/// What a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// An LRU list: zone, list.
    List(u8, u8),
    /// A pagevec: CPU, which of those that are drawn there.
    Pagevec(u8, usize),
    /// A row of a shelf: shelf, row.
    Row(u8, usize),
}

/// What the text with a key names, if it is the name of something.
pub fn about(key: Key) -> Option<About> {
    let Key::Text(what, owner, line) = key else { return None };
    match what {
        text::ZONE => {
            let (list, n) = (line.checked_sub(1)? / 16, (line - 1) % 16);
            let lru = u8::try_from(list).ok().filter(|list| usize::from(*list) < LISTS.min(5))?;
            (n == 0).then_some(About::List(owner, lru))
        }
        text::CPU => {
            let n = line.checked_sub(2)?;
            n.is_multiple_of(2).then_some(About::Pagevec(owner, usize::from(n / 2)))
        }
        text::SHELF => line.is_multiple_of(4).then_some(About::Row(owner, usize::from(line / 4))),
        _ => None,
    }
}

//! Questions about a recorded run: who touched a page, a lock, a list, a counter, a PTE or a function; when does
//! something happen next, or when did it last.
//!
//! A [`Subject`] and a [`Condition`] have a printed form that can be read back: links and the search box hold them.
//! [`Lives`] is the index that both are answered from. It is built when somebody asks first: a run that nobody asks
//! about pays nothing for it.

mod condition;
mod find;
mod lives;
mod read;
mod read_condition;
mod subject;
mod touch;

pub use condition::{Condition, Is, Manner};
pub use lives::{Lives, Touched, last_before, last_writer, next_after, passed};
pub use read::read_subject;
pub use read_condition::{milestone_name, read_condition};
pub use subject::{Counter, ListId, Subject};
pub use touch::Touch;

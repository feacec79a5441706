//! A moment of two runs as a link, for the page and for the command line.
//!
//! [`hash`] is the text of a link: `#v1/munlock/0/6?pages=56&step=647,311`. [`subject`] is what it asks to be shown, as
//! two runs; [`link`] is how these two step together, which says where both are after so many presses of Step. [`file`]
//! brings along a scenario that the author of the link wrote, [`pack`] makes its text short. [`seal`] is what a link
//! promises of the outcome: where the model has changed since, whoever opens the link is told. [`mend`] finds the link
//! that was meant. docs/links.md describes all of it.
//!
//! Nothing here knows of the browser, and no link makes it panic.

pub mod base64;
pub mod file;
pub mod hash;
pub mod length;
pub mod link;
pub mod mend;
pub mod pack;
pub mod seal;
pub mod subject;

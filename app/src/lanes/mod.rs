//! The explorer's timeline, without a browser: what each CPU did as spans of steps ([`rows`]), where these are on a
//! common axis ([`axis`]), which part of it is shown ([`window`]), what is drawn of them at that size ([`shape`]), how
//! the rows stand under each other ([`layout`]), what is worth a jump ([`marks`]), what a part of the runs counts
//! ([`range`]), and all of it in words ([`words`]).

pub mod axis;
pub mod explorer;
pub mod layout;
pub mod marks;
pub mod range;
pub mod rows;
mod sched;
pub mod shape;
pub mod ticks;
pub mod window;
pub mod words;

#[cfg(test)]
mod tests;

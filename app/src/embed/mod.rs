//! The page in a frame of somebody else's page: `?embed=1`.
//!
//! [`query`] reads how the frame wants to look. Messages come in as a [`value`], are read strictly by [`request`] and
//! slowed down by [`limit`]; [`moment`] says where the runs are, and [`crossing`] notes what is passed on the way. All
//! that is plain Rust; [`port`] joins it to the window around this one. docs/embedding.md is what hosts read.

pub mod crossing;
pub mod limit;
pub mod moment;
pub mod port;
pub mod query;
pub mod request;
pub mod value;

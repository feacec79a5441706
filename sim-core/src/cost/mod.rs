//! Modelled time: what the steps of a run would take on a machine that a profile describes.

mod timing;

pub use timing::Timing;

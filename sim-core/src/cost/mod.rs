//! Modelled time: what the steps of a run would take on a machine that a profile describes.
//!
//! Times are whole picoseconds, so that sums are exact and the same everywhere. Counts are facts; these are not: they are
//! shown with the name of their profile.

mod class;
mod costs;
mod lines;
mod meter;
mod op_cost;
mod timing;
mod touches;

pub use class::{CLASSES, CostClass};
pub use costs::{Costs, MOST_PS};
pub use meter::{Meter, Moment, Totals};
pub use timing::Timing;

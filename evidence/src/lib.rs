//! Published figures beside the model: what each series' author measured, what real kernels were recorded to do, what the
//! model says of the same run, and which numbers were used to fit which parameter.
//!
//! The published numbers are data in `assets/published/`. Counts are exact. Times come from a cost profile
//! (`assets/profiles/`); a profile's fitted numbers are fitted here again, so that nobody has to take them on trust.

mod fit;
mod lru_drain;
mod munlock;
mod published;
pub mod recordings;
mod report;
mod rmap_unmap;
mod run;

pub use report::{Check, Fit, Report, Role, Row, Table};

/// Makes the report of a series. `progress` is called between runs with how far it is, from 0 to 1; false stops it.
pub type Progress<'a> = &'a mut dyn FnMut(f64) -> bool;

/// Series that have a report, and what makes it. None is returned where it was stopped.
type Maker = fn(Progress<'_>) -> Option<Report>;

/// All reports by series, in the order of the gallery.
pub const REPORTS: &[(&str, Maker)] = &[
    ("munlock", munlock::report),
    ("lru-drain", lru_drain::report),
    ("rmap-unmap", rmap_unmap::report),
    ("recordings", recordings::report),
];

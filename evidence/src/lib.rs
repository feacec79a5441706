//! Published figures beside the model: what each series' author measured, what real kernels were recorded to do, what the
//! model says of the same run, and which numbers were used to fit which parameter.
//!
//! The published numbers are data in `assets/published/`. Counts are exact. Times come from a cost profile
//! (`assets/profiles/`); a profile's fitted numbers are fitted here again, so that nobody has to take them on trust.

mod fit;
mod lru_drain;
mod madvise_free;
mod model;
mod munlock;
mod pace;
mod pcp_free;
mod profile;
mod published;
pub mod recordings;
mod report;
mod rmap_unmap;
pub mod sweep;

use std::future::Future;
use std::pin::Pin;

pub use munlock::fitted as munlock_fitted;
pub use pace::{Breath, Pace, Stopped, run};
pub use report::{Check, Fit, Report, Role, Row, Table};

/// A report in the making.
pub type Making<'a> = Pin<Box<dyn Future<Output = Result<Report, Stopped>> + 'a>>;

/// Makes the report of a series, at a pace.
pub type Maker = for<'a> fn(&'a Pace<'a>) -> Making<'a>;

/// All reports by series, in the order of the gallery.
pub const REPORTS: &[(&str, Maker)] = &[
    ("munlock", |pace| Box::pin(munlock::report(pace))),
    ("lru-drain", |pace| Box::pin(lru_drain::report(pace))),
    ("pcp-free", |pace| Box::pin(pcp_free::report(pace))),
    ("madvise-free", |pace| Box::pin(madvise_free::report(pace))),
    ("rmap-unmap", |pace| Box::pin(rmap_unmap::report(pace))),
    ("recordings", |pace| Box::pin(recordings::report(pace))),
];

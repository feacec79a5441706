//! What a scenario hands to the engine.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::engine::{Engine, Migration, Schedule};

/// A scenario with memory set up, ready to begin.
pub(crate) struct Built {
    pub engine: Engine,
    /// Function whose calls are counted.
    pub measured: Option<&'static str>,
    pub migrations: Vec<Migration>,
    /// Schedule where nobody asks for another.
    pub script: Schedule,
    /// Starts the tasks of the run.
    pub tasks: Box<dyn FnOnce(&mut Engine)>,
}

//! Runs kernel code step by step on several CPUs.
//!
//! A task is an `async fn`; each primitive that it awaits is one micro-operation. A recorded run stops after every
//! operation and lets the schedule choose which CPU goes next; a bulk run completes operations at once and keeps the
//! ledger only. There are no threads: everything happens when the engine polls.
//!
//! A bulk run with one task left takes a shorter way, since nobody is there to wait for: kernel functions run in their
//! direct form, as plain functions ([`Direct`]). It does the same operations in the same order.

mod check;
mod choices;
mod cpu;
mod decisions;
mod direct;
mod frames;
mod func;
mod index;
mod misuse;
mod packed;
mod record;
mod rules;
mod run;
mod schedule;
mod sites;
mod steps;
mod timeline;
mod weight;

pub use check::{Checker, Violation, check_all};
pub use choices::{ChoiceError, parse_choices, print_choices, print_choices_in_turn};
pub use cpu::{Cpu, LockStep, Migration, Step};
pub(crate) use cpu::{Pause, Want};
pub use decisions::{Decision, Ready};
pub use direct::{Direct, Stop};
pub use frames::{Call, Frame, Frames};
pub use func::{Func, Milestone};
pub(crate) use index::{Effect, effect};
pub use index::{HoldSpan, Index, IrqSpan, WaitSpan};
pub use misuse::{ALLOCATED_ONCE, CALL_ORDER, FREED_ONCE, OUT_OF_MEMORY};
pub use record::{Mark, Record};
pub use rules::{Memory, RULES, Rule, Standing, When};
pub use run::{Engine, EngineError, MAX_STEPS, Outcome, Setup};
pub use schedule::{Schedule, Turn, Until};
pub use sites::SiteId;
pub use steps::Steps;
pub use timeline::Timeline;
pub use weight::Weight;

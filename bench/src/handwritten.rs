//! The same work without the engine: a plain loop over the same machine that keeps the same counts. What the engine takes
//! longer is the price of kernel code that can be stepped, taken back and scheduled.

mod level_0;
mod level_6;
mod ops;
mod pcp;
mod rmap;

use sim_core::machine::{LockClass, TaskRun};

use crate::clock::Moment;
use crate::munlock;
use crate::say::say;
use ops::Hand;

/// A loop over the whole range.
type Loop = fn(&mut Hand);

/// Prints a line for each loop that there is.
pub fn print(pages: u32) -> Result<(), String> {
    say!("Against a loop written by hand, over the same machine with the same counts: ns per page");
    say!("variant      loop    engine     ratio");
    for (variant, by_hand) in [("0", level_0::munlock as Loop), ("6", level_6::munlock)] {
        let (hand, engine) = times(variant, by_hand, pages)?;
        say!("{variant:<8}{hand:>9.1}{engine:>10.1}{:>10.2}", engine / hand);
    }
    other_series()
}

// The loop keeps pages and counts in plain arrays of its own, not in the machine.
fn other_series() -> Result<(), String> {
    say!();
    say!("Against a loop over plain arrays with the same counts: ns per page, out and back, or per PTE");
    say!("                              loop    engine     ratio");
    let line = |name: &str, units: u64, (hand, engine): (f64, f64)| {
        let per_unit = |seconds: f64| seconds * 1e9 / units as f64;
        say!("{name:<24}{:>10.1}{:>10.1}{:>10.2}", per_unit(hand), per_unit(engine), engine / hand);
    };
    line("pcp-free v4.15", pcp::UNITS, pcp::times()?);
    line("rmap-unmap v6.3 order 9", rmap::UNITS, rmap::times()?);
    Ok(())
}

fn times(variant: &str, by_hand: Loop, pages: u32) -> Result<(f64, f64), String> {
    let mut engine = munlock::set_up(variant, pages)?;
    let mut hand = Hand::new(engine.world().machine.clone());
    let start = Moment::now();
    by_hand(&mut hand);
    let by_hand = start.seconds();
    let start = Moment::now();
    munlock::run(&mut engine).map_err(|error| error.to_string())?;
    let by_engine = start.seconds();
    compare(variant, hand, &engine.world())?;
    let per_page = |seconds: f64| seconds * 1e9 / f64::from(pages);
    Ok((per_page(by_hand), per_page(by_engine)))
}

// Both end in the same state with the same counts.
fn compare(variant: &str, mut hand: Hand, world: &sim_core::op::World) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("variant {variant}: the loop by hand and the engine differ in {what}"));
    // The loop is no task and takes no mmap_sem.
    hand.machine.tasks.iter_mut().for_each(|task| task.run = TaskRun::Done);
    if hand.machine != world.machine {
        return wrong("the machine");
    }
    let held = |class| world.ledger.lock(class).held_steps();
    if LockClass::ALL.iter().any(|&class| hand.held(class) != held(class)) {
        return wrong("how long locks were held");
    }
    let same_locks = LockClass::ALL.iter().all(|&class| {
        let (ours, theirs) = (hand.ledger.lock(class), world.ledger.lock(class));
        (ours.acquired, ours.contended, ours.max_waiters) == (theirs.acquired, theirs.contended, theirs.max_waiters)
    });
    let (ours, theirs) = (&hand.ledger, &world.ledger);
    let same = same_locks
        && ours.flags == theirs.flags
        && (ours.gets, ours.puts) == (theirs.gets, theirs.puts)
        && (ours.counts, ours.events) == (theirs.counts, theirs.events);
    if same { Ok(()) } else { wrong("the ledger") }
}

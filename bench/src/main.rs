//! Measurements of the simulation, for people to read: figures and ratios, nothing that passes or fails. Counts are
//! another matter: where they are wrong there is nothing to measure, and the program ends with what was expected.
//!
//! ```text
//! cargo run --release -p bench -- [PAGES]
//! cargo run --release -p bench -- sweeps       the last section alone
//! cargo run --release -p bench -- questions    biographies, runs to a condition and seeks alone
//! ```
//!
//! The size that the published figures were measured at is 14,680,064 pages, 56 GiB.

mod bulk;
mod clock;
mod expected;
mod handwritten;
mod memory;
mod munlock;
mod questions;
mod recorded;
mod say;
mod sweeps;
mod weight;

use std::process::ExitCode;

use say::say;

/// 56 GiB in pages of 4 KiB.
const PAGES: u32 = 56 << 18;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == weight::ARGUMENT) {
        return weight::main(&arguments[1..]);
    }
    if arguments.first().is_some_and(|first| first == sweeps::ARGUMENT) {
        return sweeps::main();
    }
    if arguments.first().is_some_and(|first| first == questions::ARGUMENT) {
        return match questions::print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("bench: {message}");
                ExitCode::FAILURE
            }
        };
    }
    let pages = match arguments.first().map_or(Ok(PAGES), |text| text.parse()) {
        Ok(pages) if (1..=1 << 24).contains(&pages) => pages,
        _ => {
            eprintln!("bench: expected a number of pages from 1 to {}", 1 << 24);
            return ExitCode::from(2);
        }
    };
    say!("{}", clock::explanation());
    let sections: [fn(u32) -> Result<(), String>; 7] = [
        munlock::print,
        handwritten::print,
        |_| bulk::print(),
        |_| recorded::print(),
        |_| questions::print(),
        |_| weight::print(),
        |_| sweeps::print(),
    ];
    for section in sections {
        say!();
        if let Err(message) = section(pages) {
            eprintln!("bench: {message}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

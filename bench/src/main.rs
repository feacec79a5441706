//! Measurements of the simulation, for people to read: figures and ratios, nothing that passes or fails. Counts are
//! another matter: where they are wrong there is nothing to measure, and the program ends with what was expected.
//!
//! ```text
//! cargo run --release -p bench -- [PAGES]
//! ```
//!
//! The size that the published figures were measured at is 14,680,064 pages, 56 GiB.

mod bulk;
mod clock;
mod expected;
mod handwritten;
mod memory;
mod recorded;

use std::process::ExitCode;

/// 56 GiB in pages of 4 KiB.
const PAGES: u32 = 56 << 18;

fn main() -> ExitCode {
    let pages = match std::env::args().nth(1).map_or(Ok(PAGES), |text| text.parse()) {
        Ok(pages) if (1..=1 << 24).contains(&pages) => pages,
        _ => {
            eprintln!("bench: expected a number of pages from 1 to {}", 1 << 24);
            return ExitCode::from(2);
        }
    };
    println!("{}", clock::explanation());
    let sections: [fn(u32) -> Result<(), String>; 3] = [bulk::print, handwritten::print, |_| recorded::print()];
    for section in sections {
        println!();
        if let Err(message) = section(pages) {
            eprintln!("bench: {message}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

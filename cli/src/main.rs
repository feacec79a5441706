//! `mmscope`: the simulation in a terminal.
//!
//! Results go to standard output, errors to standard error. Exit status: 0 done; 1 a claim or an invariant does not
//! hold; 2 the input is wrong.

mod args;
mod compare;
mod elapsed;
mod json;
mod list;
mod render;
mod run;
mod scenario;
mod stopped;
mod table;
mod validate;

use std::io::{self, Write};
use std::process::ExitCode;

use args::Command;

/// What a command has to say.
pub struct Report {
    /// Text for standard output.
    pub text: String,
    /// Every claim and every rule holds, as far as the variant is not known to break it.
    pub holds: bool,
}

fn main() -> ExitCode {
    match args::parse(std::env::args_os()).and_then(execute) {
        Ok(report) => print(&report),
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

// Where standard error is closed, the status has to do.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "mmscope: {message}");
}

fn execute(command: Command) -> Result<Report, String> {
    match command {
        Command::Help => Ok(Report { text: args::USAGE.to_string(), holds: true }),
        Command::Version => {
            Ok(Report { text: concat!("mmscope ", env!("CARGO_PKG_VERSION"), "\n").to_string(), holds: true })
        }
        Command::List { json } => Ok(list::list(json)),
        Command::Validate { series, json } => validate::validate(series.as_deref(), json),
        Command::Run(ask) => run::run(&ask),
        Command::Compare(ask) => compare::compare(&ask),
        Command::Render(ask) => render::render(&ask),
    }
}

// A reader that has seen enough (`mmscope run | head`) is no error.
fn print(report: &Report) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(report.text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("can't write the result: {error}"));
            ExitCode::from(2)
        }
        _ if report.holds => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    }
}

//! Lines on standard output. Whoever reads them may stop at any time (`bench | head`): then there is nothing left to do.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::process::exit;

/// Writes a line, or ends the program where nobody reads it any more.
pub fn line(text: Arguments) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_fmt(text).and_then(|()| out.write_all(b"\n")) {
        if error.kind() == ErrorKind::BrokenPipe {
            exit(0);
        }
        eprintln!("bench: standard output: {error}");
        exit(1);
    }
}

/// As `println!`.
macro_rules! say {
    () => { $crate::say::line(format_args!("")) };
    ($($text:tt)+) => { $crate::say::line(format_args!($($text)+)) };
}

pub(crate) use say;

//! The mmscope command.

fn main() {}

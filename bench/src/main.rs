//! Measurements of the stepper.

fn main() {}

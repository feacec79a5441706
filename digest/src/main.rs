//! Prints the digest and the name of every run, one a line.

fn main() {
    for run in digest::RUNS {
        println!("{:016x} {}", run.digest(), run.name);
    }
}

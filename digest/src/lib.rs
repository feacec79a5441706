//! Digests of the end states of runs. They are computed by the same code natively and in WebAssembly, and must agree.

/// A run that is digested.
pub struct Run {
    pub name: &'static str,
    digest: fn() -> u64,
}

/// Waiting for scenarios to digest: one constant, so that both ways through are tried.
pub const RUNS: &[Run] = &[Run {
    name: "placeholder",
    digest: || 0xcbf2_9ce4_8422_2325,
}];

impl Run {
    pub fn digest(&self) -> u64 {
        (self.digest)()
    }
}

/// How many runs there are.
#[allow(unsafe_code, reason = "the name is what JavaScript calls it by")]
#[unsafe(no_mangle)]
pub extern "C" fn run_count() -> u32 {
    RUNS.len() as u32
}

/// The digest of one of them.
#[allow(unsafe_code, reason = "the name is what JavaScript calls it by")]
#[unsafe(no_mangle)]
pub extern "C" fn run_digest(index: u32) -> u64 {
    RUNS[index as usize].digest()
}

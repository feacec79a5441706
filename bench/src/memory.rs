//! Memory of this process.

/// KiB in use now, without the program's own code; none where the system does not say.
pub fn kibibytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// MiB in use now; none where the system does not say.
pub fn in_use() -> Option<u64> {
    kibibytes().map(|kibibytes| kibibytes >> 10)
}

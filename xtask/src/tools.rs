//! The tools outside cargo's reach: each is found, or installed, or named together with the command that installs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::cmd;

const TRUNK: &str = "0.21.14";
const NODE_MAJOR: u32 = 20;

/// A tool that `cargo install` brings.
struct Tool {
    /// The binary.
    name: &'static str,
    krate: &'static str,
    version: String,
    flags: &'static [&'static str],
}

/// The folder of trunk.
pub fn trunk() -> Result<PathBuf> {
    let flags = &["--locked", "--no-default-features"];
    cargo_tool(&Tool { name: "trunk", krate: "trunk", version: TRUNK.into(), flags })
}

/// The folder of wasm-bindgen, in the version that the crate of that name has in Cargo.lock.
pub fn wasm_bindgen() -> Result<PathBuf> {
    let lock = cmd::root().join("Cargo.lock");
    let text = std::fs::read_to_string(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    let version = locked_version(&text, "wasm-bindgen").ok_or("Cargo.lock has no wasm-bindgen")?;
    // Not --locked: its own lock file names a crate that has left the registry.
    cargo_tool(&Tool { name: "wasm-bindgen", krate: "wasm-bindgen-cli", version: version.into(), flags: &[] })
}

fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

fn cargo_tool(tool: &Tool) -> Result<PathBuf> {
    if let Some(found) = cmd::which(tool.name)
        && has_version(&found, &tool.version)
    {
        return folder_of(&found);
    }
    let place = cache()?.join("tools").join(format!("{}-{}", tool.name, tool.version));
    let binary = place.join("bin").join(tool.name);
    if !has_version(&binary, &tool.version) {
        install(tool, &place)?;
    }
    folder_of(&binary)
}

fn install(tool: &Tool, place: &Path) -> Result<()> {
    println!("installing {} {} (minutes, once)", tool.krate, tool.version);
    let cache = cache()?;
    std::fs::create_dir_all(&cache).map_err(|error| format!("{}: {error}", cache.display()))?;
    let mut command = cmd::cargo();
    command
        .args(["install", tool.krate, "--version", &tool.version, "--debug"])
        .args(tool.flags)
        .arg("--root")
        .arg(place)
        // Shared, so that what two tools depend on is compiled once.
        .env("CARGO_TARGET_DIR", cache.join("target"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        // Outside the repository, whose settings are not meant for other people's code.
        .current_dir(&cache);
    cmd::run(&mut command).map_err(|error| {
        format!(
            "{error}\nmmscope needs {} {} on PATH or in {}; to install it by hand:\n  cargo install {} --version {} {}",
            tool.name,
            tool.version,
            place.join("bin").display(),
            tool.krate,
            tool.version,
            tool.flags.join(" ")
        )
    })
}

/// Frees what compiling the tools left behind.
pub fn clean_up() -> Result<()> {
    let target = cache()?.join("target");
    if target.exists() {
        std::fs::remove_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
    }
    Ok(())
}

fn has_version(binary: &Path, version: &str) -> bool {
    cmd::output(Command::new(binary).arg("--version")).is_ok_and(|text| text.split_whitespace().nth(1) == Some(version))
}

fn folder_of(file: &Path) -> Result<PathBuf> {
    file.parent().map(Path::to_path_buf).ok_or_else(|| format!("{} has no folder", file.display()))
}

fn cache() -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("MMSCOPE_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("mmscope")))
        .or_else(|| Some(set("HOME")?.join(".cache/mmscope")))
        .ok_or_else(|| "there is no folder for tools: set MMSCOPE_CACHE to one".into())
}

/// Checks that node is there and young enough, and npm with it.
fn node() -> Result<()> {
    let wanted = format!("Node {NODE_MAJOR} or later is needed: `apt-get install nodejs npm` or https://nodejs.org/");
    let version = cmd::output(Command::new("node").arg("--version")).map_err(|error| format!("{wanted}\n({error})"))?;
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major >= NODE_MAJOR && cmd::which("npm").is_none() => {
            Err("npm is missing: `apt-get install npm`".into())
        }
        Some(major) if major >= NODE_MAJOR => Ok(()),
        _ => Err(format!("{wanted}\n(found {})", version.trim())),
    }
}

/// Brings the packages of e2e/package-lock.json; the folder of their binaries.
pub fn npm_packages() -> Result<PathBuf> {
    node()?;
    let e2e = cmd::root().join("e2e");
    let lock = read(&e2e.join("package-lock.json"))?;
    // A copy of the lock beside the packages says what they were installed from.
    let stamp = e2e.join("node_modules/.installed-from.json");
    if read(&stamp).ok().as_ref() != Some(&lock) {
        cmd::run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&e2e))
            .map_err(|error| format!("{error}\nto see why, run: cd e2e && npm ci"))?;
        std::fs::write(&stamp, &lock).map_err(|error| format!("{}: {error}", stamp.display()))?;
    }
    check_wasm_opt(&e2e)?;
    Ok(e2e.join("node_modules/.bin"))
}

/// Checks that wasm-opt is the one that Trunk.toml asks for: trunk would go and download it otherwise.
fn check_wasm_opt(e2e: &Path) -> Result<()> {
    let config = read(&cmd::root().join("Trunk.toml"))?;
    let wanted = quoted_after(&config, "wasm_opt = \"version_").ok_or("Trunk.toml names no wasm_opt version")?;
    let package = read(&e2e.join("node_modules/binaryen/package.json"))?;
    let found = quoted_after(&package, "\"version\": \"").ok_or("the package binaryen has no version")?;
    if found.split('.').next() == Some(&wanted) {
        Ok(())
    } else {
        Err(format!(
            "Trunk.toml asks for wasm-opt {wanted}, e2e/package.json brings {found}: make them equal there, then run \
             `cd e2e && npm install`"
        ))
    }
}

/// What stands between `start` and the next quotation mark.
fn quoted_after(text: &[u8], start: &str) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let (_, rest) = text.split_once(start)?;
    Some(rest.split_once('"')?.0.into())
}

fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// The browser that the tests drive.
pub fn chromium() -> Result<PathBuf> {
    if let Some(set) = std::env::var_os("CHROMIUM").map(PathBuf::from) {
        return if set.is_file() { Ok(set) } else { Err(format!("CHROMIUM={} is no file", set.display())) };
    }
    if let Some(found) = find_chromium() {
        return Ok(found);
    }
    apt_install(&["chromium"]).map_err(|error| {
        format!(
            "{error}\nthe browser tests need Chromium: `apt-get install chromium`, or set CHROMIUM to a browser's path"
        )
    })?;
    find_chromium().ok_or_else(|| "chromium was installed but is not on PATH".into())
}

fn find_chromium() -> Option<PathBuf> {
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].into_iter().find_map(cmd::which)
}

/// Installs Debian packages, where that can be done without asking for a password.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    let by_hand = format!("apt-get update && apt-get install --no-install-recommends {}", packages.join(" "));
    if cmd::which("apt-get").is_none() {
        return Err(format!("there is no apt-get here to install {}", packages.join(" ")));
    }
    if cmd::output(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() != "0") {
        return Err(format!("not root; as root, run: {by_hand}"));
    }
    // A list that cannot be refreshed may still hold what is wanted.
    let updated = cmd::run(Command::new("apt-get").args(["update", "-qq"]));
    let mut install = Command::new("apt-get");
    install
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive");
    cmd::run(&mut install).map_err(|error| match updated {
        Ok(()) => error,
        Err(first) => format!("{first}\n{error}"),
    })
}

/// Whether all these Debian packages are installed.
pub fn apt_has(packages: &[&str]) -> bool {
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f", "${db:Status-Status}\n"]).args(packages);
    cmd::output(&mut query).is_ok_and(|text| text.lines().all(|status| status == "installed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_read_from_the_lock_file() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"0.1.0\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"x\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(lock, "wasm"), None);
    }
}

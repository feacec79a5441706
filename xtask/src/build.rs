//! The static site.

use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::cmd;
use crate::setup::{self, Kit};

/// For visitors, or quickly for those who work on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    Release,
    Dev,
}

/// `cargo xtask build`.
pub fn run(args: &[String]) -> Result<()> {
    match args {
        [] => {
            site(&setup::for_build()?, Form::Release)?;
            sizes()
        }
        [arg] if arg == "--dev" => site(&setup::for_build()?, Form::Dev),
        [arg, ..] => Err(format!("`build` knows --dev, not `{arg}`")),
    }
}

/// Where the site is.
pub fn dist() -> PathBuf {
    cmd::root().join("dist")
}

pub fn site(kit: &Kit, form: Form) -> Result<()> {
    let mut trunk = kit.trunk();
    // Trunk takes NO_COLOR for a boolean, and its backtraces bury the message.
    trunk
        .arg("build")
        .args((form == Form::Release).then_some("--release"))
        .env_remove("NO_COLOR")
        .env("RUST_BACKTRACE", "0");
    cmd::run(&mut trunk)?;
    if dist().join("index.html").is_file() {
        Ok(())
    } else {
        Err(format!("trunk ended well, but {} has no index.html", dist().display()))
    }
}

/// The core as WebAssembly without a page: builds it, and says where it is.
pub fn digest_module(kit: &Kit) -> Result<PathBuf> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let mut build = kit.cargo();
    build.args(["build", "--quiet", "--package", "mmscope-digest", "--lib", "--release"]);
    cmd::run(build.args(["--target", TARGET]))?;
    Ok(kit.target_dir().join(TARGET).join("release/digest.wasm"))
}

/// Prints what a visitor downloads.
pub fn sizes() -> Result<()> {
    let mut node = Command::new("node");
    node.arg("e2e/sizes.mjs").arg(dist()).current_dir(cmd::root());
    print!("{}", cmd::output(&mut node)?);
    Ok(())
}

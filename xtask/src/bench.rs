//! Measurements, for people to read: nothing here passes or fails.

use std::process::Command;

use crate::{Result, build, cmd, setup};

/// `cargo xtask bench`.
pub fn run() -> Result<()> {
    cmd::run(cmd::cargo().args(["run", "--release", "--package", "bench"]))?;

    let kit = setup::for_build()?;
    let module = build::digest_module(&kit)?;
    cmd::run(Command::new("node").arg("e2e/bulk.mjs").arg(module).current_dir(cmd::root()))?;

    let chromium = setup::for_browser()?;
    build::site(&kit, build::Form::Release)?;
    build::sizes()?;
    let mut node = Command::new("node");
    node.arg("e2e/bench.mjs").env("CHROMIUM", chromium).current_dir(cmd::root());
    cmd::run(&mut node)
}

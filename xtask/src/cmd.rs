//! Running other programs.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::Result;

/// The top of the repository.
pub fn root() -> PathBuf {
    // Cargo sets the variable at run time too, which stays right when the folder has moved since.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&manifest).parent().expect("xtask lies in the repository").to_path_buf()
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The file that `name` on PATH stands for.
pub fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// PATH with some folders before all others.
pub fn path_with(first: &[PathBuf]) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(first.iter().cloned().chain(std::env::split_paths(&path)))
        .map_err(|error| format!("a folder cannot stand in PATH: {error}"))
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    std::iter::once(name).chain(command.get_args()).map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Runs it, with its output shown as it comes.
pub fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", shown(command));
    let status = command.status().map_err(|error| cannot_run(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

/// As `run`, but ended once `limit` has passed.
pub fn run_limited(command: &mut Command, limit: Duration) -> Result<()> {
    println!("$ {}", shown(command));
    let mut child = command.spawn().map_err(|error| cannot_run(command, &error))?;
    let start = Instant::now();
    while start.elapsed() < limit {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("`{}` failed ({status})", shown(command))),
            Ok(None) => thread::sleep(Duration::from_millis(100)),
            Err(error) => return Err(cannot_run(command, &error)),
        }
    }
    // It may have ended by itself in this very moment, which is as good.
    let _ = child.kill();
    let _ = child.wait();
    Err(format!("`{}` was given up after {} s", shown(command), limit.as_secs()))
}

/// What it prints on standard output; an error when it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| cannot_run(command, &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!(
            "`{}` failed ({}): {}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        ))
    }
}

/// Runs it, shows both its outputs as they come, and returns them, one after the other.
pub fn run_captured(command: &mut Command) -> Result<(ExitStatus, String)> {
    println!("$ {}", shown(command));
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| cannot_run(command, &error))?;
    let stdout = child.stdout.take().expect("piped");
    let stderr = child.stderr.take().expect("piped");
    let errors = thread::spawn(move || copy_lines(stderr, std::io::stderr()));
    let mut text = copy_lines(stdout, std::io::stdout());
    text.push_str(&errors.join().expect("copying does not panic"));
    let status = child.wait().map_err(|error| cannot_run(command, &error))?;
    Ok((status, text))
}

fn copy_lines(from: impl Read, mut to: impl Write) -> String {
    let mut from = BufReader::new(from);
    let mut text = String::new();
    let mut line = Vec::new();
    while matches!(from.read_until(b'\n', &mut line), Ok(n) if n > 0) {
        // The copy matters more than what is shown: a closed terminal ends nothing.
        let _ = to.write_all(&line);
        text.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    text
}

fn cannot_run(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` cannot be run: {error}", shown(command))
}

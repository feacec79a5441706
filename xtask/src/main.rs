//! `cargo xtask`: everything a fresh machine needs, behind one command.

mod bench;
mod build;
mod cmd;
mod serve;
mod setup;
mod test;
mod tools;

use std::process::ExitCode;

/// Messages are for people: they name what is missing and the command that brings it.
type Result<T> = std::result::Result<T, String>;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  setup                      bring what the commands below need (done by each of them as well)
  build [--dev]              the static site, in dist/; works under any path
  serve [--port N] [--open] [--dev]
                             build, then serve dist/ on http://127.0.0.1:8080/ (--port 0: any free port)
                             --dev: quicker to build, larger, slower; for those who work on the page
  test [CHECK]...            every check, native and in a browser; or only those named:
                             format, lint, native, doc, build, digest, browser (of dist/ as it is)
  bench                      measure the stepper, then the page

environment:
  MMSCOPE_CACHE              where tools are installed (default: $XDG_CACHE_HOME/mmscope or ~/.cache/mmscope)
  MMSCOPE_WASM_TOOLCHAIN     rustup or debian: which toolchain compiles for the browser (default: rustup, if it can)
  CHROMIUM                   the browser that the tests drive (default: chromium or google-chrome on PATH)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let done = match command {
        "setup" => no_arguments(rest).and_then(|()| setup::all()),
        "build" => build::run(rest),
        "serve" => serve::run(rest),
        "test" => return test::run(rest),
        "bench" => no_arguments(rest).and_then(|()| bench::run()),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("there is no command `{command}`\n\n{USAGE}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn no_arguments(rest: &[String]) -> Result<()> {
    match rest.first() {
        None => Ok(()),
        Some(extra) => Err(format!("`{extra}` is not expected here\n\n{USAGE}")),
    }
}

//! Set-up: what is missing is brought, what is there is left alone.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::Result;
use crate::{cmd, tools};

const TARGET: &str = "wasm32-unknown-unknown";
/// rustup's server may be out of reach; the second way needs Debian's archive alone.
const RUSTUP_LIMIT: Duration = Duration::from_secs(60);
/// A compiler for the browser with the source of its standard library, and the linker that it calls.
const DEBIAN_PACKAGES: [&str; 5] = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "lld-22"];

/// What compiles for the browser.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Toolchain {
    Rustup,
    /// Debian's compiler, which builds the standard library too.
    Debian,
}

/// All that building the site needs.
pub struct Kit {
    toolchain: Toolchain,
    path: OsString,
}

impl Kit {
    /// Where cargo puts what it compiles for the browser.
    pub fn target_dir(&self) -> PathBuf {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| cmd::root().join("target"), PathBuf::from);
        match self.toolchain {
            Toolchain::Rustup => target,
            // Host artefacts of two compilers in one folder rebuild each other.
            Toolchain::Debian => target.join("debian"),
        }
    }

    pub fn trunk(&self) -> Command {
        self.command("trunk")
    }

    /// The cargo that compiles for the browser.
    pub fn cargo(&self) -> Command {
        self.command("cargo")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(cmd::root())
            .env("PATH", &self.path)
            .env("CARGO_TARGET_DIR", self.target_dir())
            .env("CARGO_ENCODED_RUSTFLAGS", remap_flag());
        if self.toolchain == Toolchain::Debian {
            command
                .env("CARGO", "/usr/bin/cargo")
                .env("RUSTC", "/usr/bin/rustc")
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort")
                // Set by the cargo that runs us, for its own compiler.
                .env_remove("LD_LIBRARY_PATH")
                .env_remove("RUSTUP_TOOLCHAIN");
        }
        command
    }
}

/// Panic messages in the site name source files: the same names on every machine, and short.
fn remap_flag() -> OsString {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let home = set("CARGO_HOME").or_else(|| Some(set("HOME")?.join(".cargo")));
    let mut flag = OsString::new();
    if let Some(home) = home {
        flag.push("--remap-path-prefix=");
        flag.push(home.join("registry/src"));
        flag.push("=crates");
    }
    flag
}

/// `cargo xtask setup`.
pub fn all() -> Result<()> {
    for_build()?;
    for_browser()?;
    println!("all set up");
    Ok(())
}

/// What the site's build needs: a compiler, trunk, wasm-bindgen and wasm-opt.
pub fn for_build() -> Result<Kit> {
    let toolchain = wasm_toolchain()?;
    let mut path = vec![tools::npm_packages()?, tools::trunk()?, tools::wasm_bindgen()?];
    tools::clean_up()?;
    if toolchain == Toolchain::Debian {
        path.push("/usr/bin".into());
    }
    Ok(Kit { toolchain, path: cmd::path_with(&path)? })
}

/// What the tests in a browser need: its path, and the packages that drive it.
pub fn for_browser() -> Result<PathBuf> {
    tools::npm_packages()?;
    tools::chromium()
}

fn wasm_toolchain() -> Result<Toolchain> {
    match std::env::var("MMSCOPE_WASM_TOOLCHAIN").as_deref() {
        Ok("rustup") => add_rustup_target().map(|()| Toolchain::Rustup),
        Ok("debian") => install_debian_toolchain().map(|()| Toolchain::Debian),
        Ok("") | Err(_) => first_that_works(),
        Ok(other) => Err(format!("MMSCOPE_WASM_TOOLCHAIN is `{other}`; `rustup` and `debian` are known")),
    }
}

fn first_that_works() -> Result<Toolchain> {
    if rustup_has_target() {
        return Ok(Toolchain::Rustup);
    }
    // Installed by an earlier run that could not reach rustup's server: no use in asking again.
    if tools::apt_has(&DEBIAN_PACKAGES) {
        return Ok(Toolchain::Debian);
    }
    let Err(first) = add_rustup_target() else {
        return Ok(Toolchain::Rustup);
    };
    eprintln!("{first}\ntrying Debian's toolchain instead");
    match install_debian_toolchain() {
        Ok(()) => Ok(Toolchain::Debian),
        Err(second) => Err(format!(
            "the compiler cannot target {TARGET}:\n{first}\n{second}\nEither of these mends it:\n  \
             rustup target add {TARGET}\n  apt-get install --no-install-recommends {}",
            DEBIAN_PACKAGES.join(" ")
        )),
    }
}

fn rustup_has_target() -> bool {
    let mut query = Command::new("rustc");
    query.args(["--print", "target-libdir", "--target", TARGET]).current_dir(cmd::root());
    let Ok(folder) = cmd::output(&mut query) else {
        return false;
    };
    std::fs::read_dir(folder.trim())
        .is_ok_and(|files| files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
}

fn add_rustup_target() -> Result<()> {
    if rustup_has_target() {
        return Ok(());
    }
    cmd::run_limited(Command::new("rustup").args(["target", "add", TARGET]).current_dir(cmd::root()), RUSTUP_LIMIT)
}

fn install_debian_toolchain() -> Result<()> {
    if tools::apt_has(&DEBIAN_PACKAGES) { Ok(()) } else { tools::apt_install(&DEBIAN_PACKAGES) }
}

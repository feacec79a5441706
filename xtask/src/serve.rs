//! A static server for dist/: one thread a request, on this machine alone.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::build::Form;
use crate::{Result, build, cmd, setup};

const PORT: u16 = 8080;
/// A browser that opens a connection ahead of need must not hold its thread for ever.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, PartialEq)]
struct Options {
    port: u16,
    open: bool,
    form: Form,
}

/// `cargo xtask serve`.
pub fn run(args: &[String]) -> Result<()> {
    let options = parse(args)?;
    // Before the build, so that a taken port is not found out minutes later.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).map_err(|error| {
        format!("port {} cannot be used: {error}\n`cargo xtask serve --port 0` takes a free one", options.port)
    })?;
    build::site(&setup::for_build()?, options.form)?;

    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let url = format!("http://{address}/");
    println!("\nserving {url} (Ctrl-C ends it)");
    if options.open {
        open(&url)?;
    }
    for stream in listener.incoming().flatten() {
        // A visitor who leaves early is no concern of the server's.
        thread::spawn(move || answer(stream, &build::dist()));
    }
    Ok(())
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options { port: PORT, open: false, form: Form::Release };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (name, value) = arg.split_once('=').map_or((arg.as_str(), None), |(name, value)| (name, Some(value)));
        match (name, value) {
            ("--open", None) => options.open = true,
            ("--dev", None) => options.form = Form::Dev,
            ("--port", value) => {
                let port = value.or_else(|| args.next().map(String::as_str)).unwrap_or_default();
                options.port = port.parse().map_err(|_| format!("--port takes a number up to 65535, not `{port}`"))?;
            }
            _ => return Err(format!("`serve` knows --port N, --open and --dev, not `{arg}`")),
        }
    }
    Ok(options)
}

fn open(url: &str) -> Result<()> {
    let opener = ["xdg-open", "open"].into_iter().find_map(cmd::which);
    let opener = opener.ok_or_else(|| format!("nothing here opens a browser (xdg-open); visit {url} yourself"))?;
    Command::new(opener)
        .arg(url)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
        .map_err(|error| format!("{url} cannot be opened: {error}"))
}

fn answer(mut stream: TcpStream, dist: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    // The headers are read to their end, or closing would reset the connection.
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }

    let mut words = request.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (status, kind, body) = match method {
        "GET" | "HEAD" => match resolve(dist, target).and_then(|file| Some((std::fs::read(&file).ok()?, file))) {
            Some((body, file)) => ("200 OK", content_type(&file), body),
            None => ("404 Not Found", "text/plain; charset=utf-8", b"not found\n".to_vec()),
        },
        _ => ("405 Method Not Allowed", "text/plain; charset=utf-8", b"only GET and HEAD\n".to_vec()),
    };
    // A module such as mmscope.js may be taken by pages of other origins; what is served is public.
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// The file under `dist` that a request's target names; never one outside.
fn resolve(dist: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = decode(path)?;
    let mut file = dist.to_path_buf();
    for part in path.split('/') {
        let stays_inside = part != ".." && !part.contains(['\\', '\0', ':']);
        if !stays_inside {
            return None;
        }
        file.push(part);
    }
    Some(if file.is_dir() { file.join("index.html") } else { file })
}

/// Undoes percent-encoding.
fn decode(path: &str) -> Option<String> {
    let mut bytes = path.bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(decoded).ok()
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json" | "webmanifest") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// A folder with a few files in it and a secret beside it; gone when dropped.
    struct Site {
        top: PathBuf,
    }

    impl Drop for Site {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.top).unwrap();
        }
    }

    fn site(name: &str) -> Site {
        let top = std::env::temp_dir().join(format!("mmscope-serve-{}-{name}", std::process::id()));
        let dist = top.join("dist");
        std::fs::create_dir_all(dist.join("docs")).unwrap();
        std::fs::write(top.join("secret"), "secret").unwrap();
        std::fs::write(dist.join("index.html"), "top").unwrap();
        std::fs::write(dist.join("docs/index.html"), "docs").unwrap();
        std::fs::write(dist.join("a b.wasm"), "wasm").unwrap();
        Site { top }
    }

    fn ask(site: &Site, request: &str) -> String {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut visitor = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        visitor.write_all(format!("{request}\r\nHost: x\r\n\r\n").as_bytes()).unwrap();
        answer(listener.accept().unwrap().0, &site.top.join("dist")).unwrap();
        let mut reply = String::new();
        visitor.read_to_string(&mut reply).unwrap();
        reply
    }

    #[test]
    fn files_are_served_with_their_types() {
        let site = site("types");
        let reply = ask(&site, "GET / HTTP/1.1");
        assert!(reply.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html"), "{reply}");
        assert!(reply.ends_with("\r\n\r\ntop"), "{reply}");
        assert!(ask(&site, "GET /docs/?embed=1 HTTP/1.1").ends_with("\r\n\r\ndocs"));
        let reply = ask(&site, "HEAD /a%20b.wasm HTTP/1.1");
        assert!(reply.contains("Content-Type: application/wasm\r\nContent-Length: 4\r\n"), "{reply}");
        assert!(reply.ends_with("\r\n\r\n"), "{reply}");
    }

    #[test]
    fn nothing_outside_is_served() {
        let site = site("outside");
        let tricks = ["/../secret", "/%2e%2e/secret", "/docs/../../secret", "//etc/passwd", "/..%5csecret", "/%", "x"];
        for target in tricks {
            let reply = ask(&site, &format!("GET {target} HTTP/1.1"));
            assert!(reply.starts_with("HTTP/1.1 404 "), "{target}: {reply}");
        }
        assert!(ask(&site, "POST / HTTP/1.1").starts_with("HTTP/1.1 405 "));
    }

    #[test]
    fn options_are_parsed() {
        let parse = |line: &str| parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>());
        assert_eq!(parse(""), Ok(Options { port: 8080, open: false, form: Form::Release }));
        assert_eq!(parse("--port 0 --open"), Ok(Options { port: 0, open: true, form: Form::Release }));
        assert_eq!(parse("--port=81"), Ok(Options { port: 81, open: false, form: Form::Release }));
        assert_eq!(parse("--dev"), Ok(Options { port: 8080, open: false, form: Form::Dev }));
        for wrong in ["--port", "--port x", "--port 99999", "--watch", "8080", "--open=1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}

//! `mmscope render`: the same moment is the same bytes, and what is wrong is said with its place.

use std::path::Path;
use std::process::{Command, Output};

const LINK: &str = "https://example.org/mm/#v1/munlock/0/6?pages=56&step=647,311";

fn render(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mmscope")).arg("render").args(args).output().expect("the binary starts")
}

fn text(args: &[&str]) -> String {
    let output = render(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

#[track_caller]
fn refuses(args: &[&str], words: &str) {
    let output = render(args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
    assert!(error.contains(words), "{args:?}: {error}");
    assert!(output.stdout.is_empty());
}

/// Compares with a file beside this test. `UPDATE_GOLDEN=1` writes it.
#[track_caller]
fn check_golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("the golden file can be written");
    }
    let expect = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(expect.lines()).find(|(found, expect)| found != expect);
    assert!(found == expect, "{name} differs: {differs:?}\nUPDATE_GOLDEN=1 takes the new one");
}

#[test]
fn pictures_are_these() {
    let svg = text(&[LINK, "-o", "-"]);
    assert_eq!(svg, text(&[LINK, "-o", "-", "--theme", "light"]), "the same bytes each time");
    check_golden("render-munlock-0-6.svg", &svg);
    check_golden("render-munlock-0-6.txt", &text(&[LINK]));
    let two = "#v1/munlock-two-cpus/0/6?schedule=seed:7&step=50,40";
    check_golden("render-two-cpus.txt", &text(&[two]));
    check_golden("render-pcp-free.txt", &text(&["#v1/pcp-free/v4.15/merged?step=200,200"]));
    check_golden("render-rmap-print.svg", &text(&["rmap-unmap", "--step", "40", "--theme", "print", "-o", "-"]));
}

#[test]
fn text_fits_into_a_mail() {
    let scenarios = ["munlock", "lru-drain", "pcp-free", "madvise-free", "rmap-unmap", "munlock-two-cpus"];
    for scenario in scenarios {
        let figure = text(&[scenario, "--step", "60"]);
        let long = figure.lines().find(|line| line.chars().count() > 72);
        assert_eq!(long, None, "{scenario}");
        assert!(figure.contains("all atomics") && figure.contains("old: "), "{figure}");
    }
}

#[test]
fn a_picture_stands_alone() {
    for theme in ["light", "dark", "print", "auto"] {
        let svg = text(&["munlock", "--step", "90", "--theme", theme, "-o", "-"]);
        assert!(svg.starts_with("<svg xmlns=") && svg.trim_end().ends_with("</svg>"));
        for foreign in ["href", "url(", "@import", "<script", "<image", "var(--", "style=\""] {
            assert!(!svg.contains(foreign), "{theme}: {foreign}");
        }
    }
}

#[test]
fn one_run_can_stand_alone() {
    let one = text(&["munlock", "--variant", "6", "--step", "90"]);
    assert!(one.contains("(6), step 90 of") && !one.contains("old:"), "{one}");
    assert!(text(&["munlock", "--variant", "6", "--step", "90", "-o", "-"]).starts_with("<svg "));
}

#[test]
fn files_are_written_and_read() {
    let folder = std::env::temp_dir().join(format!("mmscope-render-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("moment.svg");
    let path_text = path.to_str().unwrap();
    assert_eq!(text(&[LINK, "-o", path_text]), "");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text(&[LINK, "-o", "-"]));
    // The link of a file's picture brings the file along.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/scenarios/munlock.json");
    let first = text(&[file.to_str().unwrap(), "--step", "30"]);
    let link: String = first.split("\n\n").last().unwrap().split_whitespace().collect();
    assert!(link.starts_with("#v1/file/") && link.contains("file="), "{first}");
    assert_eq!(text(&[&link]), first, "its link shows the same");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_comes_out_otherwise_is_said() {
    let output = render(&["#v1/munlock/0/6?pages=56&step=6,3&outcome=1306.00000000,9.00000000"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("same steps, different outcome") && error.contains("new: "), "{error}");
    assert!(!output.stdout.is_empty(), "it is drawn all the same");
}

#[test]
fn what_is_wrong_has_its_place() {
    refuses(&[], "a link in quotes");
    refuses(&["munlok"], "did you mean `munlock`");
    refuses(&["#v1/munlok/0/6"], "did you mean #v1/munlock/0/6");
    refuses(&["https://example.org/#v1/munlock/0/seven"], "https://example.org/#v1/munlock/0/");
    refuses(&["#v2/munlock/0/6"], "a newer mmscope");
    refuses(&["#"], "nothing after its #");
    refuses(&["#v1/file/0/6?file=AAAA"], "file=");
    refuses(&["munlock", "--step", "999999"], "expected 0 to");
    refuses(&["munlock", "--step", "1,x"], "OLD,NEW from 0,0 to");
    refuses(&["munlock", "--variant", "6", "--step", "1,1"], "expected 0 to");
    refuses(&["munlock", "--theme", "blue"], "light, dark, print, auto");
    refuses(&["munlock", "-o", "moment.png"], ".svg or .txt");
    refuses(&["munlock", "-o", "/no/such/folder/moment.svg"], "-o /no/such/folder/moment.svg");
    refuses(&["munlock", "--variant", "6", "--old", "0"], "--old and --new");
    refuses(&["munlock", "--set", "pages=9000"], "8192 at most");
    refuses(&["munlock", "--set", "pages=x"], "`pages` is `x`");
    refuses(&["munlock", "--frame"], "--frame");
}

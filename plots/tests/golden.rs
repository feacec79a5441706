//! The pictures are these, to the letter.
//!
//! `UPDATE_GOLDEN=1 cargo test -p plots --test golden` writes them anew; look at them before they are kept.

mod common;

use std::path::Path;

use plots::{Plot, Size, Theme};

#[track_caller]
fn check(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        std::fs::write(&path, found).expect("the golden file can be written");
        return;
    }
    let expect = std::fs::read_to_string(&path).unwrap_or_default();
    if found != expect {
        let line = found.lines().zip(expect.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or_else(|| found.lines().count().min(expect.lines().count()));
        let at = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").to_owned();
        panic!(
            "{name} differs in line {}\nfound:  {}\nexpect: {}\nUPDATE_GOLDEN=1 takes the new one",
            line + 1,
            at(found),
            at(&expect)
        );
    }
}

#[test]
fn samples_look_like_this() {
    // The file of the dense one would be large and says nothing to a reader.
    for (name, plot) in common::all().into_iter().filter(|(name, _)| *name != "dense") {
        check(&format!("{name}.svg"), &plot.draw(Size::new(720.0, 340.0), Theme::Light).unwrap());
    }
}

#[test]
fn themes_look_like_this() {
    let size = Size::new(360.0, 300.0);
    for (theme, word) in [(Theme::Css, "css"), (Theme::Dark, "dark"), (Theme::Print, "print")] {
        check(&format!("list-{word}.svg"), &common::list().draw(size, theme).unwrap());
        check(&format!("machines-{word}.svg"), &common::machines().draw(size, theme).unwrap());
    }
}

#[test]
fn tables_are_these() {
    for (name, plot) in
        [("published", Box::new(common::published()) as Box<dyn Plot>), ("holds", Box::new(common::holds()))]
    {
        check(&format!("{name}.csv"), &plot.to_csv());
    }
}

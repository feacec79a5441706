//! Writes each sample plot in each theme and at three widths: `cargo run -p plots --example gallery DIRECTORY`.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::PathBuf;

use plots::{Size, Theme};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("name a directory")?);
    std::fs::create_dir_all(&directory)?;
    for (name, plot) in common::all() {
        for width in [360.0, 720.0, 1200.0] {
            for (theme, word) in
                [(Theme::Light, "light"), (Theme::Dark, "dark"), (Theme::Print, "print"), (Theme::Css, "css")]
            {
                let svg = plot.draw(Size::new(width, 340.0), theme)?;
                std::fs::write(directory.join(format!("{name}-{width}-{word}.svg")), svg)?;
            }
        }
    }
    Ok(())
}

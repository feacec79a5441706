//! Prints an HTML page with the drawings of one moment, old beside new, wide and narrow, light and dark.
//!
//! `cargo run -p stage --example moment > moment.html`

use stage::{Form, Options, Regions, Scene, Theme, layout, regions, svg};

#[path = "../tests/moment/mod.rs"]
mod moment;

fn pair(form: Form) -> [Scene; 2] {
    let views = [moment::old(), moment::new()];
    let options = Options { form, ..Options::default() };
    let rows: Regions = regions(&views[0], &options).max(&regions(&views[1], &options));
    views.map(|view| layout(&view, &Options { regions: Some(&rows), ..options }))
}

fn main() {
    println!("<!doctype html><meta charset=\"utf-8\"><title>moment</title><style>body{{margin:0}}");
    println!("div{{display:flex;gap:22px;padding:16px}} .d{{background:#111418}} .l{{background:#fbfaf7}}</style>");
    for (class, theme) in [("l", Theme::LIGHT), ("d", Theme::DARK)] {
        let rare = |form| layout(&moment::rare(), &Options { form, ..Options::default() });
        for scenes in [pair(Form::Wide), pair(Form::Narrow), [rare(Form::Wide), rare(Form::Narrow)]] {
            println!("<div class=\"{class}\">{}</div>", scenes.map(|scene| img(&scene, &theme)).concat());
        }
    }
}

/// One drawing as an image, so that style sheets do not meet.
fn img(scene: &Scene, theme: &Theme) -> String {
    let text = svg(scene, theme).replace('%', "%25").replace('#', "%23").replace('"', "%22").replace('\n', "%0a");
    format!("<img alt=\"\" src=\"data:image/svg+xml,{}\">", text.replace('<', "%3c").replace('>', "%3e"))
}

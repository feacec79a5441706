//! Prints the drawings of one moment as a page writes them: keyed groups under `translate`, titles and badges as HTML.
//!
//! This is the reference for a renderer: same classes, same order, same attributes. `cargo run -p stage --example
//! markup` prints four `<svg>` elements, one a line: old wide, old narrow, new wide, new narrow.

use stage::*;

#[path = "../tests/moment/mod.rs"]
mod moment;

fn main() {
    let views = [("old", moment::old()), ("new", moment::new())];
    for (side, view) in &views {
        for form in [Form::Wide, Form::Narrow] {
            let options = Options { form, ..Options::default() };
            let rows = regions(&views[0].1, &options).max(&regions(&views[1].1, &options));
            let scene = layout(view, &Options { regions: Some(&rows), ..options });
            println!("{}", drawing(side, &scene));
        }
    }
}

fn drawing(side: &str, scene: &Scene) -> String {
    let form = scene.form;
    let mut out = format!(
        "<svg class=\"stage {}\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"group\" \
         aria-label=\"{side}: {}\">",
        if form == Form::Wide { "wide" } else { "nar" },
        scene.title,
        w = scene.width,
        h = scene.height,
    );
    out.extend(scene.fences.iter().map(|f| part(&f.part())));
    out.extend(scene.slots.iter().map(|s| part(&s.part())));
    out.extend(scene.arrows.iter().flat_map(Arrow::parts).map(|p| part(&p)));
    for pte in &scene.ptes {
        out += &format!("<g class=\"{}\" aria-hidden=\"true\">{}</g>", pte.class(), all(&pte.parts()));
    }
    for fence in scene.fences.iter().filter(|f| !f.edge.title.is_empty()) {
        let title = fence.edge.title.iter().map(|s| span(s, "span")).collect::<Vec<_>>().join(" ");
        let badges: String = fence.edge.badges.iter().map(|b| badge(b, false)).collect();
        let html = format!("<div class=\"edge\"><span class=\"etitle\">{title}</span>{badges}</div>");
        out += &foreign(fence.edge.rect, &html);
    }
    for label in &scene.labels {
        out += &format!(
            "<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>",
            label.class,
            number(label.x),
            number(label.y),
            label.text
        );
    }
    for r in &scene.refs {
        out += &shape("tile ref", &r.aria, r.rect, &r.parts(form));
    }
    for tile in &scene.tiles {
        out += &shape(&tile.class(), &tile.aria, tile.rect, &tile.parts(form));
    }
    for ring in &scene.rings {
        out += &shape("tringg", "", ring.rect, &ring.parts());
    }
    for note in &scene.notes {
        let end = if note.align == Align::End { " end" } else { "" };
        out += &foreign(note.rect, &format!("<div class=\"plab{end}\">{}</div>", badge(&note.badge, true)));
    }
    out + "</svg>"
}

/// A group that a `transform` places; a page sets it as a style property, so that a change is animated.
fn shape(class: &str, aria: &str, at: Rect, parts: &[Part]) -> String {
    let role =
        if aria.is_empty() { "aria-hidden=\"true\"".into() } else { format!("role=\"img\" aria-label=\"{aria}\"") };
    let style = format!("transform:translate({}px,{}px)", number(at.x), number(at.y));
    format!("<g class=\"{class}\" {role} style=\"{style}\">{}</g>", all(parts))
}

fn foreign(at: Rect, html: &str) -> String {
    let [x, y, w, h] = [at.x, at.y, at.w, at.h].map(number);
    format!("<foreignObject x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\">{html}</foreignObject>")
}

fn badge(badge: &Badge, small: bool) -> String {
    let lock = badge.padlock.map_or(String::new(), |lock| {
        let (shackle, body) = (lock.shackle(), part(&lock.body()));
        format!("<svg class=\"lk\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><path d=\"{shackle}\"/>{body}</svg>")
    });
    let text = badge.spans.iter().map(|s| span(s, "")).collect::<Vec<_>>().join(" ");
    format!("<span class=\"{}\">{lock}<span>{text}</span></span>", badge.class(small))
}

fn span(span: &Span, plain: &str) -> String {
    match (span.bold, plain) {
        (true, _) => format!("<b>{}</b>", span.text),
        (false, "") => span.text.clone(),
        (false, tag) => format!("<{tag}>{}</{tag}>", span.text),
    }
}

fn all(parts: &[Part]) -> String {
    parts.iter().map(part).collect()
}

fn part(part: &Part) -> String {
    match part {
        Part::Rect { class, rect, rx } => format!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            number(rect.x),
            number(rect.y),
            number(rect.w),
            number(rect.h),
            number(*rx)
        ),
        Part::Path { class, d } if class.starts_with("nowline") => {
            format!("<path class=\"{class}\" pathLength=\"1\" d=\"{d}\"/>")
        }
        Part::Path { class, d } => format!("<path class=\"{class}\" d=\"{d}\"/>"),
        Part::Dot { class, cx, cy, r } => {
            format!("<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>", number(*cx), number(*cy), number(*r))
        }
        Part::Text { class, x, y, text } => {
            format!("<text class=\"{class}\" x=\"{}\" y=\"{}\">{text}</text>", number(*x), number(*y))
        }
    }
}

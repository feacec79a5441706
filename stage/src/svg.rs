//! A scene as SVG text: self-contained, and the same bytes for the same scene.

use core::fmt::Write as _;

use crate::geom::{Form, Point, Rect};
use crate::parts::{Part, write_number};
use crate::scene::{Align, Badge, Edge, FenceState, Label, MapArea, Note, Padlock, Scene};
use crate::theme::{Theme, resolve};
use crate::type_width::{self, BadgeType, EDGE, PADLOCK, span_width, width};

/// The page's own rules for the drawing.
const STAGE_CSS: &str = include_str!("../../assets/css/stage.css");

/// Rules for what the page writes as HTML and the static picture as text.
const TEXT_CSS: &str = "\
.paper { fill: var(--paper); }
.et { font-size: 12px; }
.et.sm { font-size: 11px; }
.stage .t { fill: var(--ink3); }
.stage .t.b { fill: var(--ink); font-weight: 650; }
.stage .b2 { fill: var(--ink2); font-weight: 650; }
.stage .on { fill: var(--onheld); }
.stage .onb { fill: var(--onheld); font-weight: 650; }
.badge { fill: var(--paper); }
.badge.held { fill: var(--held); }
.badge.wanted { stroke: var(--held); stroke-width: 1.5; }
.g { color: var(--ink3); }
.g.held { color: var(--onheld); }
";

/// Fonts of the static picture, which cannot bring its own.
pub(crate) const FONTS: &str = "Inter,-apple-system,'Segoe UI',Roboto,'Noto Sans',system-ui,'DejaVu Sans',sans-serif";

/// From a text's middle, as the scene has it, to its baseline: half the height of Inter's capitals.
pub(crate) const BASELINE: f32 = 0.364;

/// One side of the picture as an SVG document.
pub fn svg(scene: &Scene, theme: &Theme) -> String {
    let mut out = Writer { text: String::with_capacity(48 * 1024), scene };
    out.open(theme);
    out.lines();
    out.words();
    out.pages();
    out.text.push_str("</svg>\n");
    out.text
}

/// One side of the picture at a place in another document, which brings the [`style`].
pub(crate) fn nested(scene: &Scene, x: f32, y: f32) -> String {
    let mut out = Writer { text: String::with_capacity(32 * 1024), scene };
    let [x, y, w, h] = [x, y, scene.width, scene.height].map(crate::number);
    let form = if scene.form == Form::Wide { "wide" } else { "nar" };
    let place = format!("x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"");
    out.raw(&format!("<svg class=\"stage {form}\" {place} viewBox=\"0 0 {w} {h}\">\n"));
    out.lines();
    out.words();
    out.pages();
    out.text.push_str("</svg>\n");
    out.text
}

/// The rules between the marks in the style sheet, with a theme's colours.
pub(crate) fn style(theme: &Theme) -> String {
    let after = STAGE_CSS.split_once("/* picture: begin */").map_or("", |(_, after)| after);
    let rules = after.split_once("/* picture: end */").map_or("", |(rules, _)| rules);
    let rules = format!("{}{TEXT_CSS}", rules.replace("var(--ui)", FONTS).trim_start());
    let mut text = resolve(&rules, theme.palette);
    if let Some(dark) = theme.dark {
        text.push_str("@media (prefers-color-scheme: dark) {\n");
        text.push_str(&resolve(&rules, dark));
        text.push_str("}\n");
    }
    text.retain(|c| c != '\r');
    text.replace("\n\n", "\n")
}

struct Writer<'a> {
    text: String,
    scene: &'a Scene,
}

impl Writer<'_> {
    fn open(&mut self, theme: &Theme) {
        let scene = self.scene;
        let (w, h) = (crate::number(scene.width), crate::number(scene.height));
        let form = if scene.form == Form::Wide { "wide" } else { "nar" };
        self.raw(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"stage {form}\" viewBox=\"0 0 {w} {h}\" \
             width=\"{w}\" height=\"{h}\" role=\"img\">\n<title>"
        ));
        self.escaped(&scene.title);
        self.raw("</title>\n<desc>");
        for (i, group) in scene.groups.iter().enumerate() {
            self.raw(if i == 0 { "" } else { ". " });
            self.escaped(&group.label);
        }
        self.raw("</desc>\n<style>\n");
        let style = style(theme);
        self.raw(&style);
        self.raw("</style>\n");
        self.rect("paper", Rect::new(0.0, 0.0, scene.width, scene.height), 0.0);
        self.raw("\n");
    }

    /// Fences, slots and arrows.
    fn lines(&mut self) {
        let scene = self.scene;
        for fence in &scene.fences {
            self.part(&fence.part(), 0.0);
        }
        for slot in &scene.slots {
            self.part(&slot.part(), 0.0);
        }
        for area in &scene.map {
            self.map(area);
        }
        for arrow in &scene.arrows {
            self.parts(&arrow.parts(), 0.0);
        }
        self.raw("\n");
    }

    /// The squares of a map as one path.
    fn map(&mut self, area: &MapArea) {
        self.raw(&format!("<path class=\"{}\" d=\"", area.class()));
        for i in 0..area.squares() {
            let Rect { x, y, w, h } = area.square(i);
            let [x, y, w, h] = [x, y, w, h].map(crate::number);
            self.raw(&format!("M{x} {y}h{w}v{h}h-{w}z"));
        }
        self.raw("\"/>\n");
    }

    /// PTE marks, titles, badges and labels.
    fn words(&mut self) {
        let scene = self.scene;
        for pte in &scene.ptes {
            if pte.strip {
                if let Some(Part::Rect { rect, rx, .. }) = pte.parts().first() {
                    self.rect(&pte.class(), *rect, *rx);
                }
                continue;
            }
            self.raw(&format!("<g class=\"{}\">", pte.class()));
            self.parts(&pte.parts(), 9.5);
            self.raw("</g>\n");
        }
        for fence in &scene.fences {
            self.edge(&fence.edge);
        }
        for label in &scene.labels {
            self.label(label);
        }
    }

    /// References, tiles, rings and the badges of page locks.
    fn pages(&mut self) {
        let scene = self.scene;
        for reference in &scene.refs {
            self.shape("tile ref", &reference.aria, reference.rect, &reference.parts(scene.form));
        }
        for mark in &scene.marks {
            self.shape(&mark.class(), &mark.aria, mark.rect, &mark.parts(scene.form));
        }
        for tile in &scene.tiles {
            self.shape(&tile.class(), &tile.aria, tile.rect, &tile.parts(scene.form));
        }
        for ring in &scene.rings {
            self.shape("tringg", "", ring.rect, &ring.parts());
        }
        for note in &scene.notes {
            self.note(note);
        }
    }

    fn shape(&mut self, class: &str, title: &str, rect: Rect, parts: &[Part]) {
        self.raw(&format!("<g class=\"{class}\" transform=\"translate("));
        self.number(rect.x);
        self.raw(" ");
        self.number(rect.y);
        self.raw(")\">");
        if !title.is_empty() {
            self.raw("<title>");
            self.escaped(title);
            self.raw("</title>");
        }
        let size = if self.scene.form == Form::Wide { 12.0 } else { 10.5 };
        self.parts(parts, size);
        self.raw("</g>\n");
    }

    fn label(&mut self, label: &Label) {
        let size = label_size(label.class, self.scene.form);
        let at = Point { x: label.x, y: label.y + size * BASELINE };
        self.text(label.class, at, &label.text);
        self.raw("\n");
    }

    fn edge(&mut self, edge: &Edge) {
        if edge.title.is_empty() {
            return;
        }
        let middle = edge.rect.centre().y;
        let widths: Vec<f32> = edge.title.iter().map(|s| width(&s.text, EDGE, s.bold)).collect();
        let gaps = 5.0 * (edge.title.len() - 1) as f32;
        let whole = widths.iter().sum::<f32>() + gaps + 12.0;
        self.rect("paper", Rect::new(edge.rect.x, middle - 10.0, whole, 20.0), 10.0);
        let mut x = edge.rect.x + 6.0;
        for (span, width) in edge.title.iter().zip(widths) {
            let class = if span.bold { "et t b" } else { "et t" };
            self.measured_text(class, Point { x, y: middle + EDGE * BASELINE }, &span.text, width);
            x += width + 5.0;
        }
        let badges: f32 = edge.badges.iter().map(|b| type_width::badge(b, false)).sum();
        let mut x = edge.rect.right() - badges - 4.0 * edge.badges.len().saturating_sub(1) as f32;
        for badge in &edge.badges {
            self.badge(badge, Point { x, y: middle }, false);
            x += type_width::badge(badge, false) + 4.0;
        }
        self.raw("\n");
    }

    fn note(&mut self, note: &Note) {
        let w = type_width::badge(&note.badge, true);
        let x = if note.align == Align::End { note.rect.right() - 6.0 - w } else { note.rect.x + 6.0 };
        self.badge(&note.badge, Point { x, y: note.rect.centre().y }, true);
        self.raw("\n");
    }

    /// A badge whose left edge and middle line are at a point.
    fn badge(&mut self, badge: &Badge, at: Point, small: bool) {
        let set = BadgeType::of(badge, small);
        let h = if small { 18.0 } else { 20.0 };
        let rect = Rect::new(at.x, at.y - h / 2.0, type_width::badge(badge, small), h);
        if badge.ring {
            self.rect("tring now case", rect.inset(-1.85), h / 2.0 + 1.85);
            self.rect("tring now", rect.inset(-1.5), h / 2.0 + 1.5);
        }
        let held = badge.state == FenceState::Held;
        let class = badge.class(small).replace(" ring", "");
        self.rect(&class, rect, h / 2.0);
        let mut x = at.x + set.padding;
        if let Some(padlock) = badge.padlock {
            self.padlock(padlock, Point { x, y: at.y - 6.0 }, held);
            x += PADLOCK;
        }
        for span in &badge.spans {
            let class = match (held, span.bold) {
                (true, true) => "onb",
                (true, false) => "on",
                (false, true) => "b2",
                (false, false) => "t",
            };
            let class = if small { format!("et sm {class}") } else { format!("et {class}") };
            let at = Point { x, y: at.y + set.size * BASELINE };
            self.measured_text(&class, at, &span.text, width(&span.text, set.size, span.bold));
            x += span_width(span, &set);
        }
    }

    fn padlock(&mut self, padlock: Padlock, at: Point, held: bool) {
        self.raw(if held { "<g class=\"g held\"" } else { "<g class=\"g\"" });
        self.raw(" transform=\"translate(");
        self.number(at.x);
        self.raw(" ");
        self.number(at.y);
        self.raw(")\"><g class=\"lk\">");
        self.raw(&format!("<path d=\"{}\"/>", padlock.shackle()));
        self.part(&padlock.body(), 0.0);
        self.raw("</g></g>");
    }

    fn parts(&mut self, parts: &[Part], size: f32) {
        for part in parts {
            self.part(part, size);
        }
    }

    /// One part; `size` is that of its text, should it be one.
    fn part(&mut self, part: &Part, size: f32) {
        match part {
            Part::Rect { class, rect, rx } => self.rect(class, *rect, *rx),
            Part::Path { class, d } => self.raw(&format!("<path class=\"{class}\" d=\"{d}\"/>")),
            Part::Dot { class, cx, cy, r } => {
                let [cx, cy, r] = [cx, cy, r].map(|n| crate::number(*n));
                self.raw(&format!("<circle class=\"{class}\" cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\"/>"));
            }
            Part::Text { class, x, y, text } => {
                let size = if *class == "tight" { size - 1.5 } else { size };
                self.text(class, Point { x: *x, y: y + size * BASELINE }, text);
            }
        }
    }

    fn rect(&mut self, class: &str, rect: Rect, rx: f32) {
        self.raw("<rect");
        if !class.is_empty() {
            self.raw(&format!(" class=\"{class}\""));
        }
        for (name, value) in [("x", rect.x), ("y", rect.y), ("width", rect.w), ("height", rect.h), ("rx", rx)] {
            if name != "rx" || value > 0.0 {
                let _ = write!(self.text, " {name}=\"");
                self.number(value);
                self.raw("\"");
            }
        }
        self.raw("/>");
    }

    fn text(&mut self, class: &str, at: Point, text: &str) {
        self.raw("<text");
        if !class.is_empty() {
            self.raw(&format!(" class=\"{class}\""));
        }
        self.raw(" x=\"");
        self.number(at.x);
        self.raw("\" y=\"");
        self.number(at.y);
        self.raw("\">");
        self.escaped(text);
        self.raw("</text>");
    }

    /// A text that must not become wider than measured, whichever font the reader has.
    fn measured_text(&mut self, class: &str, at: Point, text: &str, width: f32) {
        let [x, y, width] = [at.x, at.y, width].map(crate::number);
        let fit = format!("textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\"");
        self.raw(&format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\" {fit}>"));
        self.escaped(text);
        self.raw("</text>");
    }

    fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn number(&mut self, value: f32) {
        write_number(&mut self.text, value);
    }

    fn escaped(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                c => self.text.push(c),
            }
        }
    }
}

/// Size of a label's text, as the style sheet has it.
fn label_size(class: &str, form: Form) -> f32 {
    let narrow = form == Form::Narrow;
    match class {
        "cnt" => {
            if narrow {
                15.0
            } else {
                18.0
            }
        }
        "cnt sm" => {
            if narrow {
                13.0
            } else {
                15.0
            }
        }
        "empty" => 10.5,
        _ if narrow => 10.5,
        "lab2" | "more" | "lab2 off" => 11.0,
        _ => 12.0,
    }
}

//! From plotters' SVG to the one that is shown: colours for their stand-ins, dashes, hatches, fonts, and a root that
//! says what the picture is.

use std::fmt::Write as _;

use crate::canvas::FINE;
use crate::measure::clean;
use crate::theme::Tone;
use crate::{Size, Theme};

/// What the root says.
pub struct Words<'w> {
    /// Name of the picture.
    pub title: &'w str,
    /// What is to be seen in it, in a sentence or two.
    pub description: &'w str,
}

/// The picture. `drawn` is what plotters wrote: an element a line, and the texts on lines of their own.
pub fn finish(drawn: &str, size: Size, theme: Theme, words: &Words) -> String {
    let id = format!("plot-{:08x}", digest(drawn, words));
    let mut svg = root(size, theme, words, &id);
    let mut body = String::with_capacity(drawn.len());
    for line in drawn.lines().skip(1) {
        match line.strip_prefix('<') {
            Some(tag) if !tag.starts_with('/') => element(&mut body, tag, theme, &id),
            _ => body.push_str(line),
        }
        // A text is kept on the line of its element, or the line ends would become spaces in it.
        if !line.starts_with("<text") && (line.starts_with('<') || line.is_empty()) {
            body.push('\n');
        }
    }
    hatches(&mut svg, &body, theme, &id);
    svg + &body
}

fn root(size: Size, theme: Theme, words: &Words, id: &str) -> String {
    let [title, description] = [words.title, words.description].map(|text| escape(&clean(text)));
    let [width, height] = [size.width, size.height];
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"{id}-t\" aria-describedby=\"{id}-d\" font-family=\"{}\">\n\
         <title id=\"{id}-t\">{title}</title>\n<desc id=\"{id}-d\">{description}</desc>\n",
        theme.fonts()
    );
    if theme != Theme::Css {
        let _ = writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>", theme.color(Tone::Paper));
    }
    svg
}

/// Patterns of those hatches that are used.
fn hatches(svg: &mut String, body: &str, theme: Theme, id: &str) {
    for (name, tone) in [Tone::Fill(crate::Side::Old), Tone::Published].into_iter().filter_map(Tone::hatch) {
        if body.contains(&format!("#{id}-{name})")) {
            let [paper, ink] = [Tone::Paper, tone].map(|tone| theme.color(tone));
            let turn = if name == "old" { 45 } else { -45 };
            let _ = writeln!(
                svg,
                "<pattern id=\"{id}-{name}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate({turn})\"><rect width=\"5\" height=\"5\" fill=\"{paper}\"/>\
                 <path d=\"M0 0V5\" stroke=\"{ink}\" stroke-width=\"2.4\"/></pattern>"
            );
        }
    }
}

/// `tag` is an element without its `<`: name, attributes in double quotes, and the end.
fn element(body: &mut String, tag: &str, theme: Theme, id: &str) {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let outlined = name != "circle" || !tag.contains("stroke=\"none\"");
    body.push('<');
    body.push_str(name);
    while let Some((key, after)) = rest.split_once("=\"") {
        let Some((value, after)) = after.split_once('"') else { break };
        if outlined || key.trim() != "stroke-width" {
            attribute(body, key.trim(), value, theme, id);
        }
        rest = after;
    }
    // A line of two points has no corner.
    if name == "polyline" && tag.matches(',').count() > 2 {
        body.push_str(" stroke-linejoin=\"round\"");
    }
    body.push_str(rest);
}

fn attribute(body: &mut String, key: &str, value: &str, theme: Theme, id: &str) {
    let value = match key {
        "opacity" | "font-family" => return,
        "stroke" if value == "none" => return,
        "fill" | "stroke" => match Tone::of(value) {
            Some(tone) => return paint(body, key, tone, theme, id),
            None => value.to_string(),
        },
        "points" => value.split_whitespace().map(pair).collect::<Vec<_>>().join(" "),
        "transform" => numbers(value, &mut |nth, number| if nth == 0 { number } else { number / FINE }),
        "x" | "y" | "x1" | "y1" | "x2" | "y2" | "cx" | "cy" | "r" | "width" | "height" | "stroke-width"
        | "font-size" => coarse(value),
        // The middle of digits and capitals, rather than of small letters.
        "dy" => "0.36em".into(),
        "font-weight" => "600".into(),
        _ => value.to_string(),
    };
    let _ = write!(body, " {key}=\"{value}\"");
}

fn paint(body: &mut String, key: &str, tone: Tone, theme: Theme, id: &str) {
    let value = match tone.hatch() {
        Some((name, _)) if key == "fill" => format!("url(#{id}-{name})"),
        _ => theme.color(tone),
    };
    let _ = write!(body, " {key}=\"{value}\"");
    if let Some(dashes) = tone.dashes().filter(|_| key == "stroke") {
        let _ = write!(body, " stroke-dasharray=\"{dashes}\"");
    }
}

fn pair(text: &str) -> String {
    text.split(',').map(coarse).collect::<Vec<_>>().join(",")
}

fn coarse(text: &str) -> String {
    // What is no number is left as it is; plotters writes none there.
    text.parse::<f64>().map_or_else(|_| text.to_string(), |value| short(value / FINE))
}

/// To a hundredth.
fn short(value: f64) -> String {
    format!("{}", (value * 100.0).round() / 100.0)
}

/// The text with each of its numbers changed.
fn numbers(text: &str, change: &mut dyn FnMut(usize, f64) -> f64) -> String {
    let (mut result, mut number, mut nth) = (String::new(), String::new(), 0);
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_digit() || c == '-' || c == '.' {
            number.push(c);
            continue;
        }
        if let Ok(value) = number.parse() {
            result.push_str(&short(change(nth, value)));
            nth += 1;
        }
        number.clear();
        if c != '\0' {
            result.push(c);
        }
    }
    result
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Tells pictures on one page apart (FNV-1a): equal pictures have equal names, which does no harm.
fn digest(drawn: &str, words: &Words) -> u32 {
    let bytes = drawn.bytes().chain(words.title.bytes()).chain(words.description.bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_rewritten() {
        let mut body = String::new();
        let tag = "line opacity=\"1\" stroke=\"#E00005\" stroke-width=\"15\" x1=\"1234\" y1=\"0\" x2=\"7\" y2=\"-5\"/>";
        element(&mut body, tag, Theme::Light, "p");
        let expect = "<line stroke=\"#91406f\" stroke-dasharray=\"7 4\" stroke-width=\"1.5\" x1=\"123.4\" y1=\"0\" \
                      x2=\"0.7\" y2=\"-0.5\"/>";
        assert_eq!(body, expect);
        let mut body = String::new();
        element(&mut body, "text x=\"10\" transform=\"rotate(270, 100, 55)\">", Theme::Css, "p");
        assert_eq!(body, "<text x=\"1\" transform=\"rotate(270, 10, 5.5)\">");
        let mut body = String::new();
        element(&mut body, "rect fill=\"#E0000F\" stroke=\"none\"/>", Theme::Css, "p");
        assert_eq!(body, "<rect fill=\"url(#p-old)\"/>");
    }
}

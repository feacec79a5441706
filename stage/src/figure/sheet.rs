//! A sheet of SVG: text at its baseline, rules and marks.

use crate::geom::Rect;
use crate::number;
use crate::type_width::width;

/// A sheet under way.
#[derive(Default)]
pub struct Sheet {
    pub out: String,
}

/// How a text looks: class, size, bold.
#[derive(Clone, Copy)]
pub struct Face(pub &'static str, pub f32, pub bool);

impl Sheet {
    /// A text that starts at a place. It gets no wider than measured, whichever font the reader has.
    pub fn text(&mut self, face: Face, x: f32, y: f32, text: &str) {
        self.write(face, x, y, "start", text);
    }

    /// A text that ends at a place.
    pub fn text_end(&mut self, face: Face, x: f32, y: f32, text: &str) {
        self.write(face, x, y, "end", text);
    }

    fn write(&mut self, Face(class, size, bold): Face, x: f32, y: f32, anchor: &str, text: &str) {
        let [x, y, w, size_text] = [x, y, width(text, size, bold), size].map(number);
        let weight = if bold { " font-weight=\"650\"" } else { "" };
        let fit = format!("textLength=\"{w}\" lengthAdjust=\"spacingAndGlyphs\"");
        let place = format!("x=\"{x}\" y=\"{y}\" font-size=\"{size_text}\"{weight} text-anchor=\"{anchor}\"");
        self.out.push_str(&format!("<text class=\"{class}\" {place} {fit}>"));
        self.escaped(text);
        self.out.push_str("</text>\n");
    }

    /// A rectangle.
    pub fn rect(&mut self, class: &str, Rect { x, y, w, h }: Rect) {
        let [x, y, w, h] = [x, y, w, h].map(number);
        self.out.push_str(&format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>\n"));
    }

    /// A disc.
    pub fn disc(&mut self, class: &str, x: f32, y: f32, r: f32) {
        let [x, y, r] = [x, y, r].map(number);
        self.out.push_str(&format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>\n"));
    }

    /// Text as it may stand in XML. What XML cannot have is left out.
    pub fn escaped(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
                c => self.out.push(c),
            }
        }
    }
}

/// Lines that are no wider than `most`; the last of `lines` ends with an ellipsis where there is more.
pub fn wrapped(text: &str, face: Face, most: f32, lines: usize) -> Vec<String> {
    let fits = |text: &str| width(text, face.1, face.2) <= most;
    let mut done = vec![String::new()];
    for word in text.split_whitespace() {
        let last = done.len() - 1;
        let longer = if done[last].is_empty() { word.to_string() } else { format!("{} {word}", done[last]) };
        if fits(&longer) || done[last].is_empty() {
            done[last] = longer;
        } else {
            done.push(word.to_string());
        }
    }
    let more = done.len() > lines;
    done.truncate(lines.max(1));
    let last = done.len() - 1;
    if more {
        done[last].push('…');
    }
    for line in &mut done {
        *line = cut(line, face, most);
    }
    done
}

/// A text that fits, with its middle left out where it is too wide: both ends of a link say most.
pub fn cut(text: &str, Face(_, size, bold): Face, most: f32) -> String {
    if width(text, size, bold) <= most {
        return text.to_string();
    }
    let chars: Vec<char> = text.chars().take(4096).collect();
    let mut kept = chars.len();
    loop {
        kept = kept * 9 / 10;
        let (front, back) = (kept * 2 / 3, kept - kept * 2 / 3);
        let text: String = chars[..front].iter().chain(['…'].iter()).chain(&chars[chars.len() - back..]).collect();
        if kept == 0 || width(&text, size, bold) <= most {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: Face = Face("t", 12.0, false);

    #[test]
    fn lines_fit_and_say_that_there_is_more() {
        let lines = wrapped("one two three four five six seven", FACE, 60.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…') && lines.iter().all(|line| width(line, 12.0, false) <= 60.0), "{lines:?}");
        assert_eq!(wrapped("", FACE, 60.0, 2), [""]);
        assert_eq!(wrapped("short", FACE, 60.0, 2), ["short"]);
    }

    #[test]
    fn a_long_word_keeps_both_ends() {
        let link = format!("https://host/#v1/{}end", "x".repeat(9000));
        let short = cut(&link, FACE, 300.0);
        assert!(short.starts_with("https://host/#v1/") && short.contains('…'));
        assert!(width(&short, 12.0, false) <= 300.0);
    }

    #[test]
    fn text_cannot_leave_its_element() {
        let mut sheet = Sheet::default();
        sheet.text(FACE, 0.0, 0.0, "</text><script>\"&\u{0}");
        assert!(sheet.out.contains(">&lt;/text&gt;&lt;script&gt;&quot;&amp;</text>"), "{}", sheet.out);
    }
}

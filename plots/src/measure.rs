//! How wide text is, nearly. There is no font to ask, so it is taken as wide as the widest of the usual fallbacks
//! (DejaVu Sans): then nothing that is said to fit is cut.

/// Characters that XML does not allow, and those that would break a line, as spaces.
pub fn clean(text: &str) -> String {
    let bad = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if bad(c) { ' ' } else { c }).collect::<String>().trim().to_string()
}

/// Width in the unit of `font`.
pub fn width(text: &str, font: f64) -> f64 {
    text.chars().map(ems).sum::<f64>() * font
}

/// Width in bold.
pub fn bold_width(text: &str, font: f64) -> f64 {
    width(text, font) * 1.08
}

fn ems(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 0.3,
        ' ' | '.' | ',' | ':' | ';' | '!' | 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.4,
        '\u{202f}' | '\u{2009}' => 0.25,
        'm' | 'M' | 'W' | '%' | '@' | 'w' | '—' => 0.98,
        'A'..='Z' | '+' | '=' | '<' | '>' | '\u{2212}' | '×' => 0.8,
        '\0'..='\u{24f}' => 0.63,
        '\u{2070}'..='\u{209f}' => 0.45,
        '\u{250}'..='\u{10ff}' => 0.8,
        _ => 1.05,
    }
}

/// The text in at most `most` lines of at most that width; what does not fit ends in an ellipsis.
pub fn wrap(text: &str, room: f64, most: usize, width: impl Fn(&str) -> f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}")) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    if lines.len() > most {
        let rest = lines.split_off(most).join(" ");
        if let Some(last) = lines.last_mut() {
            *last = format!("{last} {rest}");
        }
    }
    lines.into_iter().map(|line| shorten(line, room, &width)).collect()
}

/// The text, cut to that width.
pub fn shorten(text: String, room: f64, width: impl Fn(&str) -> f64) -> String {
    if width(&text) <= room {
        return text;
    }
    let mut cut = String::new();
    for c in text.chars() {
        if width(&format!("{cut}{c}…")) > room {
            break;
        }
        cut.push(c);
    }
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_at_spaces_and_then_cut() {
        let count = |text: &str| text.chars().count() as f64;
        assert_eq!(wrap("one two three", 7.0, 3, count), ["one two", "three"]);
        assert_eq!(wrap("one two three four", 7.0, 2, count), ["one two", "three…"]);
        assert_eq!(wrap("unevictable", 5.0, 2, count), ["unev…"]);
        assert!(wrap("  ", 5.0, 2, count).is_empty());
    }

    #[test]
    fn nothing_that_xml_refuses_is_left() {
        assert_eq!(clean("a\0b\nc\u{ffff}"), "a b c");
    }
}

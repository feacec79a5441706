//! Where a field stands in the text.

use std::collections::BTreeSet;

// One step of a path.
#[derive(Clone, Copy, PartialEq)]
enum Part<'a> {
    Field(&'a str),
    Item(usize),
}

/// Line and column of what a path names, both from 1. Where there is no such field, those of the object around it. The
/// text is JSON that has been read without an error.
pub fn find(text: &str, path: &str) -> (usize, usize) {
    let (at, _) = go(text, path);
    line_and_column(text, at)
}

/// The value that a path names, as it is written; none where there is no such field.
pub fn written<'a>(text: &'a str, path: &str) -> Option<&'a str> {
    let (at, is_there) = go(text, path);
    let mut scan = Scan { bytes: text.as_bytes(), at };
    scan.skip();
    text.get(at..scan.at).filter(|_| is_there)
}

// Goes to what a path names, or to the object around it: where it starts, and whether it is what was looked for.
fn go(text: &str, path: &str) -> (usize, bool) {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0 };
    scan.blank();
    let mut found = scan.at;
    for part in parts(path) {
        let Some(at) = scan.enter(part) else { return (found, false) };
        found = at;
    }
    (found, true)
}

/// The first field that an object has twice: its line, column and name.
pub fn twice(text: &str) -> Option<(usize, usize, &str)> {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0 };
    scan.blank();
    let (start, end) = scan.twice()?;
    let (line, column) = line_and_column(text, start);
    Some((line, column, text.get(start..end).unwrap_or_default().trim_matches('"')))
}

fn parts(path: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for piece in path.split('.').filter(|piece| !piece.is_empty()) {
        let mut pieces = piece.split('[');
        parts.extend(pieces.next().filter(|name| !name.is_empty()).map(Part::Field));
        parts.extend(pieces.filter_map(|item| item.trim_end_matches(']').parse().ok()).map(Part::Item));
    }
    parts
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (line, before[start..].chars().count() + 1)
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn blank(&mut self) {
        while self.peek().is_ascii_whitespace() {
            self.at += 1;
        }
    }

    // Goes to the value of a field or item of the value that stands here; says where it starts.
    fn enter(&mut self, part: Part) -> Option<usize> {
        let open = self.peek();
        let wanted = if matches!(part, Part::Field(_)) { b'{' } else { b'[' };
        if open != wanted {
            return None;
        }
        self.at += 1;
        let mut count = 0;
        loop {
            self.blank();
            let here = match part {
                _ if self.at >= self.bytes.len() || matches!(self.peek(), b'}' | b']') => return None,
                Part::Item(item) => item == count,
                Part::Field(name) => {
                    let start = self.at;
                    self.skip();
                    let key = self.bytes.get(start..self.at).unwrap_or_default();
                    self.blank();
                    self.at += 1;
                    self.blank();
                    key_is(key, name)
                }
            };
            if here {
                return Some(self.at);
            }
            self.skip();
            self.blank();
            self.at += usize::from(self.peek() == b',');
            count += 1;
        }
    }

    // Goes through the value that stands here, whose depth the reader of the text has bounded. Where a field is there
    // twice, says where the second one starts and ends.
    fn twice(&mut self) -> Option<(usize, usize)> {
        let open = self.peek();
        if open != b'{' && open != b'[' {
            self.skip();
            return None;
        }
        self.at += 1;
        let mut names: BTreeSet<&'a [u8]> = BTreeSet::new();
        loop {
            self.blank();
            if self.at >= self.bytes.len() || matches!(self.peek(), b'}' | b']') {
                self.at += 1;
                return None;
            }
            if open == b'{' {
                let start = self.at;
                self.skip();
                if !names.insert(self.bytes.get(start..self.at).unwrap_or_default()) {
                    return Some((start, self.at));
                }
                self.blank();
                self.at += 1;
                self.blank();
            }
            if let found @ Some(_) = self.twice() {
                return found;
            }
            self.blank();
            self.at += usize::from(self.peek() == b',');
        }
    }

    // Goes behind the value that stands here.
    fn skip(&mut self) {
        let mut depth = 0;
        loop {
            match self.peek() {
                b'"' => self.string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => self.at += 1,
                byte if byte.is_ascii_whitespace() => self.blank(),
                _ => self.word(),
            }
            if depth == 0 || self.at >= self.bytes.len() {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek() {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    // A number, true, false or null; one byte at least.
    fn word(&mut self) {
        self.at += 1;
        while self.at < self.bytes.len() && !b",:]}[{\"".contains(&self.peek()) && !self.peek().is_ascii_whitespace() {
            self.at += 1;
        }
    }
}

// A key in its quotes. Escapes are not taken apart: a key that has some is a field that nobody knows.
fn key_is(key: &[u8], name: &str) -> bool {
    key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\"")).is_some_and(|key| key == name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::find;

    const TEXT: &str = "{\n  \"a\": [1, {\"b\\\"\": \"}\", \"c\": 2}],\n  \"ä\": 3, \"d\": [[], [4, 5]]\n}\n";

    #[test]
    fn fields_and_items_are_found() {
        assert_eq!(find(TEXT, ""), (1, 1));
        assert_eq!(find(TEXT, "a"), (2, 8));
        assert_eq!(find(TEXT, "a[0]"), (2, 9));
        assert_eq!(find(TEXT, "a[1].c"), (2, 30));
        assert_eq!(find(TEXT, "ä"), (3, 8));
        assert_eq!(find(TEXT, "d[1][1]"), (3, 25));
    }

    #[test]
    fn a_field_that_is_there_twice_is_found() {
        assert_eq!(super::twice(TEXT), None);
        assert_eq!(super::twice("{\"a\": [{\"b\": 1}, {\"b\": {\"a\": 2},\n \"b\": 3}]}"), Some((2, 2, "b")));
    }

    #[test]
    fn a_value_is_given_back_as_it_is_written() {
        assert_eq!(super::written(TEXT, "d[1]"), Some("[4, 5]"));
        assert_eq!(super::written("{\"a\": -0}", "a"), Some("-0"));
        assert_eq!(super::written("{\"a\": -0}", "b"), None);
    }

    #[test]
    fn what_is_not_there_is_where_it_should_be() {
        assert_eq!(find(TEXT, "x"), (1, 1));
        assert_eq!(find(TEXT, "a[1].x"), (2, 12));
        assert_eq!(find(TEXT, "a[7]"), (2, 8));
        assert_eq!(find("", "a.b"), (1, 1));
    }
}

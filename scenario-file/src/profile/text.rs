//! A profile as the JSON text that [`super::parse`] reads.

use std::fmt::Write;

use super::{Cost, Profile};

impl Profile {
    /// The profile as a file, which reads back as the same profile.
    pub fn to_json(&self) -> String {
        let mut text = format!("{{\n  \"profile\": {},\n  \"title\": {}", quoted(&self.name), quoted(&self.title));
        if !self.note.is_empty() {
            let _ = write!(text, ",\n  \"note\": {}", quoted(&self.note));
        }
        costs(&mut text, "ns", &self.classes);
        costs(&mut text, "functions", &self.functions);
        let (near, lines, source) = &self.cache_lines;
        if (*near, *lines) != (0, 0) || !source.is_empty() {
            let source = quoted(source);
            let _ =
                write!(text, ",\n  \"cache_lines\": {{ \"near\": {near}, \"lines\": {lines}, \"source\": {source} }}");
        }
        text.push_str("\n}\n");
        text
    }
}

/// Picoseconds as nanoseconds, exactly: "7.544".
pub fn nanoseconds(ps: u64) -> String {
    let text = format!("{}.{:03}", ps / 1000, ps % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn costs(text: &mut String, field: &str, costs: &[Cost]) {
    if costs.is_empty() {
        return;
    }
    let entry = |cost: &Cost| {
        let (name, ns, source) = (quoted(&cost.name), nanoseconds(cost.ps), quoted(&cost.source));
        format!("    {name}: {{ \"ns\": {ns}, \"source\": {source} }}")
    };
    let entries: Vec<String> = costs.iter().map(entry).collect();
    let _ = write!(text, ",\n  \"{field}\": {{\n{}\n  }}", entries.join(",\n"));
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

//! What an axis says: its label, its unit, and values in that unit.

/// What the values are.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Unit {
    /// Numbers alone.
    #[default]
    Plain,
    /// Whole things; the text is what they are: "pages".
    Count(String),
    /// Amounts that need not be whole; the text is the unit: "pages/s".
    Of(String),
    /// Nanoseconds, shown as ns, µs, ms or s.
    Nanoseconds,
    /// Bytes, shown as B, KiB, MiB and so on.
    Bytes,
    /// Shares of 1, shown in percent.
    Share,
}

/// How values become distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    #[default]
    Linear,
    /// Each doubling as far as the one before.
    Log2,
}

/// A label and a unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is measured: "List length".
    pub label: String,
    /// In what.
    pub unit: Unit,
}

impl Axis {
    /// An axis.
    pub fn new(label: impl Into<String>, unit: Unit) -> Axis {
        Axis { label: label.into(), unit }
    }

    /// What stands at the axis: "List length (pages)". Units that stand at each number are not said twice.
    pub(crate) fn heading(&self) -> String {
        match &self.unit {
            Unit::Count(unit) | Unit::Of(unit) if !unit.is_empty() => format!("{} ({unit})", self.label),
            _ => self.label.clone(),
        }
    }

    /// Heading of a column with the unit in which the numbers are written.
    pub(crate) fn column(&self) -> String {
        match &self.unit {
            Unit::Nanoseconds => format!("{} (ns)", self.label),
            Unit::Bytes => format!("{} (bytes)", self.label),
            Unit::Share => format!("{} (share of 1)", self.label),
            _ => self.heading(),
        }
    }
}

/// A prefix or unit: what it stands for, and how it is written after a number.
type Prefix = (f64, &'static str);

const COUNTS: &[Prefix] = &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"), (1e15, "P"), (1e18, "E")];
const TIMES: &[Prefix] = &[(1.0, "\u{202f}ns"), (1e3, "\u{202f}µs"), (1e6, "\u{202f}ms"), (1e9, "\u{202f}s")];
const BYTES: &[Prefix] = &[
    (1.0, "\u{202f}B"),
    (1024.0, "\u{202f}KiB"),
    (1_048_576.0, "\u{202f}MiB"),
    (1_073_741_824.0, "\u{202f}GiB"),
    (1_099_511_627_776.0, "\u{202f}TiB"),
];
const SHARES: &[Prefix] = &[(0.01, "\u{202f}%")];

impl Unit {
    fn prefixes(&self) -> &'static [Prefix] {
        match self {
            Unit::Plain | Unit::Count(_) | Unit::Of(_) => COUNTS,
            Unit::Nanoseconds => TIMES,
            Unit::Bytes => BYTES,
            Unit::Share => SHARES,
        }
    }

    /// The prefix for values up to `size`, in which a difference of `step` still shows. Four digits need no prefix.
    pub(crate) fn prefix(&self, size: f64, step: f64) -> Prefix {
        let prefixes = self.prefixes();
        let least = if prefixes == COUNTS { 10.0 } else { 1.0 };
        let fits = |&&(factor, _): &&Prefix| size >= factor * least && step >= factor / 1000.0;
        *prefixes.iter().rev().find(fits).unwrap_or(&prefixes[0])
    }

    /// Whether there is nothing between two neighbouring whole values.
    pub(crate) fn whole(&self) -> bool {
        matches!(self, Unit::Count(_))
    }

    /// A value alone, to three digits or so.
    pub(crate) fn say(&self, value: f64) -> String {
        let size = value.abs();
        let (factor, name) = self.prefix(size, size / 100.0);
        let amount = size / factor;
        let decimals = match amount {
            a if a >= 100.0 || a == a.round() => 0,
            a if a >= 10.0 => 1,
            _ => 2,
        };
        write(value / factor, decimals, name)
    }
}

/// A number with so many decimals and what follows it. Minus is U+2212, thousands are U+202F.
pub(crate) fn write(value: f64, decimals: usize, after: &str) -> String {
    let size = value.abs();
    if size >= 1e9 || (size != 0.0 && size < 1e-4) {
        return format!("{value:.2e}{after}").replace('-', "\u{2212}").replace(".00e", "e");
    }
    let digits = format!("{size:.decimals$}");
    let (whole, rest) = digits.split_once('.').map_or((digits.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut text = String::new();
    if value < 0.0 && digits.contains(|c: char| c.is_ascii_digit() && c != '0') {
        text.push('\u{2212}');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    if let Some(rest) = rest {
        text.push('.');
        text.push_str(rest);
    }
    text + after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_said_in_their_unit() {
        assert_eq!(Unit::Plain.say(2121.0), "2\u{202f}121");
        assert_eq!(Unit::Plain.say(14_680_064.0), "14.7M");
        assert_eq!(Unit::Nanoseconds.say(1500.0), "1.50\u{202f}µs");
        assert_eq!(Unit::Bytes.say(4096.0), "4\u{202f}KiB");
        assert_eq!(Unit::Share.say(0.425), "42.5\u{202f}%");
        assert_eq!(Unit::Plain.say(-3.0), "\u{2212}3");
        assert_eq!(Unit::Plain.say(1e300), "1e282E");
    }
}

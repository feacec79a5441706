//! Round numbers along an axis.

use crate::axis::{Unit, write};

/// A value and what stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// Its label.
    pub label: String,
}

/// Distance between round numbers such that there are at most `most` of them in `span`: 1, 2 or 5 times a power of ten
/// of the unit.
pub fn step(span: f64, size: f64, most: usize, unit: &Unit) -> f64 {
    let raw = span / most.max(1) as f64;
    let (factor, _) = unit.prefix(size, raw);
    let power = 10f64.powi((raw / factor).log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * power * factor);
    let step = steps.into_iter().find(|&step| step >= raw * 0.999_999).unwrap_or(steps[3]);
    if unit.whole() { step.max(1.0) } else { step }
}

/// The next longer distance.
pub fn longer(step: f64) -> f64 {
    let power = 10f64.powi(step.log10().floor() as i32);
    let lead = step / power;
    // 2 becomes 5, 1 becomes 2, 5 becomes 10; in bytes it need not be a power of ten, and doubling will do.
    if (lead - 2.0).abs() < 1e-9 { step * 2.5 } else { step * 2.0 }
}

/// The multiples of `step` from `min` to `max`, all in one unit.
pub fn linear(min: f64, max: f64, step: f64, unit: &Unit) -> Vec<Tick> {
    let (first, last) = ((min / step - 1e-9).ceil(), (max / step + 1e-9).floor());
    let values = (0..=200).map(|i| (first + f64::from(i)) * step);
    let values = values.take_while(|value| *value <= (last + 0.5) * step).map(|value| value + 0.0);
    label(values.collect(), step, min.abs().max(max.abs()), unit)
}

fn label(values: Vec<f64>, step: f64, size: f64, unit: &Unit) -> Vec<Tick> {
    let (factor, name) = unit.prefix(size, step);
    let decimals = (0..6).find(|&digits| is_whole(step / factor * 10f64.powi(digits))).unwrap_or(6);
    let mut ticks: Vec<Tick> = Vec::new();
    for value in values {
        // Nothing is nothing in any unit.
        let label = if value == 0.0 { "0".into() } else { write(value / factor, decimals as usize, name) };
        if ticks.last().is_none_or(|last| last.label != label) {
            ticks.push(Tick { value, label });
        }
    }
    ticks
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6 * value.abs().max(1e-3)
}

/// Round numbers on a logarithmic axis from `min` to `max`, the more of them the lower the `level`; both ends where
/// there are no two of them. Times go by tens, everything else by powers of two.
pub fn log2(min: f64, max: f64, level: i32, unit: &Unit) -> Vec<Tick> {
    let times = *unit == Unit::Nanoseconds;
    let mut values = if times { tens(min, max, level) } else { twos(min, max, level) };
    if values.len() < 2 {
        values = vec![min, max];
    }
    values.into_iter().map(|value| Tick { value, label: power_label(value, unit) }).collect()
}

/// Each so manieth power of two.
fn twos(min: f64, max: f64, stride: i32) -> Vec<f64> {
    let (first, last) = ((min.log2() - 1e-9).ceil() as i32, (max.log2() + 1e-9).floor() as i32);
    (first..=last).step_by(stride.max(1) as usize).map(|power| 2f64.powi(power)).collect()
}

/// 1, 2 and 5 times the powers of ten; then these alone; then fewer of them.
fn tens(min: f64, max: f64, level: i32) -> Vec<f64> {
    let leads: &[f64] = if level <= 1 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let powers = (min.log10().floor() as i32..=max.log10().ceil() as i32).step_by((level - 1).max(1) as usize);
    let values = powers.flat_map(|power| leads.iter().map(move |lead| lead * 10f64.powi(power)));
    values.filter(|value| (min * 0.999_999..=max * 1.000_001).contains(value)).collect()
}

fn power_label(value: f64, unit: &Unit) -> String {
    let power = value.log2();
    let plain = matches!(unit, Unit::Plain | Unit::Count(_) | Unit::Of(_));
    if !plain || power != power.round() || (-3.0..17.0).contains(&power) {
        return unit.say(value).trim_end_matches(".00").to_string();
    }
    let digits = (power as i32).to_string();
    let raised = digits.chars().map(|digit| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The others follow one another from U+2070.
        other => char::from_u32(0x2070 + other.to_digit(10).unwrap_or(0)).unwrap_or('?'),
    });
    format!("2{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(step(10.0, 10.0, 5, &Unit::Plain), 2.0);
        assert_eq!(step(11.0, 11.0, 5, &Unit::Plain), 5.0);
        assert_eq!(step(1.0, 1.0, 5, &Unit::Plain), 0.2);
        assert_eq!(step(1.0, 1.0, 5, &Unit::Count("pages".into())), 1.0);
        assert_eq!(step(4096.0, 4096.0, 4, &Unit::Bytes), 1024.0);
        assert_eq!([longer(1.0), longer(2.0), longer(5.0), longer(0.2)], [2.0, 5.0, 10.0, 0.5]);
    }

    #[test]
    fn labels_have_one_prefix() {
        let ticks = linear(0.0, 40_000.0, 10_000.0, &Unit::Plain);
        assert_eq!(labels(&ticks), ["0", "10k", "20k", "30k", "40k"]);
        let ticks = linear(0.0, 1500.0, 500.0, &Unit::Nanoseconds);
        assert_eq!(labels(&ticks), ["0", "0.5\u{202f}µs", "1.0\u{202f}µs", "1.5\u{202f}µs"]);
        let ticks = linear(0.0, 0.4, 0.2, &Unit::Share);
        assert_eq!(labels(&ticks), ["0", "20\u{202f}%", "40\u{202f}%"]);
        let ticks = linear(-1.0, 1.0, 1.0, &Unit::Plain);
        assert_eq!(labels(&ticks), ["\u{2212}1", "0", "1"]);
    }

    #[test]
    fn powers_of_two() {
        assert_eq!(labels(&log2(1.0, 128.0, 1, &Unit::Plain)), ["1", "2", "4", "8", "16", "32", "64", "128"]);
        assert_eq!(labels(&log2(1.0, 2f64.powi(20), 10, &Unit::Plain)), ["1", "1\u{202f}024", "2²⁰"]);
        let times = log2(64.0, 65_536.0, 2, &Unit::Nanoseconds);
        assert_eq!(labels(&times), ["100\u{202f}ns", "1\u{202f}µs", "10\u{202f}µs"]);
        assert_eq!(labels(&log2(3.0, 3.5, 1, &Unit::Plain)), ["3", "3.50"]);
    }
}

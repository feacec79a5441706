//! Widths of text set in Inter, the page's own font, with tabular figures.
//!
//! The browser measures text itself. The static picture has no layout engine, so badges and titles are measured here.

use crate::scene::{Badge, Span};

/// Size of secondary text.
pub(crate) const LABEL: f32 = 11.0;
/// Size of titles and badges.
pub(crate) const EDGE: f32 = 12.0;

/// Advances of U+0020 to U+007E in thousandths of the size, weight 400.
#[rustfmt::skip]
const REGULAR: [u16; 95] = [
    281, 288, 466, 633, 642, 982, 644, 300, 365, 365, 501, 662, 288, 460, 288, 360, 648, 648, 648, 648, 648, 648, 648,
    648, 648, 648, 288, 302, 662, 662, 662, 511, 966, 690, 654, 730, 722, 601, 590, 746, 743, 269, 571, 672, 565, 903,
    753, 765, 639, 765, 644, 642, 646, 744, 690, 985, 682, 679, 629, 365, 360, 365, 471, 456, 323, 562, 612, 571, 612,
    583, 370, 613, 591, 242, 242, 549, 242, 876, 591, 600, 612, 612, 376, 528, 327, 591, 562, 818, 546, 562, 552, 426,
    333, 426, 662,
];

/// The same for weight 650.
#[rustfmt::skip]
const BOLD: [u16; 95] = [
    244, 330, 537, 646, 652, 1010, 667, 333, 375, 375, 549, 676, 326, 466, 326, 383, 647, 647, 647, 647, 647, 647,
    647, 647, 647, 647, 326, 336, 676, 676, 676, 551, 1008, 737, 660, 738, 722, 606, 587, 750, 747, 279, 582, 711,
    565, 927, 761, 770, 646, 775, 654, 652, 664, 734, 737, 1029, 729, 722, 658, 375, 383, 375, 484, 473, 358, 577,
    627, 585, 627, 594, 393, 629, 617, 266, 266, 575, 266, 906, 617, 611, 627, 627, 402, 555, 360, 617, 593, 845, 574,
    595, 569, 461, 365, 461, 676,
];

/// Width of a text at a size.
pub(crate) fn width(text: &str, size: f32, bold: bool) -> f32 {
    let table = if bold { &BOLD } else { &REGULAR };
    let sum: u32 = text.chars().map(|c| advance(c, table)).sum();
    sum as f32 * size / 1000.0
}

fn advance(c: char, table: &[u16; 95]) -> u32 {
    match c {
        ' '..='~' => u32::from(table[c as usize - 0x20]),
        '\u{202f}' => 270,
        '→' | '←' => 954,
        '–' => 500,
        '…' => 900,
        _ => 648,
    }
}

/// Measures of a badge: padding at each end, size of its text, space after bold text.
pub(crate) struct BadgeType {
    pub(crate) padding: f32,
    pub(crate) size: f32,
    pub(crate) after_bold: f32,
}

impl BadgeType {
    pub(crate) fn of(badge: &Badge, small: bool) -> BadgeType {
        use crate::scene::FenceState::{Free, Preempt};
        if small {
            return BadgeType { padding: 7.0, size: LABEL, after_bold: 0.0 };
        }
        let padding = if matches!(badge.state, Free | Preempt) { 6.0 } else { 9.0 };
        BadgeType { padding, size: EDGE, after_bold: 3.0 + width(" ", EDGE, false) }
    }
}

/// Side of a padlock and the space after it.
pub(crate) const PADLOCK: f32 = 12.0 + 5.0;

/// Width of a whole badge.
pub(crate) fn badge(badge: &Badge, small: bool) -> f32 {
    let set = BadgeType::of(badge, small);
    let lock = if badge.padlock.is_some() { PADLOCK } else { 0.0 };
    let text: f32 = badge.spans.iter().map(|span| span_width(span, &set)).sum();
    2.0 * set.padding + lock + text
}

/// Width of a run in a badge, with the space after it.
pub(crate) fn span_width(span: &Span, set: &BadgeType) -> f32 {
    width(&span.text, set.size, span.bold) + if span.bold { set.after_bold } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_tabular() {
        assert_eq!(width("111", 12.0, false), width("888", 12.0, false));
    }

    #[test]
    fn widths_scale() {
        assert_eq!(width("lru_lock", 24.0, true), 2.0 * width("lru_lock", 12.0, true));
    }
}

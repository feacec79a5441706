//! How numbers and places are written.

use sim_core::engine::Milestone;

/// A count with a narrow no-break space between thousands.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + 9);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `new` less `old`, with its sign: "−120", "+67", "0".
pub fn difference(old: u64, new: u64) -> String {
    let sign = match new.cmp(&old) {
        core::cmp::Ordering::Less => "\u{2212}",
        core::cmp::Ordering::Equal => "",
        core::cmp::Ordering::Greater => "+",
    };
    format!("{sign}{}", thousands(old.abs_diff(new)))
}

/// A change: "+1".
pub fn change(by: u64) -> String {
    format!("+{}", thousands(by))
}

/// A quotient with two decimals, rounded half up: "14.95"; from 100 on with none, since they say nothing there.
pub fn quotient(value: u64, by: u64) -> String {
    if value >= 100 * by.max(1) {
        return thousands((value * 2 + by) / (2 * by.max(1)));
    }
    let hundredths = (value * 200 + by) / (2 * by.max(1));
    format!("{}.{:02}", thousands(hundredths / 100), hundredths % 100)
}

/// How much less or more in whole percent: "−46 %"; none where there is nothing to compare with.
pub fn percent(old: u64, new: u64) -> Option<String> {
    if old == 0 || old == new {
        return None;
    }
    let whole = (old.abs_diff(new) * 200 + old) / (2 * old);
    let sign = if new < old { "\u{2212}" } else { "+" };
    Some(format!("{sign}{}\u{202f}%", thousands(whole)))
}

/// A place in the run that both sides pass, as a headline: the strong part and what follows it.
pub fn milestone(milestone: Option<Milestone>, units: Option<u32>, unit: &str) -> (String, String) {
    let (strong, rest) = match milestone {
        None => ("the start", String::new()),
        Some(Milestone::SyscallEnter) => ("the system call", String::new()),
        Some(Milestone::LoopAt(page) | Milestone::Call(page)) => {
            let rest = units.map_or(String::new(), |n| format!("of {}", thousands(n.into())));
            return (format!("{unit} {}", thousands(page.into())), rest);
        }
        Some(Milestone::RangeDone) => ("the end of the range", String::new()),
        Some(Milestone::SyscallExit) => ("the return", String::new()),
        Some(Milestone::Zapped(table)) => {
            return (format!("page table {}", thousands(table.into())), "unmapped".into());
        }
    };
    (strong.to_string(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_narrow_spaces() {
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(14_680_064), "14\u{202f}680\u{202f}064");
    }

    #[test]
    fn differences_are_signed() {
        assert_eq!(difference(256, 136), "\u{2212}120");
        assert_eq!(difference(5, 72), "+67");
        assert_eq!(difference(18, 18), "0");
    }

    #[test]
    fn quotients_round_half_up() {
        assert_eq!(quotient(837, 56), "14.95");
        assert_eq!(quotient(512, 56), "9.14");
        assert_eq!(quotient(8, 56), "0.14");
        assert_eq!(quotient(1, 8), "0.13");
        assert_eq!(quotient(0, 56), "0.00");
        assert_eq!(quotient(5599, 56), "99.98");
        assert_eq!(quotient(3878, 1), "3\u{202f}878");
    }

    #[test]
    fn percents_compare_with_old() {
        assert_eq!(percent(2121, 1152).as_deref(), Some("\u{2212}46\u{202f}%"));
        assert_eq!(percent(10, 15).as_deref(), Some("+50\u{202f}%"));
        assert_eq!(percent(10, 10), None);
        assert_eq!(percent(0, 3), None);
    }

    #[test]
    fn milestones_are_headlines() {
        let page = milestone(Some(Milestone::LoopAt(17)), Some(56), "page");
        assert_eq!(page, ("page 17".to_string(), "of 56".to_string()));
        assert_eq!(milestone(None, Some(56), "page").0, "the start");
    }
}

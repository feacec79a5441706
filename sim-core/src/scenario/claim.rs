//! What the author of a series claimed, checked against a run.
//!
//! A claim is data: what must come out, what came out, and the step that shows it. Ratios are compared in integers, as
//! the decimals that were stated.

use alloc::format;
use alloc::string::{String, ToString};

/// How what was found is held against what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// A count that must come out to the digit.
    Count,
    /// A ratio that must come out to the stated decimals.
    PerUnit,
    /// A count that must not be exceeded.
    AtMost,
    /// A count that must be reached.
    AtLeast,
    /// Something that must not happen.
    Never,
    /// Two states, or two words, that must be the same.
    Equal,
}

impl ClaimKind {
    /// Name in JSON.
    pub const fn key(self) -> &'static str {
        ["count", "per_unit", "at_most", "at_least", "never", "equal"][self as usize]
    }
}

/// One claim with what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// How the two are compared.
    pub kind: ClaimKind,
    /// The claim in one line; the same words are the same claim, whatever the variant.
    pub claim: &'static str,
    /// Where it was made, or what makes it so.
    pub source: &'static str,
    /// What must come out.
    pub expected: String,
    /// What came out.
    pub found: String,
    /// They agree.
    pub holds: bool,
    /// It is broken, and the variant is known for that: a bug of the text as posted, or what the patch is against.
    pub known: bool,
    /// Why it is known to be broken; empty where it is not.
    pub why: &'static str,
    /// Step count after which it can be seen, where one step shows it.
    pub step: Option<u32>,
}

/// A ratio as it was stated: `digits` is 914 for 9.14.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stated {
    /// All digits, read as a whole number.
    pub digits: u64,
    /// How many of them are decimals.
    pub decimals: u32,
}

impl Stated {
    // The quotient with so many decimals, halves rounded up.
    fn of(total: u64, units: u64, decimals: u32) -> Stated {
        let (total, units) = (u128::from(total), u128::from(units.max(1)));
        let digits = (2 * total * 10u128.pow(decimals) + units) / (2 * units);
        Stated { digits: u64::try_from(digits).unwrap_or(u64::MAX), decimals }
    }

    fn text(self) -> String {
        let scale = 10u64.pow(self.decimals);
        match self.decimals {
            0 => self.digits.to_string(),
            decimals => format!("{}.{:02$}", self.digits / scale, self.digits % scale, decimals as usize),
        }
    }
}

impl Claim {
    fn new(kind: ClaimKind, claim: &'static str, source: &'static str) -> Claim {
        let (expected, found) = (String::new(), String::new());
        Claim { kind, claim, source, expected, found, holds: true, known: false, why: "", step: None }
    }

    /// A count that must be exact.
    pub(super) fn count(claim: &'static str, source: &'static str, expected: u64, found: u64) -> Claim {
        let (holds, texts) = (expected == found, (expected.to_string(), found.to_string()));
        Claim { expected: texts.0, found: texts.1, holds, ..Claim::new(ClaimKind::Count, claim, source) }
    }

    /// The same of a counter that a bug may take below zero.
    pub(super) fn balance(claim: &'static str, source: &'static str, expected: i64, found: i64) -> Claim {
        let (holds, texts) = (expected == found, (expected.to_string(), found.to_string()));
        Claim { expected: texts.0, found: texts.1, holds, ..Claim::new(ClaimKind::Count, claim, source) }
    }

    /// So many of so many, both exact: what a patch leaves of what there was.
    pub(super) fn of(claim: &'static str, source: &'static str, expected: (u64, u64), found: (u64, u64)) -> Claim {
        let text = |(part, whole)| format!("{part} of {whole}");
        let holds = expected == found;
        Claim { expected: text(expected), found: text(found), holds, ..Claim::new(ClaimKind::Count, claim, source) }
    }

    /// `total` for each of `units`, which must come out as it was stated.
    pub(super) fn per_unit(
        claim: &'static str,
        source: &'static str,
        stated: Stated,
        (total, units): (u64, u64),
    ) -> Claim {
        let found = Stated::of(total, units, stated.decimals);
        let kind = ClaimKind::PerUnit;
        Claim {
            expected: stated.text(),
            found: found.text(),
            holds: found == stated,
            ..Claim::new(kind, claim, source)
        }
    }

    /// A count that must stay at `most` or below.
    pub(super) fn at_most(claim: &'static str, source: &'static str, most: u64, found: u64) -> Claim {
        let (expected, kind) = (format!("at most {most}"), ClaimKind::AtMost);
        Claim { expected, found: found.to_string(), holds: found <= most, ..Claim::new(kind, claim, source) }
    }

    /// A count that must come to `least` or above.
    pub(super) fn at_least(claim: &'static str, source: &'static str, least: u64, found: u64) -> Claim {
        let (expected, kind) = (format!("at least {least}"), ClaimKind::AtLeast);
        Claim { expected, found: found.to_string(), holds: found >= least, ..Claim::new(kind, claim, source) }
    }

    /// What must not happen: how often it did, and the first step that did it where the steps are known.
    pub(super) fn never(claim: &'static str, source: &'static str, times: u64, first: Option<u32>) -> Claim {
        let found = match (times, first) {
            (0, _) => "never".to_string(),
            (1, Some(step)) => format!("at step {step}"),
            (1, None) => "once".to_string(),
            (_, Some(step)) => format!("{times} times, first at step {step}"),
            (_, None) => format!("{times} times"),
        };
        let kind = ClaimKind::Never;
        Claim {
            expected: "never".to_string(),
            found,
            holds: times == 0,
            step: first,
            ..Claim::new(kind, claim, source)
        }
    }

    /// Two texts that must be the same.
    pub(super) fn equal(claim: &'static str, source: &'static str, expected: String, found: String) -> Claim {
        let holds = expected == found;
        Claim { expected, found, holds, ..Claim::new(ClaimKind::Equal, claim, source) }
    }

    /// Two states, by their digests, that must be the same.
    pub(super) fn same_state(claim: &'static str, source: &'static str, old: u64, new: u64) -> Claim {
        let same = "as in the old kernel";
        let found = if old == new { same.to_string() } else { format!("another state, {new:016x} for {old:016x}") };
        Claim::equal(claim, source, same.to_string(), found)
    }

    /// The same claim, which a variant is known to break where `known`, for a reason.
    pub(super) fn known(self, known: bool, why: &'static str) -> Claim {
        let known = known && !self.holds;
        Claim { known, why: if known { why } else { "" }, ..self }
    }

    /// The same claim with the step that shows it, if it is broken.
    pub(super) fn shown(self, step: Option<u32>) -> Claim {
        let step = if self.holds { None } else { step };
        Claim { step, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_rounded_to_the_stated_decimals() {
        let found = |total, units, decimals| Stated::of(total, units, decimals).text();
        assert_eq!(found(512, 56, 2), "9.14");
        assert_eq!(found(1, 8, 2), "0.13");
        assert_eq!(found(7, 2, 0), "4");
        assert_eq!(found(60, 30, 2), "2.00");
        assert_eq!(found(u64::MAX, 1, 0), u64::MAX.to_string());
        assert_eq!(found(1, 0, 1), "1.0");
    }

    #[test]
    fn each_kind_can_hold_and_break() {
        let stated = Stated { digits: 914, decimals: 2 };
        let pairs = [
            (Claim::count("c", "s", 2, 2), Claim::count("c", "s", 2, 3)),
            (Claim::per_unit("c", "s", stated, (512, 56)), Claim::per_unit("c", "s", stated, (513, 56))),
            (Claim::at_most("c", "s", 2, 2), Claim::at_most("c", "s", 2, 3)),
            (Claim::at_least("c", "s", 2, 2), Claim::at_least("c", "s", 2, 1)),
            (Claim::never("c", "s", 0, None), Claim::never("c", "s", 1, Some(7))),
            (Claim::equal("c", "s", "a".into(), "a".into()), Claim::equal("c", "s", "a".into(), "b".into())),
        ];
        for (held, broken) in pairs {
            assert!(held.holds && !held.clone().known(true, "why").known, "{held:?}");
            assert!(!broken.holds, "{broken:?}");
            let known = broken.known(true, "why");
            assert_eq!((known.known, known.why), (true, "why"));
        }
    }

    #[test]
    fn what_never_happens_names_its_first_step() {
        let found = |times, first| Claim::never("c", "s", times, first).found;
        assert_eq!(found(0, None), "never");
        assert_eq!(found(1, None), "once");
        assert_eq!(found(11, None), "11 times");
        assert_eq!(found(1, Some(7)), "at step 7");
        assert_eq!(found(31, Some(7)), "31 times, first at step 7");
    }
}

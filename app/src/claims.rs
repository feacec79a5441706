//! Claims of both sides, as the page lists them.

use sim_core::scenario::Claim;

use crate::link::Which;
use crate::session::Session;
use crate::text::thousands;

/// How a claim came out. The worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It does not hold.
    Broken,
    /// It does not hold, and the variant is known for that.
    Known,
    /// It holds.
    Held,
}

impl Standing {
    /// How a claim came out.
    pub fn of(claim: &Claim) -> Standing {
        match (claim.holds, claim.known) {
            (true, _) => Standing::Held,
            (false, true) => Standing::Known,
            (false, false) => Standing::Broken,
        }
    }

    /// Its sign, another one for each.
    pub const fn sign(self) -> &'static str {
        ["✗", "†", "✓"][self as usize]
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        ["does not hold", "broken, as known", "holds"][self as usize]
    }

    /// Class in the style sheets.
    pub const fn class(self) -> &'static str {
        ["bad", "known", ""][self as usize]
    }
}

/// One claim, of whichever sides it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The claim.
    pub claim: &'static str,
    /// What was found: on the old side, on the new one.
    pub found: String,
    /// Where it was made, and why it is known to be broken.
    pub note: String,
    /// How it came out, at worst.
    pub standing: Standing,
}

/// Claims of either side and those that compare both, broken ones first.
pub fn rows(session: &Session) -> Vec<Row> {
    let of = |which: Which| session.side(which).track.run.claims.as_slice();
    merged([of(Which::Old), of(Which::New)], &session.compared)
}

fn merged(sides: [&[Claim]; 2], compared: &[Claim]) -> Vec<Row> {
    let mut names: Vec<&'static str> = Vec::new();
    for claim in sides[1].iter().chain(sides[0]) {
        if !names.contains(&claim.claim) {
            names.push(claim.claim);
        }
    }
    let of_both = |name: &'static str| {
        let claims = sides.iter().filter_map(|side| side.iter().find(|claim| claim.claim == name));
        row(&claims.collect::<Vec<_>>())
    };
    let mut rows: Vec<Row> = names.into_iter().filter_map(of_both).collect();
    rows.extend(compared.iter().filter_map(|claim| row(&[claim])));
    rows.sort_by_key(|row| row.standing);
    rows
}

fn row(claims: &[&Claim]) -> Option<Row> {
    let newest = claims.last()?;
    let standing = claims.iter().map(|claim| Standing::of(claim)).min()?;
    let why = claims.iter().rev().map(|claim| claim.why).find(|why| !why.is_empty());
    let found: Vec<String> = claims.iter().map(|claim| found(claim)).collect();
    Some(Row {
        claim: newest.claim,
        found: found.join(" → "),
        note: why.map_or_else(|| newest.source.to_string(), |why| format!("{}; {why}", newest.source)),
        standing,
    })
}

/// A count with its thousands apart, and everything else as it is.
pub fn value(text: &str) -> String {
    text.parse().map_or_else(|_| text.to_string(), thousands)
}

/// What was found, with what was expected where that is something else.
fn found(claim: &Claim) -> String {
    let found = value(&claim.found);
    if claim.holds { found } else { format!("{found}, not {}", value(&claim.expected)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::scenario::ClaimKind;

    fn claim(claim: &'static str, holds: bool, known: bool) -> Claim {
        let (expected, found) = ("1000".to_string(), if holds { "1000" } else { "7" }.to_string());
        let why = if known { "a slip" } else { "" };
        Claim { kind: ClaimKind::Count, claim, source: "the series", expected, found, holds, known, why, step: None }
    }

    #[test]
    fn the_worst_of_both_sides_counts_and_comes_first() {
        let old = [claim("a", true, false), claim("b", false, true)];
        let new = [claim("a", false, false), claim("b", true, false), claim("c", true, false)];
        let rows = merged([&old, &new], &[claim("d", false, true)]);
        let found: Vec<(&str, Standing)> = rows.iter().map(|row| (row.claim, row.standing)).collect();
        use Standing::{Broken, Held, Known};
        assert_eq!(found, [("a", Broken), ("b", Known), ("d", Known), ("c", Held)]);
        assert_eq!(rows[0].found, "1\u{202f}000 → 7, not 1\u{202f}000");
        assert_eq!(rows[1].note, "the series; a slip");
        assert_eq!(rows[3].note, "the series");
    }

    #[test]
    fn each_standing_has_its_own_sign_and_words() {
        let all = [Standing::Broken, Standing::Known, Standing::Held];
        for (at, one) in all.iter().enumerate() {
            assert!(all[at + 1..].iter().all(|other| one.sign() != other.sign() && one.words() != other.words()));
        }
    }
}

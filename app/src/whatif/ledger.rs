//! What a change did to the ledger, in words.

use sim_core::ledger::{Group, Row};

use crate::text::thousands;

/// Rows that are said; the others are counted.
const SAID: usize = 4;

/// What differs at the end of two runs: "all atomics 837 → 421, ptl 112 → 56, and 5 more rows"; none where nothing does.
pub fn changes(before: &[Row], after: &[Row]) -> Option<String> {
    let value = |rows: &[Row], key: &str| rows.iter().find(|row| row.key == key).map_or(0, |row| row.value);
    let changed: Vec<&Row> = after.iter().filter(|row| value(before, row.key) != row.value).collect();
    let said = changed.iter().take(SAID).map(|row| {
        let (before, after) = (thousands(value(before, row.key)), thousands(row.value));
        format!("{} {before} → {after}", row.label)
    });
    let mut said: Vec<String> = said.collect();
    match changed.len().saturating_sub(SAID) {
        0 => {}
        1 => said.push("and 1 more row".into()),
        more => said.push(format!("and {more} more rows")),
    }
    (!said.is_empty()).then(|| said.join(", "))
}

/// The same with the sum of all atomics said where it is the only thing that stayed.
pub fn against(parent: &[Row], fork: &[Row]) -> String {
    let total = fork.iter().find(|row| row.group == Group::Total);
    match (changes(parent, fork), total) {
        (None, _) => "ends with the same counts".into(),
        (Some(words), Some(total)) if parent.iter().any(|row| row.key == total.key && row.value == total.value) => {
            format!("{words}; as many atomics, {}", thousands(total.value))
        }
        (Some(words), _) => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &'static str, value: u64) -> Row {
        let group = if key == "total" { Group::Total } else { Group::Words };
        Row { group, key, label: key, value }
    }

    #[test]
    fn differences_are_said_in_the_order_of_the_table() {
        let before = [row("total", 837), row("ptl", 112), row("irq", 3)];
        let after = [row("total", 421), row("ptl", 56), row("irq", 3)];
        assert_eq!(changes(&before, &after).as_deref(), Some("total 837 → 421, ptl 112 → 56"));
        assert_eq!(changes(&before, &before), None);
        assert_eq!(against(&before, &before), "ends with the same counts");
        let beside = [row("total", 837), row("ptl", 112), row("irq", 4)];
        assert_eq!(against(&before, &beside), "irq 3 → 4; as many atomics, 837");
    }

    #[test]
    fn many_are_counted() {
        let keys = ["a", "b", "c", "d", "e", "f"];
        let (before, after) = (keys.map(|key| row(key, 1)), keys.map(|key| row(key, 2)));
        assert!(changes(&before, &after).unwrap().ends_with("d 1 → 2, and 2 more rows"));
        assert!(changes(&before[..5], &after[..5]).unwrap().ends_with("and 1 more row"));
    }
}

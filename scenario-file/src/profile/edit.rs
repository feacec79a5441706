//! A profile that a reader changes, number by number.

use sim_core::cost::CostClass;

use super::text::nanoseconds;
use super::{Cost, Profile, is_function, picoseconds};

/// A number of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Price {
    /// A class of work, by its key: ns.
    Class(String),
    /// A call of a kernel function beside its steps: ns.
    Function(String),
    /// The first-level cache: lines.
    NearLines,
    /// The second-level cache: lines.
    CacheLines,
}

/// What an edited profile is called, after the name of the one that it was.
const EDITED: &str = ", edited";

impl Profile {
    /// The number as it stands in a field; empty where the profile has none, which counts as 0.
    pub fn shown(&self, price: &Price) -> String {
        match price {
            Price::NearLines => self.cache_lines.0.to_string(),
            Price::CacheLines => self.cache_lines.1.to_string(),
            Price::Class(name) => find(&self.classes, name).map_or(String::new(), |cost| nanoseconds(cost.ps)),
            Price::Function(name) => find(&self.functions, name).map_or(String::new(), |cost| nanoseconds(cost.ps)),
        }
    }

    /// Classes that have no price: they count as 0.
    pub fn missing(&self) -> Vec<&'static str> {
        let missing = |class: &&CostClass| find(&self.classes, class.key()).is_none();
        CostClass::ALL.iter().filter(missing).map(|class| class.key()).collect()
    }

    /// The same with one number from a field: empty takes a price away. A number that is `base`'s has its source and, once
    /// all are, the profile its name; others say that they were set by hand.
    ///
    /// # Errors
    ///
    /// What was expected of the number.
    pub fn with(&self, base: &Profile, price: &Price, text: &str) -> Result<Profile, String> {
        let mut edited = self.clone();
        match price {
            Price::NearLines => edited.cache_lines.0 = lines(text)?,
            Price::CacheLines => edited.cache_lines.1 = lines(text)?,
            Price::Class(name) if CostClass::ALL.iter().any(|class| class.key() == name) => {
                change(&mut edited.classes, &base.classes, name, text)?;
            }
            Price::Function(name) if is_function(name) => {
                change(&mut edited.functions, &base.functions, name, text)?;
            }
            Price::Class(name) | Price::Function(name) => return Err(format!("there is no `{name}` to give a price")),
        }
        if matches!(price, Price::NearLines | Price::CacheLines) {
            let same = (edited.cache_lines.0, edited.cache_lines.1) == (base.cache_lines.0, base.cache_lines.1);
            edited.cache_lines.2 = if same { base.cache_lines.2.clone() } else { "set by hand".to_string() };
        }
        edited.name = base.name.clone();
        if edited != *base {
            let name = base.name.strip_suffix(EDITED).unwrap_or(&base.name);
            edited.name = name.chars().take(super::MOST_WORDS - EDITED.len()).chain(EDITED.chars()).collect();
        }
        Ok(edited)
    }

    /// What differs from another profile: "rmw 20 ns instead of 7.544 ns".
    pub fn changes(&self, base: &Profile) -> Vec<String> {
        let classes = CostClass::ALL.iter().map(|class| Price::Class(class.key().to_string()));
        let functions = self.functions.iter().chain(&base.functions).map(|cost| Price::Function(cost.name.clone()));
        let lines = [Price::NearLines, Price::CacheLines];
        let mut changes = Vec::new();
        for price in classes.chain(functions).chain(lines) {
            let (now, before) = (self.shown(&price), base.shown(&price));
            let words =
                |text: &str, unit: &str| if text.is_empty() { "no price".into() } else { format!("{text} {unit}") };
            let (name, unit) = match &price {
                Price::Class(name) | Price::Function(name) => (name.as_str(), "ns"),
                Price::NearLines => ("first-level cache", "lines"),
                Price::CacheLines => ("second-level cache", "lines"),
            };
            let change = format!("{name} {} instead of {}", words(&now, unit), words(&before, unit));
            if now != before && !changes.contains(&change) {
                changes.push(change);
            }
        }
        changes
    }
}

fn find<'a>(costs: &'a [Cost], name: &str) -> Option<&'a Cost> {
    costs.iter().find(|cost| cost.name == name)
}

fn change(costs: &mut Vec<Cost>, base: &[Cost], name: &str, text: &str) -> Result<(), String> {
    let text = text.trim();
    let at = costs.iter().position(|cost| cost.name == name);
    if text.is_empty() {
        if let Some(at) = at {
            costs.remove(at);
        }
        return Ok(());
    }
    let ns = text.parse().ok().and_then(picoseconds);
    let ps = ns.ok_or_else(|| "expected nanoseconds from 0 to 1000000000".to_string())?;
    let source = find(base, name).filter(|cost| cost.ps == ps).map_or("set by hand", |cost| &cost.source);
    let cost = Cost { name: name.to_string(), ps, source: source.to_string() };
    match at {
        Some(at) => costs[at] = cost,
        // In the order of the profile that it is an edit of, so that taking it away and giving it back changes nothing.
        None => {
            let before = |known: &Cost| base.iter().position(|cost| cost.name == known.name);
            let own = base.iter().position(|cost| cost.name == name).unwrap_or(usize::MAX);
            let at = costs.iter().position(|known| before(known).unwrap_or(usize::MAX) > own).unwrap_or(costs.len());
            costs.insert(at, cost);
        }
    }
    Ok(())
}

fn lines(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("expected a whole number of lines from 0 to {}", u32::MAX))
}

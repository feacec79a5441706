//! The link that was meant, where one can be found: names are brought to the closest known ones, what cannot be read or
//! does not fit is left out.

use sim_core::scenario::{Param, SCENARIOS, Scenario, closest};

use crate::hash::{self, Link};
use crate::link::{Pair, Which};
use crate::subject::Subject;

/// What a link needs to be one, for messages.
const PATH: &str = "v1/SCENARIO/OLD/NEW";

/// The closest link that works, where it is not the one that was given. `pages` is the most pages that a run may have.
pub fn closest_link(given: &str, pages: u32) -> Option<String> {
    let text = given.strip_prefix('#').unwrap_or(given);
    if text.is_empty() || text.len() > hash::LIMIT {
        return None;
    }
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let mut link = path_of(path)?;
    // What can be read alone is kept.
    for item in query.split('&') {
        if let Ok(Some(read)) = hash::decode(&format!("{PATH}?{item}")) {
            keep(&mut link, read);
        }
    }
    let link = fitting(link, pages)?;
    let subject = Subject::from_link(&link).ok()?;
    Which::BOTH.iter().all(|which| subject.spec(*which).is_ok()).then_some(())?;
    let text = hash::encode(&link);
    (text.trim_start_matches('#') != given.trim_start_matches('#')).then_some(text)
}

// The path with the version that it may lack, and with the variants that the page opens with where they are not named.
fn path_of(path: &str) -> Option<Link> {
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let is_version =
        |part: &str| part.len() > 1 && part.starts_with('v') && part[1..].bytes().all(|b| b.is_ascii_digit());
    match parts.first() {
        Some(&"v1") => _ = parts.remove(0),
        // Nobody here knows what another version means.
        Some(first) if is_version(first) => return None,
        _ => {}
    }
    let name = parts.first()?;
    if *name == crate::file::NAME {
        let variant = |at: usize| parts.get(at).map(ToString::to_string);
        return Some(Link { scenario: name.to_string(), old: variant(1)?, new: variant(2)?, ..Link::default() });
    }
    let names: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
    let scenario = Scenario::find(name).ok().or_else(|| Scenario::find(closest(name, &names)?).ok())?;
    let variants: Vec<&str> = scenario.variants.iter().map(|variant| variant.name).collect();
    let variant = |at: usize, own: &'static str| {
        let asked = parts.get(at).copied().unwrap_or(own);
        if scenario.variant(asked).is_ok() {
            asked.to_string()
        } else {
            closest(asked, &variants).unwrap_or(own).into()
        }
    };
    let (old, new) = (variant(1, scenario.sides.0), variant(2, scenario.sides.1));
    Some(Link { scenario: scenario.name.into(), old, new, ..Link::default() })
}

fn keep(link: &mut Link, item: Link) {
    link.params.extend(item.params);
    link.schedule = item.schedule.or(link.schedule.take());
    link.look = item.look.or(link.look.take());
    link.breaks.extend(item.breaks);
    for (kept, item) in link.own.iter_mut().zip(item.own).chain(link.branch.iter_mut().zip(item.branch)) {
        *kept = item.or(kept.take());
    }
    link.file = item.file.or(link.file.take());
    link.profile = item.profile.or(link.profile.take());
    if item.step != Pair::default() {
        link.step = item.step;
    }
}

// Without what its scenario does not know.
fn fitting(mut link: Link, pages: u32) -> Option<Link> {
    let Ok(scenario) = Scenario::find(&link.scenario) else {
        return (link.scenario == crate::file::NAME).then_some(link);
    };
    let names: Vec<&str> = scenario.params.iter().map(|param| param.name).collect();
    let mut params: Vec<(String, String)> = Vec::new();
    for (name, value) in std::mem::take(&mut link.params) {
        let known = names.iter().copied().find(|known| *known == name).or_else(|| closest(&name, &names));
        let fits = |param: &&Param| sim_core::scenario::Params::new(scenario.params).set(param.name, &value).is_ok();
        let Some(param) = scenario.params.iter().find(|param| Some(param.name) == known).filter(fits) else { continue };
        let too_many = param.name == "pages" && value.parse().is_ok_and(|value: u32| value > pages);
        if !too_many && !params.iter().any(|(set, _)| set == param.name) {
            params.push((param.name.to_string(), value));
        }
    }
    link.params = params;
    let fits = |link: &Link| {
        let spec =
            Subject::from_link(link).and_then(|subject| subject.spec(Which::Old).map_err(|error| error.to_string()));
        spec.and_then(|spec| spec.start(false).map(|_| ()).map_err(|error| error.to_string())).is_ok()
    };
    if !fits(&link) {
        (link.schedule, link.profile) = (None, None);
    }
    Some(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn meant(given: &str, link: Option<&str>) {
        assert_eq!(closest_link(given, 8192).as_deref(), link, "{given}");
    }

    #[test]
    fn names_are_brought_to_known_ones() {
        meant("#v1/munlok/0/6", Some("#v1/munlock/0/6"));
        meant("#v1/munlock/0/fixd?pages=28&step=5,6", Some("#v1/munlock/0/fixed?pages=28&step=5,6"));
        meant("#v1/munlock/0/6?pagse=28", Some("#v1/munlock/0/6?pages=28"));
        meant("#munlock", Some("#v1/munlock/0/6"));
        meant("#v1/munlock/0", Some("#v1/munlock/0/6"));
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        meant("#v1/munlock/0/6?pages=0&step=5,6", Some("#v1/munlock/0/6?step=5,6"));
        meant("#v1/munlock/0/6?pages=60000", Some("#v1/munlock/0/6"));
        meant("#v1/munlock/0/6?step=seven&look=new,page:3", Some("#v1/munlock/0/6?look=new,page:3"));
        meant("#v1/munlock/0/6?schedule=choices:x", Some("#v1/munlock/0/6"));
        meant("#v1/munlock/0/6?outcome=nonsense", Some("#v1/munlock/0/6"));
    }

    #[test]
    fn nothing_is_offered_where_nothing_is_close() {
        meant("#nonsense", None);
        meant("#v9/munlock/0/6", None);
        meant("#v1/munlock/0/6?pages=28", None);
        meant("", None);
        meant("#v1/file/a/b?file=nonsense", None);
    }
}

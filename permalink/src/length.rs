//! How long a link may be.

use crate::hash::{self, Link};

/// Longest link that every program which shows links can be trusted with, in characters.
pub const COMFORTABLE: usize = 2048;

/// Why a link cannot be passed on, where it cannot: it would not be read.
pub fn too_long(link: &Link) -> Option<String> {
    let length = hash::encode(link).len();
    if length <= hash::LIMIT {
        return None;
    }
    let (limit, size) = (hash::LIMIT, |text: &Option<String>| text.as_ref().map_or(0, String::len));
    let parts = [
        ("the scenario in it", size(&link.file), "pass the file on instead"),
        ("its list of choices", size(&link.schedule), "a schedule such as seed:1 is short"),
        ("the cost profile in it", size(&link.profile), "pass the profile on as a file"),
    ];
    let [part, ..] = {
        let mut parts = parts;
        parts.sort_by_key(|part| std::cmp::Reverse(part.1));
        parts
    };
    let (what, size, instead) = part;
    Some(format!("It would have {length} characters, {size} of them for {what}, and a link holds {limit}; {instead}."))
}

/// What to know about a link's length, where there is something.
pub fn long(address: &str) -> Option<String> {
    let length = address.len();
    (length > COMFORTABLE)
        .then(|| format!("Some programs cut links of more than {COMFORTABLE} characters; this one has {length}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_is_too_long_says_what_makes_it_so() {
        let choices = Some(format!("choices:{}", "0x1,1x2,".repeat(1200)));
        let link = Link { schedule: choices, ..Link::default() };
        assert!(too_long(&link).unwrap().contains("list of choices"));
        let link = Link { file: Some("A".repeat(9000)), schedule: Some("seed:1".into()), ..Link::default() };
        assert!(too_long(&link).unwrap().contains("the scenario in it"));
        assert_eq!(too_long(&Link::default()), None);
        assert!(long(&"x".repeat(2049)).is_some() && long("short").is_none());
    }
}

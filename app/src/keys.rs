//! What each key does. The page and the table of keys in the help are made from the same list.

/// Something that a reader asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// One step on.
    Step,
    /// One step back.
    Back,
    /// One step, without what it calls.
    StepOver,
    /// To the next milestone of both sides.
    NextMilestone,
    /// To the milestone before.
    PreviousMilestone,
    /// To the next step where the sides differ.
    NextDifference,
    /// Start or stop playing.
    Play,
    /// To the first step.
    Start,
    /// To the last step.
    End,
    /// To so many tenths of the run.
    Tenths(u8),
    /// Looks at the page that the step touched.
    Inspect,
    /// Next of the ways to join the sides.
    Link,
    /// The other side becomes the active one.
    OtherSide,
    /// Opens the help.
    Help,
    /// Opens the evidence.
    Evidence,
    /// Closes what is open.
    Close,
    /// Opens or closes the strip of changes and forks.
    WhatIf,
    /// Takes the last change of what is run back.
    Undo,
    /// Does it again.
    Redo,
    /// Opens the link, what to embed, the picture.
    Share,
    /// Opens the search box.
    Ask,
    /// To the step that left what is looked at as it is.
    LastWriter,
    /// Opens the timeline, or closes it.
    Timeline,
}

/// A key press, as the browser names it.
#[derive(Clone, Copy, Debug)]
pub struct Press<'a> {
    /// `KeyboardEvent.key`.
    pub key: &'a str,
    /// Shift is down.
    pub shift: bool,
    /// Control, Alt or Meta is down.
    pub modified: bool,
}

/// One line of the table of keys.
pub struct Binding {
    /// Keys as they are shown, one of them each.
    pub keys: &'static [&'static str],
    /// What they do.
    pub does: &'static str,
}

const fn binding(keys: &'static [&'static str], does: &'static str) -> Binding {
    Binding { keys, does }
}

/// The table of keys.
pub const TABLE: &[Binding] = &[
    binding(&["→", ".", "Page Down"], "one step on"),
    binding(&["←", ",", "Page Up"], "one step back"),
    binding(&["o"], "step over: one step, without what it calls"),
    binding(&["Shift →", "n"], "to the next page (milestone) of both sides"),
    binding(&["Shift ←", "p"], "to the page (milestone) before"),
    binding(&["d"], "to the next step where the sides differ"),
    binding(&["Space"], "play or pause"),
    binding(&["Home", "r"], "to the start"),
    binding(&["End"], "to the end"),
    binding(&["0", "…", "9"], "to so many tenths of the run"),
    binding(&["i"], "look at the page that the step touched"),
    binding(&["l"], "link by milestone, by step, or not at all"),
    binding(&["s"], "make the other side the active one"),
    binding(&["e"], "the evidence: counts, claims, modelled times, published figures"),
    binding(&["k"], "share: the link of this moment, what to embed, the picture"),
    binding(&["?"], "this help"),
    binding(&["Esc"], "close what is open, or stop playing"),
    binding(&["f"], "what if: change parameters, choose the CPU that goes next, forks"),
    binding(&["/"], "search, run to a condition, breakpoints"),
    binding(&["w"], "to the last writer of what is looked at"),
    binding(&["t"], "explore the timeline: zoom, select, every CPU"),
];

/// Keys of the scrubber and of tiles, while they have the focus.
pub const FOCUSED: &[Binding] = &[
    binding(&["Page Up", "Page Down"], "on the timeline: ten steps on or back"),
    binding(&["←", "↑", "→", "↓"], "on a page reached by Tab: to the neighbouring page"),
    binding(&["Enter", "Space"], "on a page: look at it"),
    binding(&["Ctrl Z", "Ctrl Shift Z"], "undo or redo a change of what is run"),
    binding(&["←", "→"], "on a lock, a list or a PTE reached by Tab: to the next one"),
    binding(&["+", "−", "f"], "in the open timeline: larger, smaller, the whole"),
    binding(&["[", "]", "z"], "in the open timeline: begin and end a range, show it alone"),
];

/// What a key press asks for. `letters` allows the keys that type a character, which some people's tools send by
/// themselves.
pub fn action(press: Press, letters: bool) -> Option<Action> {
    if press.modified {
        return None;
    }
    let action = match (press.key, press.shift) {
        ("ArrowRight", true) => Action::NextMilestone,
        ("ArrowLeft", true) => Action::PreviousMilestone,
        ("ArrowRight" | "PageDown", false) => Action::Step,
        ("ArrowLeft" | "PageUp", false) => Action::Back,
        ("Home", _) => Action::Start,
        ("End", _) => Action::End,
        (" ", false) => Action::Play,
        ("Escape", _) => Action::Close,
        _ if letters => return character(press.key),
        _ => return None,
    };
    Some(action)
}

fn character(key: &str) -> Option<Action> {
    let mut chars = key.chars();
    let (Some(key), None) = (chars.next(), chars.next()) else { return None };
    Some(match key.to_ascii_lowercase() {
        '.' => Action::Step,
        ',' => Action::Back,
        'o' => Action::StepOver,
        'n' => Action::NextMilestone,
        'p' => Action::PreviousMilestone,
        'd' => Action::NextDifference,
        'r' => Action::Start,
        'i' => Action::Inspect,
        'l' => Action::Link,
        's' => Action::OtherSide,
        '?' => Action::Help,
        'e' => Action::Evidence,
        'f' => Action::WhatIf,
        'k' => Action::Share,
        '/' => Action::Ask,
        'w' => Action::LastWriter,
        't' => Action::Timeline,
        digit @ '0'..='9' => Action::Tenths(digit as u8 - b'0'),
        _ => return None,
    })
}

/// Undo or redo, where a press asks for that; `modified` is Control or Command.
pub fn turn(press: Press) -> Option<Action> {
    if !press.modified {
        return None;
    }
    match (press.key, press.shift) {
        ("z", false) => Some(Action::Undo),
        ("z" | "Z", true) | ("y", false) => Some(Action::Redo),
        _ => None,
    }
}

/// What a key press on the scrubber asks for, before the page's own keys are asked: steps to go.
pub fn scrub(press: Press) -> Option<i32> {
    if press.modified || press.shift {
        return None;
    }
    match press.key {
        "ArrowRight" | "ArrowUp" => Some(1),
        "ArrowLeft" | "ArrowDown" => Some(-1),
        "PageUp" => Some(10),
        "PageDown" => Some(-10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(key: &str) -> Press<'_> {
        Press { key, shift: false, modified: false }
    }

    #[test]
    fn keys_have_their_actions() {
        assert_eq!(action(press("ArrowRight"), true), Some(Action::Step));
        assert_eq!(action(press("PageUp"), true), Some(Action::Back));
        assert_eq!(action(Press { shift: true, ..press("ArrowRight") }, true), Some(Action::NextMilestone));
        assert_eq!(action(press("7"), true), Some(Action::Tenths(7)));
        assert_eq!(action(Press { shift: true, ..press("?") }, true), Some(Action::Help));
        assert_eq!(action(press("é"), true), None);
    }

    #[test]
    fn the_browsers_own_keys_are_left_alone() {
        assert_eq!(action(press("F5"), true), None);
        assert_eq!(action(press("F4"), true), None);
        assert_eq!(action(Press { modified: true, ..press("d") }, true), None);
        assert_eq!(action(press("Tab"), true), None);
        assert_eq!(action(press("Enter"), true), None);
    }

    #[test]
    fn characters_can_be_switched_off() {
        for key in [".", ",", "d", "?", "5", "n"] {
            assert!(action(press(key), true).is_some(), "{key}");
            assert_eq!(action(press(key), false), None, "{key}");
        }
        assert_eq!(action(press(" "), false), Some(Action::Play));
    }

    /// Every key of the table does something.
    #[test]
    fn the_table_is_true() {
        for key in TABLE.iter().flat_map(|binding| binding.keys).filter(|&&key| key != "…") {
            let (shift, name) = key.strip_prefix("Shift ").map_or((false, *key), |rest| (true, rest));
            let name = match name {
                "→" => "ArrowRight",
                "←" => "ArrowLeft",
                "Space" => " ",
                "Esc" => "Escape",
                "Page Up" => "PageUp",
                "Page Down" => "PageDown",
                other => other,
            };
            assert!(action(Press { key: name, shift, modified: false }, true).is_some(), "{key}");
        }
    }

    #[test]
    fn undo_and_redo_have_the_keys_of_every_editor() {
        let with = |key, shift| turn(Press { key, shift, modified: true });
        assert_eq!(with("z", false), Some(Action::Undo));
        assert_eq!([with("Z", true), with("z", true), with("y", false)], [Some(Action::Redo); 3]);
        assert_eq!([with("x", false), turn(press("z"))], [None, None]);
    }

    #[test]
    fn the_scrubber_has_the_keys_of_a_slider() {
        let keys = ["ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home"];
        assert_eq!(keys.map(|key| scrub(press(key))), [Some(1), Some(-1), Some(10), Some(-10), None]);
    }
}

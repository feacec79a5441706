//! Colours of the static picture: the same tokens as the page's.

/// A palette: name of a token and its colour.
type Palette = &'static [(&'static str, &'static str)];

/// Colours by token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    pub(crate) palette: Palette,
    /// What to use where the reader prefers dark.
    pub(crate) dark: Option<Palette>,
}

impl Theme {
    /// Dark on light.
    pub const LIGHT: Theme = Theme { palette: LIGHT, dark: None };
    /// Light on dark.
    pub const DARK: Theme = Theme { palette: DARK, dark: None };
    /// Black on white, told apart without colour: for paper.
    pub const PRINT: Theme = Theme { palette: PRINT, dark: None };
    /// What the reader prefers, by `prefers-color-scheme`.
    pub const AUTO: Theme = Theme { palette: LIGHT, dark: Some(DARK) };

    /// Names for [`Theme::from_name`].
    pub const NAMES: [&str; 4] = ["light", "dark", "print", "auto"];

    /// The theme with this name.
    pub fn from_name(name: &str) -> Option<Theme> {
        let themes = [Theme::LIGHT, Theme::DARK, Theme::PRINT, Theme::AUTO];
        Theme::NAMES.iter().position(|known| *known == name).map(|at| themes[at])
    }
}

const LIGHT: Palette = &[
    ("paper", "#fbfaf7"),
    ("surface", "#ffffff"),
    ("sunken", "#f2f0ea"),
    ("hair", "#dfdbd1"),
    ("rule", "#c9c3b6"),
    ("edge", "#8c8577"),
    ("ink", "#1b1a17"),
    ("ink2", "#504c45"),
    ("ink3", "#6d685f"),
    ("ghost", "#777166"),
    ("slot", "#a39c8f"),
    ("case", "#8a5d00"),
    ("page", "#23456f"),
    ("onpage", "#ffffff"),
    ("soft", "#e3ebf4"),
    ("softedge", "#6286ad"),
    ("softink", "#1f3a5c"),
    ("now", "#f5b324"),
    ("onnow", "#1b1a17"),
    ("nowink", "#7a5200"),
    ("nowwash", "#fff0c9"),
    ("held", "#c5301a"),
    ("onheld", "#ffffff"),
];

const DARK: Palette = &[
    ("paper", "#111418"),
    ("surface", "#191d22"),
    ("sunken", "#0b0d10"),
    ("hair", "#2b3037"),
    ("rule", "#414953"),
    ("edge", "#6b7480"),
    ("ink", "#eceae5"),
    ("ink2", "#bcbab4"),
    ("ink3", "#9d9e98"),
    ("ghost", "#7f8289"),
    ("slot", "#5e6772"),
    ("case", "#111418"),
    ("page", "#8fb6e4"),
    ("onpage", "#0c1e34"),
    ("soft", "#1a2a3e"),
    ("softedge", "#557cab"),
    ("softink", "#c6daf2"),
    ("now", "#ffc94a"),
    ("onnow", "#1b1a17"),
    ("nowink", "#ffd980"),
    ("nowwash", "#3a2f12"),
    ("held", "#ff7256"),
    ("onheld", "#2a0a05"),
];

// Greys that stay apart in print; what is held is black and thick, this step a mid grey with a dark edge.
const PRINT: Palette = &[
    ("paper", "#ffffff"),
    ("surface", "#ffffff"),
    ("sunken", "#f4f4f4"),
    ("hair", "#cfcfcf"),
    ("rule", "#b4b4b4"),
    ("edge", "#6e6e6e"),
    ("ink", "#000000"),
    ("ink2", "#2c2c2c"),
    ("ink3", "#4c4c4c"),
    ("ghost", "#5c5c5c"),
    ("slot", "#8a8a8a"),
    ("case", "#000000"),
    ("page", "#2b2b2b"),
    ("onpage", "#ffffff"),
    ("soft", "#ebebeb"),
    ("softedge", "#777777"),
    ("softink", "#1c1c1c"),
    ("now", "#b9b9b9"),
    ("onnow", "#000000"),
    ("nowink", "#2c2c2c"),
    ("nowwash", "#e2e2e2"),
    ("held", "#000000"),
    ("onheld", "#ffffff"),
];

/// Replaces each `var(--name)` by its colour.
pub(crate) fn resolve(css: &str, palette: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, after)) = rest.split_once("var(--") {
        out.push_str(before);
        let (name, after) = after.split_once(')').unwrap_or((after, ""));
        let colour = palette.iter().find(|(token, _)| *token == name);
        out.push_str(colour.map_or("currentColor", |(_, colour)| colour));
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_become_colours() {
        assert_eq!(resolve("a{fill:var(--held)}", LIGHT), "a{fill:#c5301a}");
        assert_eq!(resolve("a{fill:var(--nothing)}", DARK), "a{fill:currentColor}");
    }

    #[test]
    fn both_palettes_have_the_same_tokens() {
        assert!(LIGHT.iter().map(|c| c.0).eq(DARK.iter().map(|c| c.0)));
        assert!(LIGHT.iter().map(|c| c.0).eq(PRINT.iter().map(|c| c.0)));
    }

    /// The page's tokens are these.
    #[test]
    fn the_page_has_the_same_colours() {
        let css = include_str!("../../assets/css/tokens.css");
        for (name, colour) in LIGHT.iter().chain(DARK) {
            assert!(css.contains(&format!("--{name}: {colour};")), "tokens.css lacks --{name}: {colour}");
        }
    }
}

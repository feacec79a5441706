//! What to paste into another page: an iframe, or the element `<mm-scope>`.

/// Pixels that an embedded page has unless it is told otherwise.
pub const HEIGHT: u32 = 450;
/// Heights that make sense, in pixels.
pub const HEIGHTS: (u32, u32) = (240, 2000);
/// Parts that can be shown.
pub const PANES: [&str; 4] = ["stage", "code", "ledger", "timeline"];
pub const THEMES: [&str; 3] = ["auto", "light", "dark"];
pub const CONTROLS: [&str; 3] = ["full", "min", "none"];
pub const MOTIONS: [&str; 2] = ["auto", "reduce"];

/// How an embedded page looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    pub theme: &'static str,
    pub controls: &'static str,
    /// Which of [`PANES`]; none of them chosen is what fits.
    pub panes: [bool; 4],
    pub motion: &'static str,
    /// Pixels.
    pub height: u32,
    /// Nothing is loaded until the reader asks for it.
    pub on_click: bool,
}

impl Default for Embed {
    fn default() -> Embed {
        Embed { theme: "auto", controls: "full", panes: [false; 4], motion: "auto", height: HEIGHT, on_click: false }
    }
}

impl Embed {
    /// Options that are not the defaults, in the order of the contract.
    fn options(&self) -> Vec<(&'static str, String)> {
        let panes: Vec<&str> = PANES.iter().zip(self.panes).filter(|(_, on)| *on).map(|(name, _)| *name).collect();
        let all = [
            ("theme", self.theme.to_string(), "auto"),
            ("controls", self.controls.to_string(), "full"),
            ("panes", panes.join(","), ""),
            ("motion", self.motion.to_string(), "auto"),
        ];
        all.into_iter().filter(|(_, value, usual)| value != usual).map(|(name, value, _)| (name, value)).collect()
    }

    /// Address of the embedded page: `base` is that of the page without query and hash.
    pub fn address(&self, base: &str, hash: &str) -> String {
        let options = self.options();
        let query: String = options.iter().map(|(name, value)| format!("&{name}={value}")).collect();
        format!("{base}?embed=1{query}{hash}")
    }

    /// An iframe, in one line.
    pub fn iframe(&self, base: &str, hash: &str, title: &str) -> String {
        let (src, title) = (attribute(&self.address(base, hash)), attribute(title));
        let frame = format!(
            "<iframe src=\"{src}\" title=\"{title}\" width=\"100%\" height=\"{}\" loading=\"lazy\"></iframe>",
            self.height
        );
        self.wrapped(frame, &title)
    }

    /// The element, with the script that defines it.
    pub fn element(&self, base: &str, hash: &str, title: &str) -> String {
        let mut attributes = format!("link=\"{}\"", attribute(hash.trim_start_matches('#')));
        for (name, value) in self.options() {
            attributes.push_str(&format!(" {name}=\"{}\"", attribute(&value)));
        }
        let title = attribute(title);
        let element = format!("<mm-scope {attributes} height=\"{}\" title=\"{title}\"></mm-scope>", self.height);
        let script =
            format!("<script type=\"module\" src=\"{}\"></script>", attribute(&format!("{}mmscope.js", folder(base))));
        format!("{script}\n{}", self.wrapped(element, &title))
    }

    // A frame that is not displayed and may be lazy loads nothing; `<details>` needs no script to display it.
    fn wrapped(&self, frame: String, title: &str) -> String {
        if self.on_click { format!("<details><summary>Show {title}</summary>{frame}</details>") } else { frame }
    }
}

/// Text as the value of an attribute in double quotes.
pub fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

// The folder of an address, with its slash at the end.
fn folder(base: &str) -> &str {
    base.rfind('/').map_or(base, |slash| &base[..=slash])
}

/// A height as it was typed.
///
/// # Errors
///
/// What was expected.
pub fn height(text: &str) -> Result<u32, String> {
    let (least, most) = HEIGHTS;
    let height = text.trim().parse().ok().filter(|height| (least..=most).contains(height));
    height.ok_or_else(|| format!("expected a number of pixels from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://host/mm/index.html";
    const HASH: &str = "#v1/munlock/0/6?pages=56&step=6,4";

    #[test]
    fn defaults_stay_out() {
        let plain = Embed::default();
        assert_eq!(
            plain.iframe("https://host/mm/", HASH, "munlock"),
            "<iframe src=\"https://host/mm/?embed=1#v1/munlock/0/6?pages=56&amp;step=6,4\" title=\"munlock\" \
             width=\"100%\" height=\"450\" loading=\"lazy\"></iframe>"
        );
        assert_eq!(
            plain.element(BASE, HASH, "munlock"),
            "<script type=\"module\" src=\"https://host/mm/mmscope.js\"></script>\n<mm-scope \
             link=\"v1/munlock/0/6?pages=56&amp;step=6,4\" height=\"450\" title=\"munlock\"></mm-scope>"
        );
    }

    #[test]
    fn options_are_those_of_the_contract() {
        let panes = [true, false, false, true];
        let all = Embed { theme: "dark", controls: "min", panes, motion: "reduce", height: 600, on_click: false };
        assert_eq!(
            all.address("https://host/", HASH),
            format!("https://host/?embed=1&theme=dark&controls=min&panes=stage,timeline&motion=reduce{HASH}")
        );
        let element = all.element(BASE, HASH, "munlock");
        assert!(
            element
                .contains("theme=\"dark\" controls=\"min\" panes=\"stage,timeline\" motion=\"reduce\" height=\"600\"")
        );
    }

    #[test]
    fn nothing_leaves_its_attribute() {
        let title = "a \"b\" <script>&";
        for text in [Embed::default().iframe(BASE, HASH, title), Embed::default().element(BASE, HASH, title)] {
            assert!(text.contains("title=\"a &quot;b&quot; &lt;script&gt;&amp;\""), "{text}");
        }
    }

    #[test]
    fn a_click_comes_first_where_it_is_asked_for() {
        let text = Embed { on_click: true, ..Embed::default() }.iframe(BASE, HASH, "munlock");
        assert!(
            text.starts_with("<details><summary>Show munlock</summary><iframe ")
                && text.ends_with("</iframe></details>")
        );
        assert!(!text.contains('\n'));
    }

    #[test]
    fn heights_have_bounds() {
        assert_eq!(height(" 600 "), Ok(600));
        for text in ["", "600px", "100", "99999", "-1"] {
            assert!(height(text).is_err(), "{text}");
        }
    }
}

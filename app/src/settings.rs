//! What the reader has chosen for good: theme, motion, keys. Kept by the browser as one line of text.

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// All, in the order in which the button goes through them.
    pub const ALL: [Theme; 3] = [Theme::Auto, Theme::Light, Theme::Dark];

    /// Name, also that of the attribute's value.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The theme with this name.
    pub fn from_name(name: &str) -> Theme {
        by_name(&Theme::ALL, Theme::name, name)
    }

    /// The one after.
    pub fn next(self) -> Theme {
        let at = Theme::ALL.iter().position(|&theme| theme == self).unwrap_or(0);
        Theme::ALL[(at + 1) % Theme::ALL.len()]
    }
}

/// Whether tiles glide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// As the system has it.
    #[default]
    Auto,
    /// Nothing glides; an outline shows where a page was.
    Reduce,
}

impl Motion {
    /// Both.
    pub const ALL: [Motion; 2] = [Motion::Auto, Motion::Reduce];

    /// Name.
    pub const fn name(self) -> &'static str {
        match self {
            Motion::Auto => "auto",
            Motion::Reduce => "reduce",
        }
    }

    /// The choice with this name.
    pub fn from_name(name: &str) -> Motion {
        by_name(&Motion::ALL, Motion::name, name)
    }
}

/// All of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Light or dark.
    pub theme: Theme,
    /// Whether tiles glide.
    pub motion: Motion,
    /// Keys that type a character are commands.
    pub letters: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { theme: Theme::Auto, motion: Motion::Auto, letters: true }
    }
}

impl Settings {
    /// The line that is kept.
    pub fn print(&self) -> String {
        let letters = if self.letters { "on" } else { "off" };
        format!("theme={};motion={};letters={letters}", self.theme.name(), self.motion.name())
    }

    /// Reads a line; what it does not know stays as it is by default.
    pub fn parse(line: &str) -> Settings {
        let mut settings = Settings::default();
        for (name, value) in line.split(';').filter_map(|item| item.split_once('=')) {
            match name {
                "theme" => settings.theme = Theme::from_name(value),
                "motion" => settings.motion = Motion::from_name(value),
                "letters" => settings.letters = value != "off",
                _ => {}
            }
        }
        settings
    }
}

fn by_name<T: Copy + Default>(all: &[T], name: fn(T) -> &'static str, wanted: &str) -> T {
    all.iter().copied().find(|&one| name(one) == wanted).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back() {
        for theme in Theme::ALL {
            for motion in Motion::ALL {
                for letters in [true, false] {
                    let settings = Settings { theme, motion, letters };
                    assert_eq!(Settings::parse(&settings.print()), settings);
                }
            }
        }
    }

    #[test]
    fn what_is_unknown_is_left_out() {
        assert_eq!(Settings::parse(""), Settings::default());
        assert_eq!(Settings::parse("theme=mauve;size=9;;=;letters"), Settings::default());
    }

    #[test]
    fn the_button_goes_round() {
        assert_eq!(Theme::Auto.next().next().next(), Theme::Auto);
    }
}

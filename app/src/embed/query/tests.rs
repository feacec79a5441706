use super::*;

#[test]
fn nothing_asked_is_the_page_itself() {
    for query in ["", "?", "?embed=0", "?utm_source=x&v=3"] {
        assert_eq!(read(query), (Presentation::default(), Vec::new()), "{query}");
    }
}

#[test]
fn everything_can_be_asked() {
    let (shown, problems) = read("?embed=1&theme=dark&controls=min&panes=stage,timeline&motion=reduce");
    assert_eq!(problems, []);
    let panes = Panes { stage: true, timeline: true, ..Panes::default() };
    let expected = Presentation {
        embed: true,
        theme: Some(Theme::Dark),
        controls: Controls::Min,
        panes: Some(panes),
        motion: Some(Motion::Reduce),
    };
    assert_eq!(shown, expected);
    assert_eq!(read("embed=1&panes=stage%2Ctimeline").0.panes, Some(panes));
}

#[track_caller]
fn refuses(query: &str, part: &str, expected: &str) {
    let (shown, problems) = read(query);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].part, part);
    assert!(problems[0].expected.contains(expected), "{}", problems[0]);
    let embed = query.contains("embed=1");
    assert_eq!(shown, Presentation { embed, ..Presentation::default() }, "the default stays");
}

#[test]
fn mistakes_are_named_and_the_default_stays() {
    refuses("?embed=yes", "embed=yes", "embed=1");
    refuses("?embed=1&theme=mauve", "theme=mauve", "light");
    refuses("?embed=1&controls=all", "controls=all", "full");
    refuses("?embed=1&panes=stage,clock", "panes=stage,clock", "timeline");
    refuses("?embed=1&panes=", "panes=", "timeline");
    refuses("?embed=1&motion", "motion", "reduce");
    refuses("?embed=1&pane=stage", "pane=stage", "panes");
    refuses("?embed=1&theme=%zz", "theme=%zz", "light");
}

#[test]
fn a_name_counts_once() {
    let (shown, problems) = read("?embed=1&theme=dark&theme=light");
    assert_eq!(shown.theme, Some(Theme::Dark));
    assert_eq!(problems[0].expected, ONCE);
}

#[test]
fn long_and_strange_queries_are_told_shortly() {
    let (shown, problems) = read(&format!("?embed=1&theme={}", "x".repeat(5000)));
    assert_eq!((shown.embed, problems.len()), (false, 1));
    assert!(problems[0].part.chars().count() <= 41);
    let (_, problems) = read(&format!("?embed=1{}", "&é=%E9".repeat(60)));
    assert_eq!(problems.len(), TOLD);
}

#[test]
fn a_frame_takes_the_keys_that_move_it() {
    let frame = read("?embed=1").0;
    assert!(frame.takes(Action::Step) && frame.takes(Action::Tenths(3)) && frame.takes(Action::Close));
    assert!(!frame.takes(Action::Help) && !frame.takes(Action::Evidence) && !frame.takes(Action::Link));
    let bare = read("?embed=1&controls=none").0;
    assert!(bare.takes(Action::Close) && !bare.takes(Action::Step));
    assert!(Presentation::default().takes(Action::Help));
}

#[test]
fn a_frame_goes_by_its_query_alone() {
    let kept = Settings { theme: Theme::Light, motion: Motion::Reduce, letters: false };
    assert_eq!(read("?embed=1").0.settings(kept), Settings::default());
    assert_eq!(read("?theme=dark").0.settings(kept), Settings { theme: Theme::Dark, ..kept });
}

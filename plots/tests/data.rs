//! Data of all kinds: bad ones give a clear picture or a clear message.

mod common;
mod picture;

use common::count;
use plots::{
    Axis, Bar, Bars, Group, Histogram, Interpolation, Lines, Plot, PlotError, Scale, Series, Side, Size, Theme,
};

const SIZE: Size = Size::new(480.0, 320.0);

fn lines(points: &[(f64, f64)]) -> Lines {
    Lines {
        title: "Locks held".into(),
        x: Axis::new("Step", count("")),
        y: Axis::new("Locks held", count("")),
        series: vec![Series::new(Side::Old, "old", points.to_vec()), Series::new(Side::New, "new", Vec::new())],
        ..Lines::default()
    }
}

/// Draws, checks and gives the texts.
#[track_caller]
fn texts(plot: &dyn Plot) -> Vec<String> {
    let svg = plot.draw(SIZE, Theme::Light).unwrap();
    picture::check(&svg, SIZE, plot.frame(SIZE).unwrap())
}

fn says(plot: &dyn Plot, text: &str) -> bool {
    texts(plot).iter().any(|found| found == text)
}

fn count_of(plot: &dyn Plot, what: &str) -> usize {
    plot.draw(SIZE, Theme::Light).unwrap().matches(what).count()
}

#[test]
fn samples_are_sound_at_each_width_and_theme() {
    for (name, plot) in common::all() {
        for width in [360.0, 720.0, 1200.0] {
            for theme in [Theme::Css, Theme::Light, Theme::Dark, Theme::Print] {
                let size = Size::new(width, 340.0);
                let texts = picture::check(&plot.draw(size, theme).unwrap(), size, plot.frame(size).unwrap());
                assert!(!texts.iter().any(|text| text.ends_with('…')), "{name} {width}: {texts:?}");
            }
        }
    }
}

#[test]
fn no_data_is_a_message() {
    let nothing = "No data to show";
    assert!(says(&lines(&[]), nothing));
    assert!(says(&Lines { series: Vec::new(), ..lines(&[]) }, nothing));
    assert!(says(&lines(&[(1.0, f64::NAN)]), nothing));
    assert!(says(&Histogram::default(), nothing));
    assert!(says(&Bars::default(), nothing));
    assert!(!says(&lines(&[(0.0, 1.0)]), nothing));
}

#[test]
fn one_point_is_a_marker() {
    let plot = lines(&[(5.0, 3.0)]);
    let markers = |plot: &Lines| count_of(plot, "r=\"4.5\"");
    // One in the legend for each side.
    assert_eq!((markers(&lines(&[])), markers(&plot)), (2, 3));
    let frame = plot.frame(SIZE).unwrap();
    assert_eq!((frame.x_min, frame.x_max), (4.5, 5.5));
}

#[test]
fn nothing_at_all_times_is_a_line_at_the_bottom() {
    let plot = lines(&[(0.0, 0.0), (9.0, 0.0)]);
    assert!(says(&plot, "0"));
    let frame = plot.frame(SIZE).unwrap();
    let [left, right, bottom] = [frame.left, frame.right, frame.bottom];
    assert_eq!(count_of(&plot, &format!("points=\"{left},{bottom} {right},{bottom}\"")), 1);
}

#[test]
fn what_is_no_number_is_named_and_makes_a_gap() {
    let whole = [(0.0, 1.0), (1.0, 2.0), (2.0, 2.0), (3.0, 1.0)];
    let dashed = |plot: &Lines| count_of(plot, "stroke-dasharray");
    assert_eq!(dashed(&lines(&whole)) + 1, dashed(&lines(&[&whole[..2], &[(1.5, f64::NAN)], &whole[2..]].concat())));
    let bad = lines(&[(0.0, 1.0), (1.0, f64::INFINITY), (f64::NAN, 2.0), (3.0, f64::NEG_INFINITY), (4.0, 1.0)]);
    assert!(says(&bad, "3 values are left out: no number."));
    let log = Lines { scale: Scale::Log2, ..lines(&[(0.0, 1.0), (1.0, 1.0), (2.0, 3.0)]) };
    assert!(says(&log, "1 value is left out: no number, or not above 0 on this axis."));
}

#[test]
fn huge_and_tiny_values_have_a_picture() {
    for size in [f64::MAX, 1e300, 1e16, 1e-9, 1e-300, f64::MIN_POSITIVE, 5e-324] {
        for points in [[(0.0, size), (size, 0.0)], [(-size, -size), (size, size)], [(size, size), (size, size)]] {
            for scale in [Scale::Linear, Scale::Log2] {
                for from_zero in [true, false] {
                    texts(&Lines { scale, from_zero, ..lines(&points) });
                }
            }
        }
        texts(&Bars { groups: vec![Group { published: Some(Bar::new(size)), ..Group::default() }], ..Bars::default() });
        let edges = vec![0.0, size / 2.0, size];
        texts(&Histogram { edges, counts: [vec![size; 2], vec![-size; 2]], ..Histogram::default() });
    }
}

#[test]
fn whole_things_have_no_halves() {
    assert!(!texts(&lines(&[(0.0, 0.0), (1.0, 1.0)])).iter().any(|text| text.contains('.')));
    assert!(says(&lines(&[(0.0, 0.0), (40_000.0, 14_680_064.0)]), "10M"));
}

#[test]
fn many_points_are_a_small_file_with_each_peak() {
    let plot = common::dense();
    let svg = plot.draw(SIZE, Theme::Light).unwrap();
    assert!(svg.len() < 100_000, "{}", svg.len());
    let frame = plot.frame(SIZE).unwrap();
    // The peak is the highest round number, so its point is on the upper edge.
    let place = |x: f64, y: f64| format!("{},{} ", (x * 10.0).round() / 10.0, y);
    let found = [61_803.0, 7.0].map(|x| {
        let near = |d: f64| svg.contains(&place(frame.view_from_x(x) + d, frame.top));
        near(0.0) || near(0.1) || near(-0.1)
    });
    assert_eq!(found, [true, true]);
    let gaps = (0..100_000).map(|i| (f64::from(i), if i % 2 == 0 { f64::NAN } else { f64::from(i % 97) }));
    let svg = lines(&gaps.collect::<Vec<_>>()).draw(SIZE, Theme::Light).unwrap();
    assert!(svg.len() < 150_000, "{}", svg.len());
}

#[test]
fn many_bins_are_joined_and_say_so() {
    let edges: Vec<f64> = (0..=10_000).map(f64::from).collect();
    let counts = [vec![1.0; 10_000], vec![2.0; 10_000]];
    let plot = Histogram { edges, counts, ..common::batches() };
    assert!(texts(&plot).iter().any(|text| text.starts_with("Each bar is ")));
    assert_eq!(plot.to_table().len(), 10_001);
    let bad = Histogram { edges: vec![0.0, 1.0, f64::NAN, 3.0, 2.0, 4.0], counts: [vec![1.0; 5], Vec::new()], ..plot };
    assert!(says(&bad, "3 values are left out: no number."));
}

#[test]
fn text_of_any_kind_is_text() {
    let odd = "<b>&\"' \0\u{7}\u{ffff} ]]> \u{1F600} مرحبا";
    let mut plot = lines(&[(0.0, 1.0)]);
    plot.title = odd.into();
    plot.series[0].name = odd.into();
    plot.y = Axis::new(odd, plots::Unit::Of(odd.into()));
    assert!(texts(&plot).iter().any(|text| text.starts_with("<b>&\"'")));
    let group = Group { name: format!("{odd}\n{}", "long".repeat(40)), published: Some(Bar::new(1.0)), modelled: None };
    let bars = Bars { groups: vec![group; 40], x: odd.repeat(9), title: odd.repeat(30), ..Bars::default() };
    let size = Size::new(480.0, 480.0);
    picture::check(&bars.draw(size, Theme::Light).unwrap(), size, bars.frame(size).unwrap());
}

#[test]
fn sizes_without_room_are_refused_with_the_reason() {
    let plot = common::list();
    let error = plot.draw(Size::new(100.0, 340.0), Theme::Css).unwrap_err();
    assert!(matches!(error, PlotError::TooSmall { .. }), "{error:?}");
    assert!(error.to_string().contains("make the picture larger"));
    for bad in [f64::NAN, f64::INFINITY, 0.0, -5.0, 1e9] {
        assert_eq!(plot.frame(Size::new(bad, 300.0)), Err(PlotError::Measure));
        assert_eq!(plot.draw(Size { font: bad, ..SIZE }, Theme::Css), Err(PlotError::Measure));
    }
    let small = plot.draw(Size { font: 3.0, ..SIZE }, Theme::Css).unwrap();
    assert!(!small.contains("font-size=\"3\""));
}

#[test]
fn larger_type_is_larger() {
    let size = Size { font: 20.0, ..Size::new(720.0, 480.0) };
    for (_, plot) in common::all() {
        let svg = plot.draw(size, Theme::Print).unwrap();
        picture::check(&svg, size, plot.frame(size).unwrap());
        assert!(!svg.contains("font-size=\"14\"") && svg.contains("font-size=\"20\""));
    }
}

#[test]
fn a_place_is_a_value_and_back() {
    for (name, plot) in common::all() {
        let frame = plot.frame(SIZE).unwrap();
        for i in 0..=100 {
            let view = frame.left + (frame.right - frame.left) * f64::from(i) / 100.0;
            let back = frame.view_from_x(frame.x_from_view(view));
            assert!((back - view).abs() < 1e-6, "{name} {view} {back}");
        }
        assert_eq!(frame.x_from_view(-1e9), frame.x_min);
        assert_eq!(frame.x_from_view(1e9), frame.x_max);
        assert_eq!(frame.view_from_x(f64::NAN), frame.left);
    }
    let frame = common::cpus().frame(SIZE).unwrap();
    assert!(frame.log);
    for cpus in [1.0, 3.0, 8.0, 100.0, 128.0] {
        assert!((frame.x_from_view(frame.view_from_x(cpus)) - cpus).abs() < 1e-9);
    }
    let octave = |cpus: f64| frame.view_from_x(cpus * 2.0) - frame.view_from_x(cpus);
    assert!((octave(4.0) - octave(64.0)).abs() < 1e-9);
}

/// The frame says where the drawing has put the points.
#[test]
fn the_frame_is_where_the_points_are() {
    let plot = Lines { interpolation: Interpolation::Linear, ..common::cpus() };
    let frame = plot.frame(SIZE).unwrap();
    let svg = plot.draw(SIZE, Theme::Light).unwrap();
    for cpus in [1.0, 16.0, 128.0] {
        let x = frame.view_from_x(cpus);
        let near = [-0.1, 0.0, 0.1].map(|d| format!("<circle cx=\"{}\"", ((x + d) * 10.0).round() / 10.0));
        assert!(near.iter().any(|text| svg.contains(text)), "{near:?}");
    }
}

#[test]
fn tables_have_the_numbers() {
    let mut plot = lines(&[(1.0, 2.0), (0.0, f64::NAN), (1.0, 0.1)]);
    plot.series[1].points = vec![(1.0, -3.0), (2.0, 1e300)];
    let rows = [
        ["Step", "old, Locks held", "new, Locks held"],
        ["0", "NaN", ""],
        ["1", "2", "-3"],
        ["1", "0.1", ""],
        ["2", "", "1e300"],
    ];
    assert_eq!(plot.to_table(), rows);
    assert!(plot.to_csv().starts_with("Step,\"old, Locks held\",\"new, Locks held\"\r\n0,NaN,\r\n"));
    let table = common::published().to_table();
    assert_eq!(table[0][1], "published mean (RFC cover letter), Time (ns)");
    assert_eq!(table[6], ["1–5", "2360000000", "2340000000", "2430000000", "", "2410000000", "", "", ""]);
    assert_eq!(table[1][8], "yes");
    let table = common::holds().to_table();
    assert_eq!(table[0], ["Hold (ns), from", "Hold (ns), to", "old (3.11), Holds", "new (patched), Holds"]);
    assert_eq!(table[4], ["512", "1024", "905", "0"]);
}

#[test]
fn fitted_values_and_bounds_are_marked_only_where_there_are_any() {
    let with = common::published();
    assert!(says(&with, "fitted: agrees by construction") && says(&with, "least and most of the runs"));
    assert!(!texts(&common::machines()).iter().any(|text| text.contains("fitted")));
    let mut without = common::machines();
    for bar in without.groups.iter_mut().filter_map(|group| group.published.as_mut()) {
        bar.error = None;
    }
    assert!(!says(&without, "one standard deviation"));
    assert_eq!(without.to_table()[0].len(), 3);
}

#[test]
fn inside_a_page_nothing_is_fixed() {
    for (_, plot) in common::all() {
        let svg = plot.draw(SIZE, Theme::Css).unwrap();
        assert!(!svg.contains("=\"#"), "a fixed colour");
        assert!(svg.contains("var(--ink)") && svg.contains("var(--ui)"));
        let file = plot.draw(SIZE, Theme::Light).unwrap();
        assert!(!file.contains("var(") && !file.contains("http://") | file.contains("www.w3.org/2000/svg"));
    }
}

//! Whatever the data: everything is inside the picture, labels are apart, and the CSV gives the numbers back.

mod picture;

use plots::{Axis, Bar, Bars, Group, Histogram, Interpolation, Lines, Plot, Scale, Series, Side, Size, Theme, Unit};
use proptest::prelude::*;

fn value() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        3 => -1e6..1e6f64,
        3 => (0u32..5000).prop_map(f64::from),
        1 => POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO,
    ]
}

fn unit() -> impl Strategy<Value = Unit> {
    prop_oneof![
        Just(Unit::Plain),
        Just(Unit::Count("pages".into())),
        Just(Unit::Of("pages/s".into())),
        Just(Unit::Nanoseconds),
        Just(Unit::Bytes),
        Just(Unit::Share),
    ]
}

fn size() -> impl Strategy<Value = Size> {
    (320.0..1400.0f64, 420.0..700.0f64, 10.0..18.0f64).prop_map(|(width, height, font)| Size { width, height, font })
}

fn lines() -> impl Strategy<Value = Lines> {
    let points = || prop::collection::vec((value(), value()), 0..60);
    (points(), points(), unit(), unit(), ".{0,40}", any::<[bool; 3]>()).prop_map(|(old, new, x, y, title, flags)| {
        Lines {
            x: Axis::new("Step", x),
            y: Axis::new(title.clone(), y),
            title,
            interpolation: if flags[0] { Interpolation::Step } else { Interpolation::Linear },
            scale: if flags[1] { Scale::Linear } else { Scale::Log2 },
            from_zero: flags[2],
            series: vec![Series::new(Side::Old, "old", old), Series::new(Side::New, "new", new)],
        }
    })
}

fn histogram() -> impl Strategy<Value = Histogram> {
    let counts = || prop::collection::vec(value(), 0..70);
    let edges = prop::collection::vec(value(), 0..70);
    (edges, counts(), counts(), unit(), any::<[bool; 2]>()).prop_map(|(mut edges, old, new, unit, flags)| {
        if flags[0] {
            edges.sort_by(f64::total_cmp);
        }
        let scale = if flags[1] { Scale::Linear } else { Scale::Log2 };
        let names = ["old".into(), "new".into()];
        Histogram { x: Axis::new("Hold", unit), scale, edges, counts: [old, new], names, ..Histogram::default() }
    })
}

fn bars() -> impl Strategy<Value = Bars> {
    let bar = || {
        let bar = (value(), prop::option::of((value(), value())), any::<bool>());
        prop::option::of(bar.prop_map(|(value, error, fitted)| Bar { value, error, fitted }))
    };
    let group = (".{0,30}", bar(), bar()).prop_map(|(name, published, modelled)| Group { name, published, modelled });
    (prop::collection::vec(group, 0..30), unit()).prop_map(|(groups, unit)| Bars {
        title: "Published and modelled".into(),
        x: "Patches".into(),
        y: Axis::new("Time", unit),
        groups,
        names: ["published".into(), "modelled".into()],
        error: String::new(),
    })
}

/// RFC 4180 read back.
fn rows(csv: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = csv.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\r' if !quoted => {
                assert_eq!(chars.next(), Some('\n'));
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            c => field.push(c),
        }
    }
    assert!(row.is_empty() && field.is_empty() && !quoted, "the last line ends");
    rows
}

fn sound(plot: &dyn Plot, size: Size) {
    for theme in [Theme::Css, Theme::Print] {
        let svg = plot.draw(size, theme).expect("there is room");
        picture::check(&svg, size, plot.frame(size).expect("there is room"));
    }
    let table = plot.to_table();
    assert!(table.iter().all(|row| row.len() == table[0].len()));
    assert_eq!(rows(&plot.to_csv()), table);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn lines_are_sound(plot in lines(), size in size()) {
        sound(&plot, size);
        let given: usize = plot.series.iter().map(|series| series.points.len()).sum();
        let table = plot.to_table();
        let cells = table[1..].iter().flat_map(|row| row[1..].iter().filter(|cell| !cell.is_empty())).count();
        prop_assert_eq!(cells, given);
        for (column, series) in plot.series.iter().enumerate() {
            for (x, y) in &series.points {
                let same = |cell: &String, y: &f64| cell.parse().is_ok_and(|cell: f64| cell.to_bits() == y.to_bits());
                prop_assert!(table[1..].iter().any(|row| same(&row[0], x) && same(&row[column + 1], y)));
            }
        }
    }

    #[test]
    fn histograms_are_sound(plot in histogram(), size in size()) {
        sound(&plot, size);
    }

    #[test]
    fn bars_are_sound(plot in bars(), size in size()) {
        sound(&plot, size);
    }

    #[test]
    fn no_size_panics(width in 0.0..2000.0f64, height in 0.0..2000.0f64, font in 0.0..200.0f64, plot in lines()) {
        let size = Size { width, height, font };
        prop_assert_eq!(plot.draw(size, Theme::Dark).err(), plot.frame(size).err());
    }
}

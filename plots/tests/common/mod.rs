//! Plots of the kinds that are wanted, with numbers that are made up but look like it.

use plots::{Axis, Bar, Bars, Group, Histogram, Interpolation, Lines, Plot, Scale, Series, Side, Unit};

pub fn count(unit: &str) -> Unit {
    Unit::Count(unit.into())
}

/// A list that is emptied page by page, and by batches of 14.
pub fn list() -> Lines {
    let old = (0..=56).map(|page| (f64::from(page) * 38.0, f64::from(56 - page)));
    let new = (0..=4).map(|batch| (f64::from(batch) * 288.0, f64::from(56 - batch * 14)));
    Lines {
        title: "Unevictable list of the zone".into(),
        x: Axis::new("Step", Unit::Plain),
        y: Axis::new("List length", count("pages")),
        series: vec![
            Series::new(Side::Old, "old (3.11)", old.collect()),
            Series::new(Side::New, "new (3.11 with patches 1 to 7)", new.collect()),
        ],
        ..Lines::default()
    }
}

/// Throughput against the number of CPUs.
pub fn cpus() -> Lines {
    let points = |f: &dyn Fn(f64) -> f64| (0..8).map(|power| 2f64.powi(power)).map(|n| (n, f(n))).collect();
    Lines {
        title: "page_fault1: pages touched per second".into(),
        x: Axis::new("CPUs", count("")),
        y: Axis::new("Throughput", Unit::Of("pages/s".into())),
        interpolation: Interpolation::Linear,
        scale: Scale::Log2,
        series: vec![
            Series::new(Side::Old, "old, batch 31", points(&|n| 620_000.0 * n / (1.0 + n / 14.0 + n * n / 900.0))),
            Series::new(Side::New, "new, batch 63", points(&|n| 640_000.0 * n / (1.0 + n / 25.0 + n * n / 9000.0))),
        ],
        ..Lines::default()
    }
}

/// The share of time spent waiting for a lock.
pub fn waiting() -> Lines {
    let points = |k: f64| (0..8).map(|power| 2f64.powi(power)).map(|n| (n, n / (n + k) * 0.9)).collect();
    let y = Axis::new("Time spent waiting for zone->lock", Unit::Share);
    let series = vec![Series::new(Side::Old, "old", points(30.0)), Series::new(Side::New, "new", points(190.0))];
    Lines { title: "Lock wait".into(), y, series, ..cpus() }
}

/// More points than there is room for, with one peak.
pub fn dense() -> Lines {
    let wave = |i: u32, slow: f64| {
        400.0 + 300.0 * (f64::from(i) / slow).sin() + f64::from(i.wrapping_mul(2_654_435_761) >> 26)
    };
    let points = |slow: f64, peak: u32| {
        (0..100_000).map(|i| (f64::from(i), if i == peak { 2000.0 } else { wave(i, slow) })).collect()
    };
    Lines {
        title: "Free pages".into(),
        x: Axis::new("Step", Unit::Plain),
        y: Axis::new("Free pages", count("pages")),
        series: vec![
            Series::new(Side::Old, "old", points(9000.0, 61_803)),
            Series::new(Side::New, "new", points(14_000.0, 7)),
        ],
        ..Lines::default()
    }
}

/// Four lines.
pub fn lists() -> Lines {
    let ramp =
        |from: f64, to: f64| (0..=20).map(|i| (f64::from(i) * 1e5, from + (to - from) * f64::from(i) / 20.0)).collect();
    Lines {
        title: "List lengths under reclaim".into(),
        x: Axis::new("Time", Unit::Nanoseconds),
        y: Axis::new("Memory on the list", Unit::Bytes),
        series: vec![
            Series::new(Side::Old, "old, inactive", ramp(6e7, 1e7)),
            Series::new(Side::Old, "old, active", ramp(1e7, 2.2e7)),
            Series::new(Side::New, "new, inactive", ramp(6e7, 3.3e7)),
            Series::new(Side::New, "new, active", ramp(1e7, 4.8e7)),
        ],
        ..Lines::default()
    }
}

/// How long a lock was held.
pub fn holds() -> Histogram {
    Histogram {
        title: "How long lru_lock was held".into(),
        x: Axis::new("Hold", Unit::Nanoseconds),
        y: Axis::new("Holds", count("")),
        scale: Scale::Log2,
        edges: (6..=16).map(|power| 2f64.powi(power)).collect(),
        counts: [
            vec![2.0, 40.0, 310.0, 905.0, 420.0, 60.0, 9.0, 0.0, 0.0, 1.0],
            vec![0.0, 0.0, 0.0, 0.0, 12.0, 55.0, 80.0, 31.0, 2.0, 0.0],
        ],
        names: ["old (3.11)".into(), "new (patched)".into()],
    }
}

/// Batch sizes.
pub fn batches() -> Histogram {
    let mut new = vec![3.0; 14];
    new[13] = 96.0;
    let mut old = vec![0.0; 14];
    old[0] = 61.0;
    Histogram {
        title: "Pages handled in one go".into(),
        x: Axis::new("Batch size", count("pages")),
        y: Axis::new("Batches", count("")),
        edges: Histogram::edges_of_numbers(1, 14),
        counts: [old, new],
        names: ["old".into(), "new".into()],
        ..Histogram::default()
    }
}

/// Published times with bounds, beside modelled ones.
pub fn published() -> Bars {
    let rows = [
        ("none", 3.39, (3.38, 3.41), 3.39, true),
        ("1", 3.39, (3.39, 3.40), 3.39, false),
        ("1–2", 3.01, (3.0, 3.04), 3.06, false),
        ("1–3", 2.73, (2.73, 2.73), 2.81, false),
        ("1–4", 2.73, (2.72, 2.76), 2.79, false),
        ("1–5", 2.36, (2.34, 2.43), 2.41, false),
        ("1–6", 2.17, (2.16, 2.20), 2.17, true),
    ];
    let group = |(name, value, error, modelled, fitted): (&str, f64, (f64, f64), f64, bool)| Group {
        name: name.into(),
        published: Some(Bar { value: value * 1e9, error: Some((error.0 * 1e9, error.1 * 1e9)), fitted: false }),
        modelled: Some(Bar { value: modelled * 1e9, error: None, fitted }),
    };
    Bars {
        title: "munlock() of 56 GB: published and modelled".into(),
        x: "Patches applied".into(),
        y: Axis::new("Time", Unit::Nanoseconds),
        groups: rows.map(group).into(),
        names: ["published mean (RFC cover letter)".into(), "modelled".into()],
        error: "least and most of the runs".into(),
    }
}

/// Long names, wide errors, and a value that was not published.
pub fn machines() -> Bars {
    let names = ["Broadwell 2 sockets", "Skylake 2 sockets", "Broadwell 4 sockets", "Skylake 4 sockets"];
    let group = |(i, name): (usize, &str)| Group {
        name: name.into(),
        published: (i != 2).then_some(Bar {
            value: 8.1e6 + i as f64 * 1.3e6,
            error: Some((7e6, 9.5e6 + i as f64 * 1.5e6)),
            fitted: false,
        }),
        modelled: Some(Bar::new(7.9e6 + i as f64 * 1.6e6)),
    };
    Bars {
        title: "page_fault1 on four machines".into(),
        x: "Machine".into(),
        y: Axis::new("Throughput", Unit::Of("pages/s".into())),
        groups: names.into_iter().enumerate().map(group).collect(),
        names: ["published".into(), "modelled".into()],
        error: "one standard deviation".into(),
    }
}

/// All of them with their names.
pub fn all() -> Vec<(&'static str, Box<dyn Plot>)> {
    vec![
        ("list", Box::new(list())),
        ("cpus", Box::new(cpus())),
        ("waiting", Box::new(waiting())),
        ("dense", Box::new(dense())),
        ("lists", Box::new(lists())),
        ("holds", Box::new(holds())),
        ("batches", Box::new(batches())),
        ("published", Box::new(published())),
        ("machines", Box::new(machines())),
        ("empty", Box::new(Lines { series: Vec::new(), ..list() })),
    ]
}

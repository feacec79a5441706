//! Histograms: how long locks were held, and how many pages went under one hold.

use std::rc::Rc;

use leptos::prelude::*;
use plots::{Axis, Histogram, Scale, Unit};
use sim_core::ledger::detail::{HoldLength, holds};
use sim_core::machine::LockClass;

use super::breath::breathe;
use super::figure::{Drawn, figure};
use crate::app::App;
use crate::dom::{live, watch};
use crate::link::Which;
use crate::session::Session;

type Both = [Rc<Vec<HoldLength>>; 2];

/// Whole values up to that have a bar each; beyond, bars double in width.
const SINGLE: f64 = 48.0;

/// In what holds are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    Steps,
    Time,
}

/// Batches that there can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Batch {
    Lru,
    Drain,
    Refill,
}

impl Batch {
    const ALL: [Batch; 3] = [Batch::Lru, Batch::Drain, Batch::Refill];

    const fn name(self) -> &'static str {
        match self {
            Batch::Lru => "pages per lru_lock hold",
            Batch::Drain => "pages freed per zone->lock hold",
            Batch::Refill => "pages taken per zone->lock hold",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Batch::Lru => "Pages moved between LRU lists under one hold of lru_lock",
            Batch::Drain => "Pages given to the free lists under one hold of zone->lock (drains)",
            Batch::Refill => "Pages taken from the free lists under one hold of zone->lock (refills)",
        }
    }

    /// The pages of a hold; none where it is no such batch.
    fn pages(self, hold: &HoldLength) -> Option<f64> {
        let pages = match (self, hold.lock.class) {
            (Batch::Lru, LockClass::Lru) => i64::from(hold.moved),
            (Batch::Drain, LockClass::Zone) => hold.freed,
            (Batch::Refill, LockClass::Zone) => -hold.freed,
            _ => 0,
        };
        (pages > 0).then_some(pages as f64)
    }
}

#[derive(Clone, Copy)]
struct Shared {
    app: App,
    data: StoredValue<Option<Both>, LocalStorage>,
    read: RwSignal<u32>,
    class: RwSignal<Option<LockClass>>,
    measure: RwSignal<Measure>,
    batch: RwSignal<Option<Batch>>,
}

/// The section.
pub fn section() -> AnyView {
    let shared = Shared {
        app: App::get(),
        data: StoredValue::new_local(None),
        read: RwSignal::new(0),
        class: RwSignal::new(None),
        measure: RwSignal::new(Measure::Steps),
        batch: RwSignal::new(None),
    };
    watch(move || {
        shared.app.loaded.track();
        leptos::task::spawn_local(read(shared));
    });
    let changed = move |event: web_sys::Event| match super::chosen(&event) {
        Some((group, at)) if group == "lock" => shared.class.set(shared.classes().get(at).copied()),
        Some((group, at)) if group == "batch" => shared.batch.set(shared.batches().get(at).copied()),
        Some((_, at)) => shared.measure.set(if at == 0 { Measure::Steps } else { Measure::Time }),
        None => {}
    };
    let classes = move || {
        shared.read.track();
        let all = shared.classes();
        let at = all.iter().position(|class| Some(*class) == shared.shown_class(&all)).unwrap_or(0);
        super::choices("lock", "lock", all.iter().map(|class| class.name().to_string()).collect(), at)
    };
    let batches = move || {
        shared.read.track();
        let all = shared.batches();
        let at = all.iter().position(|batch| Some(*batch) == shared.shown_batch(&all)).unwrap_or(0);
        super::choices("batch", "show", all.iter().map(|batch| batch.name().to_string()).collect(), at)
    };
    let measures = || super::choices("measure", "in", vec!["steps".into(), "modelled time".into()], 0);
    view! {
        <section aria-labelledby="plots-holds" on:change=changed>
            <h3 id="plots-holds">"How long locks are held"</h3>
            <div class="menus">{live(classes)} {live(measures)}</div>
            {figure(Box::new(move || lengths(shared)), None)}
            <h3>"How large batches are"</h3>
            <div class="menus">{live(batches)}</div>
            {figure(Box::new(move || sizes(shared)), None)}
        </section>
    }
    .into_any()
}

async fn read(shared: Shared) {
    let app = shared.app;
    let generation = app.loaded.get_untracked();
    let mut both = Vec::with_capacity(2);
    for which in Which::BOTH {
        // What is at hand is shown first; then one side at a time.
        breathe().await;
        if app.loaded.get_untracked() != generation || shared.data.is_disposed() {
            return;
        }
        both.push(app.with(|session| {
            let timing = session.timing(which);
            Rc::new(holds(&session.side(which).track.run.timeline, Some(&timing)))
        }));
    }
    let Ok(both) = Both::try_from(both) else { return };
    if shared.data.try_set_value(Some(both)).is_none() {
        shared.read.update(|count| *count += 1);
    }
}

impl Shared {
    fn any(self, test: impl Fn(&HoldLength) -> bool) -> bool {
        self.data.with_value(|data| data.iter().flatten().any(|side| side.iter().any(&test)))
    }

    /// Classes of locks that one of the runs takes.
    fn classes(self) -> Vec<LockClass> {
        LockClass::ALL.iter().copied().filter(|class| self.any(|hold| hold.lock.class == *class)).collect()
    }

    /// The reader's, or that of the series.
    fn shown_class(self, all: &[LockClass]) -> Option<LockClass> {
        let own = self.app.with(|session| session.opening().lock);
        let known = |class: &LockClass| all.contains(class);
        self.class.get().filter(known).or(Some(own).filter(known)).or(all.first().copied())
    }

    fn batches(self) -> Vec<Batch> {
        Batch::ALL.into_iter().filter(|batch| self.any(|hold| batch.pages(hold).is_some())).collect()
    }

    /// The reader's, or that of the lock of the series.
    fn shown_batch(self, all: &[Batch]) -> Option<Batch> {
        let known = |batch: &Batch| all.contains(batch);
        let zone = self.app.with(|session| session.opening().lock == LockClass::Zone);
        let own = if zone { Batch::Drain } else { Batch::Lru };
        self.batch.get().filter(known).or(Some(own).filter(known)).or(all.first().copied())
    }
}

fn lengths(shared: Shared) -> Result<Drawn, String> {
    shared.read.track();
    let measure = shared.measure.get();
    let Some(both) = shared.data.get_value() else { return Err("Reading the two runs…".into()) };
    let all = shared.classes();
    let Some(class) = shared.shown_class(&all) else { return Err("Neither run takes a lock.".into()) };
    let value = |hold: &HoldLength| match measure {
        Measure::Steps => f64::from(hold.length.end - hold.length.begin),
        Measure::Time => hold.length.ps as f64 / 1000.0,
    };
    let of = |side: &Rc<Vec<HoldLength>>| side.iter().filter(|hold| hold.lock.class == class).map(value).collect();
    let values: [Vec<f64>; 2] = both.each_ref().map(of);
    shared.app.with(|session| {
        let (unit, label) = match measure {
            Measure::Steps => (Unit::Count("steps".into()), "Length of a hold".to_string()),
            Measure::Time => (Unit::Nanoseconds, format!("Modelled length of a hold, {}", session.profile().name)),
        };
        let title = format!("Holds of {} by length", class.name());
        Ok(drawn(session, title, Axis::new(label, unit), &format!("{}-holds", class.name()), &values))
    })
}

fn sizes(shared: Shared) -> Result<Drawn, String> {
    shared.read.track();
    let Some(both) = shared.data.get_value() else { return Err("Reading the two runs…".into()) };
    let all = shared.batches();
    let Some(batch) = shared.shown_batch(&all) else {
        return Err("Neither run moves pages under lru_lock or zone->lock.".into());
    };
    let values = both.each_ref().map(|side| side.iter().filter_map(|hold| batch.pages(hold)).collect());
    shared.app.with(|session| {
        let axis = Axis::new("Pages under one hold", Unit::Count("pages".into()));
        Ok(drawn(session, batch.title().into(), axis, "batches", &values))
    })
}

fn drawn(session: &Session, title: String, x: Axis, file: &str, values: &[Vec<f64>; 2]) -> Drawn {
    let (edges, scale) = edges(values);
    let plot = Histogram {
        title: title.clone(),
        x,
        y: Axis::new("Holds", Unit::Count(String::new())),
        scale,
        counts: values.each_ref().map(|values| counts(&edges, values)),
        edges,
        names: Which::BOTH.map(|which| super::name(session, which)),
    };
    Drawn { plot: Rc::new(plot), title, file: format!("{}-{file}", super::stem(session)) }
}

/// A bar for each whole number, or for each doubling where there are too many.
fn edges(values: &[Vec<f64>; 2]) -> (Vec<f64>, Scale) {
    let all = || values.iter().flatten().copied();
    let (min, max) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    if !min.is_finite() {
        return (Vec::new(), Scale::Linear);
    }
    if max <= SINGLE && all().all(|value| value == value.round()) {
        return (Histogram::edges_of_numbers((min as u32).min(1), max as u32), Scale::Linear);
    }
    let first = min.max(1.0).log2().floor() as i32;
    let last = max.max(1.0).log2().floor() as i32 + 1;
    ((first..=last).map(|power| f64::from(power).exp2()).collect(), Scale::Log2)
}

/// What is below the first bound goes into the first bin.
fn counts(edges: &[f64], values: &[f64]) -> Vec<f64> {
    let mut counts = vec![0.0; edges.len().saturating_sub(1)];
    for value in values {
        let at = edges.partition_point(|edge| edge <= value).saturating_sub(1);
        if let Some(count) = counts.get_mut(at) {
            *count += 1.0;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_a_bin() {
        for values in [
            [vec![1.0, 14.0, 14.0], vec![3.0]],
            [vec![1.0, 200.0, 64.0], vec![63.9, 128.0]],
            [vec![0.4, 1.5], vec![]],
            [vec![7.0], vec![7.0]],
        ] {
            let (edges, _) = edges(&values);
            for side in &values {
                assert_eq!(counts(&edges, side).iter().sum::<f64>() as usize, side.len(), "{edges:?} {side:?}");
            }
        }
    }

    #[test]
    fn small_whole_numbers_have_a_bar_each() {
        let (edges, scale) = edges(&[vec![1.0, 14.0], vec![2.0]]);
        assert_eq!((edges.len(), scale), (15, Scale::Linear));
        assert_eq!(counts(&edges, &[14.0, 14.0, 1.0]), [&[1.0][..], &[0.0; 12], &[2.0]].concat());
    }

    #[test]
    fn long_tails_double() {
        let (edges, scale) = edges(&[vec![2.0, 100.0], vec![]]);
        assert_eq!((edges.as_slice(), scale), (&[2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0][..], Scale::Log2));
        assert_eq!(counts(&edges, &[2.0, 4.0, 100.0]), [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn nothing_is_nothing() {
        assert_eq!(edges(&[vec![], vec![]]).0, Vec::<f64>::new());
    }
}

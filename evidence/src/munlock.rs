//! munlock of 56 GiB in 2013: seven and eight columns, of which three are fitted.
//!
//! What a page costs is linear in what is done to it: so each variant is run at a smaller size, the classes of work are
//! counted, and three prices are solved for from columns 0, 2 and 6 of the RFC: the cache miss of a page, the interrupt
//! pair, the locked instruction. Everything else has a price from the profile.

use sim_core::cost::{CLASSES, CostClass, Costs};

use crate::pace::{self, Pace, Stopped};
use crate::published::{Columns, Munlock, read};
use crate::report::{Check, Fit, Report, Role, Row, Table};
use crate::{fit, model, profile};

/// Pages of a run that is counted: whole page tables of 512, so that batches end as they do in a long range.
const PAGES: u32 = 7 * 512;
const FITTED: [&str; 3] = ["0", "2", "6"];
/// What the three columns determine.
const UNKNOWN: [CostClass; 3] = [CostClass::LineMemory, CostClass::Irq, CostClass::Rmw];
/// The profile.
pub const PROFILE: &str = "opteron-2013";

type Counts = [f64; CLASSES];

/// The report.
///
/// # Errors
///
/// [`Stopped`]
pub async fn report(pace: &Pace<'_>) -> Result<Report, Stopped> {
    let data: Munlock = read(include_str!("../../assets/published/munlock.json"));
    let profile = profile::costs(PROFILE);
    let runs = data.tables.iter().map(|table| table.columns.len()).sum::<usize>() as f64;
    let (mut done, mut tables) = (0.0, Vec::new());
    let mut price = None;
    for published in &data.tables {
        let mut counts = Vec::new();
        for variant in &published.columns {
            let part = pace.part(done / runs, (done + 1.0) / runs);
            counts.push(per_page(variant, published.name == "interleave", &part).await?);
            done += 1.0;
            pace.at(done / runs).await?;
        }
        let price = price.get_or_insert_with(|| prices(published, &counts, &profile, data.pages));
        tables.push(table(published, &counts, price, &data));
    }
    Ok(Report { series: "munlock", tables })
}

// Classes of work per page.
async fn per_page(variant: &str, interleave: bool, pace: &Pace<'_>) -> Result<Counts, Stopped> {
    let pages = PAGES.to_string();
    let mut params = vec![("pages", pages.as_str())];
    if interleave {
        params.extend([("zones", "2"), ("interleave", "true")]);
    }
    let counts = model::counts(model::spec("munlock", variant, &params), pace).await?;
    Ok(counts.map(|count| count / f64::from(PAGES)))
}

/// Nanoseconds of each class: the profile's, but for the three that the columns determine.
fn prices(published: &Columns, counts: &[Counts], profile: &Costs, pages: u64) -> Counts {
    let mut price = CostClass::ALL.map(|class| profile.of(class) as f64 / 1000.0);
    let fixed: Vec<CostClass> = CostClass::ALL.into_iter().filter(|class| !is_unknown(*class)).collect();
    let (mut rows, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
    for (equation, variant) in FITTED.iter().enumerate() {
        let Some(at) = published.columns.iter().position(|column| column == variant) else { continue };
        let known: f64 = fixed.iter().map(|&class| counts[at][class as usize] * price[class as usize]).sum();
        right[equation] = published.mean[at] * 1e9 / pages as f64 - known;
        // A spinlock is one locked instruction, so both have one price.
        rows[equation] = UNKNOWN.map(|class| {
            let spins = if class == CostClass::Rmw { counts[at][CostClass::Spin as usize] } else { 0.0 };
            counts[at][class as usize] + spins
        });
    }
    if let Some(solved) = fit::solve(rows, right) {
        for (class, value) in UNKNOWN.into_iter().zip(solved) {
            price[class as usize] = value;
        }
        price[CostClass::Spin as usize] = price[CostClass::Rmw as usize];
    }
    price
}

fn is_unknown(class: CostClass) -> bool {
    UNKNOWN.contains(&class) || class == CostClass::Spin
}

fn table(published: &Columns, counts: &[Counts], price: &Counts, data: &Munlock) -> Table {
    let seconds = |counts: &Counts| {
        let ns: f64 = counts.iter().zip(price).map(|(count, price)| count * price).sum();
        ns * data.pages as f64 / 1e9
    };
    let modelled: Vec<f64> = counts.iter().map(seconds).collect();
    let mut table = Table::new(&published.title, &published.source, "seconds");
    table.profile = Some(PROFILE.to_string());
    table.notes.push(format!(
        "{}. The model munlocks {PAGES} pages and multiplies: what a page costs is linear in what is done to it.",
        data.benchmark
    ));
    for (at, variant) in published.columns.iter().enumerate() {
        let what = format!("variant {variant}");
        let row = Row::new(what, published.mean[at], modelled[at], role(published, variant));
        let row = row.spread(published.stddev.get(at).copied());
        table.rows.push(match published.name.as_str() {
            "rfc" if row.role == Role::HeldOut => row.within(2.0),
            "v2" if row.role == Role::HeldOut => row.within(4.0),
            _ => row,
        });
    }
    match published.name.as_str() {
        "rfc" => table.fits = fits(price),
        "interleave" => {
            table.checks.push(order(published, &modelled));
            table.notes.push(
                "The machine's nodes and their distance are not stated: the model prices a remote page like a local one, \
                 so only the order of the columns is compared."
                    .to_string(),
            );
        }
        _ => {}
    }
    table
}

// Columns that the fit has seen, in this table or as the same run in another.
fn role(published: &Columns, variant: &str) -> Role {
    match published.name.as_str() {
        "interleave" => Role::Order,
        "rfc" if FITTED.contains(&variant) => Role::Fitted,
        _ => Role::HeldOut,
    }
}

fn fits(price: &Counts) -> Vec<Fit> {
    let named = [
        ("cache miss of a page (line_memory)", CostClass::LineMemory),
        ("interrupts off and on (irq_pair)", CostClass::Irq),
        ("locked instruction (rmw, spin)", CostClass::Rmw),
    ];
    named
        .map(|(parameter, class)| Fit {
            parameter: parameter.to_string(),
            value: price[class as usize],
            unit: "ns",
            from: "columns 0, 2 and 6 of the RFC, all three together".to_string(),
        })
        .to_vec()
}

// Neighbours whose means differ by more than both deviations together must come in the published order.
fn order(published: &Columns, modelled: &[f64]) -> Check {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for a in 0..modelled.len() {
        for b in a + 1..modelled.len() {
            let gap = published.mean[a] - published.mean[b];
            if gap.abs() <= published.stddev[a] + published.stddev[b] {
                continue;
            }
            compared += 1;
            if (modelled[a] - modelled[b]) * gap <= 0.0 {
                wrong.push(format!("{} and {}", published.columns[a], published.columns[b]));
            }
        }
    }
    Check::new(
        "columns that lie further apart than their deviations come in the published order",
        if wrong.is_empty() { format!("all {compared} pairs do") } else { format!("not {}", wrong.join(", ")) },
        wrong.is_empty(),
    )
}

/// The profile with the prices that the columns determine, to be compared with what its file says.
pub fn fitted() -> Costs {
    let data: Munlock = read(include_str!("../../assets/published/munlock.json"));
    let mut costs = profile::costs(PROFILE);
    let rfc = &data.tables[0];
    let pace = Pace::steady(|_| true);
    let counts = rfc.columns.iter().map(|variant| pace::run(per_page(variant, false, &pace)).unwrap_or([0.0; CLASSES]));
    let price = prices(rfc, &counts.collect::<Vec<_>>(), &costs, data.pages);
    for class in CostClass::ALL {
        costs.set(class, (price[class as usize] * 1000.0).round().max(0.0) as u64);
    }
    costs
}

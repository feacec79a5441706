//! Freeing per-CPU pages: page faults and unmaps on every CPU, and two races of the same code.

mod claims;
mod races;
mod rounds;
mod setup;
mod variants;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use variants::PCP_FREE_VARIANTS;

use self::setup::{Sizes, page_fault1};
use super::built::Built;
use super::params::{Param, Params};
use super::spec::SpecError;
use super::{Opening, Scenario, Series, Variant};
use crate::engine::{Engine, Schedule};
use crate::machine::LockClass;

const BATCH: Param = Param::number("batch", 4, 1, 1024, "pages of one refill or drain");
const HIGH: Param = Param::number("high", 12, 0, 65_536, "pages on a CPU's lists at which a drain starts");

const PARAMS: &[Param] = &[
    Param::number("cpus", 1, 1, 128, "CPUs, each with a process of its own"),
    Param::number("pages", 1024, 64, 1 << 22, "pages of 4 KiB in the zone"),
    Param::number("touch", 12, 1, 1 << 20, "pages that each process maps, touches and unmaps"),
    BATCH,
    HIGH,
    Param::maybe("high_max", 65_536, "how far high may grow by itself (today); none is high: it stays"),
    Param::number("rounds", 1, 1, 4096, "times that each process does so"),
];

const HANG: &[Param] = &[
    Param::number("pages", 1024, 512, 65_536, "pages of 4 KiB in the zone"),
    BATCH,
    Param::number("high", 12, 1, 65_536, "pages on a CPU's lists at which a drain starts, once memory has been added"),
    Param::flag("fixed", "as from 5.9 on: a drain asks for no more pages than there are"),
];

const ISOLATE: &[Param] = &[
    Param::number("batch", 4, 1, 12, "pages of one refill or drain"),
    Param::flag("no_reread", "the type kept in a free page is believed, as before 3.18"),
];

/// The series.
pub(super) const SERIES: Series = Series {
    name: "pcp-free",
    title: "free per-CPU pages with a shorter zone->lock",
    year: 2018,
    claimed: "pages are picked from the per-CPU lists before zone->lock is taken, and their buddies prefetched",
    opening: Opening {
        lock: LockClass::Zone,
        hero: ("picks", "pages picked under zone->lock"),
        unit: ("touch", "page"),
        per: &["cpus", "touch", "rounds"],
        params: &[],
    },
    scenarios: SCENARIOS,
};

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "pcp-free",
        title: "page faults and unmaps on every CPU",
        summary: "Each CPU maps a range, writes to every page of it and unmaps it: pages go out through per-CPU lists and come back.",
        watch: "What happens while zone->lock is held: list moves and picks; how often it is taken.",
        params: PARAMS,
        variants: PCP_FREE_VARIANTS,
        sides: ("v4.15", "pick-outside"),
        build: build_page_fault1,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "pcp-hang",
        title: "a drain that asks for more pages than there are",
        summary: "Memory is added to a zone between the moment when a free finds its list too long and the moment when it reads batch.",
        watch: "The search for a list that is not empty; who holds zone->lock meanwhile.",
        params: HANG,
        variants: PCP_FREE_VARIANTS,
        sides: ("v4.15", "pick-outside"),
        build: races::hang,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
    Scenario {
        name: "pcp-isolate",
        title: "a pageblock is isolated while its pages wait to be freed",
        summary: "Another CPU isolates a pageblock after its pages have been put on a per-CPU list with the old type.",
        watch: "The type that is read under zone->lock, and the list that the pages go to.",
        params: ISOLATE,
        variants: PCP_FREE_VARIANTS,
        sides: ("v4.15", "pick-outside"),
        build: races::isolate,
        claims: claims::claims,
        compare_claims: claims::compare,
    },
];

fn build_page_fault1(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let sizes = Sizes::from_params(params, variant.config)?;
    let engine = sizes.engine(variant.config);
    let tasks = move |engine: &mut Engine| {
        for cpu in 0..sizes.cpus {
            engine.spawn("page_fault1", cpu, move |cpu| page_fault1(cpu, sizes.touch, sizes.rounds));
        }
    };
    Ok(built(engine, Schedule::RoundRobin, Box::new(tasks)))
}

fn built(engine: Engine, script: Schedule, tasks: Box<dyn FnOnce(&mut Engine)>) -> Built {
    Built { engine, measured: None, migrations: Vec::new(), script, tasks }
}

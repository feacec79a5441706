//! Two races of the drain, with the CPUs' turns written down.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::built;
use super::setup::Sizes;
use crate::engine::{Cpu, Engine, Schedule, Turn, Until};
use crate::kernel::Patch;
use crate::kernel::page_alloc::get_page_from_freelist;
use crate::kernel::page_free::free_unref_page;
use crate::kernel::page_isolation::{drain_local_pages, set_migratetype_isolate, zone_pcp_update};
use crate::ledger::Site;
use crate::machine::{AreaList, MigrateType, PAGEBLOCK_NR, PcpField, PcpSpec};
use crate::op::{Held, Op};
use crate::scenario::Variant;
use crate::scenario::built::Built;
use crate::scenario::params::Params;
use crate::scenario::spec::SpecError;

const MOVABLE: MigrateType = MigrateType::Movable;

fn after(cpu: u8, op: Op) -> Turn {
    Turn { cpu, until: Until::After(op) }
}

fn to_the_end(cpu: u8) -> Turn {
    Turn { cpu, until: Until::Blocked }
}

// Pages straight from the allocator and back to it, all taken before the first is freed.
async fn alloc_and_free(cpu: &Cpu, pages: u32) {
    let mut taken = Vec::new();
    for _ in 0..pages {
        taken.extend(get_page_from_freelist(cpu, 0, MOVABLE).await);
    }
    for page in taken {
        if cpu.put_page_testzero(page, Site::PutPage, Held::Map).await {
            free_unref_page(cpu, page, 0).await;
        }
    }
}

fn added_by_free(page: u32) -> Op {
    Op::AreaAdd { list: AreaList::Pcp { cpu: 1, mt: MOVABLE }, tail: false, page }
}

/// The pageset of a new zone has high 0 and batch 1. A free finds count at high; before it reads batch, memory is added
/// and batch becomes larger than what the lists hold.
pub(super) fn hang(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let mut config = variant.config;
    if params.is("fixed") {
        config = config.with(&[Patch::ClampCount]);
    }
    let boot = PcpSpec { batch: 1, high: 0, high_max: 0 };
    let sizes = Sizes { cpus: 2, pages: params.get("pages"), touch: 1, pcp: boot, rounds: 1 };
    let (high, batch) = (params.get("high"), params.get("batch"));
    let turns = vec![
        after(1, added_by_free(0)),
        after(1, Op::ReadPcp { zone: 0, cpu: 1, field: PcpField::High }),
        to_the_end(0),
        to_the_end(1),
    ];
    let tasks = move |engine: &mut Engine| {
        engine.spawn("memory hotplug", 0, move |cpu| async move {
            zone_pcp_update(&cpu, 0, 1, high, batch).await;
        });
        engine.spawn("free", 1, |cpu| async move { alloc_and_free(&cpu, 1).await });
    };
    Ok(built(sizes.engine(config), Schedule::Script(turns), Box::new(tasks)))
}

/// Twelve pages go to a per-CPU list as MOVABLE; the last one starts a drain. Before that takes zone->lock, another CPU
/// isolates the range that they lie in. In the end the lists are emptied.
pub(super) fn isolate(variant: &Variant, params: &Params) -> Result<Built, SpecError> {
    let mut config = variant.config;
    if params.is("no_reread") {
        config = config.with(&[Patch::StaleType]);
    }
    let pcp = PcpSpec { batch: params.get("batch"), high: 12, high_max: 12 };
    let sizes = Sizes { cpus: 2, pages: 4 * PAGEBLOCK_NR, touch: 12, pcp, rounds: 1 };
    let mut turns = vec![after(1, added_by_free(11))];
    if config.has(Patch::PickOutside) {
        turns.push(after(1, Op::AreaAdd { list: AreaList::Local { cpu: 1 }, tail: true, page: 0 }));
    }
    turns.extend([to_the_end(0), to_the_end(1)]);
    let tasks = |engine: &mut Engine| {
        engine.spawn("isolate", 0, |cpu| async move {
            for page in [0, PAGEBLOCK_NR] {
                set_migratetype_isolate(&cpu, 0, page).await;
            }
        });
        engine.spawn("free", 1, |cpu| async move {
            alloc_and_free(&cpu, 12).await;
            drain_local_pages(&cpu, 0).await;
        });
    };
    Ok(built(sizes.engine(config), Schedule::Script(turns), Box::new(tasks)))
}

//! Allocations and frees straight at the page allocator, and what came of them.
#![allow(dead_code)]

use sim_core::engine::{Checker, Cpu, Engine, Schedule, Setup, Timeline};
use sim_core::kernel::page_alloc::{get_page_from_freelist, rmqueue_order};
use sim_core::kernel::page_free::{free_pages_ok, free_unref_page};
use sim_core::kernel::pcp_bulk::free_pcppages_bulk;
use sim_core::kernel::pcp_orders::{free_the_page, rmqueue};
use sim_core::kernel::{Config, Patch};
use sim_core::ledger::Site;
use sim_core::machine::{AreaList, Buddy, LockClass, Machine, MachineSpec, MigrateType, PcpField, PcpSpec, Pfn, Stat};
use sim_core::op::{Held, Op, World};
use sim_core::scenario::{PCP_FREE_VARIANTS, Run, RunSpec};

/// Variants with the same rules for what is drained: 4.15 to 4.17.
pub const SAME: [&str; 4] = ["v4.15", "pick-outside", "prefetch-all", "merged"];
/// Every variant, oldest first.
pub const ALL: [&str; 6] = ["v4.15", "pick-outside", "prefetch-all", "merged", "v5.18", "today"];

pub const MOVABLE: MigrateType = MigrateType::Movable;

/// The kernel of a variant.
pub fn config(variant: &str) -> Config {
    PCP_FREE_VARIANTS.iter().find(|known| known.name == variant).unwrap().config
}

/// Sizes of per-CPU lists without auto-tuning.
pub fn sized(batch: u32, high: u32) -> PcpSpec {
    PcpSpec { batch, high, high_max: high }
}

/// A zone with all pages free, on so many CPUs.
pub fn engine(config: Config, cpus: u8, pages: u32, pcp: PcpSpec) -> Engine {
    let threshold = sim_core::machine::stat_threshold(u32::from(cpus), u64::from(pages));
    let mut machine = Machine::new(&MachineSpec { cpus, zones: vec![pages], threshold });
    machine.add_buddy(0, pcp, config.has(Patch::PcpAutoTune));
    let mut engine = Engine::new(config, machine);
    let checker = Some(Checker::new(config, &engine.world().machine));
    engine.begin(Setup { schedule: Schedule::RoundRobin, checker, ..Setup::default() }, false);
    engine
}

/// Allocates a page of order 0.
pub async fn alloc(cpu: &Cpu, mt: MigrateType) -> Option<Pfn> {
    get_page_from_freelist(cpu, 0, mt).await
}

/// Drops the last reference of a page and frees it.
pub async fn free(cpu: &Cpu, page: Pfn) {
    assert!(cpu.put_page_testzero(page, Site::PutPage, Held::Map).await);
    free_unref_page(cpu, page, 0).await;
}

/// Allocates a block straight from the free lists.
pub async fn alloc_block(cpu: &Cpu, order: u8, mt: MigrateType) -> Option<Pfn> {
    rmqueue_order(cpu, 0, order, mt, false).await
}

/// Drops the last reference of a block and frees it straight to the free lists.
pub async fn free_block(cpu: &Cpu, page: Pfn, order: u8) {
    assert!(cpu.put_page_testzero(page, Site::PutPage, Held::Map).await);
    free_pages_ok(cpu, page, order).await;
}

/// Allocates a block, from this CPU's lists where its order has some.
pub async fn alloc_order(cpu: &Cpu, order: u8, mt: MigrateType) -> Option<Pfn> {
    rmqueue(cpu, 0, order, mt).await
}

/// Drops the last reference of a block and frees it, to this CPU's lists where its order has some.
pub async fn free_order(cpu: &Cpu, page: Pfn, order: u8) {
    assert!(cpu.put_page_testzero(page, Site::PutPage, Held::Map).await);
    free_the_page(cpu, page, order).await;
}

/// A drain of so many pages, asked for directly.
pub async fn drain(cpu: &Cpu, n: u32) {
    cpu.local_irq_save().await;
    free_pcppages_bulk(cpu, 0, n).await;
    if !cpu.has(Patch::CountInside) {
        let count = cpu.pcp(0, PcpField::Count);
        cpu.set_pcp(0, PcpField::Count, count - n).await;
    }
    cpu.local_irq_restore().await;
}

/// Allocates pages, then frees them in ascending order of allocation.
pub async fn cycle(cpu: &Cpu, pages: u32) {
    let mut taken = Vec::new();
    for _ in 0..pages {
        taken.push(alloc(cpu, MOVABLE).await.unwrap());
    }
    for page in taken {
        free(cpu, page).await;
    }
}

/// The end of a run, at which nothing has broken; a way back to the start gives the same bytes.
pub fn finish(mut engine: Engine) -> Timeline {
    engine.run().unwrap();
    let mut timeline = engine.into_timeline();
    assert_eq!(timeline.violation(), None);
    timeline.seek(0);
    let start = timeline.world().clone();
    timeline.seek(timeline.len());
    let end = timeline.world().clone();
    timeline.seek(0);
    assert_eq!(&start, timeline.world());
    timeline.seek(timeline.len());
    assert_eq!(&end, timeline.world());
    timeline
}

/// One task on CPU 0, to its end.
pub fn run_one<F, Fut>(config: Config, pages: u32, pcp: PcpSpec, task: F) -> Timeline
where
    F: FnOnce(Cpu) -> Fut,
    Fut: Future<Output = ()> + 'static,
{
    let mut engine = engine(config, 1, pages, pcp);
    engine.spawn("test", 0, task);
    finish(engine)
}

/// A run that has been asked for by name, at its end; nothing may break.
pub fn run(scenario: &str, variant: &str, params: &[(&str, &str)]) -> Run {
    let spec = RunSpec::new(scenario, variant).unwrap();
    let spec = params.iter().fold(spec, |spec, (name, value)| spec.set(name, value).unwrap());
    let mut run = spec.record().unwrap();
    assert_eq!(run.timeline.violation(), None, "{scenario} {variant} {params:?}");
    run.timeline.seek(run.timeline.len());
    run
}

pub fn buddy(machine: &Machine) -> &Buddy {
    machine.buddy(0).unwrap()
}

/// Free lists of all types together that hold something: order and blocks, head first.
pub fn free_lists(machine: &Machine) -> Vec<(u8, Vec<Pfn>)> {
    let of = |order| {
        let lists = MigrateType::ALL.iter().flat_map(move |&mt| machine.area_list(0, AreaList::Free { order, mt }));
        (order, lists.collect::<Vec<_>>())
    };
    (0..11).map(of).filter(|(_, blocks)| !blocks.is_empty()).collect()
}

/// First pages of the blocks on a list of a CPU, head first.
pub fn pcp_blocks(machine: &Machine, cpu: u8, pindex: u8) -> Vec<Pfn> {
    machine.area_list(0, AreaList::of_pindex(cpu, pindex)).collect()
}

/// The MOVABLE list of a CPU, head first.
pub fn pcp_list(machine: &Machine, cpu: u8) -> Vec<Pfn> {
    machine.area_list(0, AreaList::Pcp { cpu, mt: MOVABLE }).collect()
}

pub fn pcp(machine: &Machine, cpu: u8, field: PcpField) -> u32 {
    buddy(machine).pcp[cpu as usize].get(field)
}

pub fn nr_free_pages(machine: &Machine) -> i64 {
    machine.zone_stat(0, Stat::FreePages)
}

/// Pages handed out, in order.
pub fn handed_out(timeline: &Timeline) -> Vec<Pfn> {
    let of = |op| if let Op::PrepareNew { page, .. } = op { Some(page) } else { None };
    timeline.records().iter().filter_map(|record| of(record.op)).collect()
}

/// Pages that came to per-CPU lists, in order.
pub fn freed(timeline: &Timeline) -> Vec<Pfn> {
    let of = |op| match op {
        Op::AreaAdd { list: AreaList::Pcp { .. }, tail: false, page } => Some(page),
        _ => None,
    };
    timeline.records().iter().filter_map(|record| of(record.op)).collect()
}

/// Pages of each drain in the order of the picks: one entry for each hold of zone->lock in which pages were freed from
/// per-CPU lists.
pub fn drains(timeline: &Timeline) -> Vec<Vec<Pfn>> {
    let (mut drains, mut picked) = (Vec::new(), Vec::new());
    let mut in_drain = false;
    for record in timeline.records() {
        match record.op {
            Op::AreaDel { list: AreaList::Pcp { .. } | AreaList::PcpOrder { .. }, page } => {
                picked.push(page);
                in_drain |= record.outcome.ret == 1;
            }
            Op::AreaAdd { list: AreaList::Local { .. }, .. } => in_drain = true,
            Op::PrepareNew { .. } => picked.clear(),
            Op::SpinUnlock { class: LockClass::Zone, .. } if in_drain => {
                drains.push(std::mem::take(&mut picked));
                in_drain = false;
            }
            _ => {}
        }
    }
    drains
}

/// Pages of each refill, in order.
pub fn refills(timeline: &Timeline) -> Vec<usize> {
    let (mut refills, mut added) = (Vec::new(), 0);
    for record in timeline.records() {
        match record.op {
            Op::AreaAdd { list: AreaList::Pcp { .. } | AreaList::PcpOrder { .. }, tail: true, .. } => added += 1,
            Op::SpinUnlock { class: LockClass::Zone, .. } if added > 0 => refills.push(std::mem::take(&mut added)),
            _ => {}
        }
    }
    refills
}

/// What was done while zone->lock was held, and list moves beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Under {
    pub probes: u32,
    pub tests: u32,
    pub dels: u32,
    pub picks: u32,
    pub heads: u32,
    pub tails: u32,
    pub buddy_reads: u32,
    pub higher_reads: u32,
    pub index_reads: u32,
    pub next_reads: u32,
    pub checks: u32,
    pub stats: u32,
    pub locks: u32,
    pub dels_outside: u32,
    pub adds_outside: u32,
    pub prefetches: u32,
    pub touches: u32,
    pub touches_outside: u32,
}

/// Counts from a step on.
pub fn under_lock(timeline: &Timeline, from: usize) -> Under {
    use sim_core::op::Read;
    let mut sum = Under::default();
    let mut holder = None;
    for record in &timeline.records()[from..] {
        let n = u32::from(holder == Some(record.task));
        match record.op {
            Op::SpinLock { class: LockClass::Zone, .. } => {
                holder = Some(record.task);
                sum.locks += 1;
            }
            Op::SpinUnlock { class: LockClass::Zone, .. } => holder = None,
            Op::AreaEmpty { again, .. } => *(if again { &mut sum.tests } else { &mut sum.probes }) += n,
            Op::AreaDel { list, .. } => {
                sum.dels += n;
                sum.picks += if matches!(list, AreaList::Pcp { .. } | AreaList::PcpOrder { .. }) { n } else { 0 };
                sum.dels_outside += 1 - n;
            }
            Op::AreaAdd { tail, .. } => {
                *(if tail { &mut sum.tails } else { &mut sum.heads }) += n;
                sum.adds_outside += 1 - n;
            }
            Op::Read { what: Read::Buddy, .. } => sum.buddy_reads += n,
            Op::Read { what: Read::HigherBuddy, .. } => sum.higher_reads += n,
            Op::Read { what: Read::PcpType, .. } => sum.index_reads += n,
            Op::Read { what: Read::PageCheck, .. } => sum.checks += n,
            Op::AreaNext { .. } => sum.next_reads += n,
            Op::Stat { item: Stat::FreePages, .. } => sum.stats += n,
            Op::Prefetch { .. } => sum.prefetches += 1,
            _ => {}
        }
    }
    sum
}

/// The machine of a world, without what differs between tasks.
pub fn machine_of(world: &World) -> &Machine {
    &world.machine
}

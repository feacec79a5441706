//! What MADV_FREE does with a PTE, step by step, before and after the patch.

use sim_core::engine::{Checker, Cpu, Engine, Outcome, Setup, Timeline};
use sim_core::kernel::Config;
use sim_core::kernel::madvise::{madvise_free_pte_range, sys_madvise};
use sim_core::kernel::memory_swap::copy_swap_pte;
use sim_core::kernel::page_io::swap_interrupts;
use sim_core::kernel::program::touch;
use sim_core::kernel::vmscan_anon::{ScanControl, shrink_active_list, shrink_inactive_list, shrink_zone};
use sim_core::ledger::{Count, How};
use sim_core::machine::{
    Event, LockClass, Machine, MachineSpec, Mapping, NIL, PTE_HWPOISON, PTE_MIGRATION, PTE_NONE, PageFlag, Rss, Stat,
    SwapTuning, Vma, VmaId,
};
use sim_core::op::{AnonOp, Op, Read};
use sim_core::scenario::RunSpec;

const OWN: VmaId = VmaId { mm: 0, vma: 0 };
const OTHER: VmaId = VmaId { mm: 1, vma: 0 };

fn config(variant: &str) -> Config {
    RunSpec::new("madvise-free", variant).expect("the variant is known").variant.config
}

/// States of a PTE and its page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    None,
    Dirty,
    CachedIdle,
    CachedWriteback,
    CachedShared,
    CachedLocked,
    Entry,
    EntryShared,
    EntryCached,
    EntryWriteback,
    EntryLocked,
    Migration,
    Hwpoison,
}

async fn swap_out(cpu: &Cpu) {
    let sc = &mut ScanControl::default();
    shrink_active_list(cpu, 0, false, sc).await;
    shrink_inactive_list(cpu, 0, false, sc).await;
    // Two-touch kernels look a second time.
    if cpu.machine().swap().writes.is_empty() {
        shrink_inactive_list(cpu, 0, false, sc).await;
    }
}

async fn write_done(cpu: &Cpu) {
    cpu.tick(100).await;
    swap_interrupts(cpu).await;
}

async fn make(cpu: Cpu, state: State) {
    let cpu = &cpu;
    if state == State::None {
        touch(cpu, OWN, 1, true, 0).await;
        return;
    }
    touch(cpu, OWN, 0, true, 0).await;
    match state {
        State::Migration => cpu.set_pte_at(0, 0, PTE_MIGRATION).await,
        State::Hwpoison => cpu.set_pte_at(0, 0, PTE_HWPOISON).await,
        State::None | State::Dirty => {}
        _ => {
            swap_out(cpu).await;
            if state == State::CachedWriteback {
                touch(cpu, OWN, 0, true, 0).await;
            }
            if !matches!(state, State::CachedWriteback | State::EntryWriteback) {
                write_done(cpu).await;
            }
            if matches!(state, State::CachedShared | State::EntryShared) {
                copy_swap_pte(cpu, OWN, OTHER, 0).await;
            }
            if matches!(state, State::Entry | State::EntryShared) {
                shrink_inactive_list(cpu, 0, false, &mut ScanControl::default()).await;
            }
            if matches!(state, State::CachedIdle | State::CachedShared | State::CachedLocked) {
                touch(cpu, OWN, 0, false, 0).await;
            }
        }
    }
}

fn machine() -> Machine {
    let mut machine = Machine::new(&MachineSpec { cpus: 1, zones: vec![32], threshold: 30 });
    let mapping = Mapping { file: false, unevictable: false, vmas: vec![OWN, OTHER], cache: Vec::new() };
    let mapping = machine.add_mapping(mapping);
    for _ in 0..2 {
        let mm = machine.add_mm(8);
        machine.mms[mm as usize].vmas.push(Vma { start: 0, end: 8, locked: false, mapping, pgoff: 0 });
    }
    let tuning = SwapTuning { slots: 32, marks: [1, 2, 3], slice: 8, ratio: 1, write_time: 40 };
    machine.add_swap(tuning, vec![0; 4]);
    machine
}

fn prepared(config: Config, state: State) -> Engine {
    let mut engine = Engine::new(config, machine());
    engine.spawn("set-up", 0, move |cpu| make(cpu, state));
    assert_eq!(engine.run(), Ok(Outcome::Finished), "{state:?}");
    if matches!(state, State::CachedLocked | State::EntryLocked) {
        let mut machine = engine.machine_mut();
        let slot = machine.swap().private.iter().position(|&slot| slot != 0).expect("a page is in the swap cache");
        machine.pages[slot].flags |= PageFlag::Locked.bit();
        machine.pages[slot].locker = 9;
    }
    engine
}

/// The recorded call for one PTE.
fn called(variant: &str, state: State) -> Timeline {
    let config = config(variant);
    let mut engine = prepared(config, state);
    engine.begin(Setup::default(), false);
    engine.spawn("madvise", 0, |cpu| async move {
        madvise_free_pte_range(&cpu, OWN, 0, 1).await;
    });
    assert_eq!(engine.run(), Ok(Outcome::Finished), "{variant} {state:?}");
    let mut timeline = engine.into_timeline();
    timeline.seek(timeline.len());
    timeline
}

/// A step as the table has it; none for looks that it leaves out.
fn short(op: Op, ret: u32) -> Option<String> {
    let text = match op {
        Op::ReadPte { .. } => "RD pte",
        Op::Read { what: Read::Flag(PageFlag::SwapCache), .. } => "RD flags",
        Op::Read { .. } | Op::Event { .. } | Op::Exit => return None,
        Op::SetPte { pte: PTE_NONE, .. } => "WR none",
        Op::SetPte { .. } => "WR clean",
        Op::TryLockPage { .. } if ret == 0 => "trylock fails",
        Op::TryLockPage { .. } => "trylock",
        Op::UnlockPage { .. } => "unlock",
        Op::SpinLock { class, .. } => return Some(format!("+{}", class.name())),
        Op::SpinUnlock { class, .. } => return Some(format!("-{}", class.name())),
        Op::Put { .. } => "put",
        Op::Flag { flag: PageFlag::SwapCache, how: How::Clear, .. } => "clear SwapCache",
        Op::Flag { flag: PageFlag::Dirty, how: How::Set, .. } => "SetPageDirty",
        Op::Flag { flag: PageFlag::Dirty, how: How::Clear, .. } => "ClearPageDirty",
        Op::Flag { flag: PageFlag::Lru, .. } => "off the LRU",
        Op::Stat { item: Stat::FilePages, delta: -1, .. } => "NR_FILE_PAGES-1",
        Op::Free { .. } => "free",
        Op::ListDel { .. } | Op::Stat { .. } | Op::Flag { .. } => return None,
        Op::Anon(op) => return anon(op),
        other => return Some(format!("{other:?}")),
    };
    Some(text.to_string())
}

fn anon(op: AnonOp) -> Option<String> {
    Some(match op {
        AnonOp::GetAndClear { .. } => "WR clear".into(),
        AnonOp::TlbQueue { .. } => "TLB".into(),
        AnonOp::ReadMap { .. } => "count".into(),
        AnonOp::WriteMap { byte, .. } => format!("byte {byte:#x}"),
        AnonOp::MapRange { .. } => "range".into(),
        AnonOp::NrSwapPages { delta } => format!("nr_swap_pages{delta:+}"),
        AnonOp::Inuse { delta, .. } => format!("inuse{delta:+}"),
        AnonOp::SetCache { page: NIL, .. } => "radix delete".into(),
        AnonOp::SetPrivate { slot: 0, .. } => "private 0".into(),
        AnonOp::LookupCache { .. } => return None,
        AnonOp::TryGet { .. } => "get".into(),
        AnonOp::RssSync { counter, .. } => format!("sync {}", counter.name()),
        AnonOp::Rss { counter, delta, .. } => format!("{} {delta:+}", counter.name()),
        other => format!("{other:?}"),
    })
}

fn steps(variant: &str, state: State) -> String {
    let timeline = called(variant, state);
    let texts = timeline.records().iter().filter_map(|record| short(record.op, record.outcome.ret));
    let texts: Vec<String> = texts.collect();
    assert_eq!(texts.first().map(String::as_str), Some("+ptl"));
    assert_eq!(texts.last().map(String::as_str), Some("-ptl"));
    texts[1..texts.len() - 1].join(", ")
}

// Parts of rows.
const DROP: &str = "+tree_lock, radix delete, private 0, clear SwapCache, NR_FILE_PAGES-1, -tree_lock, \
                    +si_lock, byte 0x0, range, nr_swap_pages+1, inuse-1, -si_lock, put, SetPageDirty";
const CLEAN: &str = "WR clear, WR clean, TLB";

fn check(state: State, before: &str, after: &str) {
    assert_eq!(steps("free", state), before, "before, {state:?}");
    assert_eq!(steps("free-swap", state), after, "after, {state:?}");
}

#[test]
fn present_ptes_are_treated_alike_before_and_after() {
    let same = |state, row: &str| check(state, row, row);
    same(State::None, "RD pte");
    same(State::Dirty, &format!("RD pte, RD flags, {CLEAN}"));
    same(
        State::CachedIdle,
        &format!("RD pte, RD flags, trylock, +si_lock, count, -si_lock, {DROP}, ClearPageDirty, unlock, {CLEAN}"),
    );
    same(State::CachedWriteback, "RD pte, RD flags, trylock, unlock");
    same(State::CachedShared, "RD pte, RD flags, trylock, +si_lock, count, -si_lock, unlock");
    same(State::CachedLocked, "RD pte, RD flags, trylock fails");
    same(State::Migration, "RD pte");
    same(State::Hwpoison, "RD pte");
}

// What follows the loop where entries were dropped: the counters. The task has cached the change of its faults.
const COUNTERS: &str = "sync MM_ANONPAGES, MM_SWAPENTS -1";

#[test]
fn swap_entries_stay_before_and_go_after() {
    let rows = [
        (State::Entry, "+si_lock, byte 0x0, range, nr_swap_pages+1, inuse-1, -si_lock, WR none".to_string()),
        (State::EntryShared, "+si_lock, byte 0x1, -si_lock, WR none".to_string()),
        (
            State::EntryCached,
            format!(
                "+si_lock, byte 0x40, get, trylock, -si_lock, {DROP}, unlock, put, +lru_lock, off the LRU, -lru_lock, \
                 free, WR none"
            ),
        ),
        (State::EntryWriteback, "+si_lock, byte 0x40, get, trylock, -si_lock, unlock, put, WR none".to_string()),
        (State::EntryLocked, "+si_lock, byte 0x40, get, trylock fails, put, -si_lock, WR none".to_string()),
    ];
    for (state, row) in rows {
        check(state, "RD pte", &format!("RD pte, {row}, {COUNTERS}"));
    }
}

#[test]
fn the_states_are_what_they_say() {
    let byte = |state| {
        let engine = prepared(config("free"), state);
        let world = engine.world();
        world.machine.swap().map[1]
    };
    let bytes = [
        (State::Dirty, 0),
        (State::CachedIdle, 0x40),
        (State::CachedWriteback, 0x40),
        (State::CachedShared, 0x41),
        (State::CachedLocked, 0x40),
        (State::Entry, 1),
        (State::EntryShared, 2),
        (State::EntryCached, 0x41),
        (State::EntryWriteback, 0x41),
        (State::EntryLocked, 0x41),
    ];
    for (state, expected) in bytes {
        assert_eq!(byte(state), expected, "{state:?}");
    }
}

#[test]
fn the_swap_table_of_today_needs_one_lock() {
    assert_eq!(
        steps("today", State::Entry),
        "RD pte, +ci_lock, byte 0x0, nr_swap_pages+1, inuse-1, -ci_lock, WR none, MM_SWAPENTS -1"
    );
    assert_eq!(steps("today", State::Hwpoison), "RD pte, WR none");
    assert_eq!(steps("today", State::Migration), "RD pte");
    let timeline = called("today", State::EntryCached);
    let world = timeline.world();
    assert_eq!(world.machine.swap().map[1], 0);
    assert_eq!(world.machine.pages.iter().filter(|page| page.count > 0).count(), 0);
    assert_eq!(world.ledger.lock(LockClass::SwapInfo).acquired + world.ledger.lock(LockClass::Tree).acquired, 0);
}

#[test]
fn consecutive_slots_go_in_one_hold_today_and_one_by_one_before() {
    let locks = |variant: &str, class| {
        let config = config(variant);
        let mut engine = Engine::new(config, machine());
        engine.spawn("set-up", 0, |cpu| async move {
            for addr in 0..8 {
                touch(&cpu, OWN, addr, true, 0).await;
            }
            swap_out(&cpu).await;
            write_done(&cpu).await;
            shrink_inactive_list(&cpu, 0, false, &mut ScanControl::default()).await;
        });
        assert_eq!(engine.run(), Ok(Outcome::Finished));
        assert_eq!(engine.world().machine.swap().rss(0, Rss::Swap), 8, "{variant}");
        let checker = Checker::new(config, &engine.world().machine);
        engine.begin(Setup { checker: Some(checker), ..Setup::default() }, false);
        engine.spawn("madvise", 0, |cpu| async move { sys_madvise(&cpu, OWN, 0, 8, false).await });
        assert_eq!(engine.run(), Ok(Outcome::Finished), "{variant}: {:?}", engine.violation());
        let world = engine.world();
        assert_eq!(world.machine.swap().inuse, 0, "{variant}");
        world.ledger.lock(class).acquired
    };
    assert_eq!(locks("free-swap", LockClass::SwapInfo), 8);
    assert_eq!(locks("today", LockClass::Cluster), 1);
}

/// One process that fills many pages, frees them lazily, writes a quarter again, and reads all after reclaim.
fn lazily_freed(variant: &str, pagevec: u32) -> [u64; 4] {
    const PAGES: u32 = 16_384;
    let config = config(variant).with_pagevec(pagevec);
    let mut machine = Machine::new(&MachineSpec { cpus: 1, zones: vec![PAGES + 64], threshold: 30 });
    let mapping = Mapping { file: false, unevictable: false, vmas: vec![OWN], cache: Vec::new() };
    let mapping = machine.add_mapping(mapping);
    machine.add_mm(PAGES);
    machine.mms[0].vmas.push(Vma { start: 0, end: PAGES, locked: false, mapping, pgoff: 0 });
    let tuning = SwapTuning { slots: PAGES, marks: [1, 2, 3], slice: 32, ratio: 1, write_time: 40 };
    machine.add_swap(tuning, vec![0; 4]);
    let mut engine = Engine::new(config, machine);
    engine.spawn("fill", 0, |cpu| async move {
        for addr in 0..PAGES {
            touch(&cpu, OWN, addr, true, 0).await;
        }
    });
    assert_eq!(engine.run(), Ok(Outcome::Finished));
    let event = |engine: &Engine, event: Event| engine.world().machine.events[event as usize];
    engine.spawn("madvise", 0, |cpu| async move { sys_madvise(&cpu, OWN, 0, PAGES, false).await });
    assert_eq!(engine.run(), Ok(Outcome::Finished));
    let at_call = event(&engine, Event::Lazyfree);
    let faults = event(&engine, Event::Fault);
    engine.spawn("rewrite and reclaim", 0, |cpu| async move {
        // 25 of every 100 pages: 4100.
        for addr in (0..PAGES).filter(|addr| addr % 100 < 25) {
            touch(&cpu, OWN, addr, true, 0).await;
        }
        let sc = &mut ScanControl::default();
        loop {
            shrink_zone(&cpu, 0, sc).await;
            let lists = cpu.machine().zones[0].lru;
            if lists[2].entries + lists[3].entries == 0 {
                break;
            }
        }
    });
    assert_eq!(engine.run(), Ok(Outcome::Finished));
    [at_call, event(&engine, Event::Lazyfree), event(&engine, Event::Lazyfreed), event(&engine, Event::Fault) - faults]
}

#[test]
fn as_measured_on_real_kernels_the_last_pages_wait_in_the_batch() {
    assert_eq!(lazily_freed("v4.12", 15), [16_380, 16_384, 12_284, 0]);
    assert_eq!(lazily_freed("today", 31), [16_368, 16_384, 12_284, 0]);
}

#[test]
fn a_store_after_madvise_is_no_fault_and_keeps_the_page() {
    for variant in ["free", "free-swap", "v4.5", "v4.12", "today"] {
        let config = config(variant);
        let mut engine = Engine::new(config, machine());
        engine.spawn("set-up", 0, |cpu| async move {
            for addr in 0..8 {
                touch(&cpu, OWN, addr, true, 0).await;
            }
        });
        assert_eq!(engine.run(), Ok(Outcome::Finished));
        let checker = Checker::new(config, &engine.world().machine);
        engine.begin(Setup { checker: Some(checker), ..Setup::default() }, false);
        engine.spawn("madvise", 0, |cpu| async move {
            sys_madvise(&cpu, OWN, 0, 8, false).await;
            for addr in [1, 5] {
                touch(&cpu, OWN, addr, true, 0).await;
            }
            for _ in 0..3 {
                let sc = &mut ScanControl::default();
                let file = cpu.machine().zones[0].lru[2].entries > 0;
                shrink_active_list(&cpu, 0, file, sc).await;
                shrink_inactive_list(&cpu, 0, file, sc).await;
            }
            for addr in 0..8 {
                touch(&cpu, OWN, addr, false, 0).await;
            }
        });
        assert_eq!(engine.run(), Ok(Outcome::Finished), "{variant}: {:?}", engine.violation());
        let world = engine.world();
        assert_eq!(world.ledger.events[Event::Lazyfreed as usize], 6, "{variant}");
        assert_eq!(world.ledger.count(Count::SwapIn), 0, "{variant}");
    }
}

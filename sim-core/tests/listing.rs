//! The code panel: the lit line is the line that ran, in every variant.

mod common;

use common::run;
use sim_core::scenario::SCENARIOS;
use sim_core::view::LineState;

#[test]
fn every_step_lights_one_line_of_code() {
    for variant in SCENARIOS[0].variants {
        let mut timeline = run("munlock", variant.name, &[("pages", "16")]).timeline;
        while timeline.forward() {
            let step = timeline.cursor();
            let Some(record) = timeline.last().filter(|record| record.frame().is_some()) else { continue };
            let line = timeline.site(record.site).line();
            let listing = timeline.listing(13);
            let lit: Vec<_> = listing.lines.iter().filter(|line| line.state == LineState::Running).collect();
            assert_eq!(lit.len(), 1, "variant {} step {step}", variant.name);
            assert_eq!(lit[0].number, line, "variant {} step {step}", variant.name);
            assert!(lit[0].text.contains(".await"), "variant {} step {step}: {}", variant.name, lit[0].text);
            assert!(lit[0].count > Some(0), "variant {} step {step}", variant.name);
        }
    }
}

#[test]
fn the_range_loop_counts_its_pages() {
    let mut timeline = run("munlock", "0", &[("pages", "16")]).timeline;
    timeline.seek(timeline.len());
    let calls = |text: &str| {
        let frames = timeline.frames().iter().filter(|frame| frame.func.name == text).count();
        let line =
            timeline.frames().iter().find(|frame| frame.func.name == text).map(|frame| timeline.site(frame.site));
        (frames, line.map(|site| timeline.index().calls(site.file(), site.line()).len()))
    };
    assert_eq!(calls("follow_page_mask"), (16, Some(16)));
    assert_eq!(calls("munlock_vma_page"), (16, Some(16)));
}

#[test]
fn lines_of_other_patches_are_absent_with_a_note() {
    use sim_core::kernel::source::function;
    let note_of = |variant: &str, text: &str| {
        let timeline = run("munlock", variant, &[("pages", "16")]).timeline;
        let func = timeline.frames().iter().find(|frame| frame.func.name == "munlock_vma_pages_range").map(|f| f.func);
        let func = func.expect("the range loop ran");
        let lines = function(func.source, func.line, *timeline.config());
        let at = lines.iter().position(|line| line.text.contains(text)).expect("the line is there");
        (lines[at].note.clone(), lines[at + 1].absent)
    };
    assert_eq!(note_of("0", "if !cpu.has(Patch::NoDrain)"), (None, false));
    assert_eq!(note_of("2", "if !cpu.has(Patch::NoDrain)"), (Some("patch 2 removes".to_string()), true));
    assert_eq!(note_of("0", "if cpu.has(Patch::PagevecFill)"), (Some("patch 7 adds".to_string()), true));
}

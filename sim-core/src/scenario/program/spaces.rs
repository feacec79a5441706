//! The address spaces of a program, and the folios that one may map from the start.

use alloc::vec;
use alloc::vec::Vec;

use super::{MAX_FILES, Memory, Program};
use crate::machine::{Machine, Mapping, NIL, Vma, VmaId};
use crate::scenario::rmap_unmap::RmapLayout;
use crate::scenario::spec::SpecError;

/// Address spaces with their VMAs, and the mappings behind them.
pub(super) fn spaces(machine: &mut Machine, program: &Program) {
    let files = files(machine, program);
    let mut own: Vec<Vec<u16>> = Vec::new();
    for process in &program.processes {
        let mut mappings: Vec<u16> = Vec::new();
        for area in &process.vmas {
            let before = mappings.last().copied().filter(|_| area.split);
            mappings.push(match (area.file, before) {
                (Some((file, _)), _) => files[file as usize],
                (None, Some(before)) => before,
                (None, None) => add_mapping(machine, false, 0),
            });
        }
        own.push(mappings);
    }
    for at in 0..program.processes.len() {
        let of = program.processes[at].child_of.map_or(at, usize::from);
        let areas = &program.processes[of].vmas;
        let mm = machine.add_mm(areas.last().map_or(1, |area| area.start + area.pages));
        let mut next = 0;
        for (index, (area, &mapping)) in (0..).zip(areas.iter().zip(&own[of])) {
            let pgoff = area.file.map_or(if area.split { next } else { 0 }, |(_, offset)| offset);
            next = pgoff + area.pages;
            let (start, end) = (area.start, area.start + area.pages);
            machine.mms[mm as usize].vmas.push(Vma { start, end, locked: false, mapping, pgoff });
            machine.mappings[mapping as usize].vmas.push(VmaId { mm, vma: index });
        }
    }
}

// Mappings of the files by their numbers; a file is as long as what is mapped of it.
fn files(machine: &mut Machine, program: &Program) -> Vec<u16> {
    let mut pages = vec![0; MAX_FILES as usize];
    for area in program.processes.iter().flat_map(|process| &process.vmas) {
        if let Some((file, offset)) = area.file {
            pages[file as usize] = pages[file as usize].max(offset + area.pages);
        }
    }
    pages.into_iter().map(|pages| if pages == 0 { 0 } else { add_mapping(machine, true, pages) }).collect()
}

fn add_mapping(machine: &mut Machine, file: bool, pages: u32) -> u16 {
    machine.add_mapping(Mapping { file, unevictable: false, vmas: Vec::new(), cache: vec![NIL; pages as usize] })
}

/// The folios of a program that has some, as they lie in memory.
pub(super) fn folios(program: &Program) -> Result<Option<RmapLayout>, SpecError> {
    let area = program.processes.first().and_then(|process| process.vmas.first());
    let Some((area, folios)) = area.and_then(|area| Some((area, area.folios?))) else { return Ok(None) };
    if program.memory != Memory::Folios {
        return Ok(None);
    }
    let orders = RmapLayout::orders(area.pages, folios.layout.into())?;
    Ok(Some(RmapLayout {
        kind: folios.kind,
        start: area.start,
        processes: program.processes.len() as u8,
        cpus: program.cpus,
        ..RmapLayout::file(&orders)
    }))
}

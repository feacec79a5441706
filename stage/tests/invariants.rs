//! What holds for every scene, whatever the view.

use stage::{Form, Motion, Options, Rect, Scene, TapeLog, layout, regions};

use sim_core::view::{Lru, NextPlace, PageNo, PagevecKind, Place, Touch, View};

#[path = "moment/mod.rs"]
mod moment;

const FORMS: [Form; 2] = [Form::Wide, Form::Narrow];

/// Every page has one tile, no two overlap, nothing leaves the box, and every tile's centre leads back to its page.
#[track_caller]
fn check(view: &View, scene: &Scene) {
    let pages: Vec<PageNo> = scene.tiles.iter().map(|t| t.page).collect();
    assert_eq!(pages, view.pages.iter().map(|p| p.no).collect::<Vec<_>>(), "one tile for each page");
    check_shapes(scene);
}

#[track_caller]
fn check_shapes(scene: &Scene) {
    for (i, tile) in scene.tiles.iter().enumerate() {
        let middle = tile.rect.centre();
        assert_eq!(scene.hit(middle.x, middle.y), Some(tile.page));
        let other = scene.tiles[i + 1..].iter().find(|o| o.rect.overlaps(&tile.rect));
        assert!(other.is_none(), "{} overlaps {}", tile.aria, other.map_or("", |o| &o.aria));
        let slot = scene.refs.iter().find(|r| r.rect.overlaps(&tile.rect));
        assert!(slot.is_none(), "{} lies on {}", tile.aria, slot.map_or("", |r| &r.aria));
    }
    let shapes = scene.tiles.iter().map(|t| t.rect);
    let shapes = shapes.chain(scene.refs.iter().map(|r| r.rect)).chain(scene.slots.iter().map(|s| s.rect));
    let shapes = shapes.chain(scene.ptes.iter().map(|p| p.rect)).chain(scene.notes.iter().map(|n| n.rect));
    for rect in shapes.chain(scene.fences.iter().map(|f| f.rect)) {
        let inside = rect.x >= 0.0 && rect.right() <= scene.width && rect.y >= -1.0 && rect.bottom() <= scene.height;
        assert!(inside, "{rect:?} leaves {} x {}", scene.width, scene.height);
    }
    check_fences(scene);
    check_keys(scene);
}

/// Fences lie one below the other, and each tile inside one.
#[track_caller]
fn check_fences(scene: &Scene) {
    let fences: Vec<Rect> = scene.fences.iter().map(|f| f.rect).collect();
    for pair in fences.windows(2) {
        assert!(pair[0].bottom() <= pair[1].y, "{pair:?}");
    }
    for tile in &scene.tiles {
        assert!(fences.iter().any(|f| f.contains(tile.rect.centre())), "{} is fenced in", tile.aria);
    }
}

#[track_caller]
fn check_keys(scene: &Scene) {
    let lists = [
        scene.fences.iter().map(|x| x.key).collect::<Vec<_>>(),
        scene.labels.iter().map(|x| x.key).collect(),
        scene.slots.iter().map(|x| x.key).collect(),
        scene.refs.iter().map(|x| x.key).collect(),
        scene.rings.iter().map(|x| x.key).collect(),
        scene.ptes.iter().map(|x| x.key).collect(),
        scene.notes.iter().map(|x| x.key).collect(),
    ];
    for keys in lists {
        let mut names: Vec<String> = keys.iter().map(ToString::to_string).collect();
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "keys are unique: {names:?}");
    }
}

#[test]
fn hand_made_views() {
    for view in [moment::old(), moment::new(), moment::rare(), View::default()] {
        for form in FORMS {
            for columns in [14, 15, 16] {
                check(&view, &layout(&view, &Options { form, columns, ..Options::default() }));
            }
        }
    }
}

/// The old munlock as a toy: each page in turn leaves the unevictable list, is in hand, in a pagevec, on another list.
fn toy(step: u32) -> View {
    let mut view = moment::old();
    let (page, phase) = ((step / 4).min(moment::PAGES), step % 4);
    view.touch = Touch { pages: vec![page.min(moment::PAGES - 1)], ..Touch::default() };
    view.step = step;
    view.next = None;
    for list in &mut view.zones[0].lists {
        list.pages.clear();
    }
    view.cpus[0].pagevecs[1].slots.clear();
    for no in 0..moment::PAGES {
        view.pages[no as usize].lock = None;
        let lru = if no < page { Lru::InactiveAnon } else { Lru::Unevictable };
        match phase {
            1 | 2 if no == page => view.pages[no as usize].place = Place::Isolated { cpu: 0 },
            3 if no == page => moment::batch(&mut view, no, 0, PagevecKind::LruAdd),
            _ => moment::put(&mut view, no, 0, lru),
        }
    }
    view
}

fn toy_scenes(form: Form) -> Vec<Scene> {
    let mut log = TapeLog::new(14);
    (0..=4 * moment::PAGES)
        .map(|step| {
            let view = toy(step);
            let tapes = log.at(step, |s| Some(toy(s)));
            let scene = layout(&view, &Options { form, tapes: Some(tapes), ..Options::default() });
            check(&view, &scene);
            scene
        })
        .collect()
}

#[test]
fn nothing_moves_but_what_the_step_moves() {
    for form in FORMS {
        let mut scenes = toy_scenes(form);
        for step in 1..scenes.len() {
            let before = scenes[step - 1].clone();
            scenes[step].compare(&before, false);
            let moved: Vec<PageNo> =
                scenes[step].tiles.iter().filter(|t| t.motion == Motion::Moved).map(|t| t.page).collect();
            assert!(moved.len() <= 1, "step {step} moves {moved:?}");
            for tile in scenes[step].tiles.iter().filter(|t| t.motion == Motion::Shifted) {
                let old = before.tile(tile.page).expect("pages stay");
                assert_eq!(old.rect.x, tile.rect.x, "step {step}: page {} keeps its column", tile.page);
            }
        }
    }
}

#[test]
fn a_row_closes_only_when_it_is_empty() {
    let scenes = toy_scenes(Form::Wide);
    let shifts: Vec<usize> = (1..scenes.len())
        .filter(|&i| {
            let mut scene = scenes[i].clone();
            scene.compare(&scenes[i - 1], false);
            scene.tiles.iter().any(|t| t.motion == Motion::Shifted)
        })
        .collect();
    // A list of 56 pages has four rows, so it can close up three times while pages are left on it; the other list
    // opens as many.
    assert!(shifts.len() <= 8, "rows closed or opened in steps {shifts:?}");
}

#[test]
fn ghosts_show_where_a_page_was() {
    let mut scenes = toy_scenes(Form::Wide);
    let before = scenes[0].clone();
    scenes[1].compare(&before, true);
    let ghosts: Vec<_> = scenes[1].slots.iter().filter(|s| s.kind == stage::SlotKind::Ghost).collect();
    assert_eq!(ghosts.len(), 1);
    assert_eq!(Some(ghosts[0].rect), before.tile(0).map(|t| t.rect));
    assert_eq!(scenes[1].arrows.iter().filter(|a| a.kind == stage::ArrowKind::Ghost).count(), 1);
}

#[test]
fn the_height_stays_over_a_run() {
    let options = Options::default();
    let mut log = TapeLog::new(14);
    let needs: Vec<_> = (0..=4 * moment::PAGES)
        .map(|s| {
            let tapes = log.at(s, |s| Some(toy(s)));
            regions(&toy(s), &Options { tapes: Some(tapes), ..options })
        })
        .collect();
    let whole = needs.iter().fold(needs[0].clone(), |a, b| a.max(b));
    let heights: Vec<f32> = needs
        .iter()
        .enumerate()
        .map(|(s, own)| {
            let tapes = log.at(s as u32, |s| Some(toy(s))).clone();
            let rows = own.within(&whole);
            layout(&toy(s as u32), &Options { tapes: Some(&tapes), regions: Some(&rows), ..options }).height
        })
        .collect();
    assert!(heights.iter().all(|h| *h == heights[0]), "{heights:?}");
}

/// A view of `n` unevictable pages, some of which are gone from the middle.
fn many(n: u32, columns: u16) -> (View, Scene) {
    let mut view = moment::new();
    view.pages = (0..n).map(moment::page).collect();
    view.spaces = vec![moment::space(n, n / 2)];
    view.zones = vec![moment::zone(0)];
    view.cpus = vec![moment::cpu(0)];
    for no in 0..n {
        moment::put(&mut view, no, 0, if no % 50 == 7 { Lru::ActiveFile } else { Lru::Unevictable });
    }
    view.touch = Touch { pages: vec![n / 2], ..Touch::default() };
    view.next = Some(NextPlace { page: n / 2, place: Place::Isolated { cpu: 0 } });
    let scene = layout(&view, &Options { columns, ..Options::default() });
    (view, scene)
}

#[test]
fn long_lists_show_both_ends_and_the_step() {
    let (_, scene) = many(512, 14);
    check_shapes(&scene);
    assert!(scene.map.is_empty());
    for page in [0, 511, 256] {
        assert!(scene.tile(page).is_some(), "page {page} is drawn");
    }
    let more: Vec<&str> = scene.labels.iter().filter(|l| l.class == "more").map(|l| l.text.as_str()).collect();
    assert_eq!(more.len(), 4, "two for the page table, two for the list: {more:?}");
}

#[test]
fn above_the_limit_lists_are_maps() {
    let (_, scene) = many(513, 15);
    check_shapes(&scene);
    assert_eq!(scene.tiles.len(), 0);
    assert_eq!(scene.map.len(), 2);
    let area = &scene.map[1];
    assert!(area.columns * (area.rect.h / area.pitch) as u32 * area.per_cell >= area.count);
}

#[test]
fn batches_of_31_take_two_rows_of_16() {
    let mut view = moment::new();
    for pagevec in &mut view.cpus[0].pagevecs {
        pagevec.capacity = 31;
    }
    let scene = layout(&view, &Options { columns: 16, ..Options::default() });
    check(&view, &scene);
    let slots = scene.slots.iter().filter(|s| matches!(s.key, stage::Key::Slot(0, PagevecKind::LruAdd, _)));
    let rows: std::collections::BTreeSet<i32> = slots.map(|s| s.rect.y as i32).collect();
    assert_eq!(rows.len(), 2);
}

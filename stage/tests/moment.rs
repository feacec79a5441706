//! The moment that the look was designed with: its geometry to the pixel, and its drawing byte by byte.

use std::path::Path;

use stage::{FenceState, Form, Options, Rect, Scene, Theme, TileKind, layout, regions, svg};

#[path = "moment/mod.rs"]
mod views;

fn scenes(form: Form) -> [Scene; 2] {
    let views = [views::old(), views::new()];
    let options = Options { form, ..Options::default() };
    let rows = regions(&views[0], &options).max(&regions(&views[1], &options));
    views.map(|view| layout(&view, &Options { regions: Some(&rows), ..options }))
}

#[track_caller]
fn check_tile(scene: &Scene, page: u32, kind: TileKind, rect: [f32; 4]) {
    let tile = scene.tile(page).expect("the page has a tile");
    assert_eq!(tile.kind, kind);
    let [x, y, w, h] = rect;
    assert_eq!(tile.rect, Rect::new(x, y, w, h), "{}", tile.aria);
}

#[test]
fn both_sides_are_equally_high() {
    for (form, size) in [(Form::Wide, (534.0, 373.0)), (Form::Narrow, (366.0, 227.0))] {
        for scene in scenes(form) {
            assert_eq!((scene.width, scene.height), size);
        }
    }
}

#[test]
fn wide_tiles_are_where_the_look_has_them() {
    let [old, new] = scenes(Form::Wide);
    check_tile(&old, 0, TileKind::Inactive, [122.0, 232.0, 27.0, 22.0]);
    check_tile(&old, 15, TileKind::Inactive, [151.0, 256.0, 27.0, 22.0]);
    check_tile(&old, 16, TileKind::Pagevec, [122.0, 172.0, 27.0, 22.0]);
    check_tile(&old, 17, TileKind::Unevictable, [209.0, 295.0, 27.0, 22.0]);
    check_tile(&old, 55, TileKind::Unevictable, [499.0, 343.0, 27.0, 22.0]);
    check_tile(&new, 14, TileKind::Unevictable, [122.0, 295.0, 27.0, 22.0]);
    check_tile(&new, 17, TileKind::Unevictable, [209.0, 295.0, 27.0, 22.0]);
    let slots: Vec<f32> = new.refs.iter().map(|r| r.rect.x).collect();
    assert_eq!(slots, [122.0, 151.0, 180.0, 209.0]);
}

#[test]
fn narrow_tiles_are_where_the_look_has_them() {
    let [old, new] = scenes(Form::Narrow);
    check_tile(&old, 16, TileKind::Pagevec, [54.0, 58.0, 20.0, 17.0]);
    check_tile(&old, 17, TileKind::Unevictable, [120.0, 164.0, 20.0, 17.0]);
    check_tile(&new, 55, TileKind::Unevictable, [340.0, 202.0, 20.0, 17.0]);
    assert_eq!(old.ptes[17].rect.h, 12.0, "the walk's mark is higher");
}

#[test]
fn fences_say_who_is_shut_in() {
    let [old, new] = scenes(Form::Wide);
    let states = |scene: &Scene| scene.fences.iter().map(|f| f.state).collect::<Vec<_>>();
    assert_eq!(states(&old), [FenceState::Free, FenceState::Held, FenceState::Held]);
    assert_eq!(states(&new), [FenceState::Free; 3]);
    let rects: Vec<Rect> = old.fences.iter().map(|f| f.rect).collect();
    let [space, cpu, zone] = [(12.0, 81.0), (111.0, 88.0), (217.0, 154.0)].map(|(y, h)| Rect::new(1.5, y, 531.0, h));
    assert_eq!(rects, [space, cpu, zone]);
}

#[test]
fn amber_is_on_what_the_step_touches() {
    let [old, new] = scenes(Form::Wide);
    let rings = |scene: &Scene| scene.rings.iter().map(|r| (r.key.to_string(), r.now, r.held)).collect::<Vec<_>>();
    assert_eq!(rings(&old), [("page-16".into(), true, false), ("page-17".into(), false, true)]);
    assert_eq!(rings(&new), [("slot-0-5-3".into(), true, false), ("page-17".into(), true, false)]);
    assert_eq!(new.arrows[0].d, "M222.5 170V295");
}

#[test]
fn a_page_says_what_it_is() {
    let [old, new] = scenes(Form::Wide);
    let says = |scene: &Scene, page| scene.tile(page).map(|t| t.aria.clone()).unwrap_or_default();
    assert_eq!(says(&old, 17), "page 17: unevictable list, locked by CPU 0, pinned, count 2, mapcount 1");
    assert_eq!(says(&old, 16), "page 16: lru_add pagevec of CPU 0, slot 0, on no list, count 1, mapcount 1");
    let slot = "page 14, slot 0 of the on-stack pagevec; the page is still on the unevictable list";
    assert_eq!(new.refs[0].aria, slot);
}

#[test]
fn the_lock_of_page_17_has_its_badge_in_the_free_cells() {
    let [old, _] = scenes(Form::Wide);
    assert_eq!(old.notes.len(), 1);
    assert_eq!(old.notes[0].rect, Rect::new(119.0, 295.0, 89.0, 22.0));
}

/// Compares with a file beside this test. `UPDATE_GOLDEN=1` writes it.
#[track_caller]
fn check_golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("the golden file can be written");
        return;
    }
    let expect = std::fs::read_to_string(&path).unwrap_or_default();
    if found != expect {
        let line = found.lines().zip(expect.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or_else(|| found.lines().count().min(expect.lines().count()));
        let at = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").to_owned();
        panic!(
            "{name} differs in line {}\nfound:  {}\nexpect: {}\nUPDATE_GOLDEN=1 takes the new one",
            line + 1,
            at(found),
            at(&expect)
        );
    }
}

#[test]
fn drawings_are_these() {
    let [old, new] = scenes(Form::Wide);
    check_golden("old-wide.svg", &svg(&old, &Theme::LIGHT));
    check_golden("new-wide.svg", &svg(&new, &Theme::AUTO));
    let [old, _] = scenes(Form::Narrow);
    check_golden("old-narrow.svg", &svg(&old, &Theme::DARK));
    let rare = layout(&views::rare(), &Options::default());
    check_golden("rare-wide.svg", &svg(&rare, &Theme::LIGHT));
}

//! A scene as a drawing for the start page: without what the page's own styles bring, cut to a part.

use stage::{Key, Rect, Scene, Theme, svg};

/// Room round what is shown, in CSS pixels: badges stand on a fence's edge, rings beyond a tile's.
const ROOM: f32 = 12.0;

/// The part of a scene that the fences with these keys stand for, one above the other.
pub fn around(scene: &Scene, keys: &[Key]) -> Rect {
    let rects: Vec<Rect> =
        scene.fences.iter().filter(|fence| keys.contains(&fence.key)).map(|fence| fence.rect).collect();
    let top = rects.iter().map(|rect| rect.y).fold(f32::MAX, f32::min);
    let bottom = rects.iter().map(Rect::bottom).fold(0.0, f32::max);
    assert!(
        top < bottom,
        "no fence of {keys:?} in {:?}",
        scene.fences.iter().map(|fence| fence.key).collect::<Vec<_>>()
    );
    Rect::new(0.0, top - ROOM, scene.width, bottom - top + ROOM + 4.0)
}

/// Leaves out what is not in the part.
fn cut(scene: &Scene, part: &Rect) -> Scene {
    let inside = |rect: &Rect| part.overlaps(rect);
    let mut cut = scene.clone();
    cut.fences.retain(|fence| inside(&fence.rect));
    cut.labels.retain(|label| (part.y..part.bottom()).contains(&label.y) && (part.x..part.right()).contains(&label.x));
    cut.slots.retain(|slot| inside(&slot.rect));
    cut.refs.retain(|one| inside(&one.rect));
    cut.marks.retain(|mark| inside(&mark.rect));
    cut.tiles.retain(|tile| inside(&tile.rect));
    cut.rings.retain(|ring| inside(&ring.rect));
    cut.notes.retain(|note| inside(&note.rect));
    cut.ptes.retain(|pte| inside(&pte.rect));
    cut
}

/// The part of a scene as an SVG element for a page that has the stage's styles.
pub fn picture(scene: &Scene, part: &Rect, class: &str, alt: &str) -> String {
    let whole = svg(&cut(scene, part), &Theme::LIGHT);
    let (head, body) = whole.split_once("</style>\n").expect("a drawing has styles");
    let form = if head.contains("stage wide") { "wide" } else { "nar" };
    let body = body.split_once('\n').map_or(body, |(_ground, body)| body);
    let [x, y, w, h] = [part.x, part.y, part.w, part.h].map(stage::number);
    let mut body = without_titles(body);
    body.retain(|c| c != '\n');
    format!(
        "<svg class=\"stage pic {form} {class}\" viewBox=\"{x} {y} {w} {h}\" \
         preserveAspectRatio=\"xMinYMax meet\" role=\"img\" aria-label=\"{alt}\">{body}\n"
    )
}

/// The picture is one image: its parts have no names of their own.
fn without_titles(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<title>") {
        out.push_str(before);
        rest = after.split_once("</title>").map_or("", |(_, after)| after);
    }
    out + rest
}

/// Text as HTML has it.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

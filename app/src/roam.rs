//! From page to page by the arrow keys.

use sim_core::view::PageNo;
use stage::Tile;

/// Right, left, down or up.
pub type Direction = (f32, f32);

/// The direction of an arrow key.
pub fn direction(key: &str) -> Option<Direction> {
    Some(match key {
        "ArrowRight" => (1.0, 0.0),
        "ArrowLeft" => (-1.0, 0.0),
        "ArrowDown" => (0.0, 1.0),
        "ArrowUp" => (0.0, -1.0),
        _ => return None,
    })
}

/// The tile that is nearest in a direction; what lies aside counts double.
pub fn neighbour(tiles: &[Tile], from: PageNo, (dx, dy): Direction) -> Option<PageNo> {
    let start = tiles.iter().find(|tile| tile.page == from)?.rect.centre();
    let far = |tile: &Tile| {
        let at = tile.rect.centre();
        let (x, y) = (at.x - start.x, at.y - start.y);
        let along = x * dx + y * dy;
        let aside = (x * dy).abs() + (y * dx).abs();
        (along > 1.0).then_some(along + 2.0 * aside)
    };
    let ahead = tiles.iter().filter_map(|tile| Some((far(tile)?, tile.page)));
    ahead.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, page)| page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Session, Subject};
    use sim_core::scenario::SCENARIOS;
    use stage::Form;

    #[test]
    fn arrows_go_along_rows_and_columns() {
        let session = Session::open(&Subject::of(&SCENARIOS[0]), Form::Wide).unwrap();
        let tiles = &session.sides[0].scene.tiles;
        let go = |from, key| neighbour(tiles, from, direction(key).unwrap());
        assert_eq!(go(0, "ArrowRight"), Some(1));
        assert_eq!(go(1, "ArrowLeft"), Some(0));
        assert_eq!(go(0, "ArrowDown"), Some(14));
        assert_eq!(go(15, "ArrowUp"), Some(1));
        assert_eq!(go(0, "ArrowLeft"), None);
    }

    #[test]
    fn every_page_can_be_reached() {
        let session = Session::open(&Subject::of(&SCENARIOS[0]), Form::Wide).unwrap();
        let tiles = &session.sides[0].scene.tiles;
        let mut reached = vec![tiles[0].page];
        let mut next = 0;
        while let Some(&from) = reached.get(next) {
            for key in ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"] {
                if let Some(page) = neighbour(tiles, from, direction(key).unwrap())
                    && !reached.contains(&page)
                {
                    reached.push(page);
                }
            }
            next += 1;
        }
        assert_eq!(reached.len(), tiles.len());
    }
}

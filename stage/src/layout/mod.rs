//! From a view to a scene.
//!
//! The drawing is made from top to bottom: address spaces ([`space`]), what the series is about where that is something
//! else ([`shelves`]), CPUs ([`cpu`]), more shelves, zones ([`zone`]). What joins two regions comes last: rings and lock badges ([`overlay`]), lines and arrows ([`arrows`]).

mod about;
mod arrows;
mod cpu;
mod overlay;
pub(crate) mod plan;
mod shelves;
mod space;
mod zone;

pub use about::{About, about};
use std::borrow::Cow;

use sim_core::view::{PageNo, PageView, PagevecKind, Place, View};

use crate::geom::{Form, Metrics, Rect};
use crate::key::Key;
use crate::regions::{Regions, regions};
use crate::scene::{Edge, Fence, FenceState, Group, Label, Motion, Scene, Slot, SlotKind, Tile, TileKind};
use crate::tape::{Tapes, in_allocator};
use crate::words;

/// Pages up to which each page is a tile.
pub const TILE_LIMIT: usize = 512;

/// How pages on lists are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Density {
    /// One tile for each page.
    Tiles,
    /// Counts and a map; only pages in the hands of CPUs are tiles.
    Map,
}

impl Density {
    /// What suits so many pages.
    pub fn of(view: &View) -> Density {
        let has_tile = |page: &&PageView| page.place != Place::Free || !in_allocator(view, page.zone);
        if view.pages.iter().filter(has_tile).count() > TILE_LIMIT { Density::Map } else { Density::Tiles }
    }
}

/// How to lay out a view.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Which drawing.
    pub form: Form,
    /// Cells in a row: 14 for batches of 14, 15 for 15, 16 for 31.
    pub columns: u16,
    /// Cells of the lists. Without them the view is taken for the first of its run.
    pub tapes: Option<&'a Tapes>,
    /// Rows that each region gets: those that the higher of two sides needs. Without them, those that this one needs.
    pub regions: Option<&'a Regions>,
    /// Tiles or maps; without it, what suits the number of pages.
    pub density: Option<Density>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { form: Form::Wide, columns: 14, tapes: None, regions: None, density: None }
    }
}

impl<'a> Options<'a> {
    /// The tapes in use, those of the view alone if none were given.
    pub(crate) fn tapes_of(&self, view: &View) -> Cow<'a, Tapes> {
        match self.tapes {
            Some(tapes) if tapes.columns() == self.columns => Cow::Borrowed(tapes),
            _ => Cow::Owned(Tapes::of(view, self.columns)),
        }
    }
}

/// Lays out one side of the picture. Equal views and options give equal scenes.
pub fn layout(view: &View, options: &Options) -> Scene {
    let tapes = options.tapes_of(view);
    let own = if options.regions.is_none() { regions(view, options) } else { Regions::default() };
    let mut draw = Draw {
        view,
        m: Metrics::new(options.form, options.columns),
        tapes: &tapes,
        regions: options.regions.unwrap_or(&own),
        density: options.density.unwrap_or_else(|| Density::of(view)),
        touched: sorted(&view.touch.pages),
        scene: Scene::default(),
        y: 0.0,
        heads: Vec::new(),
        zone_tops: Vec::new(),
    };
    draw.spaces();
    draw.shelves(true);
    draw.cpus();
    draw.shelves(false);
    draw.zones();
    draw.y -= draw.m.fence_gap;
    draw.next_place();
    draw.scene.tiles.sort_by_key(|t| t.page);
    draw.scene.tiles.dedup_by_key(|t| t.page);
    draw.rings();
    draw.page_locks();
    draw.reference_line();
    draw.finish()
}

fn sorted(pages: &[PageNo]) -> Vec<PageNo> {
    let mut pages = pages.to_vec();
    pages.sort_unstable();
    pages
}

/// What a text belongs to, for [`Key::Text`].
mod text {
    pub(super) const SPACE: u8 = 0;
    pub(super) const CPU: u8 = 1;
    pub(super) const ZONE: u8 = 2;
    pub(super) const NEXT: u8 = 3;
    pub(super) const SHELF: u8 = 4;
}

/// A drawing under way.
struct Draw<'a> {
    view: &'a View,
    m: Metrics,
    tapes: &'a Tapes,
    regions: &'a Regions,
    density: Density,
    touched: Vec<PageNo>,
    scene: Scene,
    /// Bottom of what is drawn so far.
    y: f32,
    /// The cell after the head of each list: zone, list, where, how many free cells follow it.
    heads: Vec<(u8, u8, Rect, u16)>,
    /// Top of the first row of each zone.
    zone_tops: Vec<(u8, f32)>,
}

impl Draw<'_> {
    fn finish(mut self) -> Scene {
        self.scene.form = self.m.form;
        self.scene.width = self.m.width;
        self.scene.height = self.y + 2.0;
        let steps = words::thousands(self.view.steps);
        self.scene.title = format!("memory after step {} of {steps}", words::thousands(self.view.step));
        self.scene
    }

    /// Middle of the capitals of a text that stands in the row at `y`.
    fn row_text_y(&self, y: f32) -> f32 {
        y + self.m.tile_h / 2.0 + 0.5
    }

    fn label(&mut self, key: Key, class: &'static str, x: f32, y: f32, text: impl Into<String>) {
        self.scene.labels.push(Label { key, class, x, y, text: text.into() });
    }

    fn fence(&mut self, key: Key, top: f32, bottom: f32, state: FenceState, mut edge: Edge) {
        edge.rect = self.m.edge_rect(top);
        let rect = self.m.fence_rect(top, bottom);
        self.scene.fences.push(Fence { key, rect, state, edge });
    }

    fn slot(&mut self, key: Key, rect: Rect, kind: SlotKind, capsule: bool) {
        self.scene.slots.push(Slot { key, rect, kind, capsule });
    }

    fn group(&mut self, label: String, pages: Vec<PageNo>) {
        self.scene.groups.push(Group { label, pages });
    }

    fn is_touched(&self, page: PageNo) -> bool {
        self.touched.binary_search(&page).is_ok()
    }

    fn tile(&mut self, page: &PageView, rect: Rect, cell: i32) {
        let small = rect.w < self.m.pitch_x;
        // A free block is called by its first page; what it was used for is over.
        let block = page.place == Place::Free && in_allocator(self.view, page.zone);
        let label = match page.nr {
            _ if block => page.no.to_string(),
            nr if nr > 1 && small => format!("T{}", page.no),
            _ => words::page_label(page),
        };
        self.scene.tiles.push(Tile {
            page: page.no,
            rect,
            kind: tile_kind(page.place),
            file: page.file && !block,
            pin: page.pinned,
            now: self.is_touched(page.no),
            held: page.lock.is_some(),
            label,
            aria: words::page_sentence(self.view, page),
            place: page.place,
            cell,
            motion: Motion::Still,
        });
    }

    /// Where a slot of a pagevec is.
    fn slot_rect(&self, cpu: u8, kind: PagevecKind, slot: u8) -> Option<Rect> {
        let key = Key::Slot(cpu, kind, slot);
        self.scene.slots.iter().find(|s| s.key == key).map(|s| s.rect)
    }
}

/// The shape of a page in this place.
pub(crate) fn tile_kind(place: Place) -> TileKind {
    use sim_core::view::Lru;
    match place {
        Place::Free => TileKind::Free,
        Place::New => TileKind::New,
        Place::List { lru: Lru::Unevictable, .. } => TileKind::Unevictable,
        Place::List { lru: Lru::ActiveAnon | Lru::ActiveFile, .. } => TileKind::Active,
        Place::List { .. } => TileKind::Inactive,
        Place::Pagevec { .. } => TileKind::Pagevec,
        Place::Isolated { .. } => TileKind::Isolated,
    }
}

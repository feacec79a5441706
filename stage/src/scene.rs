//! The scene: plain lists of shapes with stable keys, cheap to compare.
//!
//! Lists are in drawing order, first drawn first: fences, slots, arrows, PTE marks, labels, references, tiles, rings,
//! notes. Tiles are sorted by page number and rings are a layer of their own, so that a renderer never reorders
//! elements: an element that is taken out and put back loses its transition.

use sim_core::view::{Lru, PageNo, Place};

use crate::geom::{Form, Point, Rect};
use crate::key::Key;

/// One side of the picture at one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Which drawing.
    pub form: Form,
    /// Width in CSS pixels.
    pub width: f32,
    /// Height in CSS pixels.
    pub height: f32,
    /// What it shows, in words: for `aria-label` and `<title>`.
    pub title: String,
    /// Fences, with what stands on their top edges.
    pub fences: Vec<Fence>,
    /// Texts.
    pub labels: Vec<Label>,
    /// Empty places.
    pub slots: Vec<Slot>,
    /// Slots that refer to a page which is elsewhere.
    pub refs: Vec<Reference>,
    /// What is in the rows of shelves and is no page.
    pub marks: Vec<Mark>,
    /// Pages, one tile each, by page number.
    pub tiles: Vec<Tile>,
    /// Rings round tiles and references.
    pub rings: Vec<Ring>,
    /// Badges of page locks, in free cells beside the tile.
    pub notes: Vec<Note>,
    /// PTE marks.
    pub ptes: Vec<Pte>,
    /// The arrow to the next place, lines from a slot to its page, ghosts' arrows.
    pub arrows: Vec<Arrow>,
    /// The same in words, region by region: for the list view and screen readers.
    pub groups: Vec<Group>,
    /// Lists that are too long for tiles: a canvas draws them.
    pub map: Vec<MapArea>,
}

impl Scene {
    /// The page whose tile is at this point. Gaps between tiles count as the nearer tile's.
    pub fn hit(&self, x: f32, y: f32) -> Option<PageNo> {
        let point = Point { x, y };
        let tile = self.tiles.iter().find(|t| t.rect.contains(point));
        tile.or_else(|| self.tiles.iter().find(|t| t.rect.inset(-1.0).contains(point))).map(|t| t.page)
    }

    /// The tile of a page.
    pub fn tile(&self, page: PageNo) -> Option<&Tile> {
        self.tiles.binary_search_by_key(&page, |t| t.page).ok().map(|i| &self.tiles[i])
    }
}

/// A fence round what a lock protects.
#[derive(Clone, Debug, PartialEq)]
pub struct Fence {
    /// Key.
    pub key: Key,
    /// Where; corners have a radius of 8.
    pub rect: Rect,
    /// How it looks.
    pub state: FenceState,
    /// Title and badges on its top edge.
    pub edge: Edge,
}

/// How a fence looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FenceState {
    /// Hairline.
    #[default]
    Free,
    /// Thick, in the colour of locks.
    Held,
    /// As held, dashed: somebody waits.
    Wanted,
    /// Preemption is off: a little thicker, not filled.
    Preempt,
}

/// What stands on a fence's top edge: the title at the left, badges at the right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edge {
    /// The line it may fill; text is centred on it.
    pub rect: Rect,
    /// Title.
    pub title: Vec<Span>,
    /// Badges, from left to right.
    pub badges: Vec<Badge>,
}

/// A run of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it says.
    pub text: String,
    /// Set in bold.
    pub bold: bool,
}

/// A badge: the state of a lock or of interrupts in a few words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Badge {
    /// Filled for held, outlined for wanted, plain for free.
    pub state: FenceState,
    /// Changed by this step: has the amber ring.
    pub ring: bool,
    /// Padlock before the text.
    pub padlock: Option<Padlock>,
    /// Text.
    pub spans: Vec<Span>,
}

/// The sign on a lock's badge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padlock {
    /// Free.
    Open,
    /// Held.
    Closed,
}

/// A text in the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Key.
    pub key: Key,
    /// CSS class: `lab`, `lab off`, `lab2`, `lab2 off`, `cnt`, `cnt sm`, `empty`, `ghostn`, `more`.
    pub class: &'static str,
    /// Where it begins; for `cnt` and `empty` where it ends, for `ghostn` its middle.
    pub x: f32,
    /// Middle of its capitals.
    pub y: f32,
    /// What it says.
    pub text: String,
}

/// An empty place.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Key.
    pub key: Key,
    /// Where.
    pub rect: Rect,
    /// What for.
    pub kind: SlotKind,
    /// A page in it would be drawn as a capsule, because the slot is then its place.
    pub capsule: bool,
}

/// What an empty place is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// Slot of a pagevec, or of isolated pages.
    Empty,
    /// Where the next page of a list goes.
    Head,
    /// Where the page in hand goes next; its number is a label.
    Wanted,
    /// Where a page was before this step (reduced motion).
    Ghost,
}

/// A slot that refers to a page which is elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Key of the slot.
    pub key: Key,
    /// The page.
    pub page: PageNo,
    /// Where.
    pub rect: Rect,
    /// The number on it.
    pub label: String,
    /// Full sentence.
    pub aria: String,
}

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// The page; the tile's key is [`Key::Page`].
    pub page: PageNo,
    /// Where.
    pub rect: Rect,
    /// Where the page is, as a shape.
    pub kind: TileKind,
    /// A file page: a corner is clipped.
    pub file: bool,
    /// Somebody holds an extra reference: a dot.
    pub pin: bool,
    /// Touched by this step.
    pub now: bool,
    /// Its page lock is held.
    pub held: bool,
    /// The number on it.
    pub label: String,
    /// Full sentence.
    pub aria: String,
    /// Where the page is.
    pub place: Place,
    /// Cell of its list's tape; 0 elsewhere.
    pub cell: i32,
    /// How it came here from the scene before.
    pub motion: Motion,
}

/// The shape of a tile: where the page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileKind {
    /// Square, filled.
    Unevictable,
    /// Rounded, light.
    Inactive,
    /// Rounded, light, with a double edge.
    Active,
    /// Capsule: in a pagevec and on no list.
    Pagevec,
    /// Capsule with a double edge.
    Isolated,
    /// On no list yet.
    New,
    /// Free.
    Free,
    /// Swapped out: hatched.
    Swapped,
}

/// How a tile came to where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// It was there, or there is no scene before.
    #[default]
    Still,
    /// The step moved the page.
    Moved,
    /// An emptied row closed up, or a row opened: the page stayed on its cell.
    Shifted,
}

/// A thing that is no page.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Key.
    pub key: Key,
    /// Where.
    pub rect: Rect,
    /// What.
    pub kind: MarkKind,
    /// The text on it.
    pub label: String,
    /// Full sentence.
    pub aria: String,
    /// Touched by this step.
    pub now: bool,
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// Data on the swap device: hatched.
    Swap,
    /// A work item that waits.
    Work,
    /// A work item that runs.
    Running,
    /// A TLB entry.
    Entry,
    /// A TLB entry that must not be used: its page may be gone.
    Stale,
}

/// A ring round a tile or a reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    /// Key of what it is round.
    pub key: Key,
    /// The tile, not the ring.
    pub rect: Rect,
    /// Radius of the tile's corners.
    pub rx: f32,
    /// Touched by this step.
    pub now: bool,
    /// Page lock held.
    pub held: bool,
}

/// The badge of a page lock, in free cells beside the tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Key of the page.
    pub key: Key,
    /// The free cells.
    pub rect: Rect,
    /// At which end of them the tile is.
    pub align: Align,
    /// The badge.
    pub badge: Badge,
}

/// An end of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Left.
    Start,
    /// Right.
    End,
}

/// A page-table entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Pte {
    /// Key.
    pub key: Key,
    /// Where.
    pub rect: Rect,
    /// What it maps, as the shape of that page.
    pub kind: PteKind,
    /// The walk is here.
    pub cursor: bool,
    /// Read or written by this step.
    pub now: bool,
    /// In a strip: a plain mark without a number.
    pub strip: bool,
    /// The number on it; empty for a hole.
    pub label: String,
}

/// What a PTE maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PteKind {
    /// Nothing.
    Hole,
    /// A page, shaped like its tile.
    Page(TileKind),
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// Key.
    pub key: Key,
    /// What it says.
    pub kind: ArrowKind,
    /// The line's path data.
    pub d: String,
    /// The head's path data; empty for a line without a head.
    pub head: String,
}

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowKind {
    /// Where the page in hand goes next: dashed.
    Next,
    /// This slot, written in this step, refers to that page: amber.
    Reference,
    /// Where the page came from in this step (reduced motion).
    Ghost,
}

/// A region in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// "inactive anon, 16 pages, tail first".
    pub label: String,
    /// Its pages, in order.
    pub pages: Vec<PageNo>,
}

/// A list that is too long for tiles, as a grid of small squares: square `i`, row by row, stands for the pages
/// `i * per_cell ..` of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct MapArea {
    /// Key.
    pub key: Key,
    /// Which pages.
    pub place: MapPlace,
    /// Where.
    pub rect: Rect,
    /// Pages in it.
    pub count: u32,
    /// From one square to the next; a square is 1 px smaller.
    pub pitch: f32,
    /// Squares in a row.
    pub columns: u32,
    /// Pages that a square stands for.
    pub per_cell: u32,
}

/// Which pages a map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapPlace {
    /// An LRU list of a zone.
    List(u8, Lru),
    /// Pages of a zone that are on no list yet.
    New(u8),
    /// Free pages of a zone.
    Free(u8),
}

//! What each shape is made of: CSS classes and parts.
//!
//! Parts of tiles, references and rings are relative to the shape's top left corner, so that a renderer can place the
//! whole shape with one `translate` and animate that. Parts of everything else are where the scene says.

use crate::geom::{FENCE_RADIUS, Form, Rect};
use crate::parts::{Part, clipped_rect, hatch};
use crate::scene::{
    Arrow, ArrowKind, Badge, Fence, FenceState, MapArea, MapPlace, Mark, MarkKind, Motion, Padlock, Pte, PteKind,
    Reference, Ring, Slot, SlotKind, Tile, TileKind,
};
use crate::type_width;

/// Radius of an unevictable page's corners, and of a reference's.
const SQUARE: f32 = 1.5;
/// Middle of a ring's stroke, outside the tile.
const RING: f32 = 2.6;
/// The same for an amber ring round one that is already there.
const OUTER_RING: f32 = 5.6;

impl FenceState {
    /// Class of a fence or a badge in this state, after `fence` or `badge`.
    fn suffix(self) -> &'static str {
        match self {
            FenceState::Free => "",
            FenceState::Held => " held",
            FenceState::Wanted => " wanted",
            FenceState::Preempt => " preempt",
        }
    }
}

impl Fence {
    /// CSS class.
    pub fn class(&self) -> String {
        format!("fence{}", self.state.suffix())
    }

    /// The fence as a rectangle.
    pub fn part(&self) -> Part {
        let class = match self.state {
            FenceState::Free => "fence",
            FenceState::Held => "fence held",
            FenceState::Wanted => "fence wanted",
            FenceState::Preempt => "fence preempt",
        };
        Part::Rect { class, rect: self.rect, rx: FENCE_RADIUS }
    }
}

impl Badge {
    /// CSS class; `small` for the badge of a page lock.
    pub fn class(&self, small: bool) -> String {
        let ring = if self.ring { " ring" } else { "" };
        let size = if small { " sm" } else { "" };
        format!("badge{}{ring}{size}", self.state.suffix())
    }
}

impl Padlock {
    /// The shackle, in a box of 12 by 12.
    pub fn shackle(self) -> &'static str {
        match self {
            Padlock::Open => "M3.3 5.4V3.5a2.2 2.2 0 0 1 4.2-.9",
            Padlock::Closed => "M3.7 5.4V3.7a2.3 2.3 0 0 1 4.6 0v1.7",
        }
    }

    /// The body, in the same box. An open padlock has the class `open` and is not filled.
    pub fn body(self) -> Part {
        match self {
            Padlock::Open => Part::Rect { class: "open", rect: Rect::new(2.1, 5.5, 7.8, 5.2), rx: 1.2 },
            Padlock::Closed => Part::Rect { class: "", rect: Rect::new(2.0, 5.3, 8.0, 5.5), rx: 1.2 },
        }
    }
}

impl Slot {
    /// The slot as a rectangle.
    pub fn part(&self) -> Part {
        let (class, inset, rx) = match self.kind {
            SlotKind::Empty if self.capsule => ("slot", 0.5, self.rect.h / 2.0 - 0.5),
            SlotKind::Empty => ("slot", 0.5, 3.0),
            SlotKind::Head => ("headslot", 0.75, 7.0),
            SlotKind::Wanted => ("headslot want", 0.75, 7.0),
            SlotKind::Ghost => ("headslot ghost", 0.75, 3.0),
        };
        Part::Rect { class, rect: self.rect.inset(inset), rx }
    }
}

impl TileKind {
    /// CSS class.
    pub fn class(self) -> &'static str {
        match self {
            TileKind::Unevictable => "unev",
            TileKind::Inactive => "inact",
            TileKind::Active => "act",
            TileKind::Pagevec => "pvec",
            TileKind::Isolated => "iso",
            TileKind::New => "new",
            TileKind::Free => "free",
            TileKind::Swapped => "swap",
        }
    }

    /// Radius of the corners of the tile's cell.
    pub(crate) fn radius(self, form: Form) -> f32 {
        match (self, form) {
            (TileKind::Inactive | TileKind::Active, Form::Wide) => 7.0,
            (TileKind::Inactive | TileKind::Active, Form::Narrow) => 5.5,
            (TileKind::Pagevec | TileKind::Isolated, Form::Wide) => 11.0,
            (TileKind::Pagevec | TileKind::Isolated, Form::Narrow) => 8.5,
            _ => SQUARE,
        }
    }

    /// Half the width of the edge's stroke: how far the shape is drawn inside its cell.
    fn inset(self) -> f32 {
        match self {
            TileKind::Unevictable => 0.0,
            TileKind::Inactive | TileKind::Active | TileKind::New => 0.6,
            TileKind::Pagevec => 1.1,
            TileKind::Isolated => 0.75,
            TileKind::Free | TileKind::Swapped => 0.5,
        }
    }

    /// How far inside its cell the second edge is, where there is one.
    fn second_edge(self) -> Option<f32> {
        match self {
            TileKind::Active => Some(2.8),
            TileKind::Isolated => Some(3.1),
            _ => None,
        }
    }
}

impl Tile {
    /// CSS classes: `tile`, the kind, and `file`, `now`, `held`, `moved`, `shifted` where they apply.
    pub fn class(&self) -> String {
        let mut class = format!("tile {}", self.kind.class());
        let motion = [(self.motion == Motion::Moved, " moved"), (self.motion == Motion::Shifted, " shifted")];
        let flags = [(self.file, " file"), (self.now, " now"), (self.held, " held")];
        for (_, name) in flags.iter().chain(&motion).filter(|(on, _)| *on) {
            class.push_str(name);
        }
        class
    }

    /// The parts, relative to the tile's corner.
    pub fn parts(&self, form: Form) -> Vec<Part> {
        let cell = Rect::new(0.0, 0.0, self.rect.w, self.rect.h);
        let rx = self.kind.radius(form);
        let cut = if form == Form::Wide { 7.0 } else { 5.5 };
        let mut parts = Vec::with_capacity(4);
        let body = |class, inset: f32| {
            let rect = cell.inset(inset);
            let rx = (rx - (inset - self.kind.inset())).max(1.0);
            if self.file {
                Part::Path { class, d: clipped_rect(rect, rx, cut) }
            } else {
                Part::Rect { class, rect, rx }
            }
        };
        parts.push(body("f", self.kind.inset()));
        if let Some(inset) = self.kind.second_edge() {
            parts.push(body("in", inset));
        }
        if self.kind == TileKind::Swapped {
            parts.push(Part::Path { class: "hatch", d: hatch(cell.inset(1.0), 6.0) });
        }
        let (x, y) = (cell.w / 2.0, cell.h / 2.0 + 0.5);
        let room = cell.w - 2.0 * self.kind.second_edge().unwrap_or(0.0);
        parts.push(Part::Text { class: text_class(&self.label, room, form), x, y, text: self.label.clone() });
        if self.pin {
            let (at, r) = self.pin_place(form);
            parts.push(Part::Dot { class: "pin", cx: at, cy: at, r });
        }
        parts
    }

    /// Where the dot of a pin is: near the corner, but inside the shape.
    fn pin_place(&self, form: Form) -> (f32, f32) {
        let at = match self.kind.radius(form) {
            r if r > 7.0 => 5.4,
            r if r > 2.0 => 4.6,
            _ => 3.8,
        };
        if form == Form::Wide { (at, 1.8) } else { (at - 1.0, 1.3) }
    }
}

/// Class for a number that is too wide for the usual size.
fn text_class(label: &str, room: f32, form: Form) -> &'static str {
    let size = if form == Form::Wide { 12.0 } else { 10.5 };
    if type_width::width(label, size, true) > room - 1.0 { "tight" } else { "" }
}

impl Reference {
    /// The parts, relative to the slot's corner.
    pub fn parts(&self, form: Form) -> Vec<Part> {
        let cell = Rect::new(0.0, 0.0, self.rect.w, self.rect.h);
        let (x, y) = (cell.w / 2.0, cell.h / 2.0 + 0.5);
        let class = text_class(&self.label, cell.w, form);
        vec![
            Part::Rect { class: "f", rect: cell.inset(0.8), rx: SQUARE },
            Part::Text { class, x, y, text: self.label.clone() },
        ]
    }
}

impl Mark {
    /// CSS classes: `mark`, the kind, `now` where it applies.
    pub fn class(&self) -> String {
        let kind = match self.kind {
            MarkKind::Swap => "swap",
            MarkKind::Work => "work",
            MarkKind::Running => "running",
            MarkKind::Entry => "entry",
            MarkKind::Stale => "stale",
        };
        format!("mark {kind}{}", if self.now { " now" } else { "" })
    }

    /// The parts, relative to the mark's corner.
    pub fn parts(&self, form: Form) -> Vec<Part> {
        let cell = Rect::new(0.0, 0.0, self.rect.w, self.rect.h);
        let rx = if matches!(self.kind, MarkKind::Work | MarkKind::Running) { 5.0 } else { SQUARE };
        let mut parts = vec![Part::Rect { class: "f", rect: cell.inset(0.6), rx }];
        if self.kind == MarkKind::Swap {
            parts.push(Part::Path { class: "hatch", d: hatch(cell.inset(1.0), 6.0) });
        }
        let (x, y) = (cell.w / 2.0, cell.h / 2.0 + 0.5);
        parts.push(Part::Text { class: text_class(&self.label, cell.w, form), x, y, text: self.label.clone() });
        if self.now {
            let ring = |class| Part::Rect { class, rect: cell.inset(-RING), rx: rx + RING };
            parts.extend([ring("tring now case"), ring("tring now")]);
        }
        parts
    }
}

impl Ring {
    /// The parts, relative to the tile's corner: each ring is a casing and the ring itself.
    pub fn parts(&self) -> Vec<Part> {
        let cell = Rect::new(0.0, 0.0, self.rect.w, self.rect.h);
        let ring = |class, by: f32| Part::Rect { class, rect: cell.inset(-by), rx: self.rx + by };
        let mut parts = Vec::with_capacity(4);
        if self.held {
            parts.extend([ring("tring held case", RING), ring("tring held", RING)]);
        }
        if self.now {
            let by = if self.held { OUTER_RING } else { RING };
            parts.extend([ring("tring now case", by), ring("tring now", by)]);
        }
        parts
    }
}

impl Pte {
    /// CSS classes of its group, or of its mark in a strip.
    pub fn class(&self) -> String {
        let kind = match self.kind {
            PteKind::Hole => "hole",
            PteKind::Page(kind) => kind.class(),
        };
        let base = if self.strip { "strip" } else { "pte" };
        let cursor = if self.cursor { " cur" } else { "" };
        let now = if self.now && !self.cursor { " now" } else { "" };
        format!("{base} {kind}{cursor}{now}")
    }

    /// The parts.
    pub fn parts(&self) -> Vec<Part> {
        if self.strip {
            return vec![Part::Rect { class: "", rect: self.rect, rx: 0.0 }];
        }
        let rx = match self.kind {
            PteKind::Hole => 1.0,
            PteKind::Page(TileKind::Inactive | TileKind::Active) => 5.0,
            PteKind::Page(TileKind::Pagevec | TileKind::Isolated) => 7.0,
            PteKind::Page(_) => 1.0,
        };
        let inner = self.rect.inset(0.5);
        let middle = self.rect.centre();
        let mut parts = vec![Part::Rect { class: "", rect: inner, rx }];
        if !self.label.is_empty() {
            parts.push(Part::Text { class: "", x: middle.x, y: middle.y, text: self.label.clone() });
        }
        parts
    }
}

impl Arrow {
    /// The parts, back to front.
    pub fn parts(&self) -> Vec<Part> {
        let path = |class, d: &String| Part::Path { class, d: d.clone() };
        match self.kind {
            ArrowKind::Reference => vec![path("nowline case", &self.d), path("nowline", &self.d)],
            ArrowKind::Next => vec![path("next", &self.d), path("mk", &self.head)],
            ArrowKind::Ghost => vec![path("next ghost", &self.d)],
        }
    }
}

impl MapArea {
    /// CSS classes of its squares: `sq` and the kind of the pages.
    pub fn class(&self) -> &'static str {
        use sim_core::view::Lru;
        match self.place {
            MapPlace::New(_) => "sq new",
            MapPlace::Free(_) => "sq free",
            MapPlace::List(_, Lru::Unevictable) => "sq unev",
            MapPlace::List(_, Lru::ActiveAnon | Lru::ActiveFile) => "sq act",
            MapPlace::List(..) => "sq inact",
        }
    }

    /// Squares that stand for at least one page.
    pub fn squares(&self) -> u32 {
        self.count.div_ceil(self.per_cell.max(1))
    }

    /// Where a square is.
    pub fn square(&self, i: u32) -> Rect {
        let (row, column) = (i / self.columns.max(1), i % self.columns.max(1));
        let side = self.pitch - 1.0;
        Rect::new(self.rect.x + column as f32 * self.pitch, self.rect.y + row as f32 * self.pitch, side, side)
    }

    /// The square at a point, if any.
    pub fn hit(&self, x: f32, y: f32) -> Option<u32> {
        let (column, row) = ((x - self.rect.x) / self.pitch, (y - self.rect.y) / self.pitch);
        let inside = column >= 0.0 && row >= 0.0 && column < self.columns as f32;
        let i = row as u32 * self.columns + column as u32;
        (inside && i < self.squares()).then_some(i)
    }
}

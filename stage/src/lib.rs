//! The picture: from a [`View`](sim_core::view::View) of the simulated memory to a scene of shapes.
//!
//! [`layout`] is a pure function. The page renders the [`Scene`] as keyed SVG elements, the terminal program and the
//! page's export write the same scene as text with [`svg`]. This crate knows nothing of the web.
//!
//! Five rules carry the picture:
//!
//! 1. A lock is a fence round what it protects ([`Fence`], and a [`Ring`] round a single page).
//! 2. A filled tile is where a page *is*; a dashed outline only refers to it. A page has one filled tile, for its
//!    whole life, under one key.
//! 3. One grid: page tables, pagevecs and lists share its columns ([`Metrics`]).
//! 4. Lists are tapes: a tile keeps its cell while it is on the list ([`Tapes`]).
//! 5. Both sides have equal heights ([`Regions`]), so that the eye can go straight across.
//!
//! ```
//! use stage::{Options, Theme, layout, svg};
//!
//! let view = sim_core::view::View::default();
//! let scene = layout(&view, &Options::default());
//! assert!(svg(&scene, &Theme::LIGHT).starts_with("<svg "));
//! ```

mod draw;
pub mod figure;
mod geom;
mod key;
mod layout;
mod motion;
mod parts;
mod regions;
mod scene;
mod shelf;
mod svg;
mod tape;
mod tape_log;
mod theme;
mod type_width;
mod words;

pub use figure::{Figure, FigureSide, columns, kinds, moves_pages};
pub use geom::{Form, Metrics, Point, Rect};
pub use key::Key;
pub use layout::{About, Density, Options, TILE_LIMIT, about, layout};
pub use parts::{Part, number};
pub use regions::{CpuRows, Regions, ZoneRows, regions};
pub use scene::{
    Align, Arrow, ArrowKind, Badge, Edge, Fence, FenceState, Group, Label, MapArea, MapPlace, Mark, MarkKind, Motion,
    Note, Padlock, Pte, PteKind, Reference, Ring, Scene, Slot, SlotKind, Span, Tile, TileKind,
};
pub use svg::svg;
pub use tape::{Cell, Tape, Tapes};
pub use tape_log::TapeLog;
pub use theme::Theme;

//! Points, rectangles and the measures of the grid.

/// A point in the scene, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Down.
    pub y: f32,
}

/// A rectangle in the scene, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
}

impl Rect {
    /// A rectangle from its top left corner and its size.
    pub const fn new(x: f32, y: f32, w: f32, h: f32) -> Rect {
        Rect { x, y, w, h }
    }

    /// Right edge.
    pub fn right(&self) -> f32 {
        self.x + self.w
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f32 {
        self.y + self.h
    }

    /// Middle.
    pub fn centre(&self) -> Point {
        Point { x: self.x + self.w / 2.0, y: self.y + self.h / 2.0 }
    }

    /// The same rectangle, smaller by `by` on each side (larger when `by` is negative).
    pub fn inset(&self, by: f32) -> Rect {
        Rect { x: self.x + by, y: self.y + by, w: self.w - 2.0 * by, h: self.h - 2.0 * by }
    }

    /// True where the point lies in it, edges included.
    pub fn contains(&self, point: Point) -> bool {
        (self.x..=self.right()).contains(&point.x) && (self.y..=self.bottom()).contains(&point.y)
    }

    /// True where the two share an area, not only an edge.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

/// Which of the two drawings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    /// 534 px wide, beside the other side and the ledger.
    #[default]
    Wide,
    /// 366 px wide, above the other side, on a telephone.
    Narrow,
}

/// The measures of a drawing. Everything else follows from these and from how many rows each region needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Which drawing.
    pub form: Form,
    /// Cells in a row: the capacity of a batch, so that a batch is a row.
    pub columns: u16,
    /// Width of the whole drawing.
    pub width: f32,
    /// Where labels begin.
    pub label_x: f32,
    /// Where counts end.
    pub count_x: f32,
    /// Where the first cell begins.
    pub gutter: f32,
    /// Where the last cell of a full row ends, at most.
    pub right: f32,
    /// Width of a tile.
    pub tile_w: f32,
    /// Height of a tile.
    pub tile_h: f32,
    /// From one cell to the next.
    pub pitch_x: f32,
    /// From one row to the next.
    pub pitch_y: f32,
    /// From one row of PTE marks to the next; a mark is 2 px lower.
    pub pte_pitch: f32,
    /// From a fence's bottom to the next fence's top.
    pub fence_gap: f32,
    /// From a list's last row to the next list's first.
    pub list_gap: f32,
}

/// Radius of a fence's corners.
pub(crate) const FENCE_RADIUS: f32 = 8.0;

impl Metrics {
    /// The measures of a drawing with so many columns (14 for batches of 14, 15 for 15, 16 for 31).
    pub fn new(form: Form, columns: u16) -> Metrics {
        let columns = columns.clamp(1, 32);
        let wide = Metrics {
            form,
            columns,
            width: 534.0,
            label_x: 12.0,
            count_x: 110.0,
            gutter: 122.0,
            right: 526.0,
            tile_w: 0.0,
            tile_h: 22.0,
            pitch_x: 0.0,
            pitch_y: 24.0,
            pte_pitch: 16.0,
            fence_gap: 18.0,
            list_gap: 10.0,
        };
        let narrow = Metrics {
            width: 366.0,
            label_x: 8.0,
            count_x: 48.0,
            gutter: 54.0,
            right: 360.0,
            tile_h: 17.0,
            pitch_y: 19.0,
            fence_gap: 16.0,
            list_gap: 15.0,
            ..wide
        };
        let base = if form == Form::Wide { wide } else { narrow };
        let pitch_x = ((base.right - base.gutter + 2.0) / f32::from(columns)).floor();
        Metrics { pitch_x, tile_w: pitch_x - 2.0, ..base }
    }

    /// Left edge of a column.
    pub fn column_x(&self, column: u16) -> f32 {
        self.gutter + f32::from(column) * self.pitch_x
    }

    /// The cell in `column` of a row whose top edge is `y`, `span` columns wide.
    pub fn cell(&self, column: u16, y: f32, span: u16) -> Rect {
        let w = f32::from(span) * self.pitch_x - 2.0;
        Rect::new(self.column_x(column), y, w, self.tile_h)
    }

    /// Height of so many rows of tiles, without the space after the last.
    pub fn rows_h(&self, rows: u16) -> f32 {
        if rows == 0 { 0.0 } else { f32::from(rows) * self.pitch_y - 2.0 }
    }

    /// True for the narrow drawing.
    pub fn narrow(&self) -> bool {
        self.form == Form::Narrow
    }

    /// The box that a fence's title and badge may fill: on the fence's top edge `y`.
    pub(crate) fn edge_rect(&self, y: f32) -> Rect {
        Rect::new(6.0, y - 11.0, self.width - 12.0, 22.0)
    }

    /// A fence from `top` to `bottom`.
    pub(crate) fn fence_rect(&self, top: f32, bottom: f32) -> Rect {
        Rect::new(1.5, top, self.width - 3.0, bottom - top)
    }
}

//! The two canvases: when they are drawn, at which size.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::Ui;
use super::colours::Colours;
use super::overview::overview;
use super::paint::{Frame, rows};
use crate::web;

/// What drawing keeps from one picture to the next.
#[derive(Default)]
pub struct Drawer {
    colours: Option<Colours>,
    queued: bool,
    /// Where the pointer is, in pixels of the rows.
    pub pointer: Option<f64>,
    /// What is being dragged over.
    pub dragged: Option<(f64, f64)>,
}

impl Drawer {
    /// Another theme.
    pub fn forget_colours(&mut self) {
        self.colours = None;
    }
}

impl Ui {
    /// Draws once before the browser shows the next picture.
    pub fn queue(self) {
        let queued = self.drawer.try_update_value(|drawer| std::mem::replace(&mut drawer.queued, true));
        if queued == Some(false) {
            request_animation_frame(move || self.draw());
        }
    }

    fn draw(self) {
        let start = web::now();
        let drawer = self.drawer.try_update_value(|drawer| {
            drawer.queued = false;
            (drawer.colours.take().unwrap_or_else(Colours::read), drawer.pointer, drawer.dragged)
        });
        // It may have been closed meanwhile.
        let Some((colours, pointer, dragged)) = drawer else { return };
        if let (Some(lanes), Some(head)) = (self.lanes.get_untracked(), self.head.get_untracked()) {
            let size = (f64::from(lanes.client_width()), f64::from(lanes.client_height()));
            if self.with(|explorer| (explorer.window.width - size.0).abs() > 0.5) == Some(true) {
                self.change(|explorer| explorer.window = explorer.window.with_width(size.0));
            }
            let scroll = self.scroller.get_untracked().map_or(0.0, |scroller| f64::from(scroller.scroll_top()));
            let at = self.app.with(|session| session.at());
            let frame = Frame { scroll, size, at, pointer, dragged };
            let _ = self.with(|explorer| {
                if let Some(context) = context(&lanes) {
                    rows(&context, explorer, &frame, &colours);
                }
                if let Some(context) = context(&head) {
                    let size = (f64::from(head.client_width()), f64::from(head.client_height()));
                    overview(&context, explorer, &Frame { size, ..frame }, &colours);
                }
            });
        }
        self.drawer.update_value(|drawer| drawer.colours = Some(colours));
        web::measure("mmscope:timeline", start);
    }
}

/// The context of a canvas, in CSS pixels at the sharpness of the screen.
fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    let context = canvas.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
    let scale = window().device_pixel_ratio() * zoom(canvas);
    let pixels = |length: i32| (f64::from(length) * scale).round().clamp(1.0, 16_384.0) as u32;
    let (width, height) = (pixels(canvas.client_width()), pixels(canvas.client_height()));
    if canvas.width() != width {
        canvas.set_width(width);
    }
    if canvas.height() != height {
        canvas.set_height(height);
    }
    // Fails for no finite numbers.
    let _ = context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
    Some(context)
}

/// How much a large screen enlarges the page.
pub fn zoom(canvas: &HtmlCanvasElement) -> f64 {
    let width = f64::from(canvas.client_width());
    if width > 0.0 { canvas.get_bounding_client_rect().width() / width } else { 1.0 }
}

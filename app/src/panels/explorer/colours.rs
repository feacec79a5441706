//! Colours and type of the canvas: the page's own tokens.

use std::cell::RefCell;
use std::collections::HashMap;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::CanvasRenderingContext2d;

// By name: the browser's own interface for it would be one type more for the whole build.
fn measure(context: &CanvasRenderingContext2d, text: &str) -> Option<f64> {
    let function = js_sys::Reflect::get(context, &"measureText".into()).ok()?.dyn_into::<js_sys::Function>().ok()?;
    let metrics = function.call1(context, &text.into()).ok()?;
    js_sys::Reflect::get(&metrics, &"width".into()).ok()?.as_f64()
}

/// The tokens that the canvas uses, by their names in assets/css/tokens.css.
#[derive(Clone, Debug, Default)]
pub struct Colours {
    pub paper: String,
    pub ink: String,
    pub ink2: String,
    pub ink3: String,
    pub hair: String,
    pub rule: String,
    pub slot: String,
    pub rib: String,
    pub sunken: String,
    pub held: String,
    pub now: String,
    pub case: String,
    /// Font of names, and of numbers on the axis.
    pub font: String,
    widths: RefCell<HashMap<String, f64>>,
}

impl Colours {
    /// What the tokens are now.
    pub fn read() -> Colours {
        let root = document().document_element();
        let style = root.and_then(|root| window().get_computed_style(&root).ok().flatten());
        let token = |name: &str| {
            style.as_ref().and_then(|style| style.get_property_value(name).ok()).unwrap_or_default().trim().to_string()
        };
        Colours {
            paper: token("--paper"),
            ink: token("--ink"),
            ink2: token("--ink2"),
            ink3: token("--ink3"),
            hair: token("--hair"),
            rule: token("--rule"),
            slot: token("--slot"),
            rib: token("--rib"),
            sunken: token("--sunken"),
            held: token("--held"),
            now: token("--now"),
            case: token("--case"),
            font: format!("13px {}", token("--ui")),
            widths: RefCell::default(),
        }
    }

    /// Pixels that a text takes in the font that is set.
    pub fn width(&self, context: &CanvasRenderingContext2d, text: &str) -> f64 {
        if let Some(&known) = self.widths.borrow().get(text) {
            return known;
        }
        let width = measure(context, text).unwrap_or(7.0 * text.len() as f64);
        self.widths.borrow_mut().insert(text.to_string(), width);
        width
    }
}

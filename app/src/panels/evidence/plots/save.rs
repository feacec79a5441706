//! Files that the reader takes away: made in the page, without a server.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, HtmlImageElement,
};

/// Pixels of a PNG for each unit of the picture: sharp in print and on a projector.
const SCALE: f64 = 2.0;

/// What the browser could not do.
type Failed = JsValue;

/// Saves a text.
pub fn text(name: &str, kind: &str, text: &str) -> Result<(), Failed> {
    download(name, &blob(kind, text)?)
}

/// Saves a picture as pixels.
pub async fn png(name: String, svg: String, width: f64, height: f64) -> Result<(), Failed> {
    let url = web_sys::Url::create_object_url_with_blob(&blob("image/svg+xml", &svg)?)?;
    let image = HtmlImageElement::new()?;
    image.set_src(&url);
    let decoded = JsFuture::from(image.decode()).await;
    web_sys::Url::revoke_object_url(&url)?;
    decoded?;
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    canvas.set_width((width * SCALE) as u32);
    canvas.set_height((height * SCALE) as u32);
    let Some(context) = canvas.get_context("2d")? else { return Err("no canvas".into()) };
    let context: CanvasRenderingContext2d = context.unchecked_into();
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width * SCALE, height * SCALE)?;
    let done = Closure::once_into_js(move |blob: Option<Blob>| {
        // Null where the picture is too large for the browser; it is far from that.
        if let Some(blob) = blob {
            let _ = download(&name, &blob);
        }
    });
    canvas.to_blob(done.unchecked_ref())
}

fn blob(kind: &str, text: &str) -> Result<Blob, Failed> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), &options)
}

fn download(name: &str, blob: &Blob) -> Result<(), Failed> {
    let url = web_sys::Url::create_object_url_with_blob(blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The browser reads it after the click: the address is given back a little later.
    set_timeout(move || _ = web_sys::Url::revoke_object_url(&url), std::time::Duration::from_secs(10));
    Ok(())
}

//! Text that comes from a file or leaves as one.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// The text of a file; none where it cannot be read.
pub async fn read(file: &web_sys::File) -> Option<String> {
    JsFuture::from(file.text()).await.ok()?.as_string()
}

/// Hands a text to the reader as a download.
pub fn save(name: &str, kind: &str, text: &str) {
    let data = format!("data:{kind};charset=utf-8,{}", String::from(js_sys::encode_uri_component(text)));
    let Ok(link) = document().create_element("a") else { return };
    // Both names are valid ones of attributes.
    if link.set_attribute("href", &data).is_ok() && link.set_attribute("download", name).is_ok() {
        link.unchecked_ref::<web_sys::HtmlElement>().click();
    }
}

/// Copies a text; false where the browser does not let us, for example on a page that is not secure.
pub async fn copy(text: &str) -> bool {
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into());
    let Some(clipboard) = clipboard.ok().and_then(|value| value.dyn_into::<web_sys::Clipboard>().ok()) else {
        return false;
    };
    JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

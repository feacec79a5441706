//! Text that comes from a file or leaves as one.

use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The text of a file; none where it cannot be read.
pub async fn read(file: &web_sys::File) -> Option<String> {
    JsFuture::from(file.text()).await.ok()?.as_string()
}

/// Hands a text to the reader as a download.
pub fn save(name: &str, kind: &str, text: &str) {
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(kind);
    let Ok(blob) = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options) else { return };
    let Ok(url) = web_sys::Url::create_object_url_with_blob(&blob) else { return };
    let link = document().create_element("a").ok().and_then(|link| link.dyn_into::<web_sys::HtmlAnchorElement>().ok());
    if let Some(link) = link {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    // The browser has taken the blob over by now.
    let _ = web_sys::Url::revoke_object_url(&url);
}

/// Copies a text; false where the browser does not let us, for example on a page that is not secure.
pub async fn copy(text: &str) -> bool {
    let clipboard = js_sys::Reflect::get(&window().navigator(), &"clipboard".into());
    let Some(clipboard) = clipboard.ok().and_then(|value| value.dyn_into::<web_sys::Clipboard>().ok()) else {
        return false;
    };
    JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

//! Data of messages, out of the browser's hands and back.

use leptos::wasm_bindgen::JsCast;
use leptos::wasm_bindgen::prelude::*;

use crate::embed::value::{Value, most};

/// Takes what came, within bounds: what is too long is not even copied.
pub fn take(data: &JsValue) -> Value {
    take_at(data, 0)
}

fn take_at(data: &JsValue, depth: u32) -> Value {
    if data.is_null() || data.is_undefined() {
        return Value::Nothing;
    }
    if let Some(flag) = data.as_bool() {
        return Value::Flag(flag);
    }
    if let Some(number) = data.as_f64() {
        return Value::Number(number);
    }
    if let Some(text) = data.dyn_ref::<js_sys::JsString>() {
        let fits = text.length() <= most::TEXT;
        return if fits { Value::Text(text.into()) } else { Value::Unfit("a text that is too long") };
    }
    if depth == most::DEPTH {
        return Value::Unfit("too deep");
    }
    if let Some(list) = data.dyn_ref::<js_sys::Array>() {
        if list.length() > most::ELEMENTS {
            return Value::Unfit("a list that is too long");
        }
        return Value::List((0..list.length()).map(|i| take_at(&list.get(i), depth + 1)).collect());
    }
    match data.dyn_ref::<js_sys::Object>().filter(|object| is_plain(object)) {
        Some(object) => members(object, depth),
        None => Value::Unfit("no plain data"),
    }
}

// A clone of the sender's object has this window's own prototype; dates, maps and buffers have others.
fn is_plain(object: &js_sys::Object) -> bool {
    js_sys::Object::is(
        &js_sys::Object::get_prototype_of(object),
        &js_sys::Object::get_prototype_of(&js_sys::Object::new()),
    )
}

fn members(object: &js_sys::Object, depth: u32) -> Value {
    let names = js_sys::Object::keys(object);
    if names.length() > most::MEMBERS {
        return Value::Unfit("too many members");
    }
    let mut members = Vec::new();
    for name in names.iter() {
        let short = name.dyn_ref::<js_sys::JsString>().filter(|name| name.length() <= most::NAME);
        let Some(name) = short else { return Value::Unfit("a name that is too long") };
        // A name that is the object's own: nothing is inherited, whatever it is called.
        let value = js_sys::Reflect::get(object, name).unwrap_or_default();
        members.push((name.into(), take_at(&value, depth + 1)));
    }
    Value::Map(members)
}

/// Makes data of the browser's.
pub fn give(value: &Value) -> JsValue {
    match value {
        Value::Nothing | Value::Unfit(_) => JsValue::NULL,
        Value::Flag(flag) => (*flag).into(),
        Value::Number(number) => (*number).into(),
        Value::Text(text) => text.into(),
        Value::List(list) => list.iter().map(give).collect::<js_sys::Array>().into(),
        Value::Map(members) => {
            let object = js_sys::Object::new();
            for (name, value) in members {
                // Setting a member of a plain object does not fail.
                let _ = js_sys::Reflect::set(&object, &name.into(), &give(value));
            }
            object.into()
        }
    }
}

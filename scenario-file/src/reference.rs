//! The table of fields for others: as a JSON Schema, and as tables of the documentation.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::fields::{CALLS, CPU, CallShape, FILE, Field, Kind, NAME, SHAPES, Shape};

/// The JSON Schema of scenario files (draft 2020-12).
pub fn schema() -> Value {
    let mut schema = object(FILE.fields);
    schema.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".into(), json!("mmscope scenario file"));
    let calls = |cpu: bool| Value::from(CALLS.iter().map(|shape| call(shape, cpu)).collect::<Vec<_>>());
    schema.insert("$defs".into(), json!({ "call": { "oneOf": calls(false) }, "setupCall": { "oneOf": calls(true) } }));
    Value::Object(schema)
}

fn object(fields: &[Field]) -> Map<String, Value> {
    let required: Vec<&str> = fields.iter().filter(|field| field.default.is_none()).map(|field| field.name).collect();
    let properties: Map<String, Value> = fields.iter().map(|field| (field.name.to_string(), property(field))).collect();
    let mut object = Map::new();
    object.insert("type".into(), json!("object"));
    object.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        object.insert("required".into(), json!(required));
    }
    object.insert("additionalProperties".into(), json!(false));
    object
}

fn property(field: &Field) -> Value {
    let mut value = kind(field.kind);
    if let Value::Object(map) = &mut value {
        map.insert("description".into(), json!(field.doc));
    }
    value
}

fn kind(kind_of: Kind) -> Value {
    match kind_of {
        Kind::Number { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text { max } => json!({ "type": "string", "maxLength": max }),
        Kind::Name => json!({ "type": "string", "pattern": format!("^[A-Za-z0-9_.-]{{1,{NAME}}}$") }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Object(shape) => Value::Object(object(shape.fields)),
        Kind::List { min, max, of } => json!({ "type": "array", "minItems": min, "maxItems": max, "items": kind(*of) }),
        Kind::Call { cpu: false } => json!({ "$ref": "#/$defs/call" }),
        Kind::Call { cpu: true } => json!({ "$ref": "#/$defs/setupCall" }),
    }
}

fn call(shape: &CallShape, cpu: bool) -> Value {
    let mut value = object(shape.fields);
    if let Some(Value::Object(properties)) = value.get_mut("properties") {
        properties.insert("call".into(), json!({ "const": shape.name }));
        if cpu {
            properties.insert("cpu".into(), property(&CPU));
        }
    }
    let own = shape.fields.iter().filter(|field| field.default.is_none()).map(|field| field.name);
    let required: Vec<&str> = std::iter::once("call").chain(own).collect();
    value.insert("required".into(), json!(required));
    value.insert("description".into(), json!(shape.doc));
    Value::Object(value)
}

/// The tables of the documentation, in Markdown: every object, then every call.
pub fn tables() -> String {
    let mut text = String::new();
    for &Shape { name, fields } in SHAPES.iter().copied() {
        let _ = writeln!(text, "### {name}\n\n{}", table(fields));
    }
    let _ = writeln!(text, "### call of the set-up\n\nThe fields of the call, and\n\n{}", table(&[CPU]));
    for shape in CALLS {
        let _ = writeln!(text, "### `{}`\n\n{}\n", shape.name, shape.doc);
        if !shape.fields.is_empty() {
            let _ = writeln!(text, "{}", table(shape.fields));
        }
    }
    text
}

fn table(fields: &[Field]) -> String {
    let mut text = String::from("| field | takes | default | what |\n| --- | --- | --- | --- |\n");
    for field in fields {
        let takes = crate::shape::words(match field.kind {
            Kind::Object(shape) => {
                let _ = writeln!(
                    text,
                    "| `{}` | an object ({}) | {} | {} |",
                    field.name,
                    shape.name,
                    default(field),
                    field.doc
                );
                continue;
            }
            other => other,
        });
        let _ = writeln!(text, "| `{}` | {takes} | {} | {} |", field.name, default(field), field.doc);
    }
    text
}

fn default(field: &Field) -> &'static str {
    field.default.unwrap_or("required")
}

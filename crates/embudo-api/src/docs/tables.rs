//! Schemas as tables for people, and example values written in the order of their schema.

use std::fmt::Write as _;

use serde_json::Value;

use super::html::{esc, markdown};

/// Follows a `$ref` inside the document; anything else is returned as it is.
pub(super) fn resolve<'a>(doc: &'a Value, value: &'a Value) -> &'a Value {
    let Some(destination) = value["$ref"].as_str() else {
        return value;
    };
    doc.pointer(&destination[1..]).expect("references of the document lead somewhere")
}

/// The fields of a schema as a table, followed by a table for each schema it refers to.
pub(super) fn table(doc: &Value, schema: &Value) -> String {
    let mut output = String::new();
    let mut seen: Vec<String> = Vec::new();
    let mut pending = vec![schema.clone()];
    while !pending.is_empty() {
        let current = pending.remove(0);
        let nombre = current["$ref"].as_str().and_then(|r| r.rsplit('/').next()).map(str::to_owned);
        if let Some(nombre) = nombre {
            if seen.contains(&nombre) {
                continue;
            }
            let _ = if seen.is_empty() {
                Ok(())
            } else {
                let doc_own = resolve(doc, &current)["description"].as_str().unwrap_or_default();
                write!(output, "<h6>{}</h6><p class=\"pista\">{}</p>", esc(&nombre), esc(doc_own))
            };
            seen.push(nombre);
        }
        let real = resolve(doc, &current);
        if let Some(variants) = real["oneOf"].as_array() {
            pending.extend(variants.iter().cloned());
            continue;
        }
        output.push_str(&rows(real));
        for field in field_order(real) {
            references(&real["properties"][field], &mut pending);
        }
    }
    output
}

fn references(schema: &Value, output: &mut Vec<Value>) {
    if schema.get("$ref").is_some() {
        output.push(schema.clone());
    }
    if let Some(items) = schema.get("items") {
        references(items, output);
    }
    for variant in schema["anyOf"].as_array().into_iter().flatten() {
        references(variant, output);
    }
}

/// The names of an object's fields, in reading order.
fn field_order(schema: &Value) -> Vec<&str> {
    schema["x-orden"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn rows(schema: &Value) -> String {
    let fields = field_order(schema);
    if fields.is_empty() {
        return "<p class=\"pista\">Sin campos.</p>".to_owned();
    }
    let closed = schema["additionalProperties"] == Value::Bool(false);
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut output = String::from(
        "<div class=\"tabla\"><table><thead><tr><th scope=\"col\">Campo</th><th scope=\"col\">Tipo y reglas</th>\
         <th scope=\"col\">Qué es</th></tr></thead><tbody>",
    );
    for field in fields {
        let own = &schema["properties"][field];
        // A closed schema describes what we send. It requires all of its fields or none, so marking each required field
        // would be noise.
        let brand = if !closed && required.contains(&field) {
            " <span class=\"requerido\">obligatorio</span>"
        } else {
            ""
        };
        let _ = write!(
            output,
            "<tr><th scope=\"row\"><code>{}</code>{brand}</th><td>{}</td><td>{}</td></tr>",
            esc(field),
            kind(own),
            markdown(own["description"].as_str().unwrap_or_default()),
        );
    }
    output + "</tbody></table></div>"
}

/// A schema's kind and rules in Spanish.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(destination) = schema["$ref"].as_str() {
        return esc(destination.rsplit('/').next().unwrap_or_default());
    }
    if let Some(variants) = schema["anyOf"].as_array() {
        let distinct = variants.iter().filter(|v| v["const"] != "");
        return distinct.map(kind).collect::<Vec<_>>().join(" o ");
    }
    let null = match &schema["type"] {
        Value::Array(kinds) if kinds.iter().any(|t| t == "null") => " o <code>null</code>",
        _ => "",
    };
    let class = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str(),
        other => other.as_str(),
    };
    let base = match (schema.get("const"), schema.get("enum").and_then(Value::as_array)) {
        (Some(value), _) => format!("<code>{}</code>", esc(&word(value))),
        (None, Some(values)) => {
            let words = values.iter().filter(|v| !v.is_null());
            words.map(|v| format!("<code>{}</code>", esc(&word(v)))).collect::<Vec<_>>().join(" · ")
        }
        _ => base(class.unwrap_or_default(), schema),
    };
    base + null
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn base(class: &str, schema: &Value) -> String {
    match class {
        "string" => text(schema).to_owned(),
        "boolean" => "<code>true</code> o <code>false</code>".to_owned(),
        "null" => "<code>null</code>".to_owned(),
        "integer" => format!("entero{}", limits(schema)),
        "number" => format!("número{}", limits(schema)),
        "array" => format!("lista de {}", kind(&schema["items"])),
        "object" if schema["additionalProperties"]["type"] == "string" => {
            "objeto cuyos valores son textos".to_owned()
        }
        "object" => "objeto libre".to_owned(),
        _ => String::new(),
    }
}

fn text(schema: &Value) -> &'static str {
    match schema["format"].as_str() {
        Some("date-time") => "instante RFC 3339 con zona",
        Some("uuid") => "UUID",
        Some("email") => "correo electrónico",
        Some("telefono") => "teléfono",
        Some("imagen") => "data URI <code>data:image/…;base64,…</code> o URL http(s)",
        _ if schema["minLength"] == 1 => "texto no vacío",
        _ => "texto",
    }
}

fn limits(schema: &Value) -> String {
    const BIG: f64 = 9e15;
    let bound = |nombre: &str| schema[nombre].as_f64().filter(|n| n.abs() < BIG);
    if bound("exclusiveMinimum").is_some() {
        return " mayor que 0".to_owned();
    }
    match (bound("minimum"), bound("maximum")) {
        (Some(min), Some(max)) => format!(" de {min} a {max}"),
        (Some(min), None) => format!(" ≥ {min}"),
        _ => String::new(),
    }
}

/// A value as indented JSON, its fields in the order of its schema.
pub(super) fn pretty(doc: &Value, schema: &Value, value: &Value, indent: usize) -> String {
    let real = variant(doc, resolve(doc, schema), value);
    let (inside, outside) = ("  ".repeat(indent + 1), "  ".repeat(indent));
    match value {
        Value::Object(map) if !map.is_empty() => {
            let known = field_order(real);
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_by_key(|key| known.iter().position(|c| c == key).unwrap_or(usize::MAX));
            let rows = keys.iter().map(|key| {
                let own = pretty(doc, &real["properties"][key.as_str()], &map[key.as_str()], indent + 1);
                format!("{inside}{}: {own}", Value::from(key.as_str()))
            });
            format!("{{\n{}\n{outside}}}", rows.collect::<Vec<_>>().join(",\n"))
        }
        Value::Array(list) if !list.is_empty() => {
            let rows = list.iter().map(|v| format!("{inside}{}", pretty(doc, &real["items"], v, indent + 1)));
            format!("[\n{}\n{outside}]", rows.collect::<Vec<_>>().join(",\n"))
        }
        simple => simple.to_string(),
    }
}

/// The alternative of a schema that a value follows.
fn variant<'a>(doc: &'a Value, schema: &'a Value, value: &Value) -> &'a Value {
    let Some(alternatives) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) else {
        return schema;
    };
    let own = alternatives.iter().map(|a| resolve(doc, a)).find(|a| {
        let fixed = a["properties"]["tipo"].get("const");
        fixed.is_none_or(|kind| *kind == value["tipo"])
    });
    own.unwrap_or(schema)
}

//! From a field's kind to JSON Schema 2020-12, the dialect of OpenAPI 3.1.
//!
//! A schema must accept exactly what the parser accepts, as far as JSON Schema can express it: generated tests send
//! values that it allows and values that it forbids, and check that the server agrees.

use embudo_domain::direccion::Direccion;
use embudo_domain::orden::MAX_ORDEN;
use embudo_domain::provincia::CodigoPostal;
use embudo_domain::schema::MAX_INTEGER;
use embudo_domain::{Field, Kind, contact, image};
use serde_json::{Map, Value, json};

/// A UUID with hyphens, in any case.
pub(crate) const UUID_PATTERN: &str = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

/// RFC 3339 with a zone. The pattern does not know how many days a month has; `format` does. A second 60 is refused.
pub(crate) const DATE_PATTERN: &str = concat!(
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]",
    r"(\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
);

/// The schema of a field's kind, without its meaning.
pub(crate) fn of_kind(kind: Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::NonEmptyText => json!({ "type": "string", "minLength": 1 }),
        Kind::One([word]) => json!({ "type": "string", "const": word }),
        Kind::One(words) => json!({ "type": "string", "enum": words }),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Positive => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": f64::MAX }),
        Kind::Orden => json!({ "type": "number", "minimum": -MAX_ORDEN, "maximum": MAX_ORDEN }),
        Kind::DateTime => json!({ "type": "string", "format": "date-time", "pattern": DATE_PATTERN }),
        Kind::FreeObject => json!({ "type": "object", "additionalProperties": true }),
        Kind::Image => json!({ "type": "string", "format": "imagen", "pattern": image::PATTERN }),
        Kind::Telefono => json!({ "type": "string", "format": "telefono" }),
        Kind::Email => json!({ "type": "string", "format": "email", "maxLength": contact::MAX_EMAIL }),
        Kind::CodigoPostal => json!({ "type": "string", "pattern": CodigoPostal::PATTERN }),
        Kind::Direccion => json!({ "type": "string", "minLength": 1, "maxLength": Direccion::MAX }),
        Kind::Id => json!({ "type": "string", "format": "uuid", "pattern": UUID_PATTERN }),
        Kind::TextMap => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Kind::Items => json!({ "type": "array", "items": reference("Item"), "default": [] }),
        Kind::Consentimientos => json!({ "type": "array", "items": reference("Consentimiento") }),
    }
}

/// The schema of one field of a body: its kind, its meaning and its example.
pub(crate) fn of_field(field: &Field) -> Value {
    let mut schema = of_kind(field.kind);
    schema["description"] = json!(field.doc);
    schema["examples"] = json!([example(field)]);
    schema
}

/// A body's object. Keys that it does not name are ignored, so they are allowed.
pub(crate) fn of_body(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields.iter().map(|c| (c.nombre.to_owned(), of_field(c))).collect();
    let names: Vec<&str> = fields.iter().map(|c| c.nombre).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "x-orden": names });
    let required: Vec<&str> = fields.iter().filter(|c| c.required).map(|c| c.nombre).collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// An object of ours: these fields, all of them, and no others.
pub(crate) fn closed(fields: Vec<(&str, Value)>) -> Value {
    let names: Vec<&str> = fields.iter().map(|(nombre, _)| *nombre).collect();
    let (required, orden) = (json!(names), json!(names));
    let properties: Map<String, Value> =
        fields.into_iter().map(|(nombre, schema)| (nombre.to_owned(), schema)).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
        "x-orden": orden,
    })
}

/// The same schema, `null` allowed.
pub(crate) fn or_null(mut schema: Value) -> Value {
    // Client generators turn an `enum` that contains `null` into several types. With `null` as an alternative beside
    // the `enum`, they make one type.
    if schema.get("$ref").is_some() || schema.get("enum").is_some() {
        return json!({ "anyOf": [schema, { "type": "null" }] });
    }
    schema["type"] = json!([schema["type"], "null"]);
    schema
}

/// The same schema with words for a person.
pub(crate) fn with(mut schema: Value, description: &str) -> Value {
    schema["description"] = json!(description);
    schema
}

pub(crate) fn id() -> Value {
    of_kind(Kind::Id)
}

/// An instant as we write it.
pub(crate) fn instant() -> Value {
    json!({
        "type": "string",
        "format": "date-time",
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$",
        "description": "RFC 3339, en UTC.",
    })
}

/// A count, or an integer of ours.
pub(crate) fn integer(min: i64) -> Value {
    json!({ "type": "integer", "minimum": min, "maximum": MAX_INTEGER })
}

pub(crate) fn list(of: &Value) -> Value {
    json!({ "type": "array", "items": of })
}

pub(crate) fn reference(nombre: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{nombre}") })
}

/// A field's example as a value.
pub(crate) fn example(field: &Field) -> Value {
    serde_json::from_str(field.example).expect("the tables' examples are JSON")
}

pub(crate) fn text(doc: &str) -> Value {
    json!({ "type": "string", "description": doc })
}

/// A field of a request as answers show it: the same kind, or `null` where it may never have been sent.
pub(crate) fn read_back(table: &[Field], nombre: &str, is_nullable: bool) -> Value {
    let field = table.iter().find(|c| c.nombre == nombre).expect("the field stands in its table");
    let schema = match field.kind {
        Kind::DateTime => instant(),
        kind => of_kind(kind),
    };
    with(if is_nullable { or_null(schema) } else { schema }, field.doc)
}

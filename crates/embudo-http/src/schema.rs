//! From a field's kind to JSON Schema 2020-12, the dialect of OpenAPI 3.1.
//!
//! A schema must accept exactly what the parser accepts, as far as JSON Schema can say it: generated tests send what it
//! allows and what it forbids, and expect the server to agree.

use embudo_domain::esquema::MAX_ENTERO;
use embudo_domain::orden::MAX_ORDEN;
use embudo_domain::{Campo, Tipo, contacto, imagen};
use serde_json::{Map, Value, json};

/// A UUID with hyphens, in any case.
pub(crate) const PATRON_UUID: &str = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

/// RFC 3339 with a zone; which days a month has is left to `format`. There is no second 60.
pub(crate) const PATRON_FECHA: &str = concat!(
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]",
    r"(\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
);

/// The schema of a field's kind, without its meaning.
pub(crate) fn de_tipo(tipo: Tipo) -> Value {
    match tipo {
        Tipo::Texto => json!({ "type": "string" }),
        Tipo::TextoNoVacio => json!({ "type": "string", "minLength": 1 }),
        Tipo::Uno([palabra]) => json!({ "type": "string", "const": palabra }),
        Tipo::Uno(palabras) => json!({ "type": "string", "enum": palabras }),
        Tipo::Booleano => json!({ "type": "boolean" }),
        Tipo::Entero { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Tipo::Positivo => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": f64::MAX }),
        Tipo::Orden => json!({ "type": "number", "minimum": -MAX_ORDEN, "maximum": MAX_ORDEN }),
        Tipo::FechaHora => json!({ "type": "string", "format": "date-time", "pattern": PATRON_FECHA }),
        Tipo::ObjetoLibre => json!({ "type": "object", "additionalProperties": true }),
        Tipo::Imagen => json!({ "type": "string", "format": "imagen", "pattern": imagen::PATRON }),
        Tipo::Telefono => json!({ "type": "string", "format": "telefono" }),
        Tipo::Email => json!({ "type": "string", "format": "email", "maxLength": contacto::MAX_EMAIL }),
        Tipo::Id => json!({ "type": "string", "format": "uuid", "pattern": PATRON_UUID }),
        Tipo::MapaDeTextos => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Tipo::Items => json!({ "type": "array", "items": referencia("Item"), "default": [] }),
        Tipo::Consentimientos => json!({ "type": "array", "items": referencia("Consentimiento") }),
    }
}

/// The schema of one field of a body: its kind, its meaning and its example.
pub(crate) fn de_campo(campo: &Campo) -> Value {
    let mut esquema = de_tipo(campo.tipo);
    esquema["description"] = json!(campo.doc);
    esquema["examples"] = json!([ejemplo(campo)]);
    esquema
}

/// A body's object. Keys that it does not name are ignored, so they are allowed.
pub(crate) fn de_cuerpo(campos: &[Campo]) -> Value {
    let propiedades: Map<String, Value> = campos.iter().map(|c| (c.nombre.to_owned(), de_campo(c))).collect();
    let nombres: Vec<&str> = campos.iter().map(|c| c.nombre).collect();
    let mut esquema = json!({ "type": "object", "properties": propiedades, "x-orden": nombres });
    let requeridos: Vec<&str> = campos.iter().filter(|c| c.requerido).map(|c| c.nombre).collect();
    if !requeridos.is_empty() {
        esquema["required"] = json!(requeridos);
    }
    esquema
}

/// An object of ours: these fields, all of them, and no others.
pub(crate) fn cerrado(campos: Vec<(&str, Value)>) -> Value {
    let nombres: Vec<&str> = campos.iter().map(|(nombre, _)| *nombre).collect();
    let (requeridos, orden) = (json!(nombres), json!(nombres));
    let propiedades: Map<String, Value> =
        campos.into_iter().map(|(nombre, esquema)| (nombre.to_owned(), esquema)).collect();
    json!({
        "type": "object",
        "properties": propiedades,
        "required": requeridos,
        "additionalProperties": false,
        "x-orden": orden,
    })
}

/// The same schema, `null` allowed.
pub(crate) fn o_nulo(mut esquema: Value) -> Value {
    // A closed list with a `null` in it becomes several types in generated clients; beside one, it stays one.
    if esquema.get("$ref").is_some() || esquema.get("enum").is_some() {
        return json!({ "anyOf": [esquema, { "type": "null" }] });
    }
    esquema["type"] = json!([esquema["type"], "null"]);
    esquema
}

/// The same schema with words for a person.
pub(crate) fn con(mut esquema: Value, descripcion: &str) -> Value {
    esquema["description"] = json!(descripcion);
    esquema
}

pub(crate) fn id() -> Value {
    de_tipo(Tipo::Id)
}

/// An instant as we write it.
pub(crate) fn instante() -> Value {
    json!({
        "type": "string",
        "format": "date-time",
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$",
        "description": "RFC 3339, en UTC.",
    })
}

/// A count, or an integer of ours.
pub(crate) fn entero(min: i64) -> Value {
    json!({ "type": "integer", "minimum": min, "maximum": MAX_ENTERO })
}

pub(crate) fn lista(de: &Value) -> Value {
    json!({ "type": "array", "items": de })
}

pub(crate) fn referencia(nombre: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{nombre}") })
}

/// A field's example as a value.
pub(crate) fn ejemplo(campo: &Campo) -> Value {
    serde_json::from_str(campo.ejemplo).expect("the tables' examples are JSON")
}

pub(crate) fn texto(doc: &str) -> Value {
    json!({ "type": "string", "description": doc })
}

/// A field of a request as it is read back: the same kind, or `null` where it may never have been sent.
pub(crate) fn read_back(table: &[Campo], nombre: &str, is_nullable: bool) -> Value {
    let campo = table.iter().find(|c| c.nombre == nombre).expect("the field stands in its table");
    let esquema = match campo.tipo {
        Tipo::FechaHora => instante(),
        tipo => de_tipo(tipo),
    };
    con(if is_nullable { o_nulo(esquema) } else { esquema }, campo.doc)
}

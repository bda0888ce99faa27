//! What a request carries besides its body, and the headers of answers.

use embudo_domain::calificacion::Nivel;
use embudo_domain::perfil::{CanalOrigen, EstadoWa};
use embudo_domain::{Kind, Zona};
use serde_json::{Value, json};

use crate::api::list::{LIMIT, MAX_LIMIT};
use crate::schema::{id, of_kind};

/// Parameters that several operations share.
pub(super) fn shared() -> Value {
    let mut all = json!({
        "id": {
            "name": "id",
            "in": "path",
            "required": true,
            "description": "UUID del lead, con guiones. Cualquier otra cosa no existe: 404.",
            "schema": id(),
        },
        "foto": {
            "name": "foto",
            "in": "path",
            "required": true,
            "description": "UUID de la foto, tal como aparece en la ficha del lead.",
            "schema": id(),
        },
        "fichero": {
            "name": "fichero",
            "in": "path",
            "required": true,
            "description": "El número del presupuesto y «.pdf».",
            "schema": { "type": "string", "pattern": "^[1-9][0-9]{3}-[0-9]{4,}\\.pdf$" },
            "example": "2026-0001.pdf",
        },
        "Idempotency-Key": {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "De 1 a 255 caracteres ASCII imprimibles. La misma clave con el mismo cuerpo, en los 7 días \
                siguientes, devuelve la primera respuesta sin volver a hacer nada; con otro cuerpo da 422; mal formada, 400.",
            // White space around a header's value is not part of it.
            "schema": { "type": "string", "pattern": "^[!-~]([ -~]{0,253}[!-~])?$" },
            "example": "wa-7f3a-0001",
        },
    });
    for (nombre, header) in super::webhooks::headers() {
        all[nombre] = header;
    }
    all
}

/// The filters of the list: name, schema, meaning, example.
pub(super) fn of_list() -> Vec<Value> {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT });
    let cursor = json!({
        "type": "string",
        "pattern": "^[0-9]{1,17}_[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    });
    let filters = [
        ("tenantId", id(), "Empresa."),
        ("telefono", of_kind(Kind::Telefono), "Teléfono en cualquier forma usual; se compara en E.164."),
        ("email", of_kind(Kind::Email), "Correo electrónico; no distingue mayúsculas."),
        ("tipoReforma", of_kind(Kind::One(Zona::WORDS)), "Tipo de reforma."),
        ("nivel", of_kind(Kind::One(Nivel::WORDS)), "Nivel de la calificación."),
        ("canalOrigen", of_kind(Kind::One(CanalOrigen::WORDS)), "Canal de origen."),
        ("viable", json!({ "type": "string", "enum": ["true", "false"] }), "Si es viable."),
        ("estadoWa", of_kind(Kind::One(EstadoWa::WORDS)), "Estado de mensajería."),
        (
            "texto",
            of_kind(Kind::Text),
            "Texto que buscar en nombre, correo, teléfono y provincia, sin distinguir mayúsculas ni tildes. Un lead \
             antiguo recién corregido se encuentra a los pocos segundos.",
        ),
        ("desde", of_kind(Kind::DateTime), "Creados en este instante o después."),
        ("hasta", of_kind(Kind::DateTime), "Creados antes de este instante."),
        ("cursor", cursor, "El valor «siguiente» de la página anterior."),
        ("limite", limit, "Leads por página."),
    ];
    filters.into_iter().map(|(nombre, schema, doc)| filter(nombre, schema, doc)).collect()
}

/// The query of a lead's events.
pub(super) fn of_events() -> Vec<Value> {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT });
    let cursor = json!({ "type": "string", "pattern": "^[0-9]{1,17}_[01]_[0-9]{1,15}$" });
    let filters = [
        ("cursor", cursor, "El valor «siguiente» de la página anterior."),
        ("limite", limit, "Eventos por página."),
    ];
    filters.into_iter().map(|(nombre, schema, doc)| filter(nombre, schema, doc)).collect()
}

/// The query of `GET /api/pendiente`.
pub(super) fn of_pending() -> Vec<Value> {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT });
    vec![filter("tenantId", id(), "Empresa."), filter("limite", limit, "Cuántos, como mucho.")]
}

/// Forms send empty values, so an empty value means no filter.
fn filter(nombre: &str, schema: Value, doc: &str) -> Value {
    let admits_empty = schema == of_kind(Kind::Text);
    let schema = if admits_empty { schema } else { json!({ "anyOf": [schema, { "const": "" }] }) };
    json!({ "name": nombre, "in": "query", "required": false, "description": doc, "schema": schema })
}

/// Headers of answers.
pub(super) fn headers() -> Value {
    json!({
        "x-request-id": {
            "description": "Identificador de la petición; es también el «instance» de un problema.",
            "required": true,
            "schema": id(),
        },
        "Idempotency-Replayed": {
            "description": "true cuando la respuesta es la primera, repetida.",
            "schema": { "type": "string", "const": "true" },
        },
        "Location": {
            "description": "Dirección del lead creado.",
            "required": true,
            "schema": { "type": "string", "format": "uri-reference" },
        },
        "Retry-After": {
            "description": "Segundos que conviene esperar.",
            "required": true,
            "schema": { "type": "string", "pattern": "^[0-9]+$" },
        },
        "WWW-Authenticate": {
            "description": "El esquema que se espera.",
            "required": true,
            "schema": { "type": "string", "const": "Bearer" },
        },
        "RateLimit": {
            "description": "Lo que queda del minuto.",
            "required": true,
            "schema": { "type": "string" },
        },
        "RateLimit-Policy": {
            "description": "El límite por minuto.",
            "required": true,
            "schema": { "type": "string" },
        },
        "ETag": { "description": "Versión del recurso.", "required": true, "schema": { "type": "string" } },
    })
}

pub(super) fn header(nombre: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{nombre}") })
}

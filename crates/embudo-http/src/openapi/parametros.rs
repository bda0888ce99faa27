//! What a request carries besides its body, and the headers of answers.

use embudo_domain::calificacion::Nivel;
use embudo_domain::perfil::{CanalOrigen, EstadoWa};
use embudo_domain::{Tipo, Zona};
use serde_json::{Value, json};

use crate::api::lista::{LIMITE, MAX_LIMITE};
use crate::schema::{de_tipo, id};

/// Parameters that several operations share.
pub(super) fn compartidos() -> Value {
    let mut todos = json!({
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
    for (nombre, cabecera) in super::webhooks::cabeceras() {
        todos[nombre] = cabecera;
    }
    todos
}

/// The filters of the list: name, schema, meaning, example.
pub(super) fn de_la_lista() -> Vec<Value> {
    let limite = json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMITE, "default": LIMITE });
    let cursor = json!({
        "type": "string",
        "pattern": "^[0-9]{1,17}_[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    });
    let filtros = [
        ("tenantId", id(), "Empresa."),
        ("telefono", de_tipo(Tipo::Telefono), "Teléfono en cualquier forma usual; se compara en E.164."),
        ("email", de_tipo(Tipo::Email), "Correo electrónico; no distingue mayúsculas."),
        ("tipoReforma", de_tipo(Tipo::Uno(Zona::PALABRAS)), "Tipo de reforma."),
        ("nivel", de_tipo(Tipo::Uno(Nivel::PALABRAS)), "Nivel de la calificación."),
        ("canalOrigen", de_tipo(Tipo::Uno(CanalOrigen::PALABRAS)), "Canal de origen."),
        ("viable", json!({ "type": "string", "enum": ["true", "false"] }), "Si es viable."),
        ("estadoWa", de_tipo(Tipo::Uno(EstadoWa::PALABRAS)), "Estado de mensajería."),
        ("texto", de_tipo(Tipo::Texto), "Texto que buscar, sin distinguir mayúsculas ni tildes."),
        ("desde", de_tipo(Tipo::FechaHora), "Creados en este instante o después."),
        ("hasta", de_tipo(Tipo::FechaHora), "Creados antes de este instante."),
        ("cursor", cursor, "El valor «siguiente» de la página anterior."),
        ("limite", limite, "Leads por página."),
    ];
    filtros.into_iter().map(|(nombre, esquema, doc)| filtro(nombre, esquema, doc)).collect()
}

/// The query of a lead's events.
pub(super) fn de_los_eventos() -> Vec<Value> {
    let limite = json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMITE, "default": LIMITE });
    let cursor = json!({ "type": "string", "pattern": "^[0-9]{1,17}_[01]_[0-9]{1,15}$" });
    let filtros = [
        ("cursor", cursor, "El valor «siguiente» de la página anterior."),
        ("limite", limite, "Eventos por página."),
    ];
    filtros.into_iter().map(|(nombre, esquema, doc)| filtro(nombre, esquema, doc)).collect()
}

/// An empty value is no filter, as a form sends it.
fn filtro(nombre: &str, esquema: Value, doc: &str) -> Value {
    let admite_vacio = esquema == de_tipo(Tipo::Texto);
    let esquema = if admite_vacio { esquema } else { json!({ "anyOf": [esquema, { "const": "" }] }) };
    json!({ "name": nombre, "in": "query", "required": false, "description": doc, "schema": esquema })
}

/// Headers of answers.
pub(super) fn cabeceras() -> Value {
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

pub(super) fn cabecera(nombre: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{nombre}") })
}

//! Refusals: RFC 9457 problem documents, one response per status.

use embudo_domain::errors::{CODES, MAX_ERRORS};
use serde_json::{Map, Value, json};

use super::parameters::header;
use crate::problem::KINDS;
use crate::problem_explanations::EXPLANATIONS;
use crate::schema::{closed, id, reference, with};

/// The name among the responses of each status, what it means in a word, and the headers it carries besides the id.
const STATES: &[(u16, &str, &str, &[&str])] = &[
    (400, "MalFormada", "Idempotency-Key mal formada, o cuerpo incompleto.", &[]),
    (401, "NoAutorizado", "Falta la clave o no es correcta.", &["WWW-Authenticate"]),
    (404, "NoEncontrado", "El lead, o la foto, no existe.", &[]),
    (405, "MetodoNoPermitido", "La dirección no admite ese método; los admitidos van en Allow.", &[]),
    (408, "CuerpoLento", "El cuerpo llega demasiado despacio.", &[]),
    (409, "EnCurso", "La primera llamada con esta Idempotency-Key aún no ha terminado.", &["Retry-After"]),
    (413, "CuerpoGrande", "El cuerpo supera el límite.", &[]),
    (415, "Codificacion", "El cuerpo viene comprimido.", &[]),
    (422, "NoValido", "El cuerpo o la consulta no es válido; «errores» lista todos los fallos.", &[]),
    (
        429,
        "DemasiadasPeticiones",
        "Demasiadas claves equivocadas desde esta dirección, o el límite de la clave.",
        &["Retry-After", "RateLimit", "RateLimit-Policy"],
    ),
    (500, "Interno", "Ha fallado algo que no debía.", &[]),
    (
        503,
        "NoDisponible",
        "El almacenamiento no responde, o hay demasiadas subidas a la vez.",
        &["Retry-After"],
    ),
];

/// A reference to the response of a status.
pub(super) fn reference_to(status: u16) -> Value {
    let found = STATES.iter().find(|(s, ..)| *s == status);
    let (_, nombre, ..) = found.expect("operations name statuses of the table");
    json!({ "$ref": format!("#/components/responses/{nombre}") })
}

/// Every refusal.
pub(super) fn responses() -> Map<String, Value> {
    STATES
        .iter()
        .map(|(status, nombre, text, headers)| ((*nombre).to_owned(), response(*status, text, headers)))
        .collect()
}

fn response(status: u16, text: &str, headers: &[&str]) -> Value {
    let own: Vec<_> = KINDS.iter().filter(|(_, s, _)| *s == status).collect();
    let uris: Vec<String> = own.iter().map(|(kind, ..)| uri(kind)).collect();
    let base = if status == 422 { "ProblemaNoValido" } else { "Problema" };
    let examples: Map<String, Value> =
        own.iter().map(|(kind, s, title)| ((*kind).to_owned(), example(kind, *s, title))).collect();
    let mut with_id = Map::new();
    for nombre in ["x-request-id"].iter().chain(headers) {
        with_id.insert((*nombre).to_owned(), header(nombre));
    }
    json!({
        "description": text,
        "headers": with_id,
        "content": {
            "application/problem+json": {
                "schema": {
                    "allOf": [reference(base)],
                    "properties": { "status": { "const": status }, "type": { "enum": uris } },
                },
                "examples": examples,
            },
        },
    })
}

fn example(kind: &str, status: u16, title: &str) -> Value {
    let explanation = EXPLANATIONS.iter().find(|e| e.kind == kind);
    let detail = explanation.expect("every type is explained").detail;
    let mut value = json!({
        "type": uri(kind),
        "title": title,
        "status": status,
        "detail": detail,
        "instance": "urn:uuid:0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b",
    });
    if status == 422 {
        value["errores"] = json!([
            { "campo": "/items/0/zona", "codigo": "valor",
              "mensaje": "Debe ser uno de estos valores: cocina, bano, salon, comedor, integral, otro." },
            { "campo": "/items/1/texto", "codigo": "vacio", "mensaje": "No puede estar vacío." },
        ]);
    }
    json!({ "summary": title, "value": value })
}

fn uri(kind: &str) -> String {
    format!("/docs/problemas#{kind}")
}

/// The shapes of refusals.
pub(super) fn schemas() -> Map<String, Value> {
    let mut all = Map::new();
    let problem = with(closed(common()), "Un problema, según la RFC 9457. Nunca repite el valor rechazado.");
    all.insert("Problema".into(), problem);
    let mut fields = common();
    let errors = json!({
        "type": "array",
        "items": reference("ErrorCampo"),
        "minItems": 1,
        "maxItems": MAX_ERRORS,
        "description": "Todos los fallos del cuerpo, no solo el primero.",
    });
    fields.push(("errores", errors));
    all.insert("ProblemaNoValido".into(), with(closed(fields), "Un problema con la lista de sus fallos."));
    all.insert("ErrorCampo".into(), field_error());
    all
}

fn common() -> Vec<(&'static str, Value)> {
    let uris: Vec<String> = KINDS.iter().map(|(kind, ..)| uri(kind)).collect();
    let titles: Vec<&str> = KINDS.iter().map(|(_, _, title)| *title).collect();
    let pattern = id()["pattern"].as_str().map_or_else(String::new, |p| format!("^urn:uuid:{}", &p[1..]));
    vec![
        (
            "type",
            json!({ "type": "string", "enum": uris, "description": "Tipo de problema; lleva a su explicación." }),
        ),
        ("title", json!({ "type": "string", "enum": titles, "description": "El tipo, en palabras." })),
        (
            "status",
            json!({ "type": "integer", "minimum": 400, "maximum": 599, "description": "El código HTTP." }),
        ),
        ("detail", json!({ "type": "string", "description": "Qué ha pasado y qué hacer." })),
        (
            "instance",
            json!({ "type": "string", "pattern": pattern, "description": "Identificador de la petición." }),
        ),
    ]
}

fn field_error() -> Value {
    let field = json!({
        "type": "string",
        "description": "Puntero JSON al lugar (/items/0/zona); vacío si es el cuerpo entero. En la lista, el nombre del filtro.",
    });
    let code = json!({ "type": "string", "enum": CODES, "description": "Palabra estable para máquinas." });
    let mensaje = json!({ "type": "string", "description": "Qué hacer, para personas." });
    let all = closed(vec![("campo", field), ("codigo", code), ("mensaje", mensaje)]);
    with(all, "Un fallo, con su lugar.")
}

#[cfg(test)]
pub(super) fn states() -> impl Iterator<Item = u16> {
    STATES.iter().map(|(status, ..)| *status)
}

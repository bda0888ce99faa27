//! Refusals: RFC 9457 problem documents, one response per status.

use embudo_domain::errores::{CODIGOS, MAX_ERRORES};
use serde_json::{Map, Value, json};

use super::parametros::cabecera;
use crate::problem_explanations::EXPLANATIONS;
use crate::problema::TIPOS;
use crate::schema::{cerrado, con, id, referencia};

/// The name among the responses of each status, what it means in a word, and the headers it carries besides the id.
const ESTADOS: &[(u16, &str, &str, &[&str])] = &[
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
pub(super) fn referencia_a(status: u16) -> Value {
    let encontrado = ESTADOS.iter().find(|(s, ..)| *s == status);
    let (_, nombre, ..) = encontrado.expect("operations name statuses of the table");
    json!({ "$ref": format!("#/components/responses/{nombre}") })
}

/// Every refusal.
pub(super) fn respuestas() -> Map<String, Value> {
    ESTADOS
        .iter()
        .map(|(status, nombre, texto, cabeceras)| {
            ((*nombre).to_owned(), respuesta(*status, texto, cabeceras))
        })
        .collect()
}

fn respuesta(status: u16, texto: &str, cabeceras: &[&str]) -> Value {
    let suyos: Vec<_> = TIPOS.iter().filter(|(_, s, _)| *s == status).collect();
    let uris: Vec<String> = suyos.iter().map(|(tipo, ..)| uri(tipo)).collect();
    let base = if status == 422 { "ProblemaNoValido" } else { "Problema" };
    let ejemplos: Map<String, Value> =
        suyos.iter().map(|(tipo, s, titulo)| ((*tipo).to_owned(), ejemplo(tipo, *s, titulo))).collect();
    let mut con_id = Map::new();
    for nombre in ["x-request-id"].iter().chain(cabeceras) {
        con_id.insert((*nombre).to_owned(), cabecera(nombre));
    }
    json!({
        "description": texto,
        "headers": con_id,
        "content": {
            "application/problem+json": {
                "schema": {
                    "allOf": [referencia(base)],
                    "properties": { "status": { "const": status }, "type": { "enum": uris } },
                },
                "examples": ejemplos,
            },
        },
    })
}

fn ejemplo(tipo: &str, status: u16, titulo: &str) -> Value {
    let explicacion = EXPLANATIONS.iter().find(|e| e.kind == tipo);
    let detalle = explicacion.expect("every type is explained").detail;
    let mut valor = json!({
        "type": uri(tipo),
        "title": titulo,
        "status": status,
        "detail": detalle,
        "instance": "urn:uuid:0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b",
    });
    if status == 422 {
        valor["errores"] = json!([
            { "campo": "/items/0/zona", "codigo": "valor",
              "mensaje": "Debe ser uno de estos valores: cocina, bano, salon, comedor, integral, otro." },
            { "campo": "/items/1/texto", "codigo": "vacio", "mensaje": "No puede estar vacío." },
        ]);
    }
    json!({ "summary": titulo, "value": valor })
}

fn uri(tipo: &str) -> String {
    format!("/docs/problemas#{tipo}")
}

/// The shapes of refusals.
pub(super) fn esquemas() -> Map<String, Value> {
    let mut todos = Map::new();
    let problema =
        con(cerrado(comunes()), "Un problema, según la RFC 9457. Nunca repite el valor rechazado.");
    todos.insert("Problema".into(), problema);
    let mut campos = comunes();
    let errores = json!({
        "type": "array",
        "items": referencia("ErrorCampo"),
        "minItems": 1,
        "maxItems": MAX_ERRORES,
        "description": "Todos los fallos del cuerpo, no solo el primero.",
    });
    campos.push(("errores", errores));
    todos.insert("ProblemaNoValido".into(), con(cerrado(campos), "Un problema con la lista de sus fallos."));
    todos.insert("ErrorCampo".into(), error_campo());
    todos
}

fn comunes() -> Vec<(&'static str, Value)> {
    let uris: Vec<String> = TIPOS.iter().map(|(tipo, ..)| uri(tipo)).collect();
    let titulos: Vec<&str> = TIPOS.iter().map(|(_, _, titulo)| *titulo).collect();
    let patron = id()["pattern"].as_str().map_or_else(String::new, |p| format!("^urn:uuid:{}", &p[1..]));
    vec![
        (
            "type",
            json!({ "type": "string", "enum": uris, "description": "Tipo de problema; lleva a su explicación." }),
        ),
        ("title", json!({ "type": "string", "enum": titulos, "description": "El tipo, en palabras." })),
        (
            "status",
            json!({ "type": "integer", "minimum": 400, "maximum": 599, "description": "El código HTTP." }),
        ),
        ("detail", json!({ "type": "string", "description": "Qué ha pasado y qué hacer." })),
        (
            "instance",
            json!({ "type": "string", "pattern": patron, "description": "Identificador de la petición." }),
        ),
    ]
}

fn error_campo() -> Value {
    let campo = json!({
        "type": "string",
        "description": "Puntero JSON al lugar (/items/0/zona); vacío si es el cuerpo entero. En la lista, el nombre del filtro.",
    });
    let codigo =
        json!({ "type": "string", "enum": CODIGOS, "description": "Palabra estable para máquinas." });
    let mensaje = json!({ "type": "string", "description": "Qué hacer, para personas." });
    let todo = cerrado(vec![("campo", campo), ("codigo", codigo), ("mensaje", mensaje)]);
    con(todo, "Un fallo, con su lugar.")
}

#[cfg(test)]
pub(super) fn estados() -> impl Iterator<Item = u16> {
    ESTADOS.iter().map(|(status, ..)| *status)
}

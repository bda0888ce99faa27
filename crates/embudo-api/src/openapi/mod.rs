//! The OpenAPI 3.1 document, built from the tables that the request parser uses.
//!
//! Request bodies come from `embudo_domain`'s tables of fields, error responses from `problem::KINDS`, enum values from
//! the enums, response schemas from `views`. Only summaries and rules across several fields are written here by hand.
//! This module is documentation alone: no request is validated with it.

mod bodies;
mod catalog;
mod operations;
mod parameters;
mod problems;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod webhooks;

use std::sync::LazyLock;

use axum::response::Response;
use http::HeaderMap;
use serde_json::{Map, Value, json};

use crate::static_resource::StaticResource;

/// Rules that hold for every endpoint, in Markdown; the document's own description.
const GUIDE: &str = include_str!("guia.md");

/// The groups of operations, in reading order.
const LABELS: &[(&str, &str)] = &[
    ("Ingesta", "Fotos y notas que completan el perfil de un lead, y las dos señales que lo cierran."),
    ("Bot", "Los cuatro puntos con los que un bot de conversación rellena los datos."),
    ("Leads", "Crear, consultar, buscar y corregir leads."),
    ("Fotos", "Leer o borrar una foto suelta."),
    ("Presupuestos", "Los presupuestos que hace `finalizar`."),
    (
        "Visitas",
        "La visita de un lead y las horas que quedan para ella. Se acuerdan en el panel y en la página del cliente.",
    ),
    (
        webhooks::LABEL,
        "Lo que el servidor envía a un flujo externo, cada una a la dirección de su ajuste; sin dirección, la señal no sale. Un fallo se \
         repite durante días: una señal puede llegar dos veces, siempre con el mismo `webhook-id`.",
    ),
    ("Sistema", "Lo que las máquinas preguntan al servidor."),
];

/// The whole document.
///
/// JSON objects have no order, so two extensions tell it to a page that shows the document: `x-orden` of a schema lists
/// its fields as in the specification, and `x-operaciones` of a tag its operations.
pub fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
        "info": {
            "title": "API de Embudo",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Ingesta de leads de reformas y puntos de entrada para un bot de conversación.",
            "description": GUIDE,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "Este servidor" }],
        "security": [{ "clave": [] }],
        "tags": labels(),
        "paths": operations::routes(),
        "webhooks": webhooks::webhooks(),
        "components": {
            "securitySchemes": {
                "clave": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "La clave compartida FUNNEL_API_KEY, o una clave de empresa creada en el panel, que solo abre los leads \
                        de su empresa: «Authorization: Bearer <clave>».",
                },
            },
            "schemas": named_schemas(),
            "parameters": parameters::shared(),
            "headers": parameters::headers(),
            "responses": problems::responses(),
        },
    })
}

fn labels() -> Value {
    let a = |(nombre, text): &(&str, &str)| {
        let operations = catalog::OPERATIONS.iter().map(|o| (o.label, o.id));
        let signals = webhooks::SIGNALS.iter().map(|s| (webhooks::LABEL, s.id));
        let own = operations.chain(signals).filter(|(label, _)| label == nombre).map(|(_, id)| id);
        json!({ "name": nombre, "description": text, "x-operaciones": own.collect::<Vec<_>>() })
    };
    LABELS.iter().map(a).collect()
}

fn named_schemas() -> Map<String, Value> {
    let mut all = bodies::schemas();
    all.extend(crate::views::schemas());
    all.extend(problems::schemas());
    all.extend(webhooks::schemas());
    all
}

static RESOURCE: LazyLock<StaticResource> =
    LazyLock::new(|| StaticResource::new("application/json", document().to_string().into_bytes()));

/// `GET /openapi.json`.
pub(crate) async fn serve(headers: HeaderMap) -> Response {
    RESOURCE.respond(&headers)
}

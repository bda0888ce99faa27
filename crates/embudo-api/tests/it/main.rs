//! The API as the contract words it, on both engines, over real sockets. One file per endpoint or rule.

#![allow(clippy::unwrap_used)]

mod bodies;
mod calificacion;
mod company_keys;
mod compression;
mod conversacion;
mod finalizar;
mod fotos;
mod idempotency;
mod ingesta;
mod intento;
mod keys;
mod leads;
mod list;
mod mcp;
mod mensajeria;
mod orden;
mod pendiente;
mod perfil;
mod presupuestos;
mod signals;
mod system;
mod uploads;
mod visita;
mod webhooks;

/// An id that no lead has.
const NOBODY: &str = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";

/// The endpoints under a lead that take a body, each with a body that is right.
fn with_body() -> Vec<(&'static str, serde_json::Value)> {
    use serde_json::json;
    vec![
        ("ingesta", json!({ "items": [{ "tipo": "texto", "texto": "Quiero isla central" }] })),
        ("conversacion", json!({ "rol": "user", "mensaje": "Hola" })),
        ("perfil", json!({ "viable": true })),
        ("calificacion", json!({ "score": 80 })),
        ("intento", json!({ "canal": "llamada", "numeroIntento": 1 })),
        ("mensajeria", json!({})),
    ]
}

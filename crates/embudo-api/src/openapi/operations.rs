//! From the catalogue of operations to the document's `paths`.

use embudo_domain::Body;
use embudo_domain::perfil::PerfilPatch;
use serde_json::{Map, Value, json};

use super::bodies;
use super::catalog::{Content, OPERATIONS, Operation};
use super::parameters::{header, of_events, of_list, of_pending};
use super::problems::reference_to;
use crate::schema::{example, reference};

/// The document's `paths`.
pub(super) fn routes() -> Map<String, Value> {
    let mut routes = Map::new();
    for operation in OPERATIONS {
        let path = routes.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = operation.describe();
    }
    routes
}

impl Operation {
    fn is_api(&self) -> bool {
        self.path.starts_with("/api/")
    }

    /// The statuses of the refusals that it may answer with, in order.
    fn rejections(&self) -> Vec<u16> {
        let mut all = vec![500];
        all.extend(self.others);
        if self.is_api() {
            all.extend([401, 429, 503]);
        }
        if self.path.contains("{id}") {
            all.push(404);
        }
        if self.body.is_some() {
            all.extend([400, 408, 413, 415, 422]);
        }
        if self.method == "post" {
            all.push(409);
        }
        all.sort_unstable();
        all
    }

    fn describe(&self) -> Value {
        let mut all = json!({
            "operationId": self.id,
            "tags": [self.label],
            "summary": self.summary,
            "description": self.description,
            "parameters": self.parameters(),
            "responses": self.responses(),
        });
        if let Some(nombre) = self.body {
            let body = bodies::find(nombre);
            all["requestBody"] = json!({
                "description": body.description,
                "required": !body.fields.is_empty(),
                "content": {
                    "application/json": { "schema": reference(nombre), "examples": bodies::examples(body) },
                },
            });
        }
        if !self.is_api() && self.path != "/metrics" {
            all["security"] = json!([]);
        }
        all
    }

    fn parameters(&self) -> Vec<Value> {
        let mut names: Vec<&str> = ["id", "foto", "fichero"]
            .into_iter()
            .filter(|n| self.path.contains(&format!("{{{n}}}")))
            .collect();
        if self.method == "post" {
            names.push("Idempotency-Key");
        }
        let mut all: Vec<Value> =
            names.iter().map(|n| json!({ "$ref": format!("#/components/parameters/{n}") })).collect();
        if self.id == "listarLeads" {
            all.extend(of_list());
        }
        if self.id == "verPendiente" {
            all.extend(of_pending());
        }
        if self.id == "listarEventos" {
            all.extend(of_events());
        }
        all
    }

    fn responses(&self) -> Map<String, Value> {
        let mut all = Map::new();
        let mut success = json!({
            "description": self.success.text,
            "headers": { "x-request-id": header("x-request-id") },
        });
        for (nombre, carries_it) in [
            ("Idempotency-Replayed", self.method == "post"),
            ("Location", self.success.status == 201),
            ("ETag", ["openapi", "verPresupuesto"].contains(&self.id)),
        ] {
            if carries_it {
                success["headers"][nombre] = header(nombre);
            }
        }
        if let Some(content) = self.success.content.describe() {
            success["content"] = content;
        }
        all.insert(self.success.status.to_string(), success);
        if self.id == "openapi" {
            all.insert(
                "304".into(),
                json!({ "description": "No ha cambiado desde el ETag de If-None-Match." }),
            );
        }
        for status in self.rejections() {
            all.insert(status.to_string(), reference_to(status));
        }
        all
    }
}

impl Content {
    fn describe(&self) -> Option<Value> {
        match *self {
            Self::Json(nombre, example) => {
                let mut example: Value = serde_json::from_str(example).expect("the examples are JSON");
                match nombre {
                    "Ficha" => complete(&mut example),
                    "PaginaDeLeads" => {
                        example["leads"].as_array_mut().into_iter().flatten().for_each(complete);
                    }
                    _ => {}
                }
                Some(json!({ "application/json": { "schema": reference(nombre), "example": example } }))
            }
            Self::Other("application/json", _) => {
                Some(json!({ "application/json": { "schema": { "type": "object" } } }))
            }
            Self::Other(kind @ "application/pdf", _) => {
                Some(json!({ kind: { "schema": { "type": "string", "format": "binary" } } }))
            }
            Self::Other(kind, "") => Some(json!({ kind: { "schema": { "type": "string" } } })),
            Self::Other(kind, example) => {
                Some(json!({ kind: { "schema": { "type": "string" }, "example": example } }))
            }
            Self::Nothing => None,
        }
    }
}

/// Gives a lead of an example the fields of the profile that it does not name.
fn complete(lead: &mut Value) {
    for field in PerfilPatch::FIELD_TABLE {
        if lead.get(field.nombre).is_none() {
            lead[field.nombre] = example(field);
        }
    }
}

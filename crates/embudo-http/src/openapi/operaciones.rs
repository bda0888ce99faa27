//! From the catalogue of operations to the document's `paths`.

use embudo_domain::Cuerpo;
use embudo_domain::perfil::PerfilPatch;
use serde_json::{Map, Value, json};

use super::catalogo::{Contenido, OPERACIONES, Operacion};
use super::cuerpos;
use super::parametros::{cabecera, de_la_lista, de_los_eventos};
use super::problemas::referencia_a;
use crate::schema::{ejemplo, referencia};

/// The document's `paths`.
pub(super) fn rutas() -> Map<String, Value> {
    let mut rutas = Map::new();
    for operacion in OPERACIONES {
        let ruta = rutas.entry(operacion.ruta).or_insert_with(|| json!({}));
        ruta[operacion.metodo] = operacion.describir();
    }
    rutas
}

impl Operacion {
    fn es_api(&self) -> bool {
        self.ruta.starts_with("/api/")
    }

    /// The refusals it may answer with, in order.
    fn rechazos(&self) -> Vec<u16> {
        let mut todos = vec![500];
        todos.extend(self.otros);
        if self.es_api() {
            todos.extend([401, 429, 503]);
        }
        if self.ruta.contains("{id}") {
            todos.push(404);
        }
        if self.cuerpo.is_some() {
            todos.extend([400, 408, 413, 415, 422]);
        }
        if self.metodo == "post" {
            todos.push(409);
        }
        todos.sort_unstable();
        todos
    }

    fn describir(&self) -> Value {
        let mut todo = json!({
            "operationId": self.id,
            "tags": [self.etiqueta],
            "summary": self.resumen,
            "description": self.descripcion,
            "parameters": self.parametros(),
            "responses": self.respuestas(),
        });
        if let Some(nombre) = self.cuerpo {
            let cuerpo = cuerpos::buscar(nombre);
            todo["requestBody"] = json!({
                "description": cuerpo.descripcion,
                "required": !cuerpo.campos.is_empty(),
                "content": {
                    "application/json": { "schema": referencia(nombre), "examples": cuerpos::ejemplos(cuerpo) },
                },
            });
        }
        if !self.es_api() && self.ruta != "/metrics" {
            todo["security"] = json!([]);
        }
        todo
    }

    fn parametros(&self) -> Vec<Value> {
        let mut nombres: Vec<&str> = ["id", "foto", "fichero"]
            .into_iter()
            .filter(|n| self.ruta.contains(&format!("{{{n}}}")))
            .collect();
        if self.metodo == "post" {
            nombres.push("Idempotency-Key");
        }
        let mut todos: Vec<Value> =
            nombres.iter().map(|n| json!({ "$ref": format!("#/components/parameters/{n}") })).collect();
        if self.id == "listarLeads" {
            todos.extend(de_la_lista());
        }
        if self.id == "listarEventos" {
            todos.extend(de_los_eventos());
        }
        todos
    }

    fn respuestas(&self) -> Map<String, Value> {
        let mut todas = Map::new();
        let mut exito = json!({
            "description": self.exito.texto,
            "headers": { "x-request-id": cabecera("x-request-id") },
        });
        for (nombre, la_lleva) in [
            ("Idempotency-Replayed", self.metodo == "post"),
            ("Location", self.exito.status == 201),
            ("ETag", ["openapi", "verPresupuesto"].contains(&self.id)),
        ] {
            if la_lleva {
                exito["headers"][nombre] = cabecera(nombre);
            }
        }
        if let Some(contenido) = self.exito.contenido.describir() {
            exito["content"] = contenido;
        }
        todas.insert(self.exito.status.to_string(), exito);
        if self.id == "openapi" {
            todas.insert(
                "304".into(),
                json!({ "description": "No ha cambiado desde el ETag de If-None-Match." }),
            );
        }
        for status in self.rechazos() {
            todas.insert(status.to_string(), referencia_a(status));
        }
        todas
    }
}

impl Contenido {
    fn describir(&self) -> Option<Value> {
        match *self {
            Self::Json(nombre, ejemplo) => {
                let mut ejemplo: Value = serde_json::from_str(ejemplo).expect("the examples are JSON");
                match nombre {
                    "Ficha" => complete(&mut ejemplo),
                    "PaginaDeLeads" => {
                        ejemplo["leads"].as_array_mut().into_iter().flatten().for_each(complete);
                    }
                    _ => {}
                }
                Some(json!({ "application/json": { "schema": referencia(nombre), "example": ejemplo } }))
            }
            Self::Otro("application/json", _) => {
                Some(json!({ "application/json": { "schema": { "type": "object" } } }))
            }
            Self::Otro(tipo @ "application/pdf", _) => {
                Some(json!({ tipo: { "schema": { "type": "string", "format": "binary" } } }))
            }
            Self::Otro(tipo, "") => Some(json!({ tipo: { "schema": { "type": "string" } } })),
            Self::Otro(tipo, ejemplo) => {
                Some(json!({ tipo: { "schema": { "type": "string" }, "example": ejemplo } }))
            }
            Self::Nada => None,
        }
    }
}

/// Gives a lead of an example the fields of the profile that it does not name.
fn complete(lead: &mut Value) {
    for campo in PerfilPatch::CAMPOS {
        if lead.get(campo.nombre).is_none() {
            lead[campo.nombre] = ejemplo(campo);
        }
    }
}

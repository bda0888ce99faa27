//! The HTTP face of Embudo: the door, the API, the machine's own pages, and those that clients see.
//!
//! A handler extracts, calls once and wraps; it holds no SQL and no rule of the business. Every refusal becomes a problem
//! document in `problema`, and nowhere else.

pub mod api;
mod blob_body;
mod compression;
mod contestacion;
mod cuerpo;
mod docs;
mod enlaces;
mod estado;
mod extraer;
pub mod openapi;
mod problema;
pub mod puerta;
mod rutas;
mod sistema;
mod web;

pub use estado::{Ajustes, Estado};
pub use rutas::{router, router_metricas};
pub use web::Cuota;

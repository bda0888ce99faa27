//! The API, and what machines ask the server about itself.
//!
//! A handler extracts, calls once and wraps; it holds no SQL and no rule of the business. Every refusal becomes a problem
//! document in `problema`, and nowhere else.

mod answer;
pub mod api;
mod cuerpo;
mod docs;
mod enlaces;
mod estado;
mod extraer;
pub mod openapi;
mod problem_explanations;
mod problema;
mod rutas;
mod sistema;
mod static_resource;

pub use estado::{Ajustes, Estado};
pub use rutas::{router, router_metricas, unknown_route};

//! The API, and what machines ask the server about itself.
//!
//! A handler extracts, calls once and wraps; it holds no SQL and no rule of the business. Every refusal becomes a problem
//! document in `problema`, and nowhere else.

mod answer;
pub mod api;
mod docs;
mod enlaces;
mod extraer;
mod json_body;
pub mod openapi;
mod problem_explanations;
mod problema;
mod rutas;
mod schema;
mod sistema;
mod state;
mod static_resource;
mod views;

pub use rutas::{router, router_metricas, unknown_route};
pub use state::{HttpSettings, HttpState};

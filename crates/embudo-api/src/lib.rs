//! The API, and what machines ask the server about itself.
//!
//! A handler extracts, calls once and wraps; it holds no SQL and no rule of the business. Every refusal becomes a
//! problem document in `problem`, and nowhere else.

mod answer;
pub mod api;
mod docs;
mod extract;
mod json_body;
mod links;
mod mcp;
pub mod openapi;
mod photo_intake;
mod problem;
mod problem_explanations;
mod routes;
mod schema;
mod state;
mod static_resource;
mod system;
mod views;

pub use routes::{metrics_router, router, routes, unknown_route};
pub use state::{HttpSettings, HttpState};

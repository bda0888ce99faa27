//! The API as tools for language models (Model Context Protocol), over HTTP and on stdio.
//!
//! A tool is an operation of the API under its own name. What it takes is read from the OpenAPI document, which is made
//! from the tables that the parser enforces; calling it is calling the API, through [`Api`]. So a key opens the same
//! things here as there, and nothing can be read here that the API does not answer. No tool has code of its own.

mod api;
mod remote;
mod server;
mod stdio;
mod streamable;
mod toolbox;

pub use api::{Api, ApiAnswer, ApiCall, MAX_ANSWER_BYTES, TOO_LONG};
pub use remote::Remote;
pub use stdio::serve_stdio;
pub use streamable::{Reply, Streamable};
pub use toolbox::{NAMES, Toolbox};

//! The API as tools for language models (Model Context Protocol), over HTTP and on stdio.
//!
//! A tool is an operation of the API under its own name. Its arguments come from the OpenAPI document, which is
//! generated from the same tables as the parser. A call of a tool is a call of the API, through [`Api`], so an API key
//! has the same rights here as there. No tool has code of its own.

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

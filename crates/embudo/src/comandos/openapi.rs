//! `embudo openapi`: the API's description, for generators and for reading without a server.

use crate::salida;
use std::io;

/// Prints it.
pub fn run() -> io::Result<()> {
    let document = embudo_http::openapi::documento();
    let text = serde_json::to_string_pretty(&document).expect("a JSON value is always JSON");
    salida::print(&(text + "\n"))
}

//! `embudo openapi`: the API's description, for generators and for reading without a server.

use crate::logging;
use std::io;

/// Prints the description.
pub fn run() -> io::Result<()> {
    let document = embudo_api::openapi::document();
    let text = serde_json::to_string_pretty(&document).expect("a JSON value is always JSON");
    logging::print(&(text + "\n"))
}

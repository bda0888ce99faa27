//! Router, auth, body, errors and the accept loop.

pub mod puerta;

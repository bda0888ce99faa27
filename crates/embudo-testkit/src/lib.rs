//! A started server on either engine, and leads to work with. For tests only.
//!
//! [`Servidor`] is the real thing: the accept loop on a free loopback port, the real router, a real database (a file of
//! its own on SQLite, a schema of its own on PostgreSQL) and a folder for blobs. Dropping it removes everything.

// Test support may stop a test at once, and says why.
#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

pub mod buzon;
mod canal;
mod cliente;
mod escena;
mod esquema;
mod fotos;
mod guion;
mod macros;
pub mod receptor;
mod reloj;
mod servidor;

pub use buzon::Buzon;
pub use canal::Certificado;
pub use cliente::Contestado;
pub use escena::Escena;
pub use esquema::Esquema;
pub use fotos::{data_uri, jpeg, jpeg_de_pega, tiny_jpeg};
pub use receptor::Receptor;
pub use reloj::RelojManual;
pub use servidor::{CLAVE, Montaje, Motor, Servidor};

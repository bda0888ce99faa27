//! A quote becomes a PDF. The only crate that knows the typesetter.
//!
//! It gets what a quote says ([`Documento`]) and pictures that are ready to print, and gives bytes: the same input gives the same
//! bytes. It reads no database, fetches nothing and shrinks no photo. Whatever people wrote reaches the template as data, never
//! as template code.
//!
//! Drawing blocks and works hard: call it from a thread that may, and only a few at a time.
//!
//! [`Documento`]: embudo_domain::presupuesto::Documento

mod datos;
mod dibujante;
mod encargo;
mod fotos;
mod hijo;
mod letras;
mod mundo;
mod plantilla;
mod qr;
mod texto;

pub use dibujante::{Dibujante, Fallo};
pub use encargo::{Encargo, Foto, Hecho, Norma, PlantillaUsada};
pub use hijo::{Hijo, Limites, hijo};
pub use plantilla::{Plantilla, PlantillaIlegible};

/// The template that ships, for operators who want to start their own from it.
pub const PLANTILLA: &str = include_str!("../plantillas/presupuesto.typ");

/// The folder, within the typesetter's own little file system, where a template finds `datos.json` and the pictures.
const CARPETA: &str = "/embudo";

//! A quote becomes a PDF. The only crate that knows the typesetter.
//!
//! It gets what a quote says ([`Document`]) and pictures that are ready to print, and gives bytes: the same input gives
//! the same bytes. It reads no database, fetches nothing and shrinks no photo. Whatever people wrote reaches the
//! template as data, never as template code.
//!
//! Drawing blocks and works hard: call it from a thread that may, and only a few at a time. The server has it done by
//! processes that the system bounds ([`DrawingChild`]).
//!
//! [`Document`]: embudo_domain::presupuesto::Document

mod child;
mod children;
mod data;
mod failure;
mod fonts;
mod fotos;
mod pdf_request;
mod press;
mod qr;
mod renderer;
mod template;
mod text;
mod typesetter;
mod widths;
mod wire;
mod world;

pub use child::child;
pub use children::DrawingChild;
pub use failure::Failure;
pub use fonts::FACES;
pub use pdf_request::{AcceptedNote, Foto, Norma, PdfRequest, RenderedPdf, UsedTemplate};
pub use qr::{sign_png as qr_sign_png, sign_svg as qr_sign_svg, svg as qr_svg};
pub use renderer::Renderer;
pub use template::{Template, UnreadableTemplate};
pub use wire::Limits;

/// The template that ships, for operators who want to start their own from it.
pub const TEMPLATE: &str = include_str!("../plantillas/presupuesto.typ");

/// The folder, within the typesetter's own little file system, where a template finds `datos.json` and the pictures.
const FOLDER: &str = "/embudo";

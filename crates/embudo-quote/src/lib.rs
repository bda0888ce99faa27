//! Draws a quote as a PDF. This is the only crate that knows the typesetter.
//!
//! The input is what a quote says ([`Document`]) and pictures that are ready to print. The output is bytes, and the
//! same input always gives the same bytes. The crate reads no database, fetches nothing and shrinks no photo. What
//! people wrote reaches the template as data, never as template code.
//!
//! Drawing blocks and is expensive: call it from a blocking thread, and limit how many run at once. The server draws in
//! processes that the system limits ([`DrawingChild`]).
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

/// The shipped template, for operators who want to base their own on it.
pub const TEMPLATE: &str = include_str!("../plantillas/presupuesto.typ");

/// The folder in the typesetter's virtual file system in which a template finds `datos.json` and the pictures.
const FOLDER: &str = "/embudo";

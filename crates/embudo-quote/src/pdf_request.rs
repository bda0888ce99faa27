//! The input and the output of drawing.

use std::collections::HashMap;

use bytes::Bytes;
use embudo_domain::FotoId;
use embudo_domain::presupuesto::{Document, PresupuestoNumber, Validity};
use serde::{Deserialize, Serialize};

/// A quote to be drawn.
#[derive(Debug, Clone)]
pub struct PdfRequest {
    /// `None` for a draft, which says that it is a draft.
    pub number: Option<PresupuestoNumber>,
    /// Its place among the lead's quotes, from 1.
    pub version: u32,
    /// The days of validity. The first is also the date of the PDF, so that drawing again gives the same bytes.
    pub validity: Validity,
    pub document: Document,
    /// The company's logo, as PNG.
    pub logo: Option<Bytes>,
    /// The pictures of the document's photos. A photo that is missing here is left out.
    pub fotos: HashMap<FotoId, Foto>,
    /// The quote's own web page, for the QR code.
    pub page_url: Option<String>,
    /// Set if the client accepted the quote; the accepted options are among its lines.
    pub accepted: Option<AcceptedNote>,
}

/// What a client agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedNote {
    /// The day of the acceptance, such as «17 de noviembre de 2026».
    pub day: String,
    /// The options that were ticked.
    pub options: Vec<String>,
    /// Whether the client made the declaration that the tax rate requires.
    pub declared: bool,
    /// Whether the client asked for the work to begin within the days of withdrawal.
    pub early_start: bool,
}

/// The picture of a photo.
#[derive(Debug, Clone)]
pub enum Foto {
    /// A JPEG that is ready to print: upright, clean, some 800 pixels on its longer side.
    Image { jpeg: Bytes, width: u32, height: u32 },
    /// There is no picture, for this reason (in Spanish, a short clause for the company): it is left out of the quote.
    Gap(String),
}

/// A drawn quote.
#[derive(Debug, Clone)]
pub struct RenderedPdf {
    pub pdf: Vec<u8>,
    /// The standards to which it conforms.
    pub norma: Norma,
    /// Which template drew it.
    pub template: UsedTemplate,
    /// Messages for the company (in Spanish): replaced characters, an unreadable logo, photos and notes beyond the
    /// maximum, why its template was not used.
    pub notices: Vec<String>,
}

/// The standards to which a PDF conforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Norma {
    /// PDF/A-2a and PDF/UA-1.
    Pdfa2aUa1,
    /// Tagged, with title, language and alternative texts, but something in it violates the standards above.
    #[serde(rename = "Etiquetado")]
    Labelled,
}

/// Which template drew a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsedTemplate {
    /// The shipped template, as requested.
    Ours,
    /// The operator's own template.
    Own,
    /// The shipped template, because the operator's own failed; [`RenderedPdf::notices`] gives the reason.
    OursAfterFailure,
}

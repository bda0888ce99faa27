//! What was made of a photo so that it can be printed and shown: smaller, upright, without metadata.

use jiff::Timestamp;

use crate::{FotoId, Huella, LeadId};

/// The derived pictures of one photo, or why there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendicion {
    /// Whose.
    pub lead: LeadId,
    /// The photo.
    pub foto: FotoId,
    /// The bytes as they were fetched, for a photo that was given by its address.
    pub copia: Option<Huella>,
    /// What came of it.
    pub resultado: Resultado,
    /// When it was made.
    pub creada_en: Timestamp,
}

/// What came of a photo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resultado {
    /// It can be shown.
    Hecha(Derivadas),
    /// It cannot; the reason, in words for a person, stands in its place.
    Fallida(String),
}

/// Derived pictures, all JPEG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derivadas {
    /// For the quote.
    pub impresion: Huella,
    /// Its width in pixels.
    pub ancho: u32,
    /// Its height in pixels.
    pub alto: u32,
    /// For lists.
    pub miniatura: Huella,
}

impl Rendicion {
    /// The blobs that it needs.
    pub fn huellas(&self) -> impl Iterator<Item = Huella> {
        let derivadas = match &self.resultado {
            Resultado::Hecha(d) => [Some(d.impresion), Some(d.miniatura)],
            Resultado::Fallida(_) => [None, None],
        };
        self.copia.into_iter().chain(derivadas.into_iter().flatten())
    }
}

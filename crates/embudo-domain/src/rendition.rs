//! The pictures that were derived from a photo so that it can be printed and shown: smaller, upright, without metadata.

use jiff::Timestamp;

use crate::{Digest, FotoId, LeadId};

/// The derived pictures of one photo, or why there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendition {
    pub lead: LeadId,
    pub foto: FotoId,
    /// The bytes as they were fetched, for a photo that was given by its address.
    pub copy: Option<Digest>,
    pub result: RenditionOutcome,
    /// When it was made.
    pub creada_en: Timestamp,
}

/// The result of deriving pictures from a photo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenditionOutcome {
    /// It can be shown.
    Done(Derived),
    /// It cannot be shown; the reason, in words for a person, is shown instead.
    Failed(String),
}

/// Derived pictures, all JPEG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derived {
    pub print: Digest,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    pub thumbnail: Digest,
}

impl Rendition {
    /// The blobs that the rendition needs.
    pub fn digests(&self) -> impl Iterator<Item = Digest> {
        let derived = match &self.result {
            RenditionOutcome::Done(d) => [Some(d.print), Some(d.thumbnail)],
            RenditionOutcome::Failed(_) => [None, None],
        };
        self.copy.into_iter().chain(derived.into_iter().flatten())
    }
}

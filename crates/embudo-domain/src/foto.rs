//! A photo as it is kept.

use jiff::Timestamp;

use crate::digest::Digest;
use crate::ingesta::Momento;
use crate::{FotoId, Zona};

/// A photo that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Foto {
    pub id: FotoId,
    /// Its zone, decided at ingestion.
    pub zona: Zona,
    pub momento: Momento,
    pub orden: f64,
    /// Where its bytes are.
    pub image: StoredImage,
    pub creada_en: Timestamp,
}

/// Where a photo's bytes are, and how the received text is rebuilt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredImage {
    /// The address, as received.
    Url(String),
    /// `prefix` followed by the canonical base64 of the blob is the received text.
    Canonical {
        /// Everything up to the comma.
        prefix: String,
        /// The picture's blob.
        bytes: Digest,
    },
    /// `prefix` followed by the blob `raw` is the received text; `bytes` is the picture.
    Informal {
        /// Everything up to the comma.
        prefix: String,
        /// The picture's blob.
        bytes: Digest,
        /// The received payload's blob.
        raw: Digest,
    },
    /// Like `Informal`, but no picture could be read from the payload.
    Unreadable {
        /// Everything up to the comma.
        prefix: String,
        /// The received payload's blob.
        raw: Digest,
    },
}

impl StoredImage {
    /// Whether a picture could be read from what was received.
    pub fn legible(&self) -> bool {
        !matches!(self, Self::Unreadable { .. })
    }

    /// The blobs that the photo needs.
    pub fn digests(&self) -> impl Iterator<Item = Digest> {
        let (a, b) = match self {
            Self::Url(_) => (None, None),
            Self::Canonical { bytes, .. } => (Some(*bytes), None),
            Self::Informal { bytes, raw, .. } => (Some(*bytes), Some(*raw)),
            Self::Unreadable { raw, .. } => (Some(*raw), None),
        };
        a.into_iter().chain(b)
    }
}

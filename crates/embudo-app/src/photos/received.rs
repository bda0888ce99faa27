//! A photo as it was received, byte for byte.

use embudo_blobs::BlobReader;
use embudo_domain::foto::{Foto, StoredImage};
use embudo_domain::{FotoId, LeadId};

use super::Photos;
use crate::AppError;

/// A picture's bytes and the media type that their sender named.
pub struct Bytes {
    pub bytes: BlobReader,
    /// The media type of the data URI (`image/jpeg`).
    pub kind: String,
}

/// The text that was sent as a photo's `imagen`.
pub enum Received {
    Url(String),
    /// A data URI: its prefix, and the bytes that its base64 decodes to.
    Base64(String, BlobReader),
    /// A data URI that does not decode: its prefix and its payload as text.
    Raw(String, BlobReader),
}

impl Photos<'_> {
    /// The picture of a photo that was sent as a data URI, for a signed link; `None` if it was sent as a URL.
    pub async fn bytes(self, lead: LeadId, foto: FotoId) -> Result<Option<Bytes>, AppError> {
        let (prefix, digest) = match self.app.store.foto(lead, foto).await?.image {
            StoredImage::Url(_) => return Ok(None),
            StoredImage::Canonical { prefix, bytes } | StoredImage::Informal { prefix, bytes, .. } => {
                (prefix, bytes)
            }
            StoredImage::Unreadable { prefix, raw } => (prefix, raw),
        };
        let kind = prefix["data:".len()..].split([';', ',']).next().unwrap_or_default().to_ascii_lowercase();
        Ok(Some(Bytes { bytes: self.app.blobs.open(lead, &digest).await?, kind }))
    }

    /// A photo with exactly the text that was sent as its `imagen`.
    pub async fn received(self, lead: LeadId, foto: FotoId) -> Result<(Foto, Received), AppError> {
        let foto = self.app.store.foto(lead, foto).await?;
        let received = match &foto.image {
            StoredImage::Url(url) => Received::Url(url.clone()),
            StoredImage::Canonical { prefix, bytes } => {
                Received::Base64(prefix.clone(), self.app.blobs.open(lead, bytes).await?)
            }
            StoredImage::Informal { prefix, raw, .. } | StoredImage::Unreadable { prefix, raw } => {
                Received::Raw(prefix.clone(), self.app.blobs.open(lead, raw).await?)
            }
        };
        Ok((foto, received))
    }
}

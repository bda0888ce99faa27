//! A photo as it was received, byte for byte.

use embudo_blobs::BlobReader;
use embudo_domain::ficha::{Foto, ImagenGuardada};
use embudo_domain::{FotoId, LeadId};

use super::Photos;
use crate::AppError;

/// A picture's bytes and what their sender said they are.
pub struct Bytes {
    /// The picture.
    pub bytes: BlobReader,
    /// The media type of the data URI (`image/jpeg`).
    pub tipo: String,
}

/// The text that was sent as a photo's `imagen`.
pub enum Recibida {
    /// An address.
    Url(String),
    /// A data URI: what stands before the payload, and the bytes whose base64 the payload is.
    Base64(String, BlobReader),
    /// A data URI: what stands before the payload, and the payload itself.
    Crudo(String, BlobReader),
}

impl Photos<'_> {
    /// The picture of a photo that came as a data URI, for a signed link; `None` if it came as a URL.
    pub async fn bytes(self, lead: LeadId, foto: FotoId) -> Result<Option<Bytes>, AppError> {
        let (prefijo, huella) = match self.app.store.foto(lead, foto).await?.imagen {
            ImagenGuardada::Url(_) => return Ok(None),
            ImagenGuardada::Canonica { prefijo, bytes } | ImagenGuardada::Informal { prefijo, bytes, .. } => {
                (prefijo, bytes)
            }
            ImagenGuardada::Ilegible { prefijo, crudo } => (prefijo, crudo),
        };
        let tipo = prefijo["data:".len()..].split([';', ',']).next().unwrap_or_default().to_ascii_lowercase();
        Ok(Some(Bytes { bytes: self.app.blobs.open(lead, &huella).await?, tipo }))
    }

    /// A photo with the very text that was sent as its `imagen`.
    pub async fn received(self, lead: LeadId, foto: FotoId) -> Result<(Foto, Recibida), AppError> {
        let foto = self.app.store.foto(lead, foto).await?;
        let recibida = match &foto.imagen {
            ImagenGuardada::Url(url) => Recibida::Url(url.clone()),
            ImagenGuardada::Canonica { prefijo, bytes } => {
                Recibida::Base64(prefijo.clone(), self.app.blobs.open(lead, bytes).await?)
            }
            ImagenGuardada::Informal { prefijo, crudo, .. } | ImagenGuardada::Ilegible { prefijo, crudo } => {
                Recibida::Crudo(prefijo.clone(), self.app.blobs.open(lead, crudo).await?)
            }
        };
        Ok((foto, recibida))
    }
}

//! A photo as it was received, byte for byte.

use embudo_domain::ficha::{Foto, ImagenGuardada};
use embudo_domain::imagen::recomponer;
use embudo_domain::{FotoId, Huella, LeadId};
use embudo_store::StoreError;

use crate::{App, AppError};

/// A picture's bytes and what their sender said they are.
pub struct Bytes {
    /// The picture.
    pub bytes: bytes::Bytes,
    /// The media type of the data URI (`image/jpeg`).
    pub tipo: String,
}

impl App {
    /// The picture of a photo that came as a data URI, for a signed link; `None` if it came as a URL.
    pub async fn foto_bytes(&self, lead: LeadId, foto: FotoId) -> Result<Option<Bytes>, AppError> {
        let (prefijo, huella) = match self.store.foto(lead, foto).await?.imagen {
            ImagenGuardada::Url(_) => return Ok(None),
            ImagenGuardada::Canonica { prefijo, bytes } | ImagenGuardada::Informal { prefijo, bytes, .. } => {
                (prefijo, bytes)
            }
            ImagenGuardada::Ilegible { prefijo, crudo } => (prefijo, crudo),
        };
        let tipo = prefijo["data:".len()..].split([';', ',']).next().unwrap_or_default().to_ascii_lowercase();
        Ok(Some(Bytes { bytes: self.blobs.get(lead, &huella).await?, tipo }))
    }

    /// A photo with the very text that was sent as its `imagen`.
    pub async fn foto_recibida(&self, lead: LeadId, foto: FotoId) -> Result<(Foto, String), AppError> {
        let foto = self.store.foto(lead, foto).await?;
        let texto = match &foto.imagen {
            ImagenGuardada::Url(url) => url.clone(),
            ImagenGuardada::Canonica { prefijo, bytes } => {
                recomponer(prefijo, &self.blobs.get(lead, bytes).await?)
            }
            ImagenGuardada::Informal { prefijo, crudo, .. } | ImagenGuardada::Ilegible { prefijo, crudo } => {
                self.con_crudo(lead, prefijo, crudo).await?
            }
        };
        Ok((foto, texto))
    }

    async fn con_crudo(&self, lead: LeadId, prefijo: &str, crudo: &Huella) -> Result<String, AppError> {
        let bytes = self.blobs.get(lead, crudo).await?;
        let payload = std::str::from_utf8(&bytes)
            .map_err(|_| StoreError::Internal(format!("blob {crudo} is not the text that was received")))?;
        Ok([prefijo, payload].concat())
    }
}

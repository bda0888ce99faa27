//! The sweep: blobs that no photo, rendition or quote names are deleted, without racing an ingestion of the same bytes.
//!
//! Mark, delete, leave a trace. The mark is refused while a photo names the blob. An ingestion that meets a mark waits; one that
//! meets a trace puts its bytes again, because it may have found them before they were deleted. Young blobs are left
//! alone: their row may be on its way.

use std::time::Duration;

use embudo_domain::{Huella, LeadId};
use futures_util::TryStreamExt;

use crate::{App, AppError};

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Barrido {
    /// Blobs looked at.
    pub vistos: u64,
    /// Blobs deleted.
    pub borrados: u64,
}

impl App {
    /// Deletes the blobs older than `edad_minima` that no photo names, and finishes what a sweep that died began.
    pub async fn sweep_blobs(&self, edad_minima: Duration) -> Result<Barrido, AppError> {
        let mut barrido = Barrido::default();
        for (lead, huella) in self.store.marked_blobs().await? {
            self.delete_marked(lead, huella).await?;
            barrido.borrados += 1;
        }
        let limite = self.ahora() - edad_minima;
        let mut blobs = Box::pin(self.blobs.list());
        while let Some(blob) = blobs.try_next().await? {
            barrido.vistos += 1;
            if blob.last_modified > limite
                || !self.store.mark_blob(blob.lead, blob.huella, self.ahora()).await?
            {
                continue;
            }
            self.delete_marked(blob.lead, blob.huella).await?;
            barrido.borrados += 1;
        }
        Ok(barrido)
    }

    async fn delete_marked(&self, lead: LeadId, huella: Huella) -> Result<(), AppError> {
        self.blobs.delete(lead, &huella).await?;
        self.store.blob_swept(lead, huella).await?;
        Ok(())
    }
}

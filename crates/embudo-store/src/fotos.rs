//! Photos, and the pictures that were made from them.

use async_trait::async_trait;
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, FotoId, LeadId, Timestamp};

use crate::Result;

/// Photos of a lead.
#[async_trait]
pub trait FotoStore: Send + Sync + 'static {
    /// Removes a photo and its rendition; [`crate::StoreError::FotoNotFound`] if this lead has no such photo.
    async fn delete_foto(&self, lead: LeadId, foto: FotoId, at: Timestamp) -> Result<()>;
    /// Writes the rendition of a photo, replacing an earlier one. [`crate::StoreError::FotoNotFound`] if the lead has
    /// no such photo (any more), then [`crate::StoreError::BlobMarked`] as in [`crate::LeadWriteStore::ingest`].
    async fn save_rendition(&self, rendition: Rendition, swept: Vec<(Digest, i64)>) -> Result<()>;
}

//! Photos and their renditions.

use async_trait::async_trait;
use embudo_domain::foto::Foto;
use embudo_domain::rendition::Rendition;
use embudo_domain::{FotoId, LeadId};

use super::{Reader, first};
use crate::queries::{lead, quote};
use crate::{Result, StoreError};

#[async_trait]
pub trait FotoReads: Send + Sync + 'static {
    /// One photo; [`StoreError::FotoNotFound`] if this lead has no such photo.
    async fn foto(&self, lead: LeadId, foto: FotoId) -> Result<Foto>;
    /// The renditions of a lead's photos, in no order; empty for an unknown lead. Removing a photo removes its
    /// rendition.
    async fn renditions(&self, lead: LeadId) -> Result<Vec<Rendition>>;
}

#[async_trait]
impl<R: Reader> FotoReads for R {
    async fn foto(&self, id: LeadId, foto: FotoId) -> Result<Foto> {
        first(self, lead::foto(id, foto)).await?.ok_or(StoreError::FotoNotFound)
    }

    async fn renditions(&self, id: LeadId) -> Result<Vec<Rendition>> {
        self.read(quote::renditions(id)).await
    }
}

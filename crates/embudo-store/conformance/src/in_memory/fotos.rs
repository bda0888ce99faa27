//! Photos, and the pictures that were made from them.

use async_trait::async_trait;
use embudo_domain::foto::Foto;
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, FotoId, LeadId, Timestamp};
use embudo_store::{FotoReads, FotoStore, Result, StoreError};

use super::Memory;
use crate::model::step::Step;

#[async_trait]
impl FotoStore for Memory {
    async fn delete_foto(&self, lead: LeadId, foto: FotoId, at: Timestamp) -> Result<()> {
        self.make(Step::DeleteFoto(lead, foto, at))
    }

    async fn save_rendition(&self, rendition: Rendition, swept: Vec<(Digest, i64)>) -> Result<()> {
        let mut world = self.world();
        let (lead, foto) = (rendition.lead, rendition.foto);
        let fotos = world.record(lead).map(|f| f.fotos).unwrap_or_default();
        if !fotos.iter().any(|f| f.id == foto) {
            return Err(StoreError::FotoNotFound);
        }
        let digests: Vec<Digest> = rendition.digests().collect();
        world.use_(lead, &digests, &swept)?;
        world.renditions.retain(|r| (r.lead, r.foto) != (lead, foto));
        world.renditions.push(rendition);
        Ok(())
    }
}

#[async_trait]
impl FotoReads for Memory {
    async fn foto(&self, lead: LeadId, foto: FotoId) -> Result<Foto> {
        let record = self.world().record(lead).map_err(|_| StoreError::FotoNotFound)?;
        record.fotos.into_iter().find(|f| f.id == foto).ok_or(StoreError::FotoNotFound)
    }

    async fn renditions(&self, lead: LeadId) -> Result<Vec<Rendition>> {
        Ok(self.world().renditions.iter().filter(|r| r.lead == lead).cloned().collect())
    }
}

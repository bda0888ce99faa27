//! Photos, and what was made of them.

use async_trait::async_trait;
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, FotoId, LeadId, Timestamp};
use embudo_store::touches::Touch;
use embudo_store::{Fotos, Result};

use crate::PgStore;
use crate::command::{ingesta, rendition};
use crate::patience::patiently;

#[async_trait]
impl Fotos for PgStore {
    async fn delete_foto(&self, lead: LeadId, foto: FotoId, at: Timestamp) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), ingesta::delete_foto(&self.pool, lead, foto, at))?;
        self.touches.note(lead, Touch::seen());
        Ok(())
    }

    async fn save_rendition(&self, rendition: Rendition, swept: Vec<(Digest, i64)>) -> Result<()> {
        patiently!(
            self,
            self.turns.on(rendition.lead.0),
            rendition::save_rendition(&self.pool, &rendition, &swept)
        )
    }
}

//! Photos, and what was made of them.

use async_trait::async_trait;
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, FotoId, LeadId, Timestamp};
use embudo_store::touches::Touch;
use embudo_store::{Fotos, Result};

use super::ROW;
use crate::SqliteStore;
use crate::command::{ingesta, rendition};
use crate::writer::Shape;

#[async_trait]
impl Fotos for SqliteStore {
    async fn delete_foto(&self, lead: LeadId, foto: FotoId, at: Timestamp) -> Result<()> {
        self.writer.run(Shape::Several, ROW, move |c| ingesta::delete_foto(c, lead, foto, at)).await?;
        self.touches.note(lead, Touch::seen());
        Ok(())
    }

    async fn save_rendition(&self, rendition: Rendition, swept: Vec<(Digest, i64)>) -> Result<()> {
        let save = move |c: &_| rendition::save_rendition(c, &rendition, &swept);
        self.writer.run(Shape::Several, 2 * ROW, save).await
    }
}

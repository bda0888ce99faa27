//! Quotes that people are still writing.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_domain::audit::AuditEntry;
use embudo_domain::presupuesto::Presupuesto;
use embudo_store::drafts::{DraftChange, OpenDraft, Opened, SaveDraft, SealDraft, SeenDraft};
use embudo_store::touches::Touch;
use embudo_store::{Drafts, Result};

use super::{ROW, bytes_of};
use crate::SqliteStore;
use crate::command::draft;
use crate::writer::Shape;

#[async_trait]
impl Drafts for SqliteStore {
    async fn open_draft(&self, command: OpenDraft) -> Result<Opened> {
        let (lead, bytes) = (command.lead, 4 * ROW + command.sheet.len() + bytes_of(&command.jobs));
        let opened = self.writer.run(Shape::Several, bytes, move |c| draft::open(c, &command)).await?;
        self.touches.note(lead, Touch::anew());
        Ok(opened)
    }

    async fn save_draft(&self, command: SaveDraft) -> Result<DraftChange<i64>> {
        let bytes = ROW + command.sheet.len();
        self.writer.run(Shape::Several, bytes, move |c| draft::save(c, &command)).await
    }

    async fn discard_draft(
        &self,
        seen: SeenDraft,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<DraftChange<()>> {
        let run = move |c: &_| draft::discard(c, seen, at, &audit);
        let change = self.writer.run(Shape::Several, 4 * ROW, run).await?;
        self.touches.note(seen.lead, Touch::anew());
        Ok(change)
    }

    async fn seal_draft(&self, command: SealDraft) -> Result<DraftChange<Presupuesto>> {
        let (lead, bytes) = (command.seen.lead, 128 * ROW + bytes_of(&command.jobs));
        let change = self.writer.run(Shape::Several, bytes, move |c| draft::seal(c, command)).await?;
        self.touches.note(lead, Touch::anew());
        Ok(change)
    }
}

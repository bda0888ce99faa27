//! Quotes that people are still writing.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_domain::audit::AuditEntry;
use embudo_domain::presupuesto::Presupuesto;
use embudo_store::drafts::{DraftChange, OpenDraft, Opened, SaveDraft, SealDraft, SeenDraft};
use embudo_store::touches::Touch;
use embudo_store::{Drafts, Result};

use crate::PgStore;
use crate::command::draft;
use crate::patience::patiently;

#[async_trait]
impl Drafts for PgStore {
    async fn open_draft(&self, command: OpenDraft) -> Result<Opened> {
        let (opened, loose) =
            patiently!(self, self.turns.on(command.lead.0), draft::open(&self.pool, &command))?;
        self.tell_of(loose);
        self.touches.note(command.lead, Touch::anew());
        Ok(opened)
    }

    async fn save_draft(&self, command: SaveDraft) -> Result<DraftChange<i64>> {
        patiently!(self, self.turns.on(command.seen.lead.0), draft::save(&self.pool, &command))
    }

    async fn discard_draft(
        &self,
        seen: SeenDraft,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<DraftChange<()>> {
        let discard = || draft::discard(&self.pool, seen, at, &audit);
        let change = patiently!(self, self.turns.on(seen.lead.0), discard())?;
        self.touches.note(seen.lead, Touch::anew());
        Ok(change)
    }

    async fn seal_draft(&self, command: SealDraft) -> Result<DraftChange<Presupuesto>> {
        let lead = command.seen.lead;
        let (change, loose) = patiently!(self, self.turns.on(lead.0), draft::seal(&self.pool, &command))?;
        self.tell_of(loose);
        self.touches.note(lead, Touch::anew());
        Ok(change)
    }
}

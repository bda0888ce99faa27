//! The model keeps no drafts: they are tested on the engines alone.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::presupuesto::{Presupuesto, PresupuestoNumber};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp};
use embudo_store::drafts::{
    DraftChange, DraftReason, DraftStretch, ListedDraft, ListedQuote, OpenDraft, Opened, QuoteStanding,
    SaveDraft, SealDraft, SeenDraft, StoredDraft,
};
use embudo_store::{DraftReads, DraftStore, Result};

use super::Memory;

#[async_trait]
impl DraftStore for Memory {
    async fn open_draft(&self, _: OpenDraft) -> Result<Opened> {
        unimplemented!()
    }

    async fn save_draft(&self, _: SaveDraft) -> Result<DraftChange<i64>> {
        unimplemented!()
    }

    async fn discard_draft(&self, _: SeenDraft, _: Timestamp, _: AuditEntry) -> Result<DraftChange<()>> {
        unimplemented!()
    }

    async fn seal_draft(&self, _: SealDraft) -> Result<DraftChange<Presupuesto>> {
        unimplemented!()
    }
}

#[async_trait]
impl DraftReads for Memory {
    async fn draft(&self, _: PresupuestoId) -> Result<Option<StoredDraft>> {
        unimplemented!()
    }

    async fn draft_of(&self, _: LeadId) -> Result<Option<StoredDraft>> {
        unimplemented!()
    }

    async fn draft_stretch(&self, _: PresupuestoId) -> Result<Option<DraftStretch>> {
        unimplemented!()
    }

    async fn list_drafts(
        &self,
        _: EmpresaId,
        _: DraftReason,
        _: Option<(Timestamp, PresupuestoId)>,
        _: u32,
    ) -> Result<Vec<ListedDraft>> {
        unimplemented!()
    }

    async fn list_quotes(
        &self,
        _: EmpresaId,
        _: QuoteStanding,
        _: Option<PresupuestoNumber>,
        _: u32,
    ) -> Result<Vec<ListedQuote>> {
        unimplemented!()
    }

    async fn draft_of_quote(&self, _: PresupuestoId) -> Result<Option<String>> {
        unimplemented!()
    }

    async fn last_sent_draft(&self, _: LeadId) -> Result<Option<(PresupuestoId, String)>> {
        unimplemented!()
    }
}

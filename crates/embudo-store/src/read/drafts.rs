//! Drafts, and the drafts that quotes were made from.

use async_trait::async_trait;
use embudo_domain::presupuesto::PresupuestoNumber;
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp};

use super::{Reader, first};
use crate::Result;
use crate::drafts::{DraftReason, DraftStretch, ListedDraft, ListedQuote, QuoteStanding, StoredDraft};
use crate::queries::{draft, quote};

#[async_trait]
pub trait DraftReads: Send + Sync + 'static {
    async fn draft(&self, id: PresupuestoId) -> Result<Option<StoredDraft>>;
    async fn draft_of(&self, lead: LeadId) -> Result<Option<StoredDraft>>;
    /// The stretch in which a draft was last saved; `None` if nobody has changed it yet.
    async fn draft_stretch(&self, id: PresupuestoId) -> Result<Option<DraftStretch>>;
    /// A company's drafts with one reason, those saved last first.
    async fn list_drafts(
        &self,
        empresa: EmpresaId,
        reason: DraftReason,
        after: Option<(Timestamp, PresupuestoId)>,
        limit: u32,
    ) -> Result<Vec<ListedDraft>>;
    /// A company's quotes with this standing, newest first.
    async fn list_quotes(
        &self,
        empresa: EmpresaId,
        standing: QuoteStanding,
        after: Option<PresupuestoNumber>,
        limit: u32,
    ) -> Result<Vec<ListedQuote>>;
    /// The draft from which a quote was made, as JSON: its own, or that of the newest version before it. `None` if
    /// there is no draft or no such quote.
    async fn draft_of_quote(&self, quote: PresupuestoId) -> Result<Option<String>>;
    /// The newest quote of a lead that a person sent, and the draft from which it was made.
    async fn last_sent_draft(&self, lead: LeadId) -> Result<Option<(PresupuestoId, String)>>;
}

#[async_trait]
impl<R: Reader> DraftReads for R {
    async fn draft(&self, id: PresupuestoId) -> Result<Option<StoredDraft>> {
        first(self, draft::get(id)).await
    }

    async fn draft_of(&self, lead: LeadId) -> Result<Option<StoredDraft>> {
        first(self, draft::of_lead(lead)).await
    }

    async fn draft_stretch(&self, id: PresupuestoId) -> Result<Option<DraftStretch>> {
        first(self, draft::stretch(id)).await
    }

    async fn list_drafts(
        &self,
        empresa: EmpresaId,
        reason: DraftReason,
        after: Option<(Timestamp, PresupuestoId)>,
        limit: u32,
    ) -> Result<Vec<ListedDraft>> {
        self.read(draft::of_empresa(empresa, reason, after, limit)).await
    }

    async fn list_quotes(
        &self,
        empresa: EmpresaId,
        standing: QuoteStanding,
        after: Option<PresupuestoNumber>,
        limit: u32,
    ) -> Result<Vec<ListedQuote>> {
        self.read(quote::of_empresa(empresa, standing, after, limit)).await
    }

    async fn draft_of_quote(&self, quote: PresupuestoId) -> Result<Option<String>> {
        Ok(first(self, draft::of_quote(quote)).await?.map(|(_, json)| json))
    }

    async fn last_sent_draft(&self, lead: LeadId) -> Result<Option<(PresupuestoId, String)>> {
        first(self, draft::last_sent(lead)).await
    }
}

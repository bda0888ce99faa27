//! What clients may be reminded of.

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp};
use jiff::civil::Date;

use super::{Reader, first};
use crate::Result;
use crate::queries::{lead, reminders};

/// A stretch of time, and the limit after which a former reminder excludes a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    pub since: Timestamp,
    pub until: Timestamp,
    /// A lead with a reminder made after this moment is left out.
    pub reminded_before: Timestamp,
}

/// An issued quote without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnansweredQuote {
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub emitido_en: Timestamp,
}

/// A lead that came by the form, from whom nothing was heard since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietLead {
    pub id: LeadId,
    pub creado_en: Timestamp,
}

#[async_trait]
pub trait ReminderReads: Send + Sync + 'static {
    /// A company's quotes that were issued in a stretch of time, are valid on a day and wait for their client: the lead
    /// is in `presupuesto_enviado` and its client has written nothing since. Oldest first, after the last one of the
    /// previous page.
    async fn unanswered_quotes(
        &self,
        empresa: EmpresaId,
        stretch: Stretch,
        today: Date,
        after: Option<UnansweredQuote>,
        limit: u32,
    ) -> Result<Vec<UnansweredQuote>>;
    /// A company's leads of the form that were created in a stretch of time and are still `nuevo`. Oldest first, after
    /// the last one of the previous page.
    async fn quiet_leads(
        &self,
        empresa: EmpresaId,
        stretch: Stretch,
        after: Option<QuietLead>,
        limit: u32,
    ) -> Result<Vec<QuietLead>>;
    /// A lead's consents and withdrawals, in order.
    async fn consentimientos(&self, lead: LeadId) -> Result<Vec<Consentimiento>>;
    /// Whether a call was done under a key that has not expired at `now`.
    async fn was_done(&self, scope: String, key: String, now: Timestamp) -> Result<bool>;
}

#[async_trait]
impl<R: Reader> ReminderReads for R {
    async fn unanswered_quotes(
        &self,
        empresa: EmpresaId,
        stretch: Stretch,
        today: Date,
        after: Option<UnansweredQuote>,
        limit: u32,
    ) -> Result<Vec<UnansweredQuote>> {
        self.read(reminders::unanswered(empresa, stretch, today, after, limit)).await
    }

    async fn quiet_leads(
        &self,
        empresa: EmpresaId,
        stretch: Stretch,
        after: Option<QuietLead>,
        limit: u32,
    ) -> Result<Vec<QuietLead>> {
        self.read(reminders::quiet(empresa, stretch, after, limit)).await
    }

    async fn consentimientos(&self, id: LeadId) -> Result<Vec<Consentimiento>> {
        self.read(lead::consentimientos(id)).await
    }

    async fn was_done(&self, scope: String, key: String, now: Timestamp) -> Result<bool> {
        Ok(first(self, reminders::done(&scope, &key, now)).await?.unwrap_or(false))
    }
}

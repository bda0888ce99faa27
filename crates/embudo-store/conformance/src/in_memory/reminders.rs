//! The model keeps no etapas, so it has nobody to remind: that is tested on the engines alone.

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use embudo_store::read::{QuietLead, Stretch, UnansweredQuote};
use embudo_store::{ReminderReads, Result};
use jiff::civil::Date;

use super::Memory;

#[async_trait]
impl ReminderReads for Memory {
    async fn unanswered_quotes(
        &self,
        _: EmpresaId,
        _: Stretch,
        _: Date,
        _: Option<UnansweredQuote>,
        _: u32,
    ) -> Result<Vec<UnansweredQuote>> {
        unimplemented!()
    }

    async fn quiet_leads(
        &self,
        _: EmpresaId,
        _: Stretch,
        _: Option<QuietLead>,
        _: u32,
    ) -> Result<Vec<QuietLead>> {
        unimplemented!()
    }

    async fn consentimientos(&self, _: LeadId) -> Result<Vec<Consentimiento>> {
        unimplemented!()
    }

    async fn was_done(&self, _: String, _: String, _: Timestamp) -> Result<bool> {
        unimplemented!()
    }
}

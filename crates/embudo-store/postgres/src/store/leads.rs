//! Leads: created, corrected, shown and listed.

use std::future::ready;

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::record::LeadRecord;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::touches::Touch;
use embudo_store::{Done, LeadStore, Result, write};

use crate::PgStore;
use crate::command::lead;
use crate::patience::patiently;
use crate::query::record;

#[async_trait]
impl LeadStore for PgStore {
    async fn create_lead(&self, command: CreateLead) -> Result<Done> {
        let end = patiently!(self, self.turns.command(), lead::create(&self.pool, &command))?;
        self.touches.after(Ok(self.announce(end)), command.id, Touch::anew())
    }

    async fn update_contact(&self, command: UpdateContact) -> Result<()> {
        write::leads::update_contact(self, command).await
    }

    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        at: Timestamp,
    ) -> Result<()> {
        write::leads::record_consentimientos(self, lead, consentimientos, at).await
    }

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        patiently!(read self, ready(()), record::record(&self.pool, lead))
    }
}

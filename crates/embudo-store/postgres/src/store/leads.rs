//! Leads: created, corrected, shown and listed.

use std::future::ready;

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::record::LeadRecord;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::touches::Touch;
use embudo_store::{Done, Leads, Result};

use crate::PgStore;
use crate::command::lead;
use crate::patience::patiently;
use crate::query::record;

#[async_trait]
impl Leads for PgStore {
    async fn create_lead(&self, command: CreateLead) -> Result<Done> {
        let end = patiently!(self, self.turns.command(), lead::create(&self.pool, &command))?;
        self.touches.after(Ok(self.told(end)), command.id, Touch::anew())
    }

    async fn update_contact(&self, command: UpdateContact) -> Result<()> {
        patiently!(self, self.turns.on(command.lead.0), lead::update_contact(&self.pool, &command))?;
        self.touches.note(command.lead, Touch::anew());
        Ok(())
    }

    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        at: Timestamp,
    ) -> Result<()> {
        patiently!(
            self,
            self.turns.on(lead.0),
            lead::record_consentimientos(&self.pool, lead, &consentimientos, at)
        )?;
        self.touches.note(lead, Touch::seen());
        Ok(())
    }

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        patiently!(read self, ready(()), record::record(&self.pool, lead))
    }
}

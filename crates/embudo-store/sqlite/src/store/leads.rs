//! Leads: created, corrected, shown and listed.

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::record::LeadRecord;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::touches::Touch;
use embudo_store::{Done, Leads, Result};

use super::{ROW, bytes_of};
use crate::SqliteStore;
use crate::command::lead;
use crate::query::record;
use crate::writer::Shape;

#[async_trait]
impl Leads for SqliteStore {
    async fn create_lead(&self, command: CreateLead) -> Result<Done> {
        let utm: usize = command.utm.iter().map(|(n, v)| ROW + n.len() + v.len()).sum();
        let bytes = 2 * ROW + utm + command.search.len() * 2 + ROW * command.consentimientos.len();
        let bytes = bytes + bytes_of(&command.jobs);
        let id = command.id;
        let end = self.writer.run(Shape::Several, bytes, move |c| lead::create(c, &command)).await;
        self.touches.after(end, id, Touch::anew())
    }

    async fn update_contact(&self, command: UpdateContact) -> Result<()> {
        let lead = command.lead;
        self.writer.run(Shape::Several, 2 * ROW, move |c| lead::update_contact(c, command)).await?;
        self.touches.note(lead, Touch::anew());
        Ok(())
    }

    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        at: Timestamp,
    ) -> Result<()> {
        let bytes = ROW * (1 + consentimientos.len());
        let record = move |c: &_| lead::record_consentimientos(c, lead, &consentimientos, at);
        self.writer.run(Shape::Several, bytes, record).await?;
        self.touches.note(lead, Touch::seen());
        Ok(())
    }

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        self.readers.run(move |c| record::record(c, lead)).await
    }
}

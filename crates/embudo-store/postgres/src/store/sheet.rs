//! A lead's page.

use async_trait::async_trait;
use embudo_domain::LeadId;
use embudo_domain::lead::Lead;
use embudo_store::sheet::{EditLead, Edited, LeadSheet, TimelineEntry, TimelinePage};
use embudo_store::{Result, Sheets, read_sheet};

use crate::PgStore;
use crate::command::edit;
use crate::patience::patiently;

#[async_trait]
impl Sheets for PgStore {
    async fn lead(&self, lead: LeadId) -> Result<Lead> {
        read_sheet::lead(self, lead).await
    }

    async fn sheet(&self, lead: LeadId) -> Result<LeadSheet> {
        read_sheet::sheet(self, lead).await
    }

    async fn timeline(&self, lead: LeadId, page: TimelinePage) -> Result<Vec<TimelineEntry>> {
        read_sheet::timeline(self, lead, &page).await
    }

    async fn edit_lead(&self, command: EditLead) -> Result<Edited> {
        patiently!(self, self.turns.on(command.lead.0), edit::edit(&self.pool, &command))
    }
}

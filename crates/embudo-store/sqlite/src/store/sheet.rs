//! A lead's page.

use async_trait::async_trait;
use embudo_domain::LeadId;
use embudo_domain::lead::Lead;
use embudo_store::sheet::{EditLead, Edited, LeadSheet, TimelineEntry, TimelinePage};
use embudo_store::{Result, Sheets, read_sheet};

use super::ROW;
use crate::SqliteStore;
use crate::command::edit;
use crate::writer::Shape;

#[async_trait]
impl Sheets for SqliteStore {
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
        let bytes = 4 * ROW + 2 * command.edited.perfil.bytes();
        self.writer.run(Shape::Several, bytes, move |c| edit::edit(c, &command)).await
    }
}

//! Leads: created, corrected, shown and listed.

use async_trait::async_trait;
use embudo_domain::LeadId;
use embudo_domain::record::LeadRecord;
use embudo_store::leads::CreateLead;
use embudo_store::touches::Touch;
use embudo_store::{Done, LeadStore, Result};

use super::{ROW, bytes_of};
use crate::SqliteStore;
use crate::command::lead;
use crate::query::record;
use crate::writer::Shape;

#[async_trait]
impl LeadStore for SqliteStore {
    async fn create_lead(&self, command: CreateLead) -> Result<Done> {
        let utm: usize = command.utm.iter().map(|(n, v)| ROW + n.len() + v.len()).sum();
        let bytes = 2 * ROW + utm + command.search.len() * 2 + ROW * command.consentimientos.len();
        let bytes = bytes + bytes_of(&command.jobs);
        let id = command.id;
        let end = self.writer.run(Shape::Several, bytes, move |c| lead::create(c, &command)).await;
        self.touches.after(end, id, Touch::anew())
    }

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        self.readers.run(move |c| record::record(c, lead)).await
    }
}

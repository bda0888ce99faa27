//! Leads: created, corrected, shown and listed.

use std::future::ready;

use async_trait::async_trait;
use embudo_domain::LeadId;
use embudo_domain::record::LeadRecord;
use embudo_store::leads::CreateLead;
use embudo_store::touches::Touch;
use embudo_store::{Done, LeadStore, Result};

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

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        patiently!(read self, ready(()), record::record(&self.pool, lead))
    }
}

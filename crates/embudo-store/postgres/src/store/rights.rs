//! Erasures, and what else people may ask for of their data.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{LeadId, PresupuestoId, Timestamp};
use embudo_store::projection::show_at_once;
use embudo_store::rights::{EraseLead, ErasedLead, Seen};
use embudo_store::{Result, Rights, StoreError, write};
use uuid::Uuid;

use crate::PgStore;
use crate::command::rights;
use crate::patience::patiently;
use crate::statistics;

/// How long all samples may take.
const STATISTICS: Duration = Duration::from_secs(300);

#[async_trait]
impl Rights for PgStore {
    async fn erase_lead(&self, command: EraseLead) -> Result<ErasedLead> {
        let turn = || self.turns.on(command.lead.0);
        let end = patiently!(self, turn(), rights::erase(&self.pool, &command))?;
        if let ErasedLead::Gone(united) = &end {
            show_at_once(self, united).await;
        }
        Ok(end)
    }

    async fn settle_erasure(&self, lead: LeadId) -> Result<bool> {
        patiently!(self, self.turns.on(lead.0), rights::settle(&self.pool, lead))
    }

    async fn forget_statistics(&self) -> Result<()> {
        let client = self.pool.get().await.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        match tokio::time::timeout(STATISTICS, statistics::forget(&client)).await {
            Ok(end) => end.map_err(|error| StoreError::Unavailable(format!("statistics: {error}"))),
            Err(_) => {
                // The connection is still at it, and must not be somebody else's.
                drop(deadpool_postgres::Object::take(client));
                Err(StoreError::Unavailable("statistics: it takes too long".to_owned()))
            }
        }
    }

    async fn end_erasure(&self, lead: LeadId, at: Timestamp) -> Result<()> {
        write::rights::end_erasure(self, lead, at).await
    }

    async fn drop_blocked(&self, id: PresupuestoId, now: Timestamp) -> Result<bool> {
        write::rights::drop_blocked(self, id, now).await
    }

    async fn note_seen(&self, seen: Vec<Seen>) -> Result<()> {
        write::rights::note_seen(self, seen).await
    }

    async fn revoke_passes(&self, lead: LeadId, thing: Uuid, at: Timestamp, audit: AuditEntry) -> Result<()> {
        write::rights::revoke_passes(self, lead, thing, at, audit).await
    }

    async fn rotate_secret(&self, name: String, new: [u8; 32], previous: String) -> Result<()> {
        write::rights::rotate_secret(self, &name, new, &previous).await
    }

    async fn drop_secrets(&self, names: Vec<String>) -> Result<()> {
        write::rights::drop_secrets(self, &names).await
    }
}

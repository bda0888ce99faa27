//! Visits and people's calendars.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::visita::Agenda;
use embudo_domain::{Digest, LeadId, Timestamp, UserId};
use embudo_store::projection::show_at_once;
use embudo_store::visits::{SaveVisita, VisitaChange};
use embudo_store::{Result, Visits};

use super::{ROW, bytes_of};
use crate::SqliteStore;
use crate::command::visit;
use crate::writer::Shape;

#[async_trait]
impl Visits for SqliteStore {
    async fn save_visita(&self, command: SaveVisita) -> Result<VisitaChange> {
        let visita = &command.visita;
        let bytes = 8 * ROW + visita.notes.len() + visita.measurements.len() + bytes_of(&command.jobs);
        let lead = visita.lead;
        let change = self.writer.run(Shape::Several, bytes, move |c| visit::save(c, &command)).await?;
        show_at_once(self, &[lead]).await;
        Ok(change)
    }

    async fn pass_visits(&self, lead: LeadId, now: Timestamp) -> Result<()> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| visit::pass(c, lead, now)).await?;
        show_at_once(self, &[lead]).await;
        Ok(())
    }

    async fn save_agenda(&self, user: UserId, seen: i64, agenda: Agenda, audit: AuditEntry) -> Result<bool> {
        let run = move |c: &_| visit::save_agenda(c, user, seen, &agenda, &audit);
        self.writer.run(Shape::Several, 8 * ROW, run).await
    }

    async fn set_feed(
        &self,
        user: UserId,
        mark: Option<Digest>,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<()> {
        let run = move |c: &_| visit::set_feed(c, user, mark, at, &audit);
        self.writer.run(Shape::Several, 2 * ROW, run).await
    }
}

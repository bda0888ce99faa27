//! Visits and people's calendars.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::visita::Agenda;
use embudo_domain::{Digest, LeadId, Timestamp, UserId};
use embudo_store::projection::show_at_once;
use embudo_store::visits::{SaveVisita, VisitaChange};
use embudo_store::{Result, Visits};

use crate::PgStore;
use crate::command::visit;
use crate::patience::patiently;

#[async_trait]
impl Visits for PgStore {
    async fn save_visita(&self, command: SaveVisita) -> Result<VisitaChange> {
        let lead = command.visita.lead;
        let (change, loose) = patiently!(self, self.turns.on(lead.0), visit::save(&self.pool, &command))?;
        self.tell_of(loose);
        show_at_once(self, &[lead]).await;
        Ok(change)
    }

    async fn pass_visits(&self, lead: LeadId, now: Timestamp) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), visit::pass(&self.pool, lead, now))?;
        show_at_once(self, &[lead]).await;
        Ok(())
    }

    async fn save_agenda(&self, user: UserId, seen: i64, agenda: Agenda, audit: AuditEntry) -> Result<bool> {
        let save = || visit::save_agenda(&self.pool, user, seen, &agenda, &audit);
        patiently!(self, self.turns.on(user.0), save())
    }

    async fn set_feed(
        &self,
        user: UserId,
        mark: Option<Digest>,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<()> {
        let set = || visit::set_feed(&self.pool, user, mark, at, &audit);
        patiently!(self, self.turns.on(user.0), set())
    }
}

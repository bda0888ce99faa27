//! Visits, and people's calendars.

use async_trait::async_trait;
use embudo_domain::visita::{Busy, Visita};
use embudo_domain::{Digest, EmpresaId, LeadId, Timestamp, UserId, VisitaId};
use jiff::civil::Date;

use super::{Reader, first};
use crate::Result;
use crate::queries::visit;
use crate::visits::{ListedVisita, ListedWork, MAX_LISTED, StoredAgenda};

#[async_trait]
pub trait VisitReads: Send + Sync + 'static {
    async fn visita(&self, id: VisitaId) -> Result<Option<Visita>>;
    /// A lead's visits, newest change first.
    async fn visitas_of(&self, lead: LeadId, limit: u32) -> Result<Vec<Visita>>;
    /// A company's visits that begin from one moment to another, in order; at most [`MAX_LISTED`].
    async fn calendar(&self, empresa: EmpresaId, from: Timestamp, to: Timestamp)
    -> Result<Vec<ListedVisita>>;
    /// A company's accepted work that takes place between two days, the second not included, by its first day; at most
    /// [`MAX_LISTED`].
    async fn works(&self, empresa: EmpresaId, from: Date, to: Date) -> Result<Vec<ListedWork>>;
    /// A company's visits that have no agreed time yet, newest first.
    async fn proposed_visits(&self, empresa: EmpresaId, limit: u32) -> Result<Vec<ListedVisita>>;
    /// The visits in a person's calendar that end after a moment, the latest first, in all companies; at most
    /// [`MAX_LISTED`].
    async fn calendar_of(&self, user: UserId, from: Timestamp) -> Result<Vec<ListedVisita>>;
    /// The times of these people's agreed visits that overlap with the given time, in all companies.
    async fn busy(&self, people: &[UserId], from: Timestamp, to: Timestamp) -> Result<Vec<Busy>>;
    /// Leads with an agreed visit that is over but still counts for their etapa.
    async fn passed_visits(&self, now: Timestamp, limit: u32) -> Result<Vec<LeadId>>;
    /// People's hours, in the order of `people`; the usual ones for people who have saved none.
    async fn agendas(&self, people: &[UserId]) -> Result<Vec<StoredAgenda>>;
    /// The person whose calendar this secret opens.
    async fn feed_owner(&self, secret: Digest) -> Result<Option<UserId>>;
}

#[async_trait]
impl<R: Reader> VisitReads for R {
    async fn visita(&self, id: VisitaId) -> Result<Option<Visita>> {
        first(self, visit::get(id)).await
    }

    async fn visitas_of(&self, lead: LeadId, limit: u32) -> Result<Vec<Visita>> {
        self.read(visit::all_of_lead(lead, limit)).await
    }

    async fn calendar(
        &self,
        empresa: EmpresaId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<ListedVisita>> {
        self.read(visit::calendar(empresa, from, to, MAX_LISTED)).await
    }

    async fn works(&self, empresa: EmpresaId, from: Date, to: Date) -> Result<Vec<ListedWork>> {
        self.read(visit::works(empresa, from, to, MAX_LISTED)).await
    }

    async fn proposed_visits(&self, empresa: EmpresaId, limit: u32) -> Result<Vec<ListedVisita>> {
        self.read(visit::proposed(empresa, limit)).await
    }

    async fn calendar_of(&self, user: UserId, from: Timestamp) -> Result<Vec<ListedVisita>> {
        self.read(visit::of_person(user, from, MAX_LISTED)).await
    }

    async fn busy(&self, people: &[UserId], from: Timestamp, to: Timestamp) -> Result<Vec<Busy>> {
        let mut busy = self.read(visit::busy(people, from, to)).await?;
        busy.dedup();
        Ok(busy)
    }

    async fn passed_visits(&self, now: Timestamp, limit: u32) -> Result<Vec<LeadId>> {
        let mut leads = self.read(visit::passed(now, limit)).await?;
        leads.sort();
        leads.dedup();
        Ok(leads)
    }

    async fn agendas(&self, people: &[UserId]) -> Result<Vec<StoredAgenda>> {
        let kept = self.read(visit::agendas(people)).await?;
        let of = |user: &UserId| {
            let kept = kept.iter().find(|agenda| agenda.user == *user).cloned();
            kept.unwrap_or_else(|| StoredAgenda::usual(*user))
        };
        Ok(people.iter().map(of).collect())
    }

    async fn feed_owner(&self, secret: Digest) -> Result<Option<UserId>> {
        Ok(first(self, visit::feed(secret)).await?.map(|agenda| agenda.user))
    }
}

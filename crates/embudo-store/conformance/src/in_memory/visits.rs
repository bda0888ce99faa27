//! The model keeps no visits: they are tested on the engines alone.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::visita::{Agenda, Busy, Visita};
use embudo_domain::{Digest, EmpresaId, LeadId, Timestamp, UserId, VisitaId};
use embudo_store::visits::{ListedVisita, ListedWork, SaveVisita, StoredAgenda, VisitaChange};
use embudo_store::{Result, VisitReads, VisitStore};
use jiff::civil::Date;

use super::Memory;

#[async_trait]
impl VisitStore for Memory {
    async fn save_visita(&self, _: SaveVisita) -> Result<VisitaChange> {
        unimplemented!()
    }

    async fn pass_visits(&self, _: LeadId, _: Timestamp) -> Result<()> {
        unimplemented!()
    }

    async fn save_agenda(&self, _: UserId, _: i64, _: Agenda, _: AuditEntry) -> Result<bool> {
        unimplemented!()
    }

    async fn set_feed(&self, _: UserId, _: Option<Digest>, _: Timestamp, _: AuditEntry) -> Result<()> {
        unimplemented!()
    }
}

#[async_trait]
impl VisitReads for Memory {
    async fn visita(&self, _: VisitaId) -> Result<Option<Visita>> {
        unimplemented!()
    }

    async fn visitas_of(&self, _: LeadId, _: u32) -> Result<Vec<Visita>> {
        unimplemented!()
    }

    async fn calendar(&self, _: EmpresaId, _: Timestamp, _: Timestamp) -> Result<Vec<ListedVisita>> {
        unimplemented!()
    }

    async fn works(&self, _: EmpresaId, _: Date, _: Date) -> Result<Vec<ListedWork>> {
        unimplemented!()
    }

    async fn proposed_visits(&self, _: EmpresaId, _: u32) -> Result<Vec<ListedVisita>> {
        unimplemented!()
    }

    async fn calendar_of(&self, _: UserId, _: Timestamp) -> Result<Vec<ListedVisita>> {
        unimplemented!()
    }

    async fn busy(&self, _: &[UserId], _: Timestamp, _: Timestamp) -> Result<Vec<Busy>> {
        unimplemented!()
    }

    async fn passed_visits(&self, _: Timestamp, _: u32) -> Result<Vec<LeadId>> {
        unimplemented!()
    }

    async fn agendas(&self, _: &[UserId]) -> Result<Vec<StoredAgenda>> {
        unimplemented!()
    }

    async fn feed_owner(&self, _: Digest) -> Result<Option<UserId>> {
        unimplemented!()
    }
}

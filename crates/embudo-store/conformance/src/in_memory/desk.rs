//! What people do with leads, as far as an etapa depends on it. The rest is tested on the engines alone.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::{Etapa, EtapaInput};
use embudo_domain::nota::NotaInterna;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::desk::{HandAction, LeadDesk, WorkState};
use embudo_store::edited::Edited;
use embudo_store::inbox::Viewer;
use embudo_store::{DeskStore, Result};

use super::Memory;
use crate::model::step::Step;

#[async_trait]
impl DeskStore for Memory {
    async fn desk(&self, _: &Viewer, lead: LeadId) -> Result<LeadDesk> {
        let world = self.world();
        let record = world.record(lead)?;
        Ok(LeadDesk {
            lead,
            empresa: record.lead.empresa.id,
            etapa: world.etapa(lead)?,
            etapa_since: record.lead.creado_en,
            facts: EtapaInput::default(),
            assigned: None,
            archived: None,
            action: None,
            work: WorkState::default(),
            principal: None,
            united: Vec::new(),
        })
    }

    async fn archive(
        &self,
        _: &Viewer,
        leads: Vec<LeadId>,
        _: String,
        at: Timestamp,
        _: AuditEntry,
    ) -> Result<Vec<LeadId>> {
        let mut world = self.world();
        let mut archive =
            |lead: &LeadId| world.make(Step::Archive(*lead, at)).is_ok_and(|done| done == "true");
        Ok(leads.into_iter().filter(|lead| archive(lead)).collect())
    }

    async fn undo_archive(
        &self,
        _: &Viewer,
        _: Timestamp,
        _: Timestamp,
        _: AuditEntry,
    ) -> Result<Vec<LeadId>> {
        unimplemented!()
    }

    async fn reopen(&self, _: &Viewer, lead: LeadId, at: Timestamp, _: AuditEntry) -> Result<Etapa> {
        let mut world = self.world();
        world.make(Step::Reopen(lead, at))?;
        world.etapa(lead)
    }

    async fn assign(
        &self,
        _: &Viewer,
        _: Vec<LeadId>,
        _: Option<UserId>,
        _: AuditEntry,
    ) -> Result<Vec<(LeadId, Option<UserId>)>> {
        unimplemented!()
    }

    async fn hand_over(
        &self,
        _: &Viewer,
        _: LeadId,
        _: Option<UserId>,
        _: Option<UserId>,
        _: AuditEntry,
    ) -> Result<Edited> {
        unimplemented!()
    }

    async fn set_action(
        &self,
        _: &Viewer,
        _: LeadId,
        _: Option<HandAction>,
        _: Option<HandAction>,
        _: AuditEntry,
    ) -> Result<Edited> {
        unimplemented!()
    }

    async fn set_work(
        &self,
        _: &Viewer,
        _: LeadId,
        _: WorkState,
        _: WorkState,
        _: Timestamp,
        _: AuditEntry,
    ) -> Result<Edited> {
        unimplemented!()
    }

    async fn add_nota_interna(&self, _: &Viewer, _: LeadId, _: NotaInterna, _: AuditEntry) -> Result<bool> {
        unimplemented!()
    }

    async fn delete_nota_interna(&self, _: &Viewer, _: LeadId, _: NotaId, _: AuditEntry) -> Result<bool> {
        unimplemented!()
    }

    async fn mark_read(&self, _: &Viewer, _: Vec<LeadId>, _: Timestamp) -> Result<()> {
        unimplemented!()
    }

    async fn mark_unread(&self, _: &Viewer, _: LeadId) -> Result<()> {
        unimplemented!()
    }

    async fn unite(&self, _: &Viewer, _: LeadId, _: LeadId, _: Timestamp, _: AuditEntry) -> Result<bool> {
        unimplemented!()
    }

    async fn separate(&self, _: &Viewer, _: LeadId, _: AuditEntry) -> Result<bool> {
        unimplemented!()
    }
}

//! What people do with leads.

use async_trait::async_trait;
use embudo_domain::etapa::Etapa;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::desk::{HandAction, LeadDesk, MAX_BULK};
use embudo_store::inbox::Viewer;
use embudo_store::touches::Touch;
use embudo_store::{Desk, Result, read};

use crate::PgStore;
use crate::command::desk;
use crate::patience::patiently;

#[async_trait]
impl Desk for PgStore {
    async fn desk(&self, viewer: &Viewer, lead: LeadId) -> Result<LeadDesk> {
        read::desk(self, viewer, lead).await
    }

    async fn assign(
        &self,
        viewer: &Viewer,
        mut leads: Vec<LeadId>,
        to: Option<UserId>,
    ) -> Result<Vec<(LeadId, Option<UserId>)>> {
        leads.truncate(MAX_BULK);
        let changed = patiently!(self, self.turns.command(), desk::assign(&self.pool, viewer, &leads, to))?;
        changed.iter().for_each(|(lead, _)| self.touches.note(*lead, Touch::seen()));
        Ok(changed)
    }

    async fn archive(
        &self,
        viewer: &Viewer,
        mut leads: Vec<LeadId>,
        reason: String,
        at: Timestamp,
    ) -> Result<Vec<LeadId>> {
        leads.truncate(MAX_BULK);
        let archive = || desk::archive(&self.pool, viewer, &leads, &reason, at);
        let changed = patiently!(self, self.turns.command(), archive())?;
        changed.iter().for_each(|lead| self.touches.note(*lead, Touch::anew()));
        Ok(changed)
    }

    async fn reopen(&self, viewer: &Viewer, lead: LeadId, at: Timestamp) -> Result<Etapa> {
        let etapa = patiently!(self, self.turns.on(lead.0), desk::reopen(&self.pool, viewer, lead, at))?;
        self.touches.note(lead, Touch::anew());
        Ok(etapa)
    }

    async fn set_action(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        action: Option<HandAction>,
    ) -> Result<Option<HandAction>> {
        let set = || desk::set_action(&self.pool, viewer, lead, action.as_ref());
        let before = patiently!(self, self.turns.on(lead.0), set())?;
        self.touches.note(lead, Touch::anew());
        Ok(before)
    }

    async fn add_nota_interna(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        id: NotaId,
        text: String,
        at: Timestamp,
    ) -> Result<()> {
        let add = || desk::add_nota(&self.pool, viewer, lead, id, &text, at);
        patiently!(self, self.turns.on(lead.0), add())?;
        self.touches.note(lead, Touch::seen());
        Ok(())
    }

    async fn delete_nota_interna(&self, viewer: &Viewer, lead: LeadId, id: NotaId) -> Result<bool> {
        let delete = || desk::delete_nota(&self.pool, viewer, lead, id);
        let deleted = patiently!(self, self.turns.on(lead.0), delete())?;
        self.touches.note(lead, Touch::seen());
        Ok(deleted)
    }

    async fn mark_read(&self, viewer: &Viewer, mut leads: Vec<LeadId>, at: Timestamp) -> Result<()> {
        leads.truncate(MAX_BULK);
        patiently!(self, self.turns.command(), desk::mark_read(&self.pool, viewer, &leads, at))
    }

    async fn mark_unread(&self, viewer: &Viewer, lead: LeadId) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), desk::mark_unread(&self.pool, viewer, lead))
    }

    async fn unite(&self, viewer: &Viewer, lead: LeadId, principal: LeadId, at: Timestamp) -> Result<bool> {
        let unite = || desk::unite(&self.pool, viewer, lead, principal, at);
        let is_united = patiently!(self, self.turns.on(lead.0), unite())?;
        [lead, principal].iter().for_each(|lead| self.touches.note(*lead, Touch::anew()));
        Ok(is_united)
    }

    async fn separate(&self, viewer: &Viewer, lead: LeadId) -> Result<bool> {
        let principal = patiently!(self, self.turns.on(lead.0), desk::separate(&self.pool, viewer, lead))?;
        principal.iter().chain([&lead]).for_each(|lead| self.touches.note(*lead, Touch::anew()));
        Ok(principal.is_some())
    }
}

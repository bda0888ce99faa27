//! What people do with leads.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::Etapa;
use embudo_domain::nota::NotaInterna;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::desk::{HandAction, LeadDesk, MAX_BULK, WorkState};
use embudo_store::inbox::Viewer;
use embudo_store::projection::show_at_once;
use embudo_store::sheet::Edited;
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
        audit: AuditEntry,
    ) -> Result<Vec<(LeadId, Option<UserId>)>> {
        leads.truncate(MAX_BULK);
        let assign = || desk::assign(&self.pool, viewer, &leads, to, &audit);
        let changed = patiently!(self, self.turns.command(), assign())?;
        changed.iter().for_each(|(lead, _)| self.touches.note(*lead, Touch::seen()));
        Ok(changed)
    }

    async fn hand_over(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        seen: Option<UserId>,
        to: Option<UserId>,
        audit: AuditEntry,
    ) -> Result<Edited> {
        let hand_over = || desk::hand_over(&self.pool, viewer, lead, seen, to, &audit);
        let end = patiently!(self, self.turns.on(lead.0), hand_over())?;
        self.touches.note(lead, Touch::seen());
        Ok(end)
    }

    async fn archive(
        &self,
        viewer: &Viewer,
        mut leads: Vec<LeadId>,
        reason: String,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<Vec<LeadId>> {
        leads.truncate(MAX_BULK);
        let archive = || desk::archive(&self.pool, viewer, &leads, &reason, at, &audit);
        let changed = patiently!(self, self.turns.command(), archive())?;
        show_at_once(self, &changed).await;
        Ok(changed)
    }

    async fn reopen(&self, viewer: &Viewer, lead: LeadId, at: Timestamp, audit: AuditEntry) -> Result<Etapa> {
        let reopen = || desk::reopen(&self.pool, viewer, lead, at, &audit);
        let etapa = patiently!(self, self.turns.on(lead.0), reopen())?;
        show_at_once(self, &[lead]).await;
        Ok(etapa)
    }

    async fn set_action(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        seen: Option<HandAction>,
        action: Option<HandAction>,
        audit: AuditEntry,
    ) -> Result<Edited> {
        let set = || desk::set_action(&self.pool, viewer, lead, &seen, &action, &audit);
        let end = patiently!(self, self.turns.on(lead.0), set())?;
        show_at_once(self, &[lead]).await;
        Ok(end)
    }

    async fn set_work(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        seen: WorkState,
        work: WorkState,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<Edited> {
        let set = || desk::set_work(&self.pool, viewer, lead, seen, work, at, &audit);
        let end = patiently!(self, self.turns.on(lead.0), set())?;
        show_at_once(self, &[lead]).await;
        Ok(end)
    }

    async fn add_nota_interna(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        nota: NotaInterna,
        audit: AuditEntry,
    ) -> Result<bool> {
        let add = || desk::add_nota(&self.pool, viewer, lead, &nota, &audit);
        let added = patiently!(self, self.turns.on(lead.0), add())?;
        self.touches.note(lead, Touch::seen());
        Ok(added)
    }

    async fn delete_nota_interna(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        id: NotaId,
        audit: AuditEntry,
    ) -> Result<bool> {
        let delete = || desk::delete_nota(&self.pool, viewer, lead, id, &audit);
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

    async fn unite(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        principal: LeadId,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<bool> {
        let unite = || desk::unite(&self.pool, viewer, lead, principal, at, &audit);
        let is_united = patiently!(self, self.turns.on(lead.0), unite())?;
        show_at_once(self, &[lead, principal]).await;
        Ok(is_united)
    }

    async fn separate(&self, viewer: &Viewer, lead: LeadId, audit: AuditEntry) -> Result<bool> {
        let separate = || desk::separate(&self.pool, viewer, lead, &audit);
        let principal = patiently!(self, self.turns.on(lead.0), separate())?;
        show_at_once(self, &principal.into_iter().chain([lead]).collect::<Vec<_>>()).await;
        Ok(principal.is_some())
    }
}

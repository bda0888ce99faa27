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

use super::ROW;
use crate::SqliteStore;
use crate::command::desk;
use crate::writer::Shape;

#[async_trait]
impl Desk for SqliteStore {
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
        let (viewer, bytes) = (viewer.clone(), leads.len() * ROW);
        let run = move |c: &_| desk::assign(c, &viewer, &leads, to, &audit);
        let changed = self.writer.run(Shape::Several, bytes, run).await?;
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
        let viewer = viewer.clone();
        let run = move |c: &_| desk::hand_over(c, &viewer, lead, seen, to, &audit);
        let end = self.writer.run(Shape::Several, 2 * ROW, run).await?;
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
        let (viewer, bytes) = (viewer.clone(), leads.len() * (ROW + reason.len()));
        let run = move |c: &_| desk::archive(c, &viewer, &leads, &reason, at, &audit);
        let changed = self.writer.run(Shape::Several, bytes, run).await?;
        show_at_once(self, &changed).await;
        Ok(changed)
    }

    async fn reopen(&self, viewer: &Viewer, lead: LeadId, at: Timestamp, audit: AuditEntry) -> Result<Etapa> {
        let viewer = viewer.clone();
        let run = move |c: &_| desk::reopen(c, &viewer, lead, at, &audit);
        let etapa = self.writer.run(Shape::Several, ROW, run).await?;
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
        let viewer = viewer.clone();
        let run = move |c: &_| desk::set_action(c, &viewer, lead, &seen, &action, &audit);
        let end = self.writer.run(Shape::Several, 2 * ROW, run).await?;
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
        let viewer = viewer.clone();
        let run = move |c: &_| desk::set_work(c, &viewer, lead, seen, work, at, &audit);
        let end = self.writer.run(Shape::Several, 2 * ROW, run).await?;
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
        let (viewer, bytes) = (viewer.clone(), ROW + nota.text.len());
        let run = move |c: &_| desk::add_nota(c, &viewer, lead, &nota, &audit);
        let added = self.writer.run(Shape::Several, bytes, run).await?;
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
        let viewer = viewer.clone();
        let run = move |c: &_| desk::delete_nota(c, &viewer, lead, id, &audit);
        let deleted = self.writer.run(Shape::Several, ROW, run).await?;
        self.touches.note(lead, Touch::seen());
        Ok(deleted)
    }

    async fn mark_read(&self, viewer: &Viewer, mut leads: Vec<LeadId>, at: Timestamp) -> Result<()> {
        leads.truncate(MAX_BULK);
        let (viewer, bytes) = (viewer.clone(), leads.len() * ROW);
        self.writer.run(Shape::Several, bytes, move |c| desk::mark_read(c, &viewer, &leads, at)).await
    }

    async fn mark_unread(&self, viewer: &Viewer, lead: LeadId) -> Result<()> {
        let viewer = viewer.clone();
        self.writer.run(Shape::Several, ROW, move |c| desk::mark_unread(c, &viewer, lead)).await
    }

    async fn unite(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        principal: LeadId,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<bool> {
        let viewer = viewer.clone();
        let run = move |c: &_| desk::unite(c, &viewer, lead, principal, at, &audit);
        let is_united = self.writer.run(Shape::Several, ROW, run).await?;
        show_at_once(self, &[lead, principal]).await;
        Ok(is_united)
    }

    async fn separate(&self, viewer: &Viewer, lead: LeadId, audit: AuditEntry) -> Result<bool> {
        let viewer = viewer.clone();
        let run = move |c: &_| desk::separate(c, &viewer, lead, &audit);
        let principal = self.writer.run(Shape::Several, ROW, run).await?;
        show_at_once(self, &principal.into_iter().chain([lead]).collect::<Vec<_>>()).await;
        Ok(principal.is_some())
    }
}

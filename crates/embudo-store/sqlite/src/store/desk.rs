//! What people do with leads.

use async_trait::async_trait;
use embudo_domain::etapa::Etapa;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::desk::{HandAction, LeadDesk, MAX_BULK};
use embudo_store::inbox::Viewer;
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
    ) -> Result<Vec<(LeadId, Option<UserId>)>> {
        leads.truncate(MAX_BULK);
        let (viewer, bytes) = (viewer.clone(), leads.len() * ROW);
        let run = move |c: &_| desk::assign(c, &viewer, &leads, to);
        let changed = self.writer.run(Shape::Several, bytes, run).await?;
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
        let (viewer, bytes) = (viewer.clone(), leads.len() * (ROW + reason.len()));
        let run = move |c: &_| desk::archive(c, &viewer, &leads, &reason, at);
        let changed = self.writer.run(Shape::Several, bytes, run).await?;
        changed.iter().for_each(|lead| self.touches.note(*lead, Touch::anew()));
        Ok(changed)
    }

    async fn reopen(&self, viewer: &Viewer, lead: LeadId, at: Timestamp) -> Result<Etapa> {
        let viewer = viewer.clone();
        let run = move |c: &_| desk::reopen(c, &viewer, lead, at);
        let etapa = self.writer.run(Shape::Several, ROW, run).await?;
        self.touches.note(lead, Touch::anew());
        Ok(etapa)
    }

    async fn set_action(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        action: Option<HandAction>,
    ) -> Result<Option<HandAction>> {
        let viewer = viewer.clone();
        let run = move |c: &_| desk::set_action(c, &viewer, lead, action.as_ref());
        let before = self.writer.run(Shape::Several, 2 * ROW, run).await?;
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
        let (viewer, bytes) = (viewer.clone(), ROW + text.len());
        let run = move |c: &_| desk::add_nota(c, &viewer, lead, id, &text, at);
        self.writer.run(Shape::Several, bytes, run).await?;
        self.touches.note(lead, Touch::seen());
        Ok(())
    }

    async fn delete_nota_interna(&self, viewer: &Viewer, lead: LeadId, id: NotaId) -> Result<bool> {
        let viewer = viewer.clone();
        let run = move |c: &_| desk::delete_nota(c, &viewer, lead, id);
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

    async fn unite(&self, viewer: &Viewer, lead: LeadId, principal: LeadId, at: Timestamp) -> Result<bool> {
        let viewer = viewer.clone();
        let run = move |c: &_| desk::unite(c, &viewer, lead, principal, at);
        let is_united = self.writer.run(Shape::Several, ROW, run).await?;
        [lead, principal].iter().for_each(|lead| self.touches.note(*lead, Touch::anew()));
        Ok(is_united)
    }

    async fn separate(&self, viewer: &Viewer, lead: LeadId) -> Result<bool> {
        let viewer = viewer.clone();
        let principal =
            self.writer.run(Shape::Several, ROW, move |c| desk::separate(c, &viewer, lead)).await?;
        principal.iter().chain([&lead]).for_each(|lead| self.touches.note(*lead, Touch::anew()));
        Ok(principal.is_some())
    }
}

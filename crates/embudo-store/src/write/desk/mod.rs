//! What people do with leads. The facts from which an etapa is derived change under the lead's lock.

mod unions;
mod work;

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::Etapa;
use embudo_domain::nota::NotaInterna;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};

use super::{Engine, Load, ROW};
use crate::desk::{HandAction, LeadDesk, MAX_BULK, WorkState};
use crate::edited::Edited;
use crate::inbox::Viewer;
use crate::projection::show_at_once;
use crate::read::{self, Reader};
use crate::touches::Touch;
use crate::{DeskStore, ProjectionStore, Result};

#[async_trait]
impl<E: Engine + Reader + ProjectionStore> DeskStore for E {
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
        let load = Load::SMALL.and(leads.len() * ROW);
        let command = (viewer.clone(), leads, to, audit);
        let changed = self
            .write(load, command, |tx, (viewer, leads, to, audit)| {
                Box::pin(work::assign(tx, viewer, leads, *to, audit))
            })
            .await?;
        changed.iter().for_each(|(lead, _)| self.touched().note(*lead, Touch::seen()));
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
        let command = (viewer.clone(), lead, seen, to, audit);
        let end = self
            .write(Load::on(lead.0), command, |tx, (viewer, lead, seen, to, audit)| {
                Box::pin(work::hand_over(tx, viewer, *lead, *seen, *to, audit))
            })
            .await?;
        self.touched().note(lead, Touch::seen());
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
        let load = Load::SMALL.and(leads.len() * (ROW + reason.len()));
        let command = (viewer.clone(), leads, reason, at, audit);
        let changed = self
            .write(load, command, |tx, (viewer, leads, reason, at, audit)| {
                Box::pin(work::archive(tx, viewer, leads, reason, *at, audit))
            })
            .await?;
        show_at_once(self, &changed).await;
        Ok(changed)
    }

    async fn undo_archive(
        &self,
        viewer: &Viewer,
        archived_at: Timestamp,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<Vec<LeadId>> {
        let load = Load::SMALL.and(MAX_BULK * ROW);
        let command = (viewer.clone(), archived_at, at, audit);
        let changed = self
            .write(load, command, |tx, (viewer, archived_at, at, audit)| {
                Box::pin(work::undo_archive(tx, viewer, *archived_at, *at, audit))
            })
            .await?;
        show_at_once(self, &changed).await;
        Ok(changed)
    }

    async fn reopen(&self, viewer: &Viewer, lead: LeadId, at: Timestamp, audit: AuditEntry) -> Result<Etapa> {
        let command = (viewer.clone(), lead, at, audit);
        let etapa = self
            .write(Load::on(lead.0), command, |tx, (viewer, lead, at, audit)| {
                Box::pin(work::reopen(tx, viewer, *lead, *at, audit))
            })
            .await?;
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
        let command = (viewer.clone(), lead, seen, action, audit);
        let end = self
            .write(Load::on(lead.0), command, |tx, (viewer, lead, seen, action, audit)| {
                Box::pin(work::set_action(tx, viewer, *lead, seen, action, audit))
            })
            .await?;
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
        let command = (viewer.clone(), lead, seen, work, at, audit);
        let end = self
            .write(Load::on(lead.0), command, |tx, (viewer, lead, seen, work, at, audit)| {
                Box::pin(work::set_work(tx, viewer, *lead, *seen, *work, *at, audit))
            })
            .await?;
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
        let load = Load::on(lead.0).and(nota.text.len());
        let command = (viewer.clone(), lead, nota, audit);
        let added = self
            .write(load, command, |tx, (viewer, lead, nota, audit)| {
                Box::pin(work::add_nota(tx, viewer, *lead, nota, audit))
            })
            .await?;
        self.touched().note(lead, Touch::seen());
        Ok(added)
    }

    async fn delete_nota_interna(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        id: NotaId,
        audit: AuditEntry,
    ) -> Result<bool> {
        let command = (viewer.clone(), lead, id, audit);
        let deleted = self
            .write(Load::on(lead.0), command, |tx, (viewer, lead, id, audit)| {
                Box::pin(work::delete_nota(tx, viewer, *lead, *id, audit))
            })
            .await?;
        self.touched().note(lead, Touch::seen());
        Ok(deleted)
    }

    async fn mark_read(&self, viewer: &Viewer, mut leads: Vec<LeadId>, at: Timestamp) -> Result<()> {
        leads.truncate(MAX_BULK);
        let load = Load::SMALL.and(leads.len() * ROW);
        let command = (viewer.clone(), leads, at);
        self.write(load, command, |tx, (viewer, leads, at)| Box::pin(work::mark_read(tx, viewer, leads, *at)))
            .await
    }

    async fn mark_unread(&self, viewer: &Viewer, lead: LeadId) -> Result<()> {
        let command = (viewer.clone(), lead);
        self.write(Load::on(lead.0), command, |tx, (viewer, lead)| {
            Box::pin(work::mark_unread(tx, viewer, *lead))
        })
        .await
    }

    async fn unite(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        principal: LeadId,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<bool> {
        let command = (viewer.clone(), lead, principal, at, audit);
        let is_united = self
            .write(Load::on(lead.0), command, |tx, (viewer, lead, principal, at, audit)| {
                Box::pin(unions::unite(tx, viewer, *lead, *principal, *at, audit))
            })
            .await?;
        show_at_once(self, &[lead, principal]).await;
        Ok(is_united)
    }

    async fn separate(&self, viewer: &Viewer, lead: LeadId, audit: AuditEntry) -> Result<bool> {
        let command = (viewer.clone(), lead, audit);
        let principal = self
            .write(Load::on(lead.0), command, |tx, (viewer, lead, audit)| {
                Box::pin(unions::separate(tx, viewer, *lead, audit))
            })
            .await?;
        show_at_once(self, &principal.into_iter().chain([lead]).collect::<Vec<_>>()).await;
        Ok(principal.is_some())
    }
}

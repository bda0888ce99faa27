//! What people decide about leads: who is in charge, the next action, the progress of the work, archiving and
//! reopening, uniting with another lead. Also the notes that they write for each other, and which leads each person has
//! read. Every change commits together with its audit log entry.

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::etapa::Progress;
use embudo_domain::lead::Lead;
use embudo_domain::nota::NotaInterna;
use embudo_domain::role::{Permission, Role};
use embudo_domain::user::User;
use embudo_domain::visita::SpanishTimeZone;
use embudo_domain::words::day;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::desk::{HandAction, LeadDesk, WorkState};
use embudo_store::edited::Edited;
use embudo_store::inbox::Viewer;
use uuid::Uuid;

use crate::{Actor, App, AppError};

/// How many characters of a note the audit log keeps.
const NOTA_IN_LOG: usize = 200;

/// How the audit log writes that a lead is assigned to nobody.
const NOBODY: &str = "Nadie";

#[derive(Clone, Copy)]
pub struct Desk<'a> {
    pub(crate) app: &'a App,
}

/// The result of removing a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotaRemoval {
    /// The note is gone; it may have been removed earlier.
    Done,
    /// The person may not remove it.
    Forbidden,
}

/// The result of archiving leads together. Undoing it finds them by the moment `at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Archiving {
    pub leads: usize,
    pub at: Timestamp,
}

/// Changes to one lead, which the person saw as `seen`.
impl Desk<'_> {
    /// Assigns a lead to a person, or to nobody.
    pub async fn hand_over(
        self,
        viewer: &Viewer,
        seen: &LeadDesk,
        to: Option<UserId>,
        actor: &Actor,
    ) -> Result<Edited, AppError> {
        let names = (self.name(seen.assigned).await?, self.name(to).await?);
        let audit = self.entry(seen, AuditAction::LeadsAssigned, (Some(names.0), Some(names.1)), actor);
        Ok(self.app.store.hand_over(viewer, seen.lead, seen.assigned, to, audit).await?)
    }

    /// Sets or removes a next action by hand.
    pub async fn plan(
        self,
        viewer: &Viewer,
        seen: &LeadDesk,
        action: Option<HandAction>,
        actor: &Actor,
    ) -> Result<Edited, AppError> {
        let texts = (seen.action.as_ref().map(plan_text), action.as_ref().map(plan_text));
        let audit = self.entry(seen, AuditAction::LeadPlanned, texts, actor);
        Ok(self.app.store.set_action(viewer, seen.lead, seen.action.clone(), action, audit).await?)
    }

    /// Records when accepted work begins and how far it has come.
    pub async fn set_work(
        self,
        viewer: &Viewer,
        seen: &LeadDesk,
        work: WorkState,
        actor: &Actor,
    ) -> Result<Edited, AppError> {
        let texts = (Some(work_label(seen.work)), Some(work_label(work)));
        let audit = self.entry(seen, AuditAction::LeadWork, texts, actor);
        Ok(self.app.store.set_work(viewer, seen.lead, seen.work, work, self.app.now(), audit).await?)
    }

    pub async fn archive(
        self,
        viewer: &Viewer,
        seen: &LeadDesk,
        reason: String,
        actor: &Actor,
    ) -> Result<Archiving, AppError> {
        let texts = (Some(seen.etapa.label().to_owned()), Some(reason.clone()));
        let audit = self.entry(seen, AuditAction::LeadsArchived, texts, actor);
        let at = self.app.now();
        let leads = self.app.store.archive(viewer, vec![seen.lead], reason, at, audit).await?.len();
        Ok(Archiving { leads, at })
    }

    /// Reopens a lead that was archived, or whose client declined.
    pub async fn reopen(self, viewer: &Viewer, seen: &LeadDesk, actor: &Actor) -> Result<(), AppError> {
        let reason = seen.archived.as_ref().map(|archived| archived.reason.clone());
        let audit = self.entry(seen, AuditAction::LeadsReopened, (reason, None), actor);
        self.app.store.reopen(viewer, seen.lead, self.app.now(), audit).await?;
        Ok(())
    }

    /// Makes `principal` represent `lead` too. Returns whether it does now; it cannot if one of them is already united
    /// with another lead.
    pub async fn unite(
        self,
        viewer: &Viewer,
        lead: &Lead,
        principal: LeadId,
        actor: &Actor,
    ) -> Result<bool, AppError> {
        let store = &self.app.store;
        let entry = self.app.leads().entry(lead.id, lead.empresa.id, AuditAction::LeadUnited, actor);
        let audit = AuditEntry { after: Some(format!("con {principal}")), ..entry };
        let is_new = store.unite(viewer, lead.id, principal, self.app.now(), audit).await?;
        Ok(is_new || store.desk(viewer, lead.id).await?.principal == Some(principal))
    }

    /// Separates the lead from the lead that represented it. Returns that other lead, if there was one.
    pub async fn separate(
        self,
        viewer: &Viewer,
        seen: &LeadDesk,
        actor: &Actor,
    ) -> Result<Option<LeadId>, AppError> {
        let Some(principal) = seen.principal else { return Ok(None) };
        let texts = (Some(format!("con {principal}")), None);
        let audit = self.entry(seen, AuditAction::LeadSeparated, texts, actor);
        self.app.store.separate(viewer, seen.lead, audit).await?;
        Ok(Some(principal))
    }

    fn entry(
        self,
        seen: &LeadDesk,
        action: AuditAction,
        (before, after): (Option<String>, Option<String>),
        actor: &Actor,
    ) -> AuditEntry {
        AuditEntry { before, after, ..self.app.leads().entry(seen.lead, seen.empresa, action, actor) }
    }

    async fn name(self, user: Option<UserId>) -> Result<String, AppError> {
        let Some(id) = user else { return Ok(NOBODY.to_owned()) };
        let user = self.app.store.user(id).await?;
        Ok(user.map_or_else(|| "Alguien".to_owned(), |user| user.nombre))
    }
}

/// Changes to several leads of the company that the person is viewing. Leads of other companies are ignored.
impl Desk<'_> {
    /// Assigns leads to a person or to nobody; returns how many were changed.
    pub async fn assign_all(
        self,
        viewer: &Viewer,
        leads: Vec<LeadId>,
        to: Option<&User>,
        actor: &Actor,
    ) -> Result<usize, AppError> {
        let name = to.map_or(NOBODY, |user| user.nombre.as_str()).to_owned();
        let audit = self.entry_of_all(viewer, AuditAction::LeadsAssigned, Some(name), actor);
        Ok(self.app.store.assign(viewer, leads, to.map(|user| user.id), audit).await?.len())
    }

    /// Archives leads; returns how many of them were open.
    pub async fn archive_all(
        self,
        viewer: &Viewer,
        leads: Vec<LeadId>,
        reason: String,
        actor: &Actor,
    ) -> Result<Archiving, AppError> {
        let audit = self.entry_of_all(viewer, AuditAction::LeadsArchived, Some(reason.clone()), actor);
        let at = self.app.now();
        let leads = self.app.store.archive(viewer, leads, reason, at, audit).await?.len();
        Ok(Archiving { leads, at })
    }

    /// Reopens the leads, one or many, that the viewer archived at `archived_at`; returns how many were reopened. Leads
    /// that somebody has reopened since are left as they are.
    pub async fn undo_archive(
        self,
        viewer: &Viewer,
        archived_at: Timestamp,
        actor: &Actor,
    ) -> Result<usize, AppError> {
        let audit = self.entry_of_all(viewer, AuditAction::LeadsUnarchived, None, actor);
        Ok(self.app.store.undo_archive(viewer, archived_at, self.app.now(), audit).await?.len())
    }

    pub async fn reopen_all(
        self,
        viewer: &Viewer,
        leads: Vec<LeadId>,
        actor: &Actor,
    ) -> Result<(), AppError> {
        for lead in leads {
            let audit = self.entry_of_all(viewer, AuditAction::LeadsReopened, None, actor);
            self.app.store.reopen(viewer, lead, self.app.now(), audit).await?;
        }
        Ok(())
    }

    /// Marks these leads as read by the viewer. Later events make them unread again.
    pub async fn mark_read(self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<(), AppError> {
        Ok(self.app.store.mark_read(viewer, leads, self.app.now()).await?)
    }

    pub async fn mark_unread(self, viewer: &Viewer, leads: Vec<LeadId>) -> Result<(), AppError> {
        for lead in leads {
            self.app.store.mark_unread(viewer, lead).await?;
        }
        Ok(())
    }

    fn entry_of_all(
        self,
        viewer: &Viewer,
        action: AuditAction,
        after: Option<String>,
        actor: &Actor,
    ) -> AuditEntry {
        let empresa = viewer.empresas.first().copied();
        AuditEntry { empresa, after, ..self.app.access().audit(actor, action) }
    }
}

/// Internal notes.
impl Desk<'_> {
    /// Adds a note. The same form sent twice adds one note.
    pub async fn add_nota(
        self,
        viewer: &Viewer,
        lead: &Lead,
        once: Uuid,
        text: String,
        actor: &Actor,
    ) -> Result<(), AppError> {
        let entry = self.app.leads().entry(lead.id, lead.empresa.id, AuditAction::NotaWritten, actor);
        let audit = AuditEntry { after: Some(beginning(&text)), ..entry };
        let (id, creada_en) = (NotaId::of_press(lead.id, once, &text), self.app.now());
        let nota = NotaInterna { id, author: viewer.who, text, creada_en };
        self.app.store.add_nota_interna(viewer, lead.id, nota, audit).await?;
        Ok(())
    }

    /// Removes a note if the person may remove it; `role` is their role in the company.
    pub async fn remove_nota(
        self,
        viewer: &Viewer,
        lead: &Lead,
        id: NotaId,
        role: Role,
        actor: &Actor,
    ) -> Result<NotaRemoval, AppError> {
        let Some(nota) = self.app.store.nota_interna(lead.id, id).await? else {
            return Ok(NotaRemoval::Done);
        };
        if !may_remove_nota(&nota, viewer.who, role) {
            return Ok(NotaRemoval::Forbidden);
        }
        let entry = self.app.leads().entry(lead.id, lead.empresa.id, AuditAction::NotaRemoved, actor);
        let audit = AuditEntry { before: Some(beginning(&nota.text)), ..entry };
        self.app.store.delete_nota_interna(viewer, lead.id, id, audit).await?;
        Ok(NotaRemoval::Done)
    }
}

/// Whether a person may remove a note: one who works with leads may remove their own notes, one who runs the company
/// any note.
pub fn may_remove_nota(nota: &NotaInterna, who: UserId, role: Role) -> bool {
    role.may(Permission::RunCompany) || (role.may(Permission::WorkLeads) && nota.author == who)
}

/// How far accepted work has come.
pub fn progress_label(progress: Option<Progress>) -> &'static str {
    match progress {
        None => "Aceptada, sin empezar",
        Some(Progress::EnObra) => "En obra",
        Some(Progress::Terminado) => "Terminada",
    }
}

/// «En obra, inicio el 1 de diciembre de 2026, 21 días».
pub fn work_label(work: WorkState) -> String {
    let start = work.start.map(|start| format!(", inicio el {}", day(start)));
    let days = work.days.map(|days| if days == 1 { ", 1 día".to_owned() } else { format!(", {days} días") });
    format!("{}{}{}", progress_label(work.progress), start.unwrap_or_default(), days.unwrap_or_default())
}

/// «Medir la cocina, martes 14 de noviembre de 2026, a las 10:30».
fn plan_text(plan: &HandAction) -> String {
    format!("{}, {}", plan.text, SpanishTimeZone::Madrid.long(plan.due))
}

fn beginning(text: &str) -> String {
    text.chars().take(NOTA_IN_LOG).collect()
}

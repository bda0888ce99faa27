//! What people do with leads: assign, archive, plan, write notes, unite.
//!
//! A lead that the viewer may not see is [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound), or is left out
//! where several leads are requested. Every change is committed together with its entry in the audit log; a call that
//! changes nothing writes no entry.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::{Etapa, EtapaInput, Progress};
use embudo_domain::nota::NotaInterna;
use embudo_domain::{AuditId, EmpresaId, LeadId, NotaId, Timestamp, UserId};
use jiff::ToSpan as _;
use jiff::civil::Date;
use uuid::Uuid;

use crate::Result;
use crate::edited::Edited;
use crate::inbox::Viewer;

/// The most leads that one call assigns, archives or marks as read; further ones are ignored.
pub const MAX_BULK: usize = 500;

/// That a lead was archived, by whom and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    pub reason: String,
    pub by: UserId,
    pub at: Timestamp,
}

/// The next action that a person has planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandAction {
    pub due: Timestamp,
    pub text: String,
}

/// The maximum of days for which work can be planned.
pub const MAX_WORK_DAYS: u16 = 730;

/// When accepted work begins, how long it takes, and how far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkState {
    pub start: Option<Date>,
    /// Counted from the first day, including days of rest; at most [`MAX_WORK_DAYS`].
    pub days: Option<u16>,
    pub progress: Option<Progress>,
}

impl WorkState {
    /// The last day: the first one if no number of days is given, `None` if there is no first day.
    pub fn last(&self) -> Option<Date> {
        let more = i64::from(self.days.unwrap_or(1).clamp(1, MAX_WORK_DAYS) - 1);
        self.start.map(|start| start.saturating_add(more.days()))
    }
}

/// What people decided about a lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadDesk {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub etapa: Etapa,
    pub etapa_since: Timestamp,
    /// The facts from which the etapa is derived.
    pub facts: EtapaInput,
    pub assigned: Option<UserId>,
    pub archived: Option<Archived>,
    pub action: Option<HandAction>,
    pub work: WorkState,
    /// The principal, if this lead is united with it.
    pub principal: Option<LeadId>,
    /// The leads that are united with this one as their principal.
    pub united: Vec<LeadId>,
}

impl LeadDesk {
    /// Whether this lead may be united with another one as its principal. The caller also checks that no lead is
    /// united with this one.
    pub fn can_unite_with(&self, principal: &Self) -> bool {
        self.lead != principal.lead
            && self.empresa == principal.empresa
            && self.principal.is_none()
            && principal.principal.is_none()
    }
}

/// The entry of the audit log about leads that were changed together; `None` if none was.
pub fn audit_of_changed(audit: &AuditEntry, changed: &[LeadId]) -> Option<AuditEntry> {
    let object = match changed {
        [] => return None,
        [one] => one.to_string(),
        several => format!("{} leads", several.len()),
    };
    Some(AuditEntry { object: Some(object), ..audit.clone() })
}

/// One entry of the audit log for each of the leads that were changed together, so that an erasure finds the entry by
/// its lead.
pub fn audit_of_each(audit: &AuditEntry, changed: &[LeadId]) -> Vec<AuditEntry> {
    // Each entry needs an id of its own; small numbers change only bits of the id that are random.
    let entry = |(n, lead): (u128, &LeadId)| AuditEntry {
        id: AuditId(Uuid::from_u128(audit.id.0.as_u128() ^ n)),
        object: Some(lead.to_string()),
        ..audit.clone()
    };
    (0..).zip(changed).map(entry).collect()
}

#[async_trait]
pub trait DeskStore: Send + Sync + 'static {
    async fn desk(&self, viewer: &Viewer, lead: LeadId) -> Result<LeadDesk>;
    /// Assigns leads to a person, or to nobody; returns those whose assignment changed, with the former person. At most
    /// [`MAX_BULK`].
    async fn assign(
        &self,
        viewer: &Viewer,
        leads: Vec<LeadId>,
        to: Option<UserId>,
        audit: AuditEntry,
    ) -> Result<Vec<(LeadId, Option<UserId>)>>;
    /// Assigns one lead to a person or nobody, if its assignment is still `seen`.
    async fn hand_over(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        seen: Option<UserId>,
        to: Option<UserId>,
        audit: AuditEntry,
    ) -> Result<Edited>;
    /// Archives leads; returns those that were not archived before. The log has an entry about each lead, because the
    /// reason may tell something about the client, which an erasure must find. At most [`MAX_BULK`].
    async fn archive(
        &self,
        viewer: &Viewer,
        leads: Vec<LeadId>,
        reason: String,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<Vec<LeadId>>;
    /// Restores the leads that the viewer archived at `archived_at`. Each etapa is derived from the facts again; if it
    /// is the former one, it gets back its former date. Returns these leads; leads that somebody reopened or archived
    /// again since stay as they are. The log has an entry about each lead.
    async fn undo_archive(
        &self,
        viewer: &Viewer,
        archived_at: Timestamp,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<Vec<LeadId>>;
    /// Reopens a lead that was archived, or whose client declined; returns its etapa.
    async fn reopen(&self, viewer: &Viewer, lead: LeadId, at: Timestamp, audit: AuditEntry) -> Result<Etapa>;
    /// Sets or removes the next action by hand, if it is still `seen`.
    async fn set_action(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        seen: Option<HandAction>,
        action: Option<HandAction>,
        audit: AuditEntry,
    ) -> Result<Edited>;
    /// Sets when accepted work begins, how long it takes and how far it has come, if the state is still `seen`. Also
    /// [`Edited::Stale`] if no quote of the lead was accepted.
    async fn set_work(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        seen: WorkState,
        work: WorkState,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<Edited>;
    /// Adds a note; `false` if it exists already.
    async fn add_nota_interna(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        nota: NotaInterna,
        audit: AuditEntry,
    ) -> Result<bool>;
    /// Removes a note; `false` if it does not exist.
    async fn delete_nota_interna(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        id: NotaId,
        audit: AuditEntry,
    ) -> Result<bool>;
    /// The viewer has seen these leads. What happens later makes them unread again.
    async fn mark_read(&self, viewer: &Viewer, leads: Vec<LeadId>, at: Timestamp) -> Result<()>;
    async fn mark_unread(&self, viewer: &Viewer, lead: LeadId) -> Result<()>;
    /// Unites `lead` with `principal`, which then shows for both. `false`, with nothing done, if they are the same lead
    /// or belong to two companies, if one of them is united already, or if `lead` is itself a principal.
    async fn unite(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        principal: LeadId,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<bool>;
    /// Separates a united lead; `false` if it was not united. Uniting moves no data, so nothing has to be moved back.
    async fn separate(&self, viewer: &Viewer, lead: LeadId, audit: AuditEntry) -> Result<bool>;
}

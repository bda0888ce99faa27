//! What people do with leads: assign, archive, plan, note down, unite.
//!
//! A lead that the viewer may not see is [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound), or left out
//! where several are asked for. Whatever changes something commits its line of the audit log with it; what changes
//! nothing leaves none.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::{Etapa, EtapaInput, Progress};
use embudo_domain::nota::NotaInterna;
use embudo_domain::{AuditId, EmpresaId, LeadId, NotaId, Timestamp, UserId};
use jiff::ToSpan as _;
use jiff::civil::Date;
use uuid::Uuid;

use crate::Result;
use crate::inbox::Viewer;
use crate::sheet::Edited;

/// The most leads that are assigned or archived at once.
pub const MAX_BULK: usize = 500;

/// Archived, by whom and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    pub reason: String,
    pub by: UserId,
    pub at: Timestamp,
}

/// What a person means to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandAction {
    pub due: Timestamp,
    pub text: String,
}

/// The longest that work is planned for.
pub const MAX_WORK_DAYS: u16 = 730;

/// When accepted work begins, how long it takes, and how far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkState {
    pub start: Option<Date>,
    /// The first one counted, and days of rest too; at most [`MAX_WORK_DAYS`].
    pub days: Option<u16>,
    pub progress: Option<Progress>,
}

impl WorkState {
    /// The last day, as far as anybody said: the first one too, where nobody said for how long.
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
    /// What the etapa is derived from.
    pub facts: EtapaInput,
    pub assigned: Option<UserId>,
    pub archived: Option<Archived>,
    pub action: Option<HandAction>,
    pub work: WorkState,
    /// The lead that stands for this one.
    pub principal: Option<LeadId>,
    /// The leads that this one stands for.
    pub united: Vec<LeadId>,
}

impl LeadDesk {
    /// Whether another lead may stand for this one, as far as the two know.
    pub fn can_unite_with(&self, principal: &Self) -> bool {
        self.lead != principal.lead
            && self.empresa == principal.empresa
            && self.principal.is_none()
            && principal.principal.is_none()
    }
}

/// What comes of a change that somebody makes who saw `seen`, where it is `now`: nothing, unless it may be written.
pub fn decide<T: PartialEq>(seen: &T, now: &T, wanted: &T) -> Edited {
    match now {
        now if now == wanted => Edited::Same,
        now if now == seen => Edited::Saved,
        _ => Edited::Stale,
    }
}

/// The line of the audit log about leads that were changed together; none if none was.
pub fn audit_of_changed(audit: &AuditEntry, changed: &[LeadId]) -> Option<AuditEntry> {
    let object = match changed {
        [] => return None,
        [one] => one.to_string(),
        several => format!("{} leads", several.len()),
    };
    Some(AuditEntry { object: Some(object), ..audit.clone() })
}

/// A line of the audit log about each of the leads that were changed together, for actions that concern the person.
pub fn audit_of_each(audit: &AuditEntry, changed: &[LeadId]) -> Vec<AuditEntry> {
    // Ids are random where these numbers are added.
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
    /// Gives leads to a person, or to nobody; returns those that were somebody else's, and whose. At most [`MAX_BULK`].
    async fn assign(
        &self,
        viewer: &Viewer,
        leads: Vec<LeadId>,
        to: Option<UserId>,
        audit: AuditEntry,
    ) -> Result<Vec<(LeadId, Option<UserId>)>>;
    /// Gives a lead, which the viewer saw with `seen`, to somebody or nobody.
    async fn hand_over(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        seen: Option<UserId>,
        to: Option<UserId>,
        audit: AuditEntry,
    ) -> Result<Edited>;
    /// Archives leads; returns those that were not. The log has a line about each: the reason is about a person. At
    /// most [`MAX_BULK`].
    async fn archive(
        &self,
        viewer: &Viewer,
        leads: Vec<LeadId>,
        reason: String,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<Vec<LeadId>>;
    /// Undoes what the viewer archived at this moment, as if it had not been: everything stands as the facts say, since
    /// when it did before. Returns those leads; what somebody did with the others since stays. The log has a line about
    /// each.
    async fn undo_archive(
        &self,
        viewer: &Viewer,
        archived_at: Timestamp,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<Vec<LeadId>>;
    /// Takes a lead up again that was archived, or whose client declined; returns its etapa.
    async fn reopen(&self, viewer: &Viewer, lead: LeadId, at: Timestamp, audit: AuditEntry) -> Result<Etapa>;
    /// Sets the next action by hand, or takes it away, where the viewer saw `seen`.
    async fn set_action(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        seen: Option<HandAction>,
        action: Option<HandAction>,
        audit: AuditEntry,
    ) -> Result<Edited>;
    /// Says when accepted work begins, how long it takes and how far it has come, where the viewer saw `seen`.
    /// [`Edited::Stale`] too where no quote of the lead was accepted.
    async fn set_work(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        seen: WorkState,
        work: WorkState,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<Edited>;
    /// Adds a note; `false` if it is there already.
    async fn add_nota_interna(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        nota: NotaInterna,
        audit: AuditEntry,
    ) -> Result<bool>;
    /// Removes a note; `false` if there is none.
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
    /// Lets `principal` stand for `lead` too. `false`, and nothing done: they are the same or of two companies, one of
    /// them is united already, or `lead` stands for others.
    async fn unite(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        principal: LeadId,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<bool>;
    /// Undoes it; `false` if it was not united. Nothing was moved, so nothing goes back.
    async fn separate(&self, viewer: &Viewer, lead: LeadId, audit: AuditEntry) -> Result<bool>;
}

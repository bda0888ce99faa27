//! What people do with leads: assign, archive, plan, note down, unite.
//!
//! A lead that the viewer may not see is [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound), or left out where several are asked
//! for.

use async_trait::async_trait;
use embudo_domain::etapa::{Etapa, EtapaFacts};
use embudo_domain::{EmpresaId, LeadId, NotaId, Timestamp, UserId};

use crate::Result;
use crate::inbox::Viewer;

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

/// A note that the client never sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotaInterna {
    pub id: NotaId,
    pub author: UserId,
    pub text: String,
    pub creada_en: Timestamp,
}

/// What people decided about a lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadDesk {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub etapa: Etapa,
    pub etapa_since: Timestamp,
    /// What the etapa is derived from.
    pub facts: EtapaFacts,
    pub assigned: Option<UserId>,
    pub archived: Option<Archived>,
    pub action: Option<HandAction>,
    /// Oldest first.
    pub notas: Vec<NotaInterna>,
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

#[async_trait]
pub trait Desk: Send + Sync + 'static {
    async fn desk(&self, viewer: &Viewer, lead: LeadId) -> Result<LeadDesk>;
    /// Gives leads to a person, or to nobody; returns those that were somebody else's, and whose. At most [`MAX_BULK`].
    async fn assign(
        &self,
        viewer: &Viewer,
        leads: Vec<LeadId>,
        to: Option<UserId>,
    ) -> Result<Vec<(LeadId, Option<UserId>)>>;
    /// Archives leads; returns those that were not. At most [`MAX_BULK`].
    async fn archive(
        &self,
        viewer: &Viewer,
        leads: Vec<LeadId>,
        reason: String,
        at: Timestamp,
    ) -> Result<Vec<LeadId>>;
    /// Takes a lead up again that was archived, or whose client declined; returns its etapa.
    async fn reopen(&self, viewer: &Viewer, lead: LeadId, at: Timestamp) -> Result<Etapa>;
    /// Sets the next action by hand, or takes it away; returns the one before.
    async fn set_action(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        action: Option<HandAction>,
    ) -> Result<Option<HandAction>>;
    async fn add_nota_interna(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        id: NotaId,
        text: String,
        at: Timestamp,
    ) -> Result<()>;
    /// Removes a note; `false` if there is none.
    async fn delete_nota_interna(&self, viewer: &Viewer, lead: LeadId, id: NotaId) -> Result<bool>;
    /// The viewer has seen these leads. What happens later makes them unread again.
    async fn mark_read(&self, viewer: &Viewer, leads: Vec<LeadId>, at: Timestamp) -> Result<()>;
    async fn mark_unread(&self, viewer: &Viewer, lead: LeadId) -> Result<()>;
    /// Lets `principal` stand for `lead` too. `false`, and nothing done: they are the same or of two companies, one of them is united
    /// already, or `lead` stands for others.
    async fn unite(&self, viewer: &Viewer, lead: LeadId, principal: LeadId, at: Timestamp) -> Result<bool>;
    /// Undoes it; `false` if it was not united. Nothing was moved, so nothing goes back.
    async fn separate(&self, viewer: &Viewer, lead: LeadId) -> Result<bool>;
}

//! The locks that commands take, in the order in which they take them.

use embudo_domain::{EmpresaId, JobId, LeadId, UserId};
use uuid::Uuid;

/// A lock. The order of the variants is the order in which locks are taken; of one kind, the order of the ids. SQLite
/// has one writer and needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lock {
    /// Who may do what: there is one first person, and always an administrator.
    People,
    /// Which companies there are: exactly one is the default one.
    Empresas,
    /// A company: what it says of itself, how it wants to work, and its price tables.
    Empresa(EmpresaId),
    /// A lead, with what its etapa is derived from.
    Lead(LeadId),
    /// A lead that is to be erased, with its jobs: nobody else is at it.
    Erasure(LeadId),
    /// The blobs of a lead: no sweep of them begins.
    Blobs(LeadId),
    /// A job of the outbox.
    Job(JobId),
    /// The calendar of a person.
    Agenda(UserId),
    /// What is counted of leads.
    Figures,
}

impl Lock {
    /// Whose lock it is, where there are several of a kind.
    pub fn id(&self) -> Option<Uuid> {
        match self {
            Self::People | Self::Empresas | Self::Figures => None,
            Self::Empresa(id) => Some(id.0),
            Self::Lead(id) | Self::Erasure(id) | Self::Blobs(id) => Some(id.0),
            Self::Job(id) => Some(id.0),
            Self::Agenda(id) => Some(id.0),
        }
    }
}

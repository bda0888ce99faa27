//! The locks that commands take, in the order in which they take them.

use embudo_domain::{EmpresaId, JobId, LeadId, UserId};
use uuid::Uuid;

/// A lock. The order of the variants is the order in which locks are taken; of one kind, the order of the ids. SQLite
/// has one writer and needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lock {
    /// People and what they may do: exactly one first person, and always an administrator.
    People,
    /// The list of companies: exactly one is the default one.
    Empresas,
    /// A company: its public data, its settings and its price tables.
    Empresa(EmpresaId),
    /// A lead, with the facts from which its etapa is derived.
    Lead(LeadId),
    /// A lead that is to be erased, with its jobs: no other transaction works on it.
    Erasure(LeadId),
    /// The blobs of a lead: no sweep of them can begin.
    Blobs(LeadId),
    /// A job of the outbox.
    Job(JobId),
    /// The calendar of a person.
    Agenda(UserId),
    /// The figures of leads.
    Figures,
}

impl Lock {
    /// The id, for kinds with several locks.
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

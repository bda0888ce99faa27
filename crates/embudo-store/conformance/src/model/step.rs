//! The commands that a sequence is made of.

use embudo_domain::{Digest, FotoId, JobId, LeadId, ProcessId, Timestamp};
use embudo_store::lead_writes::{
    AppendTurno, ClearPerfil, Ingest, RecordEvent, RecordIntento, SetNota, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::loop_deadlines::MarkLoopOverdue;
use embudo_store::outbox::{Allotment, JobAttemptEnd, Lease};
use embudo_store::{Idempotency, Outcome};

/// One command.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Create(Box<CreateLead>),
    Contact(UpdateContact),
    Turno(AppendTurno),
    Perfil(UpdatePerfil),
    Calificacion(UpsertCalificacion),
    Intento(RecordIntento),
    Ingesta(Ingest),
    Event(RecordEvent),
    Empty(ClearPerfil),
    Nota(SetNota),
    DeleteFoto(LeadId, FotoId, Timestamp),
    Mark(LeadId, Digest, Timestamp),
    Sweep(LeadId, Digest),
    Archive(LeadId, Timestamp),
    Reopen(LeadId, Timestamp),
    Outbox(OutboxStep),
}

impl Step {
    /// The lead whose record the step may change; `None` for marks, sweeps and steps of the outbox.
    pub(crate) fn lead(&self) -> Option<LeadId> {
        Some(match self {
            Self::Create(c) => c.id,
            Self::Contact(c) => c.lead,
            Self::Turno(c) => c.lead,
            Self::Perfil(c) => c.lead,
            Self::Calificacion(c) => c.lead,
            Self::Intento(c) => c.lead,
            Self::Ingesta(c) => c.lead,
            Self::Event(c) => c.lead,
            Self::Empty(c) => c.lead,
            Self::Nota(c) => c.lead,
            Self::DeleteFoto(lead, ..) => *lead,
            Self::Archive(lead, _) | Self::Reopen(lead, _) => *lead,
            Self::Mark(..) | Self::Sweep(..) | Self::Outbox(_) => return None,
        })
    }

    /// The idempotency key of the step.
    pub(crate) fn key(&self) -> Option<&Idempotency> {
        match self {
            Self::Create(c) => c.idempotency.as_ref(),
            Self::Turno(c) => c.idempotency.as_ref(),
            Self::Perfil(c) => c.idempotency.as_ref(),
            Self::Calificacion(c) => c.idempotency.as_ref(),
            Self::Intento(c) => c.idempotency.as_ref(),
            Self::Ingesta(c) => c.idempotency.as_ref(),
            Self::Event(c) => c.idempotency.as_ref(),
            Self::Contact(_)
            | Self::Empty(_)
            | Self::Nota(_)
            | Self::DeleteFoto(..)
            | Self::Mark(..)
            | Self::Sweep(..)
            | Self::Archive(..)
            | Self::Reopen(..)
            | Self::Outbox(_) => None,
        }
    }
}

/// One command of the outbox.
#[derive(Debug, Clone)]
pub(crate) enum OutboxStep {
    Take(Vec<Allotment>, Lease, Timestamp),
    Renew(Vec<JobId>, Lease),
    Release(ProcessId),
    Deliver(JobId, ProcessId),
    Finish(Box<JobAttemptEnd>),
    Retry(JobId, Timestamp),
    Discard(JobId, Timestamp),
    Expire(Box<MarkLoopOverdue>),
    Complete(String, String, Outcome),
}

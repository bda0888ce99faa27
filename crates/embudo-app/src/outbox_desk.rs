//! What people do with the outbox: retry, end, send again, and pause destinations. Each action is recorded in the audit
//! log.

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::job::{Destination, Job};
use embudo_domain::{EmpresaId, JobId};
use embudo_store::outbox_admin::RepeatJob;
use embudo_store::pauses::SetPause;
use embudo_store::{Result, StoreError};

use crate::jobs::{Preview, number_of, preview};
use crate::{Actor, App, Receivers};

/// The actions of people on the outbox.
#[derive(Clone, Copy)]
pub struct OutboxDesk<'a> {
    pub(crate) app: &'a App,
}

impl OutboxDesk<'_> {
    /// Makes a job due now. `false`: the job is already done.
    pub async fn retry(self, job: &Job, actor: &Actor) -> Result<bool> {
        let audit = Some(self.audit(job, AuditAction::JobRetried, actor));
        let done = self.app.store.retry(job.id, self.app.now(), audit).await;
        self.app.attempts.notify();
        unless_finished(done)
    }

    /// Ends a job that need not be sent. `false`: the job is already done.
    pub async fn discard(self, job: &Job, actor: &Actor) -> Result<bool> {
        let audit = Some(self.audit(job, AuditAction::JobDiscarded, actor));
        unless_finished(self.app.store.discard(job.id, self.app.now(), audit).await)
    }

    /// Marks a parked mail as sent. `false`: the mail is no longer parked.
    pub async fn take_as_sent(self, job: &Job, actor: &Actor) -> Result<bool> {
        let audit = self.audit(job, AuditAction::JobTakenAsSent, actor);
        self.app.store.take_as_sent(job.id, self.app.now(), audit).await
    }

    /// Sends a finished job again, and returns the new job. `None`: the job is not finished, or a newer one has
    /// replaced it.
    pub async fn repeat(self, job: &Job, actor: &Actor) -> Result<Option<JobId>> {
        if job.kind.destination().is_none() {
            return Ok(None);
        }
        let new = JobId(self.app.id());
        let mut audit = self.audit(job, AuditAction::JobRepeated, actor);
        audit.after = Some(format!("en el envío {new}"));
        let command = RepeatJob { id: job.id, new, at: self.app.now(), audit };
        let is_made = self.app.store.repeat_job(command).await?;
        self.app.attempts.notify();
        Ok(is_made.then_some(new))
    }

    /// Pauses a destination of a company.
    pub async fn pause(self, empresa: EmpresaId, destination: Destination, actor: &Actor) -> Result<()> {
        let command = self.set(empresa, destination, AuditAction::DestinationPaused, actor);
        self.app.store.pause(command).await
    }

    /// Resumes a destination of a company.
    pub async fn resume(self, empresa: EmpresaId, destination: Destination, actor: &Actor) -> Result<()> {
        let command = self.set(empresa, destination, AuditAction::DestinationResumed, actor);
        self.app.store.resume(command).await?;
        self.app.attempts.notify();
        Ok(())
    }

    /// What a job sends.
    pub async fn preview(self, job: &Job) -> Preview {
        preview(self.app, job).await
    }

    /// The number of the quote that a job carries.
    pub fn quote_of(self, job: &Job) -> Option<String> {
        number_of(job)
    }

    /// The hosts of a company's destinations to which anything can be sent. Not the whole addresses, because they may
    /// hold a secret.
    pub async fn hosts(self, empresa: EmpresaId) -> Result<Hosts> {
        let receivers = self.app.receivers(empresa).await?;
        let mail = self.app.outbound.mail.as_ref().map(|mail| mail.client.host().to_owned());
        Ok(Hosts { receivers, mail })
    }

    fn set(
        self,
        empresa: EmpresaId,
        destination: Destination,
        action: AuditAction,
        actor: &Actor,
    ) -> SetPause {
        let mut audit = self.app.access().audit(actor, action);
        audit.empresa = Some(empresa);
        audit.object = Some(destination.label().to_owned());
        SetPause { empresa, kinds: destination.kinds(), at: self.app.now(), audit }
    }

    fn audit(self, job: &Job, action: AuditAction, actor: &Actor) -> AuditEntry {
        let mut audit = self.app.access().audit(actor, action);
        audit.empresa = Some(job.empresa);
        audit.object = Some(format!("{} {}", job.kind.label(), job.id));
        audit
    }
}

/// The hosts of a company's destinations.
pub struct Hosts {
    receivers: Receivers,
    mail: Option<String>,
}

impl Hosts {
    pub fn of(&self, destination: Destination) -> Option<String> {
        match destination {
            Destination::Mail => self.mail.clone(),
            signal => self.receivers.of(signal)?.host(),
        }
    }
}

fn unless_finished(done: Result<()>) -> Result<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(StoreError::JobFinished) => Ok(false),
        Err(error) => Err(error),
    }
}

//! A person's actions on jobs of the outbox.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::job::{Job, JobState};
use embudo_domain::{JobId, LeadId, Timestamp};

use super::{Load, Lock, Native, Tx, audit, sql};
use crate::outbox::{NewJob, NewPayload};
use crate::outbox_admin::RepeatJob;
use crate::queries::job as queries;
use crate::touches::Touch;
use crate::{OutboxAdminStore, Result, StoreError};

#[async_trait]
impl<E: Native> OutboxAdminStore for E {
    async fn retry(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        let command = (id, at, audit);
        self.write(Load::SMALL, command, |tx, (id, at, audit)| Box::pin(renew(tx, *id, *at, audit.as_ref())))
            .await?;
        self.jobs_due().await;
        Ok(())
    }

    async fn discard(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()> {
        let command = (id, at, audit);
        let lead = self
            .write(Load::SMALL, command, |tx, (id, at, audit)| Box::pin(end(tx, *id, *at, audit.as_ref())))
            .await?;
        self.touched().note(lead, Touch::anew());
        Ok(())
    }

    async fn take_as_sent(&self, id: JobId, at: Timestamp, audit: AuditEntry) -> Result<bool> {
        self.write(Load::SMALL, (id, at, audit), |tx, (id, at, audit)| Box::pin(take(tx, *id, *at, audit)))
            .await
    }

    async fn repeat_job(&self, command: RepeatJob) -> Result<bool> {
        let is_made = self.write(Load::SMALL, command, |tx, command| Box::pin(repeat(tx, command))).await?;
        self.tell_of(is_made);
        Ok(is_made)
    }

    async fn purge_jobs(&self, before: Timestamp, max: u32) -> Result<u64> {
        Native::purge_jobs(self, before, max).await
    }
}

/// Makes a job pending and due.
async fn renew(tx: &Tx<'_>, id: JobId, at: Timestamp, entry: Option<&AuditEntry>) -> Result<()> {
    let job = locked_unless_done(tx, id).await?.tried_again(at);
    let retry = sql!(
        "trabajo/retry.sql",
        id: id.0,
        estado: job.state.as_str(),
        intentos: job.intentos,
        proximo_en: job.proximo_en,
        en_duda: job.en_duda,
    );
    tx.run(retry).await?;
    audit::tell(tx, entry).await
}

/// Ends a job that need not be sent; returns its lead.
async fn end(tx: &Tx<'_>, id: JobId, at: Timestamp, entry: Option<&AuditEntry>) -> Result<LeadId> {
    let lead = locked_unless_done(tx, id).await?.lead;
    tx.run(sql!("trabajo/discard.sql", id: id.0, now: at)).await?;
    audit::tell(tx, entry).await?;
    Ok(lead)
}

/// Ends a parked job as done.
async fn take(tx: &Tx<'_>, id: JobId, at: Timestamp, entry: &AuditEntry) -> Result<bool> {
    if tx.run(sql!("trabajo/take_as_sent.sql", id: id.0, now: at)).await? == 0 {
        return Ok(false);
    }
    audit::tell(tx, entry).await?;
    Ok(true)
}

/// Makes a job with the payload of a done one; `false` if that is not possible.
async fn repeat(tx: &Tx<'_>, command: &RepeatJob) -> Result<bool> {
    let lead = find(tx, command.id).await?.lead;
    tx.lock(Lock::Lead(lead)).await?;
    let old = locked(tx, command.id).await?;
    if old.state != JobState::Done || has_newer(tx, &old).await? {
        return Ok(false);
    }
    let payload = NewPayload::Text(old.payload);
    let new = NewJob { id: command.new, kind: old.kind, payload, lease: None, proximo_en: None };
    tx.jobs(lead, &[new], command.at).await?;
    if tx.run(sql!("trabajo/link.sql", id: command.new.0, repite: command.id.0)).await? == 0 {
        return Ok(false);
    }
    audit::tell(tx, &command.audit).await?;
    Ok(true)
}

/// Whether a newer job makes this one pointless.
async fn has_newer(tx: &Tx<'_>, job: &Job) -> Result<bool> {
    Ok(job.kind.is_superseded_by_newer()
        && tx.first(queries::newer(job.lead, job.kind, job.id, tx.job_order())).await? == Some(true))
}

async fn find(tx: &Tx<'_>, id: JobId) -> Result<Job> {
    tx.first(queries::several(&[id])).await?.ok_or(StoreError::JobNotFound)
}

async fn locked(tx: &Tx<'_>, id: JobId) -> Result<Job> {
    tx.lock(Lock::Job(id)).await?;
    find(tx, id).await
}

async fn locked_unless_done(tx: &Tx<'_>, id: JobId) -> Result<Job> {
    let job = locked(tx, id).await?;
    match job.state {
        JobState::Done => Err(StoreError::JobFinished),
        _ => Ok(job),
    }
}

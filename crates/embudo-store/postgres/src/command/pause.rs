//! Paused destinations, and jobs that are held for them or sent again.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::job::{HELD, Job, JobState};
use embudo_domain::{JobId, ProcessId};
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::outbox_admin::RepeatJob;
use embudo_store::{StoreError, queries};

use super::alone::commit;
use super::{audit, column, job, outbox, watched_loop};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// Gives back jobs of a process; those whose destination is paused are held.
pub(crate) async fn hold(pool: &Pool, ids: &[JobId], who: ProcessId) -> Step<()> {
    let given = params! { id: column(ids, |id| id.0), quien: who.0, held: Instant::from(HELD) };
    pool.get().await?.execute(sql!("trabajo/hold.sql"), given).await?;
    Ok(())
}

/// Makes a job that says what a done one said. The lead is locked before the job.
pub(crate) async fn repeat(pool: &Pool, command: &RepeatJob) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let found = run_in(&tx, &queries::job::several(&[command.id])).await?.pop();
    let lead = found.ok_or(StoreError::JobNotFound)?.lead;
    watched_loop::lock(&tx, lead).await?.ok_or(StoreError::LeadNotFound)?;
    let old = outbox::lock(&tx, command.id).await?;
    if old.state != JobState::Done || has_newer(&tx, &old).await? {
        return Ok(false);
    }
    let payload = NewPayload::Text(old.payload);
    let new = NewJob { id: command.new, kind: old.kind, payload, lease: None, proximo_en: None };
    if !job::insert(&tx, lead, &[new], command.at).await? {
        return Ok(false);
    }
    let link = params! { id: command.new.0, repite: command.id.0 };
    tx.execute(sql!("trabajo/link.sql"), link).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await?;
    Ok(true)
}

/// Whether a newer one makes it pointless.
async fn has_newer(tx: &Transaction<'_>, job: &Job) -> Step<bool> {
    if !job.kind.is_superseded_by_newer() {
        return Ok(false);
    }
    let than = params! { lead: job.lead.0, tipo: job.kind.as_str(), id: job.id.0 };
    Ok(tx.row(sql!("trabajo/newer.sql"), than).await?.try_get(0)?)
}

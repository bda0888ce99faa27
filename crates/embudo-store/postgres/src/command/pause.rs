//! Paused destinations, and jobs that are held for them or sent again.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::job::{HELD, Job, JobState};
use embudo_domain::{JobId, ProcessId};
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::outbox_admin::RepeatJob;
use embudo_store::pauses::SetPause;
use embudo_store::{StoreError, queries};
use uuid::Uuid;

use super::alone::commit;
use super::{audit, job, outbox, watched_loop};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;

/// Pauses kinds of job.
pub(crate) async fn pause(pool: &Pool, command: &SetPause) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let (kinds, at) = (words(command), Instant::from(command.at));
    let insert = tx.prepare_cached(include_str!("../../sql/pausa/insert.sql")).await?;
    tx.execute(&insert, &[&command.empresa.0, &kinds, &at, &command.audit.who]).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await
}

/// Resumes kinds of job: first the pauses go, which waits for whoever holds something for them, then what is held is let go.
pub(crate) async fn resume(pool: &Pool, command: &SetPause) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let (kinds, at) = (words(command), Instant::from(command.at));
    let delete = tx.prepare_cached(include_str!("../../sql/pausa/delete.sql")).await?;
    tx.execute(&delete, &[&command.empresa.0, &kinds]).await?;
    let let_go = tx.prepare_cached(include_str!("../../sql/trabajo/let_go.sql")).await?;
    tx.execute(&let_go, &[&command.empresa.0, &kinds, &at, &Instant::from(HELD)]).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await
}

fn words(command: &SetPause) -> Vec<&'static str> {
    command.kinds.iter().map(|kind| kind.as_str()).collect()
}

/// Gives back jobs of a process; those whose destination is paused are held.
pub(crate) async fn hold(pool: &Pool, ids: &[JobId], who: ProcessId) -> Step<()> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/hold.sql")).await?;
    client.execute(&statement, &[&ids, &who.0, &Instant::from(HELD)]).await?;
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
    let link = tx.prepare_cached(include_str!("../../sql/trabajo/link.sql")).await?;
    tx.execute(&link, &[&command.new.0, &command.id.0]).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await?;
    Ok(true)
}

/// Whether a newer one makes it pointless.
async fn has_newer(tx: &Transaction<'_>, job: &Job) -> Step<bool> {
    if !job.kind.is_superseded_by_newer() {
        return Ok(false);
    }
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/newer.sql")).await?;
    Ok(tx.query_one(&statement, &[&job.lead.0, &job.kind.as_str(), &job.id.0]).await?.try_get(0)?)
}

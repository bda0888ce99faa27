//! Makes jobs, in the transaction of the command that causes them: both are stored, or neither.

use std::collections::HashSet;
use std::time::Duration;

use deadpool_postgres::Transaction;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::record::LeadRecord;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::{Done, StoreError};
use uuid::Uuid;

use super::column;
use crate::failure::Step;
use crate::query::record;
use crate::rows::Instant;
use crate::statement::{OnPool, Sql, params, sql};
use crate::writer::Session;

pub(super) static INSERT: &Sql = sql!("trabajo/insert.sql");

/// How a command that may make jobs ended.
pub(crate) struct WithJobs {
    pub(crate) done: Done,
    /// Whether the command made a job without a lease, which any process may take.
    pub(crate) loose: bool,
}

impl WithJobs {
    /// The result of a command that was done before.
    pub(crate) fn nothing(done: Done) -> Self {
        Self { done, loose: false }
    }
}

/// Whether these jobs must be made under the lead's lock: if two jobs can supersede each other, the later one must see
/// the earlier one.
pub(super) fn needs_lock(jobs: &[NewJob]) -> bool {
    jobs.iter().any(|t| t.kind.is_superseded_by_newer())
}

/// A lease's length in microseconds, for the statements; at most a hundred years, so that the end is a valid time.
pub(super) fn micros(lasts: Duration) -> i64 {
    const FOR_EVER: i64 = 100 * 366 * 86_400 * 1_000_000;
    i64::try_from(lasts.as_micros()).map_or(FOR_EVER, |us| us.min(FOR_EVER))
}

/// A job to be made, with its final row.
pub(super) type Ready<'a> = (&'a NewJob, Job);

/// The jobs that a lead's company wants, with their payloads.
pub(super) fn ready<'a>(
    jobs: &'a [NewJob],
    record: &LeadRecord,
    at: Timestamp,
) -> Result<Vec<Ready<'a>>, StoreError> {
    jobs.iter().filter_map(|t| t.make(record, at).map(|job| Some((t, job?))).transpose()).collect()
}

/// Writes jobs whose leads are locked; returns those that did not exist before.
pub(super) async fn write(on: &Session<'_>, new_ones: &[Ready<'_>]) -> Step<HashSet<Uuid>> {
    if new_ones.is_empty() {
        return Ok(HashSet::new());
    }
    let newer = new_ones.iter().map(|(_, job)| job).filter(|job| job.kind.is_superseded_by_newer());
    let newer: Vec<&Job> = newer.collect();
    let params = params! {
        id: column(new_ones, |(_, job)| job.id.0),
        lead: column(new_ones, |(_, job)| job.lead.0),
        empresa: column(new_ones, |(_, job)| job.empresa.0),
        tipo: column(new_ones, |(_, job)| job.kind.as_str()),
        carga: column(new_ones, |(_, job)| job.payload.as_str()),
        now: column(new_ones, |(_, job)| Instant::from(job.creado_en)),
        proximo_en: column(new_ones, |(_, job)| Instant::from(job.proximo_en)),
        quien: column(new_ones, |(t, _)| t.lease.map(|a| a.who.0)),
        dura: column(new_ones, |(t, _)| t.lease.map(|a| micros(a.lasts))),
        s_id: column(&newer, |job| job.id.0),
        s_lead: column(&newer, |job| job.lead.0),
        s_tipo: column(&newer, |job| job.kind.as_str()),
        s_now: column(&newer, |job| Instant::from(job.creado_en)),
    };
    on.query(INSERT, params).await?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Makes jobs of one lead within a transaction. The transaction has locked the lead if [`needs_lock`] says so. Returns
/// whether one of the jobs has no lease, so that any worker may take it.
pub(crate) async fn insert(tx: &Transaction<'_>, lead: LeadId, jobs: &[NewJob], at: Timestamp) -> Step<bool> {
    if jobs.is_empty() {
        return Ok(false);
    }
    let record = match jobs.iter().any(|t| matches!(t.payload, NewPayload::Perfil)) {
        true => record::for_signal(tx, lead).await?,
        false => LeadRecord::bare(record::lead(tx, lead).await?),
    };
    let new_ones = ready(jobs, &record, at)?;
    let made = write(&Session::within(tx, &[INSERT]).await?, &new_ones).await?;
    Ok(new_ones.iter().any(|(t, job)| t.lease.is_none() && made.contains(&job.id.0)))
}

/// Ends the profile signals that were sent and wait for another attempt, because what they asked for has come. Returns
/// whether there was one.
pub(super) async fn answer_waiting(tx: &Transaction<'_>, lead: LeadId, at: Timestamp) -> Step<bool> {
    let waiting = params! { lead: lead.0, tipo: JobKind::Perfil.as_str(), now: Instant::from(at) };
    Ok(tx.execute(sql!("trabajo/answer.sql"), waiting).await? > 0)
}

//! Jobs are made here, inside the transaction of whatever causes them.

use std::collections::HashSet;
use std::time::Duration;

use deadpool_postgres::Transaction;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::record::LeadRecord;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::{Done, StoreError};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::failure::Step;
use crate::query::record;
use crate::rows::Instant;
use crate::writer::Session;

pub(super) const INSERT: &str = include_str!("../../sql/trabajo/insert.sql");

/// How a command that may make jobs ended.
pub(crate) struct WithJobs {
    pub(crate) done: Done,
    /// Whether it made a job that waits for any process.
    pub(crate) loose: bool,
}

impl WithJobs {
    /// The end of a command that was done before.
    pub(crate) fn nothing(done: Done) -> Self {
        Self { done, loose: false }
    }
}

/// Whether these must be made under the lead's lock: of two that take each other's place one must see the other.
pub(super) fn needs_lock(jobs: &[NewJob]) -> bool {
    jobs.iter().any(|t| t.kind.is_superseded_by_newer())
}

/// A lease's length, as the statements want it. A hundred years are for ever.
pub(super) fn micros(lasts: Duration) -> i64 {
    const FOR_EVER: i64 = 100 * 366 * 86_400 * 1_000_000;
    i64::try_from(lasts.as_micros()).map_or(FOR_EVER, |us| us.min(FOR_EVER))
}

/// A job that is wanted, and how it will stand.
pub(super) type Ready<'a> = (&'a NewJob, Job);

/// The jobs that a lead's company wants, with what they say.
pub(super) fn ready<'a>(
    jobs: &'a [NewJob],
    record: &LeadRecord,
    at: Timestamp,
) -> Result<Vec<Ready<'a>>, StoreError> {
    jobs.iter().filter_map(|t| t.make(record, at).map(|job| Some((t, job?))).transpose()).collect()
}

/// Writes jobs whose leads are locked; returns those that were not there before.
pub(super) async fn write(on: &Session<'_>, new_ones: &[Ready<'_>]) -> Step<HashSet<Uuid>> {
    if new_ones.is_empty() {
        return Ok(HashSet::new());
    }
    let ids: Vec<Uuid> = new_ones.iter().map(|(_, job)| job.id.0).collect();
    let leads: Vec<Uuid> = new_ones.iter().map(|(_, job)| job.lead.0).collect();
    let empresas: Vec<Uuid> = new_ones.iter().map(|(_, job)| job.empresa.0).collect();
    let kinds: Vec<&str> = new_ones.iter().map(|(_, job)| job.kind.as_str()).collect();
    let payloads: Vec<&str> = new_ones.iter().map(|(_, job)| job.payload.as_str()).collect();
    let times: Vec<Instant> = new_ones.iter().map(|(_, job)| job.creado_en.into()).collect();
    let due: Vec<Instant> = new_ones.iter().map(|(_, job)| job.proximo_en.into()).collect();
    let who: Vec<Option<Uuid>> = new_ones.iter().map(|(t, _)| t.lease.map(|a| a.who.0)).collect();
    let duran: Vec<Option<i64>> = new_ones.iter().map(|(t, _)| t.lease.map(|a| micros(a.lasts))).collect();

    let newer = || new_ones.iter().map(|(_, job)| job).filter(|job| job.kind.is_superseded_by_newer());
    let s_ids: Vec<Uuid> = newer().map(|job| job.id.0).collect();
    let s_leads: Vec<Uuid> = newer().map(|job| job.lead.0).collect();
    let s_kinds: Vec<&str> = newer().map(|job| job.kind.as_str()).collect();
    let s_times: Vec<Instant> = newer().map(|job| job.creado_en.into()).collect();

    let values: [&(dyn ToSql + Sync); 13] = [
        &ids, &leads, &empresas, &kinds, &payloads, &times, &due, &who, &duran, &s_ids, &s_leads, &s_kinds,
        &s_times,
    ];
    on.query(INSERT, &values).await?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Makes jobs of one lead within a transaction that has locked it, where [`needs_lock`]; says whether one of them waits for whoever
/// comes.
pub(super) async fn insert(tx: &Transaction<'_>, lead: LeadId, jobs: &[NewJob], at: Timestamp) -> Step<bool> {
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

/// Ends the profile signals that were sent and wait for another attempt, because what they ask for came; says whether there was one.
pub(super) async fn answer_waiting(tx: &Transaction<'_>, lead: LeadId, at: Timestamp) -> Step<bool> {
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/answer.sql")).await?;
    Ok(tx.execute(&statement, &[&lead.0, &JobKind::Perfil.as_str(), &Instant::from(at)]).await? > 0)
}

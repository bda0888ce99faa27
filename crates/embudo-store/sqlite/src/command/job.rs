//! Makes jobs, in the transaction of the command that causes them: both are stored, or neither.

use std::time::Duration;

use embudo_domain::job::{Job, JobKind};
use embudo_domain::record::LeadRecord;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::outbox::{Lease, NewJob, NewPayload};
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;
use crate::query::record;

/// Makes jobs for a lead. Must be called last, so that their payloads contain what the command has written. Returns the
/// jobs under a lease.
pub(crate) fn insert_all(
    connection: &Connection,
    lead: LeadId,
    jobs: &[NewJob],
    at: Timestamp,
) -> Step<Vec<Job>> {
    let mut held = Vec::new();
    if jobs.is_empty() {
        return Ok(held);
    }
    let record = match jobs.iter().any(|t| matches!(t.payload, NewPayload::Perfil)) {
        true => record::for_signal(connection, lead)?,
        false => LeadRecord::bare(record::lead(connection, lead)?),
    };
    for new in jobs {
        let Some(job) = new.make(&record, at)? else { continue };
        insert(connection, &job, new.lease)?;
        held.extend(new.lease.map(|_| job));
    }
    Ok(held)
}

fn insert(connection: &Connection, job: &Job, lease: Option<Lease>) -> Step<()> {
    if job.kind.is_superseded_by_newer() {
        let sql = include_str!("../../sql/trabajo/supersede.sql");
        execute(
            connection,
            sql,
            named_params! {
                ":lead": job.lead.0,
                ":tipo": job.kind.as_str(),
                ":now": job.creado_en.as_microsecond(),
            },
        )?;
    }
    execute(
        connection,
        include_str!("../../sql/trabajo/insert.sql"),
        named_params! {
            ":id": job.id.0,
            ":lead": job.lead.0,
            ":empresa": job.empresa.0,
            ":tipo": job.kind.as_str(),
            ":carga": job.payload,
            ":now": job.creado_en.as_microsecond(),
            ":proximo_en": job.proximo_en.as_microsecond(),
            ":quien": lease.map(|a| a.who.0),
            ":dura": lease.map(|a| micros(a.lasts)),
        },
    )
    .map(drop)
}

/// Ends the profile signals that were sent and wait for another attempt, because what they asked for has come. Returns
/// whether there was one.
pub(super) fn answer_waiting(connection: &Connection, lead: LeadId, at: Timestamp) -> Step<bool> {
    let sql = include_str!("../../sql/trabajo/answer.sql");
    execute(
        connection,
        sql,
        named_params! {":lead": lead.0, ":tipo": JobKind::Perfil.as_str(), ":now": at.as_microsecond()},
    )
    .map(|ended| ended > 0)
}

/// The length of a lease in microseconds, for the database's clock.
pub(super) fn micros(lasts: Duration) -> i64 {
    // A longer lease would overflow the sum with the current time.
    i64::try_from(lasts.as_micros()).unwrap_or(i64::MAX).min(i64::MAX / 4)
}

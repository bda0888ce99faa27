//! The outbox: jobs taken, kept, given back and ended.
//!
//! Whether a lease lives is asked of the database's clock, inside the SQL; whether a job is due, of the caller's. A job
//! is a process's as long as its name stands on it: one whose lease ran out stays so until another process takes it, so
//! that an attempt that took too long is written down rather than made twice.

use embudo_domain::job::{Job, JobState};
use embudo_domain::watched_loop::CameBack;
use embudo_domain::{JobId, ProcessId, Timestamp};
use embudo_store::StoreError;
use embudo_store::finish::Seen;
use embudo_store::outbox::{Allotment, JobAttemptEnd, Lease};
use rusqlite::Connection;

use super::job::micros;
use super::{execute, ingest, job, watched_loop};
use crate::failure::Step;
use crate::query::{all, exists, first};
use crate::rows::{self, Held};

/// Takes jobs, at most so many of each kind, oldest due first.
pub(crate) fn claim(
    connection: &Connection,
    allotments: &[Allotment],
    lease: Lease,
    now: Timestamp,
) -> Step<Vec<Job>> {
    let mut taken = Vec::new();
    for allotment in allotments {
        let sql = if allotment.first_attempts_only {
            include_str!("../../sql/trabajo/claim_first.sql")
        } else {
            include_str!("../../sql/trabajo/claim.sql")
        };
        let values = (allotment.kind.as_str(), now.as_microsecond(), allotment.how_many);
        for id in all(connection, sql, values, |row| Ok(row.get::<_, uuid::Uuid>(0)?))? {
            let sql = include_str!("../../sql/trabajo/lease.sql");
            let values = (id, lease.who.0, micros(lease.lasts));
            taken.extend(first(connection, sql, values, rows::job)?);
        }
    }
    taken.sort_by_key(|t| t.proximo_en);
    Ok(taken)
}

/// Prolongs leases; returns the jobs that are still this process's.
pub(crate) fn renew(connection: &Connection, ids: Vec<JobId>, lease: Lease) -> Step<Vec<JobId>> {
    let mut held = Vec::with_capacity(ids.len());
    for id in ids {
        let sql = include_str!("../../sql/trabajo/renew.sql");
        if execute(connection, sql, (id.0, lease.who.0, micros(lease.lasts)))? > 0 {
            held.push(id);
        }
    }
    Ok(held)
}

/// Gives back every job of a process.
pub(crate) fn release(connection: &Connection, who: ProcessId) -> Step<u64> {
    execute(connection, include_str!("../../sql/trabajo/release.sql"), (who.0,)).map(|n| n as u64)
}

/// Notes that a mail is about to be handed over.
pub(crate) fn begin_send(connection: &Connection, id: JobId, who: ProcessId) -> Step<bool> {
    execute(connection, include_str!("../../sql/trabajo/begin_send.sql"), (id.0, who.0)).map(|n| n > 0)
}

/// Writes down how an attempt ended, with all that follows from it.
pub(crate) fn finish(connection: &Connection, end: &JobAttemptEnd) -> Step<bool> {
    let sql = include_str!("../../sql/trabajo/held.sql");
    let Some(held) = first(connection, sql, (end.id.0, end.who.0), rows::held)? else { return Ok(false) };
    let lead = held.lead;
    let decided = end.decide(seen(connection, end, held)?);
    execute(
        connection,
        include_str!("../../sql/trabajo/finish.sql"),
        (
            end.id.0,
            decided.state.as_str(),
            decided.proximo_en.map(Timestamp::as_microsecond),
            decided.terminado_en.map(Timestamp::as_microsecond),
            decided.en_duda,
            &decided.ultimo_error,
        ),
    )?;
    let e = &end.delivery;
    execute(
        connection,
        include_str!("../../sql/entrega/insert.sql"),
        (end.id.0, e.start.as_microsecond(), e.duracion_ms, e.ok, e.status, &e.error, &e.answer),
    )?;
    if let Some(event) = &decided.event {
        ingest::insert_event(connection, lead, event)?;
    }
    if let Some(watched_loop) = decided.watched_loop {
        watched_loop::set(connection, lead, watched_loop)?;
    }
    if decided.is_followed {
        job::insert_all(connection, lead, &end.jobs, end.at)?;
    }
    Ok(true)
}

/// Looks up what the end is decided by.
fn seen(connection: &Connection, end: &JobAttemptEnd, held: Held) -> Step<Seen> {
    let Held { lead, kind, creado_en, intentos, en_duda, ultimo_error } = held;
    let lookups = end.lookups();
    let newer = include_str!("../../sql/trabajo/newer.sql");
    let since_sent = match lookups.since_sent {
        true => watched_loop::since(connection, lead, first_attempt(connection, end, intentos)?)?,
        false => CameBack::default(),
    };
    let (since_made, watched_loop) = match lookups.since_made {
        true => (watched_loop::since(connection, lead, creado_en)?, watched_loop::get(connection, lead)?),
        false => (CameBack::default(), None),
    };
    let has_newer = lookups.has_newer && exists(connection, newer, (lead.0, kind.as_str(), end.id.0))?;
    Ok(Seen { kind, en_duda, ultimo_error, has_newer, since_sent, since_made, watched_loop })
}

/// When the first attempt of this run began; so many have ended before the one that ends now.
fn first_attempt(connection: &Connection, end: &JobAttemptEnd, intentos: u32) -> Step<Timestamp> {
    let Some(after) = intentos.checked_sub(1) else { return Ok(end.delivery.start) };
    let sql = include_str!("../../sql/entrega/first_of_run.sql");
    Ok(first(connection, sql, (end.id.0, after), rows::start)?.unwrap_or(end.delivery.start))
}

/// Makes a job due, from the start if it had ended.
pub(crate) fn retry(connection: &Connection, id: JobId, at: Timestamp) -> Step<()> {
    let job = unless_done(connection, id)?.tried_again(at);
    let values = (id.0, job.state.as_str(), job.intentos, job.proximo_en.as_microsecond(), job.en_duda);
    execute(connection, include_str!("../../sql/trabajo/retry.sql"), values).map(drop)
}

/// Ends a job that need not be sent.
pub(crate) fn discard(connection: &Connection, id: JobId, at: Timestamp) -> Step<()> {
    unless_done(connection, id)?;
    let sql = include_str!("../../sql/trabajo/discard.sql");
    execute(connection, sql, (id.0, at.as_microsecond())).map(drop)
}

fn unless_done(connection: &Connection, id: JobId) -> Step<Job> {
    let found = first(connection, include_str!("../../sql/trabajo/get.sql"), (id.0,), rows::job)?;
    let job = found.ok_or(StoreError::JobNotFound)?;
    match job.state {
        JobState::Done => Err(StoreError::JobFinished.into()),
        _ => Ok(job),
    }
}

/// Deletes old jobs with their logs.
pub(crate) fn purge(connection: &Connection, antes: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/trabajo/purge.sql");
    let gone = all(connection, sql, (antes.as_microsecond(), max), |row| {
        Ok((row.get::<_, uuid::Uuid>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
    })?;
    for job in &gone {
        execute(connection, include_str!("../../sql/entrega/delete.sql"), (job.0,))?;
        // What became of a quote is known for as long as the quote is.
        execute(connection, include_str!("../../sql/presupuesto_entrega/keep.sql"), (job.0, &job.1, job.2))?;
    }
    Ok(gone.len() as u64)
}

//! The outbox: jobs taken, kept, given back and ended.
//!
//! Whether a lease is alive is decided by the database's clock, inside the SQL; whether a job is due, by the caller's
//! clock. A job belongs to a process as long as the row has its id, even after its lease ran out, until another process
//! takes the job. So an attempt that took too long is recorded instead of being made twice.

use embudo_domain::job::Job;
use embudo_domain::{JobId, ProcessId, Timestamp};
use embudo_store::outbox::{Allotment, Lease};
use embudo_store::rows;
use rusqlite::{Connection, named_params};

use super::job::micros;
use super::{execute, pause};
use crate::failure::Step;
use crate::query::{all, first};

/// How often a claim looks again for due jobs after it had to hold some.
const LOOKS: u32 = 8;

/// Takes jobs, those that are due longest first; each allotment has the maximum for its kind.
pub(crate) fn claim(
    connection: &Connection,
    allotments: &[Allotment],
    lease: Lease,
    now: Timestamp,
) -> Step<Vec<Job>> {
    let mut taken = Vec::new();
    for allotment in allotments {
        let mut room = allotment.how_many;
        // After paused jobs are held, the jobs behind them can be found.
        for _ in 0..LOOKS {
            let due = due(connection, allotment, room, now)?;
            let held = due.iter().filter(|(_, is_paused)| *is_paused).count();
            for (id, is_paused) in due {
                if is_paused {
                    pause::hold(connection, JobId(id))?;
                } else {
                    taken.extend(lease_one(connection, id, lease)?);
                    room -= 1;
                }
            }
            if held == 0 || room == 0 {
                break;
            }
        }
    }
    taken.sort_by_key(|t| t.proximo_en);
    Ok(taken)
}

/// The due jobs of a kind, at most as many as allotted, each with whether its destination is paused.
fn due(
    connection: &Connection,
    allotment: &Allotment,
    room: u32,
    now: Timestamp,
) -> Step<Vec<(uuid::Uuid, bool)>> {
    let sql = if allotment.first_attempts_only {
        include_str!("../../sql/trabajo/claim_first.sql")
    } else {
        include_str!("../../sql/trabajo/claim.sql")
    };
    let values =
        named_params! {":tipo": allotment.kind.as_str(), ":now": now.as_microsecond(), ":limit": room};
    all(connection, sql, values, |c| Ok((c.get("id")?, c.get("paused")?)))
}

fn lease_one(connection: &Connection, id: uuid::Uuid, lease: Lease) -> Step<Option<Job>> {
    let values = named_params! {":id": id, ":quien": lease.who.0, ":dura": micros(lease.lasts)};
    first(connection, include_str!("../../sql/trabajo/lease.sql"), values, rows::job)
}

/// Prolongs leases; returns the jobs that this process still holds.
pub(crate) fn renew(connection: &Connection, ids: Vec<JobId>, lease: Lease) -> Step<Vec<JobId>> {
    let mut held = Vec::with_capacity(ids.len());
    for id in ids {
        let sql = include_str!("../../sql/trabajo/renew.sql");
        if execute(
            connection,
            sql,
            named_params! {":id": id.0, ":quien": lease.who.0, ":dura": micros(lease.lasts)},
        )? > 0
        {
            held.push(id);
        }
    }
    Ok(held)
}

/// Gives back every job of a process.
pub(crate) fn release(connection: &Connection, who: ProcessId) -> Step<u64> {
    execute(connection, include_str!("../../sql/trabajo/release.sql"), (who.0,)).map(|n| n as u64)
}

/// Notes that a mail is about to be handed over. `false`: the process does not hold the job any more.
pub(crate) fn begin_send(connection: &Connection, id: JobId, who: ProcessId) -> Step<bool> {
    execute(connection, include_str!("../../sql/trabajo/begin_send.sql"), (id.0, who.0)).map(|n| n > 0)
}

/// Deletes old jobs with their logs.
pub(crate) fn purge(connection: &Connection, before: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/trabajo/purge.sql");
    let gone = all(connection, sql, (before.as_microsecond(), max), |c| {
        Ok((c.get::<uuid::Uuid>("id")?, c.get::<String>("estado")?, c.get::<i64>("terminado_en")?))
    })?;
    for job in &gone {
        execute(connection, include_str!("../../sql/entrega/delete.sql"), (job.0,))?;
        // The results of deliveries stay known for as long as their quote or reply is kept.
        execute(
            connection,
            include_str!("../../sql/presupuesto_entrega/keep.sql"),
            named_params! {":trabajo": job.0, ":estado": job.1, ":terminado_en": job.2},
        )?;
        let keep = include_str!("../../sql/mensaje/keep.sql");
        execute(connection, keep, named_params! {":trabajo": job.0, ":estado": job.1})?;
    }
    Ok(gone.len() as u64)
}

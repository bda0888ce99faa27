//! Paused destinations, and jobs that are held for them or sent again.

use embudo_domain::job::{HELD, JobState};
use embudo_domain::{JobId, ProcessId};
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::outbox_admin::RepeatJob;
use embudo_store::{StoreError, queries};
use rusqlite::{Connection, named_params};

use super::{audit, execute, job};
use crate::failure::Step;
use crate::query::{exists, run_first};

/// Holds a job that is due while its destination is paused.
pub(super) fn hold(connection: &Connection, id: JobId) -> Step<()> {
    let sql = include_str!("../../sql/trabajo/hold.sql");
    execute(connection, sql, named_params! {":id": id.0, ":held": HELD.as_microsecond()}).map(drop)
}

/// Gives back jobs of a process; those whose destination is paused are held.
pub(crate) fn hold_own(connection: &Connection, ids: &[JobId], who: ProcessId) -> Step<()> {
    for id in ids {
        let sql = include_str!("../../sql/trabajo/hold_own.sql");
        let values = named_params! {":id": id.0, ":quien": who.0, ":held": HELD.as_microsecond()};
        execute(connection, sql, values)?;
    }
    Ok(())
}

/// Makes a job that says what a done one said.
pub(crate) fn repeat(connection: &Connection, command: &RepeatJob) -> Step<bool> {
    let found = run_first(connection, &queries::job::several(&[command.id]))?;
    let old = found.ok_or(StoreError::JobNotFound)?;
    if old.state != JobState::Done {
        return Ok(false);
    }
    let newer = include_str!("../../sql/trabajo/newer.sql");
    let subject = named_params! {":lead": old.lead.0, ":tipo": old.kind.as_str(), ":id": old.id.0};
    if old.kind.is_superseded_by_newer() && exists(connection, newer, subject)? {
        return Ok(false);
    }
    let new = NewJob {
        id: command.new,
        kind: old.kind,
        payload: NewPayload::Text(old.payload),
        lease: None,
        proximo_en: None,
    };
    job::insert_all(connection, old.lead, &[new], command.at)?;
    let link = include_str!("../../sql/trabajo/link.sql");
    if execute(connection, link, named_params! {":id": command.new.0, ":repite": old.id.0})? == 0 {
        return Ok(false);
    }
    audit::record(connection, &command.audit).map(|()| true)
}

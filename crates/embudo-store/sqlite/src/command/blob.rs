//! The marks of the blob sweep, and the traces they leave.

use embudo_domain::{Digest, LeadId, Timestamp};
use embudo_store::blob_marks::MARK_LIFE;
use embudo_store::{StoreError, queries, rows};
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;
use crate::query::{first, run_first};

/// Marks a blob for sweeping and returns the number of the mark. `None`: the blob is in use or marked already, or a
/// backup is being made.
pub(crate) fn mark(
    connection: &Connection,
    lead: LeadId,
    digest: Digest,
    at: Timestamp,
) -> Step<Option<i64>> {
    if run_first(connection, &queries::blob::in_use(lead, digest))? == Some(true) {
        return Ok(None);
    }
    let sql = include_str!("../../sql/blob_marca/insert.sql");
    let dead = (at - MARK_LIFE).as_microsecond();
    first(
        connection,
        sql,
        named_params! {":lead": lead.0, ":huella": digest.0, ":now": at.as_microsecond(), ":dead": dead},
        |c| c.get("vez"),
    )
}

/// Refuses a blob that is being swept, or was swept since its bytes were put. A trace that the call knows is not needed
/// any more and is deleted.
pub(super) fn check(
    connection: &Connection,
    lead: LeadId,
    digest: Digest,
    swept: &[(Digest, i64)],
) -> Step<()> {
    let blob = (lead.0, digest.0);
    let mark = first(connection, include_str!("../../../sql/blob_marca/mark.sql"), blob, rows::blob_mark)?;
    match mark {
        None => Ok(()),
        Some(m) if m.sweep && swept.contains(&(digest, m.nth)) => {
            execute(connection, include_str!("../../../sql/blob_marca/drop.sql"), blob).map(drop)
        }
        Some(_) => Err(StoreError::BlobMarked.into()),
    }
}

/// Deletes old traces.
pub(crate) fn purge(connection: &Connection, before: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/blob_marca/purge.sql");
    execute(connection, sql, (before.as_microsecond(), max)).map(|n| n as u64)
}

//! Brings the tables up to date: numbered files, each in a transaction of its own, recorded in `migracion`.

use embudo_store::tables::{BASELINE, UNFINISHED, UNFINISHED_WORDS, too_old};
use embudo_store::{Result, StoreError};
use rusqlite::{Connection, TransactionBehavior};

use crate::failure::store_error;

/// One migration.
struct Migration {
    number: i64,
    name: &'static str,
    sql: &'static str,
}

/// In order; append only, with the same numbers and names as on PostgreSQL. The first is the whole schema of its time.
const ALL: &[Migration] = &[
    Migration {
        number: BASELINE as i64,
        name: "0021_base",
        sql: include_str!("../migrations/0021_base.sql"),
    },
    Migration {
        number: 22,
        name: "0022_next_action",
        sql: include_str!("../migrations/0022_next_action.sql"),
    },
    Migration { number: 23, name: "0023_quotes", sql: include_str!("../migrations/0023_quotes.sql") },
    Migration { number: 24, name: "0024_lead_data", sql: include_str!("../migrations/0024_lead_data.sql") },
    Migration { number: 25, name: "0025_replies", sql: include_str!("../migrations/0025_replies.sql") },
    Migration { number: 26, name: "0026_push", sql: include_str!("../migrations/0026_push.sql") },
    Migration { number: 27, name: "0027_works", sql: include_str!("../migrations/0027_works.sql") },
    Migration {
        number: 28,
        name: "0028_former_slugs",
        sql: include_str!("../migrations/0028_former_slugs.sql"),
    },
];

/// The number of the newest migration that this program knows, the same on both engines.
pub const NEWEST: i64 = ALL[ALL.len() - 1].number;

/// Runs the missing migrations; returns the last number before and after. Each step checks again under the write lock,
/// so several processes may run this at once.
pub(crate) fn run(connection: &mut Connection) -> Result<(i64, i64)> {
    let newest = NEWEST;
    let before = last_applied(connection).map_err(|e| store_error(&e))?;
    loop {
        let last = last_applied(connection).map_err(|e| store_error(&e))?;
        if last == i64::from(UNFINISHED) {
            return Err(StoreError::Internal(UNFINISHED_WORDS.to_owned()));
        }
        if last > 0 && last < i64::from(BASELINE) {
            return Err(StoreError::Internal(too_old(last)));
        }
        if last > newest {
            return Err(StoreError::Internal(format!(
                "the database was written by a newer Embudo (its tables are at version {last}, this program knows \
                 {newest}): run that version, or restore a backup made before the update"
            )));
        }
        if last == newest {
            return Ok((before, last));
        }
        apply_next(connection).map_err(|e| store_error(&e))?;
    }
}

fn apply_next(connection: &mut Connection) -> rusqlite::Result<()> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch(include_str!("../sql/migracion/create.sql"))?;
    let last = last_applied(&tx)?;
    if let Some(migration) = ALL.iter().find(|m| m.number > last) {
        tx.execute_batch(migration.sql)?;
        tx.execute(include_str!("../sql/migracion/insert.sql"), (migration.number, migration.name))?;
    }
    tx.commit()
}

/// The number of the last migration that was run; 0 if none was.
pub(crate) fn last_applied(connection: &Connection) -> rusqlite::Result<i64> {
    if !connection.table_exists(None, "migracion")? {
        return Ok(0);
    }
    connection.query_row(include_str!("../sql/migracion/last.sql"), (), |r| r.get(0))
}

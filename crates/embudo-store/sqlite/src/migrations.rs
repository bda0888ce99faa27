//! Brings the tables up to date: numbered files, each in a transaction of its own, written down in `migracion`.

use embudo_store::{Result, StoreError};
use rusqlite::{Connection, TransactionBehavior};

use crate::failure::store_error;

/// One file.
struct Migration {
    number: i64,
    name: &'static str,
    sql: &'static str,
}

const ALL: &[Migration] = &[
    Migration { number: 1, name: "0001_base", sql: include_str!("../migrations/0001_base.sql") },
    Migration { number: 2, name: "0002_senales", sql: include_str!("../migrations/0002_senales.sql") },
    Migration {
        number: 3,
        name: "0003_presupuestos",
        sql: include_str!("../migrations/0003_presupuestos.sql"),
    },
    Migration { number: 4, name: "0004_entregas", sql: include_str!("../migrations/0004_entregas.sql") },
    Migration {
        number: 5,
        name: "0005_keys_by_lead",
        sql: include_str!("../migrations/0005_keys_by_lead.sql"),
    },
    Migration { number: 6, name: "0006_access", sql: include_str!("../migrations/0006_access.sql") },
    Migration { number: 7, name: "0007_inbox", sql: include_str!("../migrations/0007_inbox.sql") },
    Migration { number: 8, name: "0008_envios", sql: include_str!("../migrations/0008_envios.sql") },
];

/// Runs what is missing; returns the last number before and after. Each step looks again under the write lock, so several
/// processes may do it at once.
pub(crate) fn run(connection: &mut Connection) -> Result<(i64, i64)> {
    let newest = ALL.last().map_or(0, |m| m.number);
    let before = last_applied(connection).map_err(|e| store_error(&e))?;
    loop {
        let last = last_applied(connection).map_err(|e| store_error(&e))?;
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

/// The number of the last file that was run; 0 if none was.
pub(crate) fn last_applied(connection: &Connection) -> rusqlite::Result<i64> {
    if !connection.table_exists(None, "migracion")? {
        return Ok(0);
    }
    connection.query_row(include_str!("../sql/migracion/last.sql"), (), |r| r.get(0))
}

//! Brings the tables up to date: numbered files, each in a transaction of its own, written down in `migracion`.

use embudo_store::tables::{UNFINISHED, UNFINISHED_WORDS};
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
    Migration { number: 9, name: "0009_avisos", sql: include_str!("../migrations/0009_avisos.sql") },
    Migration {
        number: 10,
        name: "0010_inbox_by_etapa",
        sql: include_str!("../migrations/0010_inbox_by_etapa.sql"),
    },
    Migration { number: 11, name: "0011_borradores", sql: include_str!("../migrations/0011_borradores.sql") },
    Migration { number: 12, name: "0012_obra", sql: include_str!("../migrations/0012_obra.sql") },
    Migration { number: 13, name: "0013_aceptacion", sql: include_str!("../migrations/0013_aceptacion.sql") },
    Migration { number: 14, name: "0014_conexiones", sql: include_str!("../migrations/0014_conexiones.sql") },
    Migration {
        number: 15,
        name: "0015_recordatorios",
        sql: include_str!("../migrations/0015_recordatorios.sql"),
    },
    Migration { number: 16, name: "0016_visitas", sql: include_str!("../migrations/0016_visitas.sql") },
    Migration { number: 17, name: "0017_cifras", sql: include_str!("../migrations/0017_cifras.sql") },
    Migration { number: 18, name: "0018_derechos", sql: include_str!("../migrations/0018_derechos.sql") },
    Migration { number: 19, name: "0019_arriendos", sql: include_str!("../migrations/0019_arriendos.sql") },
    Migration { number: 20, name: "0020_accesos", sql: include_str!("../migrations/0020_accesos.sql") },
    Migration { number: 21, name: "0021_conteos", sql: include_str!("../migrations/0021_conteos.sql") },
];

/// The version of the tables that this program knows, on either engine.
pub const NEWEST: i64 = ALL[ALL.len() - 1].number;

/// Runs what is missing; returns the last number before and after. Each step looks again under the write lock, so several
/// processes may do it at once.
pub(crate) fn run(connection: &mut Connection) -> Result<(i64, i64)> {
    let newest = NEWEST;
    let before = last_applied(connection).map_err(|e| store_error(&e))?;
    loop {
        let last = last_applied(connection).map_err(|e| store_error(&e))?;
        if last == i64::from(UNFINISHED) {
            return Err(StoreError::Internal(UNFINISHED_WORDS.to_owned()));
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

/// The number of the last file that was run; 0 if none was.
pub(crate) fn last_applied(connection: &Connection) -> rusqlite::Result<i64> {
    if !connection.table_exists(None, "migracion")? {
        return Ok(0);
    }
    connection.query_row(include_str!("../sql/migracion/last.sql"), (), |r| r.get(0))
}

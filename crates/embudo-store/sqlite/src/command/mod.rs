//! Writes: one function per command, each inside the writer's transaction.
//!
//! A command that returns an error is rolled back as a whole by the writer, so no command cleans up after itself.

pub(crate) mod blob;
pub(crate) mod calificacion;
mod etapa;
pub(crate) mod event;
pub(crate) mod figures;
pub(crate) mod finish;
pub(crate) mod idempotency;
pub(crate) mod ingesta;
pub(crate) mod intento;
pub(crate) mod job;
pub(crate) mod lead;
pub(crate) mod lease;
pub(crate) mod outbox;
pub(crate) mod pause;
pub(crate) mod perfil;
pub(crate) mod projection;
pub(crate) mod rights;
pub(crate) mod turno;
pub(crate) mod watched_loop;

use embudo_domain::{LeadId, Timestamp, Zona};
use embudo_store::StoreError;
use rusqlite::{Connection, Params, named_params};

use crate::failure::Step;
use crate::query::first;
use idempotency::once;

/// Runs one statement; returns how many rows it changed.
fn execute(connection: &Connection, sql: &str, params: impl Params) -> Step<usize> {
    Ok(connection.prepare_cached(sql)?.execute(params)?)
}

/// Runs one statement that takes its lead from the database: no row means that there is no such lead.
fn execute_on_lead(connection: &Connection, sql: &str, params: impl Params) -> Step<()> {
    match execute(connection, sql, params)? {
        0 => Err(StoreError::LeadNotFound.into()),
        _ => Ok(()),
    }
}

/// The lead's renovation type. The writer's transaction keeps the lead from changing meanwhile.
fn lock_lead(connection: &Connection, lead: LeadId) -> Step<Option<Zona>> {
    let sql = include_str!("../../sql/lead/lock.sql");
    Ok(first(connection, sql, (lead.0,), |c| c.word_opt("tipo_reforma", Zona::parse))?
        .ok_or(StoreError::LeadNotFound)?)
}

/// Writes one row of history for each value that was sent.
fn record_state(
    connection: &Connection,
    lead: LeadId,
    estado_wa: Option<&str>,
    bot_step: Option<&str>,
    at: Timestamp,
) -> Step<()> {
    for (field, value) in [("estado_wa", estado_wa), ("bot_step", bot_step)] {
        if let Some(value) = value {
            let sql = include_str!("../../../sql/estado_historia/insert.sql");
            execute_on_lead(
                connection,
                sql,
                named_params! {
                    ":lead": lead.0,
                    ":campo": field,
                    ":valor": value,
                    ":now": at.as_microsecond(),
                },
            )?;
        }
    }
    Ok(())
}

/// Writes a value that nobody reads, because only a commit that reaches the disk shows that writing works.
pub(crate) fn touch(connection: &Connection) -> Step<()> {
    let version: i32 = connection.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    connection.pragma_update(None, "user_version", version.wrapping_add(1))?;
    Ok(())
}

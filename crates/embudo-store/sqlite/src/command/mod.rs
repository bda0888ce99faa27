//! What is written: one function per command, each inside the writer's transaction.
//!
//! A command that returns an error is rolled back as a whole by the writer, so none of them tidies up after itself.

pub(crate) mod bot;
pub(crate) mod business;
pub(crate) mod correction;
pub(crate) mod empresa;
pub(crate) mod housekeeping;
pub(crate) mod ingest;
mod job;
pub(crate) mod lead;
pub(crate) mod outbox;
pub(crate) mod presupuesto;
pub(crate) mod watched_loop;

use embudo_domain::{LeadId, Timestamp};
use embudo_store::idempotency::{decide, write_jobs};
use embudo_store::{Done, Idempotency, StoreError};
use rusqlite::{Connection, Params};

use crate::failure::Step;
use crate::query::first;
use crate::rows;

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

/// Does the work once per key: a key that is known gives its first outcome instead.
fn once(connection: &Connection, key: Option<&Idempotency>, work: impl FnOnce() -> Step<()>) -> Step<Done> {
    let Some(key) = key else {
        work()?;
        return Ok(Done::Now);
    };
    let sql = include_str!("../../sql/idempotencia/get.sql");
    let row = first(connection, sql, (&key.scope, &key.key), rows::idempotency)?;
    if let Some(known) = row.and_then(|row| decide(&row, key)) {
        return Ok(known?);
    }
    work()?;
    execute(
        connection,
        include_str!("../../sql/idempotencia/insert.sql"),
        (
            &key.scope,
            &key.key,
            key.cuerpo_sha256,
            key.outcome.write(),
            write_jobs(&key.jobs),
            key.creada_en.as_microsecond(),
            key.expira_en.as_microsecond(),
        ),
    )?;
    Ok(Done::Now)
}

/// One row of history per value sent.
fn record_state(
    connection: &Connection,
    lead: LeadId,
    estado_wa: Option<&str>,
    bot_step: Option<&str>,
    at: Timestamp,
) -> Step<()> {
    for (field, value) in [("estado_wa", estado_wa), ("bot_step", bot_step)] {
        if let Some(value) = value {
            let sql = include_str!("../../sql/estado_historia/insert.sql");
            execute_on_lead(connection, sql, (lead.0, field, value, at.as_microsecond()))?;
        }
    }
    Ok(())
}

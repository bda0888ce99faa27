//! What is written: one function per command, each inside the writer's transaction.
//!
//! A command that returns an error is rolled back as a whole by the writer, so none of them tidies up after itself.

pub(crate) mod bot;
pub(crate) mod bucle;
pub(crate) mod cola;
pub(crate) mod correction;
pub(crate) mod empresa;
pub(crate) mod housekeeping;
pub(crate) mod ingest;
pub(crate) mod lead;
pub(crate) mod negocio;
pub(crate) mod presupuesto;
mod trabajo;

use embudo_domain::{LeadId, Timestamp};
use embudo_store::idempotencia::{decide, write_jobs};
use embudo_store::{Hecho, Idempotencia, StoreError};
use rusqlite::{Connection, Params};

use crate::failure::Step;
use crate::query::first;
use crate::rows;

/// Runs one statement; returns how many rows it changed.
fn execute(conexion: &Connection, sql: &str, params: impl Params) -> Step<usize> {
    Ok(conexion.prepare_cached(sql)?.execute(params)?)
}

/// Runs one statement that takes its lead from the database: no row means that there is no such lead.
fn execute_on_lead(conexion: &Connection, sql: &str, params: impl Params) -> Step<()> {
    match execute(conexion, sql, params)? {
        0 => Err(StoreError::LeadNotFound.into()),
        _ => Ok(()),
    }
}

/// Does the work once per key: a key that is known gives its first outcome instead.
fn once(conexion: &Connection, key: Option<&Idempotencia>, work: impl FnOnce() -> Step<()>) -> Step<Hecho> {
    let Some(key) = key else {
        work()?;
        return Ok(Hecho::Ahora);
    };
    let sql = include_str!("../../sql/idempotencia/get.sql");
    let row = first(conexion, sql, (&key.ambito, &key.clave), rows::idempotencia)?;
    if let Some(known) = row.and_then(|row| decide(&row, key)) {
        return Ok(known?);
    }
    work()?;
    execute(
        conexion,
        include_str!("../../sql/idempotencia/insert.sql"),
        (
            &key.ambito,
            &key.clave,
            key.cuerpo_sha256,
            key.outcome.write(),
            write_jobs(&key.trabajos),
            key.creada_en.as_microsecond(),
            key.expira_en.as_microsecond(),
        ),
    )?;
    Ok(Hecho::Ahora)
}

/// One row of history per value sent.
fn record_estado(
    conexion: &Connection,
    lead: LeadId,
    estado_wa: Option<&str>,
    bot_step: Option<&str>,
    en: Timestamp,
) -> Step<()> {
    for (campo, valor) in [("estado_wa", estado_wa), ("bot_step", bot_step)] {
        if let Some(valor) = valor {
            let sql = include_str!("../../sql/estado_historia/insert.sql");
            execute_on_lead(conexion, sql, (lead.0, campo, valor, en.as_microsecond()))?;
        }
    }
    Ok(())
}

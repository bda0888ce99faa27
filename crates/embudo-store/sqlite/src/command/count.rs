//! Counts that several processes share.

use embudo_domain::Timestamp;
use embudo_store::counts::Count;
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;

pub(crate) fn add(connection: &Connection, counts: &[Count]) -> Step<()> {
    for Count { key, n, expires } in counts {
        let count = named_params! {
            ":tipo": key.kind,
            ":sujeto": key.subject,
            ":ventana": key.window,
            ":n": n,
            ":expira": expires.as_microsecond(),
        };
        execute(connection, include_str!("../../sql/conteo/add.sql"), count)?;
    }
    Ok(())
}

pub(crate) fn purge(connection: &Connection, now: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/conteo/purge.sql");
    Ok(execute(connection, sql, named_params! {":now": now.as_microsecond(), ":max": max})? as u64)
}

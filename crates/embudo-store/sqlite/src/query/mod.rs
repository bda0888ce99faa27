//! What is read: one function per query, each on one snapshot.

pub(crate) mod jobs;
pub(crate) mod leads;
pub(crate) mod presupuestos;
pub(crate) mod record;

use rusqlite::{Connection, Params, Row};

use crate::failure::Step;

/// All rows of a query.
pub(crate) fn all<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    map: impl Fn(&Row<'_>) -> Step<T>,
) -> Step<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(map(row)?);
    }
    Ok(found)
}

/// The first row of a query, if there is one.
pub(crate) fn first<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    map: impl FnOnce(&Row<'_>) -> Step<T>,
) -> Step<Option<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    match rows.next()? {
        Some(row) => map(row).map(Some),
        None => Ok(None),
    }
}

/// The answer of a `SELECT EXISTS (…)`.
pub(crate) fn exists(connection: &Connection, sql: &str, params: impl Params) -> Step<bool> {
    Ok(connection.prepare_cached(sql)?.query_row(params, |row| row.get(0))?)
}

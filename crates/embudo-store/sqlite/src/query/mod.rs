//! Reads: one function per query, each on one snapshot. Most queries are the same on both engines
//! (`embudo_store::queries`) and are only run here.

pub(crate) mod job;
pub(crate) mod record;

use embudo_store::StoreError;
use embudo_store::queries::{Query, Values};
use embudo_store::row::Columns;
use embudo_store::write::OnRow;
use rusqlite::{CachedStatement, Connection, Params, Rows};

use crate::failure::Step;
use crate::rows::{Bound, ByName};

/// Every row of a query.
pub(crate) fn run<T>(connection: &Connection, query: &Query<T>) -> Step<Vec<T>> {
    collect(prepared(connection, query.text(), query.values())?.raw_query(), |row| query.read(row))
}

/// Calls a function for each row of a query.
pub(crate) fn each(connection: &Connection, text: &str, values: &Values, on_row: OnRow<'_>) -> Step<()> {
    let mut statement = prepared(connection, text, values)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        on_row(&Columns::of(&ByName::of(row)))?;
    }
    Ok(())
}

/// Runs a statement; returns how many rows it changed.
pub(crate) fn execute(connection: &Connection, text: &str, values: &Values) -> Step<u64> {
    let mut statement = prepared(connection, text, values)?;
    let mut rows = statement.raw_query();
    while rows.next()?.is_some() {}
    Ok(connection.changes())
}

fn prepared<'c>(connection: &'c Connection, text: &str, values: &Values) -> Step<CachedStatement<'c>> {
    let mut statement = connection.prepare_cached(text)?;
    for (name, value) in values {
        let index = statement.parameter_index(&format!(":{name}"))?;
        let index = index.ok_or_else(|| StoreError::Internal(format!("a query has no parameter {name}")))?;
        statement.raw_bind_parameter(index, Bound(value))?;
    }
    Ok(statement)
}

/// The first row of a query, if there is one.
pub(crate) fn run_first<T>(connection: &Connection, query: &Query<T>) -> Step<Option<T>> {
    Ok(run(connection, query)?.into_iter().next())
}

/// All rows of a statement.
pub(crate) fn all<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Columns<'_>) -> embudo_store::Result<T>,
) -> Step<Vec<T>> {
    collect(connection.prepare_cached(sql)?.query(params)?, read)
}

/// The first row of a statement, if there is one.
pub(crate) fn first<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Columns<'_>) -> embudo_store::Result<T>,
) -> Step<Option<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    match rows.next()? {
        Some(row) => Ok(Some(read(&Columns::of(&ByName::of(row)))?)),
        None => Ok(None),
    }
}

/// The row of a statement that always has one.
pub(crate) fn one<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Columns<'_>) -> embudo_store::Result<T>,
) -> Step<T> {
    Ok(first(connection, sql, params, read)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?)
}

/// The answer of a `SELECT EXISTS (…) AS found`.
pub(crate) fn exists(connection: &Connection, sql: &str, params: impl Params) -> Step<bool> {
    one(connection, sql, params, |c| c.get("found"))
}

fn collect<T>(mut rows: Rows<'_>, read: impl Fn(&Columns<'_>) -> embudo_store::Result<T>) -> Step<Vec<T>> {
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(&Columns::of(&ByName::of(row)))?);
    }
    Ok(found)
}

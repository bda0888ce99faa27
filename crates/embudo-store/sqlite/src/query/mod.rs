//! What is read: one function per query, each on one snapshot. Most queries are the same on both engines
//! (`embudo_store::queries`) and only run here.

pub(crate) mod job;
pub(crate) mod record;

use embudo_store::StoreError;
use embudo_store::queries::Query;
use embudo_store::row::Columns;
use rusqlite::{Connection, Params, Rows};

use crate::failure::Step;
use crate::rows::{Bound, ByName};

/// Every row of a query.
pub(crate) fn run<T>(connection: &Connection, query: &Query<T>) -> Step<Vec<T>> {
    let mut statement = connection.prepare_cached(query.text())?;
    for (name, value) in query.values() {
        let index = statement.parameter_index(&format!(":{name}"))?;
        let index = index.ok_or_else(|| StoreError::Internal(format!("a query has no parameter {name}")))?;
        statement.raw_bind_parameter(index, Bound(value))?;
    }
    collect(statement.raw_query(), |row| query.read(row))
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

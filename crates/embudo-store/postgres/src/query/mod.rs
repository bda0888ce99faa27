//! What is read, on a connection of the pool. Most queries are the same on both engines (`embudo_store::queries`) and only
//! run here.

pub(crate) mod job;
pub(crate) mod record;

use deadpool_postgres::{Pool, Transaction};
use embudo_store::StoreError;
use embudo_store::queries::Query;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::failure::Step;
use crate::named::Named;
use crate::rows::{Bound, read};

/// Succeeds when the server answers and takes writes.
pub(crate) async fn ping(pool: &Pool) -> Step<()> {
    let sql = "SELECT current_setting('transaction_read_only')::boolean OR pg_is_in_recovery()";
    let rows = all(pool, sql, &[]).await?;
    match rows.first().map(|row| row.try_get(0)).transpose()? {
        Some(false) => Ok(()),
        _ => Err(StoreError::Unavailable("the server is read-only".into()).into()),
    }
}

/// Every row of a query. It is planned anew with its values, so that each combination of conditions gets the index it deserves.
pub(crate) async fn run<T>(pool: &Pool, query: &Query<T>) -> Step<Vec<T>> {
    let (text, values) = bound(query)?;
    let typed: Vec<(&(dyn ToSql + Sync), Type)> = values.iter().map(|v| (v as _, v.sql_type())).collect();
    let rows = pool.get().await?.query_typed(&text, &typed).await?;
    rows.iter().map(|row| read(row, |c| query.read(c))).collect()
}

/// Every row of a query inside a transaction, where it stays prepared.
pub(crate) async fn run_in<T>(tx: &Transaction<'_>, query: &Query<T>) -> Step<Vec<T>> {
    let (text, values) = bound(query)?;
    let types: Vec<Type> = values.iter().map(Bound::sql_type).collect();
    let statement = tx.prepare_typed_cached(&text, &types).await?;
    let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|v| v as _).collect();
    let rows = tx.query(&statement, &values).await?;
    rows.iter().map(|row| read(row, |c| query.read(c))).collect()
}

/// The text with numbered parameters, and their values in this order.
pub(crate) fn bound<T>(query: &Query<T>) -> Step<(String, Vec<Bound<'_>>)> {
    let Named { text, names } = Named::parse(query.text());
    let value = |name: &&str| {
        let found = query.values().iter().find(|(known, _)| known == name);
        found.map(|(_, value)| Bound(value)).ok_or_else(|| {
            StoreError::Internal(format!("a query has no value for its parameter {name}")).into()
        })
    };
    let values = names.iter().map(value).collect::<Step<_>>()?;
    Ok((text, values))
}

async fn all(pool: &Pool, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Step<Vec<Row>> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(sql).await?;
    Ok(client.query(&statement, parameters).await?)
}

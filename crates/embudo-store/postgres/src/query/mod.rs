//! Reads, on a connection of the pool. Most queries are the same on both engines (`embudo_store::queries`) and are only
//! run here.

pub(crate) mod job;
pub(crate) mod record;

use deadpool_postgres::{Pool, Transaction};
use embudo_store::queries::{Query, Values};
use tokio_postgres::types::Type;

use crate::failure::{Failure, Step};
use crate::named::Named;
use crate::rows::{Bound, read};
use crate::statement::Value;

/// Succeeds when the server answers and accepts writes.
pub(crate) async fn ping(pool: &Pool) -> Step<()> {
    let sql = "SELECT current_setting('transaction_read_only')::boolean OR pg_is_in_recovery()";
    let client = pool.get().await?;
    match client.query_one(&client.prepare_cached(sql).await?, &[]).await?.try_get(0)? {
        false => Ok(()),
        true => Err(Failure::ReadOnly),
    }
}

/// Every row of a query. The query is planned anew with its values, so that each combination of conditions gets the
/// right index.
pub(crate) async fn run<T>(pool: &Pool, query: &Query<T>) -> Step<Vec<T>> {
    let (text, values) = bound(query.text(), query.values())?;
    let typed: Vec<(Value<'_>, Type)> = values.iter().map(|v| (v as _, v.sql_type())).collect();
    let rows = pool.get().await?.query_typed(&text, &typed).await?;
    rows.iter().map(|row| read(row, |c| query.read(c))).collect()
}

/// Every row of a query inside a transaction, where the query stays prepared.
pub(crate) async fn run_in<T>(tx: &Transaction<'_>, query: &Query<T>) -> Step<Vec<T>> {
    let (text, values) = bound(query.text(), query.values())?;
    let types: Vec<Type> = values.iter().map(Bound::sql_type).collect();
    let statement = tx.prepare_typed_cached(&text, &types).await?;
    let values: Vec<Value<'_>> = values.iter().map(|v| v as _).collect();
    let rows = tx.query(&statement, &values).await?;
    rows.iter().map(|row| read(row, |c| query.read(c))).collect()
}

/// The text with numbered parameters, and their values in this order.
pub(crate) fn bound<'v>(text: &str, values: &'v Values) -> Step<(String, Vec<Bound<'v>>)> {
    let named = Named::parse(text);
    let values = named.arrange(values, Bound)?;
    Ok((named.text, values))
}

//! The samples of values in `pg_statistic`, with which the server plans queries. Samples of erased rows are removed
//! together with the rows.

use embudo_store::rights::OF_LEAD;
use tokio_postgres::{Client, Error};

/// Tables besides [`OF_LEAD`] that have or had data of a lead.
const OTHERS: [&str; 8] = [
    "lead",
    "entrega",
    "idempotencia",
    "auditoria",
    "presupuesto_bloqueado",
    "respuesta_bloqueada",
    "lead_cifra",
    "cifra",
];

/// Sampling a table may take longer than other statements, and may have to wait for a vacuum of the table.
const PATIENCE: &str = "SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '20s'";
/// An empty table is locked for a moment, for which writers must wait.
const IMPATIENCE: &str = "SET LOCAL lock_timeout = '2s'";

/// Every table that has or had data of a lead.
pub(crate) fn tables() -> impl Iterator<Item = &'static str> {
    OF_LEAD.iter().chain(&OTHERS).copied()
}

/// Takes new samples of every table of [`tables`] that has samples.
pub(crate) async fn forget(client: &Client) -> Result<(), Error> {
    let sql = "SELECT DISTINCT tablename::text FROM pg_stats WHERE schemaname = current_schema()";
    let sampled = client.query(sql, &[]).await?;
    let sampled = sampled.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, Error>>()?;
    for table in tables().filter(|table| sampled.iter().any(|known| known == table)) {
        within(client, &format!("{PATIENCE}; ANALYZE {table}")).await?;
        forget_if_empty(client, table).await?;
    }
    Ok(())
}

/// `ANALYZE` keeps the old samples of a table that is empty now. Setting the type of a column removes its samples, even
/// if it is the same type as before: nothing is rewritten. Keys are left out, because other tables refer to them; they
/// are ids.
pub(crate) async fn forget_if_empty(client: &Client, table: &str) -> Result<(), Error> {
    let columns = "SELECT format('ALTER COLUMN %I TYPE %s', a.attname, format_type(a.atttypid, a.atttypmod)) FROM pg_attribute a \
                   JOIN pg_stats s ON s.schemaname = current_schema() AND s.tablename = $1 AND s.attname = a.attname \
                   WHERE a.attrelid = to_regclass($1::text) AND a.atttypid <> 'uuid'::regtype AND a.attidentity = '' \
                   AND a.attgenerated = ''";
    let is_empty = format!("SELECT NOT EXISTS (SELECT FROM {table})");
    if !client.query_one(&is_empty, &[]).await?.try_get::<_, bool>(0)? {
        return Ok(());
    }
    let columns = client.query(columns, &[&table]).await?;
    let columns = columns.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, Error>>()?;
    if columns.is_empty() {
        return Ok(());
    }
    // If somebody writes meanwhile, the table is not rewritten either, and has no samples until the next `ANALYZE`.
    within(client, &format!("{IMPATIENCE}; ALTER TABLE {table} {}", columns.join(", "))).await
}

/// Runs statements in a transaction of their own.
async fn within(client: &Client, statements: &str) -> Result<(), Error> {
    let end = client.batch_execute(&format!("BEGIN; {statements}; COMMIT")).await;
    if end.is_err() {
        client.batch_execute("ROLLBACK").await?;
    }
    end
}

//! The index of trigrams that names are searched by. It needs PostgreSQL's own extension pg_trgm, which a server may
//! lack or a role may not be allowed to create: without it searches walk through the names, and nothing else changes.

use embudo_store::Result;
use tokio_postgres::Client;

use crate::failure::store_error;

/// Held while the index is made; any number that nobody else in the database uses.
const LOCK: i64 = 0x656d_6275_646f_0007;

/// How names are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trigrams {
    Indexed,
    /// Why there is no index.
    Missing(String),
}

/// Makes the index where it is missing and can be made.
pub(crate) async fn ensure(client: &mut Client) -> Trigrams {
    match look(client).await {
        Ok(Trigrams::Indexed) => return Trigrams::Indexed,
        Ok(Trigrams::Missing(_)) => {}
        Err(error) => return Trigrams::Missing(error.to_string()),
    }
    match make(client).await {
        Ok(()) => Trigrams::Indexed,
        Err(error) => {
            let why = error.as_db_error().map_or_else(|| error.to_string(), |e| e.message().to_owned());
            tracing::info!(why, "names are searched without an index of trigrams (extension pg_trgm)");
            Trigrams::Missing(why)
        }
    }
}

/// Looks and changes nothing.
pub(crate) async fn look(client: &Client) -> Result<Trigrams> {
    let sql = include_str!("../sql/lead_busqueda/has_trigrams.sql");
    let row = client.query_one(sql, &[]).await.map_err(|e| store_error(&e))?;
    Ok(match (row.get("indexed"), row.get("available")) {
        (true, _) => Trigrams::Indexed,
        (false, true) => Trigrams::Missing("the extension pg_trgm is there and was not created".into()),
        (false, false) => Trigrams::Missing("the server has no extension pg_trgm".into()),
    })
}

/// The extension may stand in another schema than the tables.
async fn make(client: &mut Client) -> std::result::Result<(), tokio_postgres::Error> {
    let tx = client.transaction().await?;
    tx.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    // One for all schemas of the database, if that is allowed: it would go with the schema that it stands in.
    let everywhere = "SAVEPOINT public; CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public";
    if tx.batch_execute(everywhere).await.is_err() {
        tx.batch_execute("ROLLBACK TO public; CREATE EXTENSION IF NOT EXISTS pg_trgm").await?;
    }
    let sql =
        "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
               WHERE e.extname = 'pg_trgm'";
    let schema: String = tx.query_one(sql, &[]).await?.get(0);
    let index = "CREATE INDEX IF NOT EXISTS lead_busqueda_trigrama ON lead_busqueda";
    tx.batch_execute(&format!("{index} USING gin (texto {schema}.gin_trgm_ops)")).await?;
    tx.commit().await
}

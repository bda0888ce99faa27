//! The trigram index for searching names. It needs PostgreSQL's own extension pg_trgm, which a server may lack or a
//! role may not be allowed to create. Without it searches scan all names, and nothing else changes.

use embudo_store::Result;
use tokio_postgres::Client;

use crate::failure::store_error;

/// The advisory lock while the index is made; the number only must not be used by anything else in the database.
const LOCK: i64 = 0x656d_6275_646f_0007;

/// How names are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trigrams {
    Indexed,
    /// Why there is no index.
    Missing(String),
}

/// Makes the index if it is missing and can be made.
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

/// Finds out how names are searched, and changes nothing.
pub(crate) async fn look(client: &Client) -> Result<Trigrams> {
    let sql = include_str!("../sql/lead_busqueda/has_trigrams.sql");
    let row = client.query_one(sql, &[]).await.map_err(|e| store_error(&e))?;
    Ok(match (row.get("indexed"), row.get("available")) {
        (true, _) => Trigrams::Indexed,
        (false, true) => Trigrams::Missing("the extension pg_trgm is there and was not created".into()),
        (false, false) => Trigrams::Missing("the server has no extension pg_trgm".into()),
    })
}

/// Makes the extension and the index. The extension may be in another schema than the tables.
async fn make(client: &mut Client) -> std::result::Result<(), tokio_postgres::Error> {
    let tx = client.transaction().await?;
    tx.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    // If the role may do it, the extension is made in `public`, for all schemas of the database: an extension is
    // dropped together with its schema.
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

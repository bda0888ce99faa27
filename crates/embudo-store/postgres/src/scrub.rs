//! What is left of deleted rows outside of the tables: dead rows in their files.

use embudo_store::rights::OF_LEAD;
use embudo_store::{Result, StoreError};

use crate::PgStore;
use crate::connection::Target;

/// Tables beside [`OF_LEAD`] in which something of a lead stood.
const OTHERS: [&str; 7] = [
    "lead",
    "entrega",
    "idempotencia",
    "auditoria",
    "presupuesto_bloqueado",
    "respuesta_bloqueada",
    "lead_cifra",
];

impl PgStore {
    /// Writes the files of every table that something of a person stood in anew. Each table is locked meanwhile, so this is for a time when
    /// nobody works. What the write-ahead log, its archive and backups hold goes as they are recycled.
    pub async fn scrub(url: &str) -> Result<()> {
        let client = Target::parse(url)?.connect().await?;
        for table in OF_LEAD.iter().chain(&OTHERS) {
            let end = client.batch_execute(&format!("VACUUM (FULL, ANALYZE) {table}")).await;
            end.map_err(|error| StoreError::Unavailable(format!("{table}: {error}")))?;
        }
        client.batch_execute("CHECKPOINT").await.or_else(|error| match error.code() {
            // Only who administers the server may ask for one; it comes by itself.
            Some(code) if code.code() == "42501" => Ok(()),
            _ => Err(StoreError::Unavailable(error.to_string())),
        })
    }
}

//! The audit log.

use async_trait::async_trait;
use embudo_domain::AuditId;
use embudo_domain::audit::AuditEntry;

use super::{Engine, Load, Tx, run, sql};
use crate::queries::Statement;
use crate::{AuditStore, Result};

#[async_trait]
impl<E: Engine> AuditStore for E {
    async fn record_audit(&self, entry: AuditEntry) -> Result<()> {
        let texts = [&entry.before, &entry.after].into_iter().flatten().map(String::len).sum();
        run(self, Load::SMALL.and(texts), record(&entry)).await.map(drop)
    }

    async fn grow_audit(&self, id: AuditId, after: String) -> Result<()> {
        run(self, Load::SMALL.and(after.len()), grow(id, &after)).await.map(drop)
    }
}

/// Writes an entry in the transaction of the command that the entry is about.
pub(super) async fn tell(tx: &Tx<'_>, entry: impl Into<Option<&AuditEntry>>) -> Result<()> {
    match entry.into() {
        Some(entry) => tx.run(record(entry)).await.map(drop),
        None => Ok(()),
    }
}

/// Appends an entry.
pub(super) fn record(entry: &AuditEntry) -> Statement {
    sql!(
        "auditoria/insert.sql",
        id: entry.id.0,
        en: entry.at,
        usuario: entry.user.map(|user| user.0),
        quien: &entry.who,
        empresa: entry.empresa.map(|empresa| empresa.0),
        accion: entry.action.as_str(),
        objeto: &entry.object,
        ip: entry.ip.map(|ip| ip.to_string()),
        antes: &entry.before,
        despues: &entry.after,
    )
}

/// Updates an entry about an action that goes on.
pub(super) fn grow(id: AuditId, after: &str) -> Statement {
    sql!("auditoria/grow.sql", id: id.0, despues: after)
}

//! The audit log.

use deadpool_postgres::{GenericClient, Pool};
use embudo_domain::AuditId;
use embudo_domain::audit::AuditEntry;

use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// Appends an entry.
pub(crate) async fn record(pool: &Pool, entry: &AuditEntry) -> Step<()> {
    record_in(&pool.get().await?, entry).await
}

/// Appends an entry with the command that it tells of.
pub(super) async fn record_in(on: &impl GenericClient, entry: &AuditEntry) -> Step<()> {
    let values = params! {
        id: entry.id.0,
        en: Instant::from(entry.at),
        usuario: entry.user.map(|user| user.0),
        quien: entry.who,
        empresa: entry.empresa.map(|empresa| empresa.0),
        accion: entry.action.as_str(),
        objeto: entry.object,
        ip: entry.ip.map(|ip| ip.to_string()),
        antes: entry.before,
        despues: entry.after,
    };
    OnPool::execute(on, sql!("auditoria/insert.sql"), values).await?;
    Ok(())
}

/// What an entry tells goes on.
pub(crate) async fn grow(pool: &Pool, id: AuditId, after: &str) -> Step<()> {
    grow_in(&pool.get().await?, id, after).await
}

/// The same, with the command that it tells of.
pub(super) async fn grow_in(on: &impl GenericClient, id: AuditId, after: &str) -> Step<()> {
    OnPool::execute(on, sql!("auditoria/grow.sql"), params! { id: id.0, despues: after }).await?;
    Ok(())
}

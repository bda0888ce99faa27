//! The audit log.

use deadpool_postgres::{GenericClient, Pool};
use embudo_domain::audit::AuditEntry;

use crate::failure::Step;
use crate::rows::Instant;

/// Appends an entry.
pub(crate) async fn record(pool: &Pool, entry: &AuditEntry) -> Step<()> {
    record_in(&pool.get().await?, entry).await
}

/// Appends an entry with the command that it tells of.
pub(super) async fn record_in(on: &impl GenericClient, entry: &AuditEntry) -> Step<()> {
    let insert = on.prepare_cached(include_str!("../../sql/auditoria/insert.sql")).await?;
    on.execute(
        &insert,
        &[
            &entry.id.0,
            &Instant::from(entry.at),
            &entry.user.map(|user| user.0),
            &entry.who,
            &entry.empresa.map(|empresa| empresa.0),
            &entry.action.as_str(),
            &entry.object,
            &entry.ip.map(|ip| ip.to_string()),
            &entry.before,
            &entry.after,
        ],
    )
    .await?;
    Ok(())
}

//! The audit log.

use deadpool_postgres::Transaction;
use embudo_domain::audit::AuditEntry;
use embudo_store::write::audit;

use crate::failure::Step;
use crate::query::run_in;

/// Appends an entry with the command that it tells of.
pub(super) async fn record_in(tx: &Transaction<'_>, entry: &AuditEntry) -> Step<()> {
    run_in(tx, &audit::record(entry)).await.map(drop)
}

//! The questions, asked on a connection of the pool.

mod job;
mod lead;
mod presupuesto;
mod record;

use deadpool_postgres::Pool;
use embudo_domain::empresa::Empresa;
use embudo_domain::record::{Foto, StateChange};
use embudo_domain::{Digest, FotoId, LeadId};
use embudo_store::StoreError;
use embudo_store::command::BlobMark;
use embudo_store::query::{EventCursor, ListedEvent};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::failure::Step;
use crate::rows::{self, Instant};

pub(crate) use job::{
    count as count_jobs, job, jobs, list as list_jobs, next_due, overdue_ones as overdue_loops,
};
pub(crate) use lead::list as list_leads;
pub(crate) use presupuesto::{
    brand, current_tarifa, empresa_by_slug, logo, presupuesto, presupuestos, renditions, tarifas,
};
pub(crate) use record::{record, signal_lead, signal_record};

/// Succeeds when the server answers and takes writes.
pub(crate) async fn ping(pool: &Pool) -> Step<()> {
    let sql = "SELECT current_setting('transaction_read_only')::boolean OR pg_is_in_recovery()";
    let rows = all(pool, sql, &[]).await?;
    match rows.first().map(|row| row.try_get(0)).transpose()? {
        Some(false) => Ok(()),
        _ => Err(StoreError::Unavailable("the server is read-only".into()).into()),
    }
}

/// Every company.
pub(crate) async fn list_empresas(pool: &Pool) -> Step<Vec<Empresa>> {
    all(pool, include_str!("../../sql/empresa/list.sql"), &[]).await?.iter().map(rows::empresa).collect()
}

/// Every value a lead's states were given.
pub(crate) async fn history(pool: &Pool, lead: LeadId) -> Step<Vec<StateChange>> {
    let rows = all(pool, include_str!("../../sql/estado_historia/list.sql"), &[&lead.0]).await?;
    if rows.is_empty() {
        return Err(StoreError::LeadNotFound.into());
    }
    rows.iter().filter_map(|row| rows::state_change(row).transpose()).collect()
}

/// One page of a lead's events.
pub(crate) async fn events(
    pool: &Pool,
    lead: LeadId,
    cursor: Option<EventCursor>,
    limit: u32,
) -> Step<Vec<ListedEvent>> {
    let at = cursor.map(|c| Instant::from(c.creado_en));
    let (class, n, limit) = (cursor.map(|c| c.class), cursor.map(|c| c.n), i64::from(limit));
    let sql = include_str!("../../sql/evento/page.sql");
    let rows = all(pool, sql, &[&lead.0, &at, &class, &n, &limit]).await?;
    if rows.is_empty() {
        let exists = all(pool, include_str!("../../sql/lead/exists.sql"), &[&lead.0]).await?;
        if !exists.first().map_or(Ok(false), |row| row.try_get(0))? {
            return Err(StoreError::LeadNotFound.into());
        }
    }
    rows.iter().map(rows::listed_event).collect()
}

/// One photo.
pub(crate) async fn foto(pool: &Pool, lead: LeadId, foto: FotoId) -> Step<Foto> {
    let rows = all(pool, include_str!("../../sql/foto/get.sql"), &[&lead.0, &foto.0]).await?;
    rows::foto(rows.first().ok_or(StoreError::FotoNotFound)?)
}

/// Whether something names a blob.
pub(crate) async fn blob_in_use(pool: &Pool, lead: LeadId, digest: Digest) -> Step<bool> {
    let sql = include_str!("../../sql/blob_marca/named.sql");
    let rows = all(pool, sql, &[&lead.0, &digest.0.as_slice()]).await?;
    Ok(rows.first().map(|row| row.try_get("hay")).transpose()?.unwrap_or_default())
}

/// The marks and traces of a lead.
pub(crate) async fn blob_marks(pool: &Pool, lead: LeadId) -> Step<Vec<BlobMark>> {
    let sql = include_str!("../../sql/blob_marca/list_lead.sql");
    all(pool, sql, &[&lead.0]).await?.iter().map(rows::mark_blob).collect()
}

/// Every blob that is marked and not swept.
pub(crate) async fn marked_blobs(pool: &Pool) -> Step<Vec<(LeadId, Digest)>> {
    all(pool, include_str!("../../sql/blob_marca/list.sql"), &[]).await?.iter().map(rows::brand).collect()
}

async fn all(pool: &Pool, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Step<Vec<Row>> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(sql).await?;
    Ok(client.query(&statement, parameters).await?)
}

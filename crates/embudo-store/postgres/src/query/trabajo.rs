//! Jobs, their log, and what is due.

use std::collections::HashMap;

use deadpool_postgres::Pool;
use embudo_domain::trabajo::{Entrega, EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{Timestamp, TrabajoId};
use embudo_store::StoreError;
use embudo_store::cola::{BucleVencido, FiltroTrabajos, JobCount};
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::all;
use super::ficha::ask;
use crate::failure::Step;
use crate::rows::{self, Instante};

/// One job and its log, as they were at one moment.
pub(crate) async fn trabajo(pool: &Pool, id: TrabajoId) -> Step<(Trabajo, Vec<Entrega>)> {
    let mut client = pool.get().await?;
    let tx = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    let one = vec![id.0];
    let (own, log) = tokio::try_join!(
        ask(&tx, include_str!("../../sql/trabajo/get.sql"), &one),
        ask(&tx, include_str!("../../sql/entrega/list.sql"), &id.0),
    )?;
    tx.rollback().await?;
    let own = rows::trabajo(own.first().ok_or(StoreError::TrabajoNotFound)?)?;
    Ok((own, log.iter().map(rows::entrega).collect::<Step<_>>()?))
}

/// Several jobs, in the order asked.
pub(crate) async fn trabajos(pool: &Pool, ids: &[TrabajoId]) -> Step<Vec<Trabajo>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let uuids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = all(pool, include_str!("../../sql/trabajo/get.sql"), &[&uuids]).await?;
    let found = rows.iter().map(rows::trabajo).collect::<Step<Vec<_>>>()?;
    let found: HashMap<TrabajoId, Trabajo> = found.into_iter().map(|t| (t.id, t)).collect();
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

/// One page of jobs, newest first.
pub(crate) async fn list(
    pool: &Pool,
    filtro: &FiltroTrabajos,
    despues_de: Option<(Timestamp, TrabajoId)>,
    limit: u32,
) -> Step<Vec<Trabajo>> {
    let client = pool.get().await?;
    let rows = client
        .query_typed(
            include_str!("../../sql/trabajo/list.sql"),
            &[
                (&filtro.estado.map(EstadoTrabajo::as_str), Type::TEXT),
                (&filtro.tipo.map(TipoTrabajo::as_str), Type::TEXT),
                (&filtro.lead.map(|l| l.0), Type::UUID),
                (&despues_de.map(|(en, _)| Instante::from(en)), Type::TIMESTAMPTZ),
                (&despues_de.map(|(_, id)| id.0), Type::UUID),
                (&i64::from(limit), Type::INT8),
            ],
        )
        .await?;
    rows.iter().map(rows::trabajo).collect()
}

/// When there is something to do next.
pub(crate) async fn next_due(pool: &Pool, tipos: &[TipoTrabajo]) -> Step<Option<Timestamp>> {
    let tipos: Vec<&str> = tipos.iter().map(|t| t.as_str()).collect();
    let rows = all(pool, include_str!("../../sql/trabajo/next_due.sql"), &[&tipos]).await?;
    rows.first().map_or(Ok(None), rows::instante)
}

/// How many jobs are pending, dead and parked.
pub(crate) async fn count(pool: &Pool) -> Step<Vec<JobCount>> {
    let rows = all(pool, include_str!("../../sql/trabajo/count.sql"), &[]).await?;
    rows.iter().map(rows::job_count).collect()
}

/// Leads whose step is overdue.
pub(crate) async fn vencidos(pool: &Pool, ahora: Timestamp, max: u32) -> Step<Vec<BucleVencido>> {
    let sql = include_str!("../../sql/lead/vencidos.sql");
    all(pool, sql, &[&Instante::from(ahora), &i64::from(max)]).await?.iter().map(rows::vencido).collect()
}

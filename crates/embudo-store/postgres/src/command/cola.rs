//! The outbox: who works on what. Whose a job is, is asked in the statement that changes it.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::trabajo::{EstadoTrabajo, Trabajo};
use embudo_domain::{ProcesoId, Timestamp, TrabajoId};
use embudo_store::StoreError;
use embudo_store::cola::{Arriendo, Cupo};
use uuid::Uuid;

use super::alone::commit;
use super::trabajo::micros;
use crate::failure::Step;
use crate::rows::{self, Instante};

/// Leases what is due.
pub(crate) async fn claim(
    pool: &Pool,
    cupos: &[Cupo],
    arriendo: Arriendo,
    ahora: Timestamp,
) -> Step<Vec<Trabajo>> {
    let cupos: Vec<&Cupo> = cupos.iter().filter(|c| c.cuantos > 0).collect();
    if cupos.is_empty() {
        return Ok(Vec::new());
    }
    let tipos: Vec<&str> = cupos.iter().map(|c| c.tipo.as_str()).collect();
    let cuantos: Vec<i64> = cupos.iter().map(|c| i64::from(c.cuantos)).collect();
    let primeros: Vec<bool> = cupos.iter().map(|c| c.solo_primeros).collect();
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/claim.sql")).await?;
    let (quien, dura, ahora) = (arriendo.quien.0, micros(arriendo.dura), Instante::from(ahora));
    let rows = client.query(&statement, &[&tipos, &cuantos, &primeros, &quien, &dura, &ahora]).await?;
    rows.iter().map(rows::trabajo).collect()
}

/// Prolongs leases.
pub(crate) async fn renew(pool: &Pool, ids: &[TrabajoId], arriendo: Arriendo) -> Step<Vec<TrabajoId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let uuids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/renew.sql")).await?;
    let rows = client.query(&statement, &[&uuids, &arriendo.quien.0, &micros(arriendo.dura)]).await?;
    rows.iter().map(|row| Ok(TrabajoId(row.try_get("id")?))).collect()
}

/// Gives back everything.
pub(crate) async fn release(pool: &Pool, quien: ProcesoId) -> Step<u64> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/release.sql")).await?;
    Ok(client.execute(&statement, &[&quien.0]).await?)
}

/// Notes that a mail is about to be handed over.
pub(crate) async fn begin_send(pool: &Pool, id: TrabajoId, quien: ProcesoId) -> Step<bool> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/begin_send.sql")).await?;
    Ok(client.execute(&statement, &[&id.0, &quien.0]).await? == 1)
}

/// Makes a job pending and due.
pub(crate) async fn retry(pool: &Pool, id: TrabajoId, en: Timestamp) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let job = lock_unless_done(&tx, id).await?.tried_again(en);
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/retry.sql")).await?;
    let (intentos, proximo_en) = (i64::from(job.intentos), Instante::from(job.proximo_en));
    tx.execute(&statement, &[&id.0, &job.estado.as_str(), &intentos, &proximo_en, &job.en_duda]).await?;
    commit(tx).await
}

/// Ends a job that need not be sent.
pub(crate) async fn discard(pool: &Pool, id: TrabajoId, en: Timestamp) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock_unless_done(&tx, id).await?;
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/discard.sql")).await?;
    tx.execute(&statement, &[&id.0, &Instante::from(en)]).await?;
    commit(tx).await
}

async fn lock_unless_done(tx: &Transaction<'_>, id: TrabajoId) -> Step<Trabajo> {
    let lock = tx.prepare_cached(include_str!("../../sql/trabajo/lock.sql")).await?;
    let row = tx.query_opt(&lock, &[&id.0]).await?.ok_or(StoreError::TrabajoNotFound)?;
    let job = rows::trabajo(&row)?;
    match job.estado {
        EstadoTrabajo::Hecho => Err(StoreError::TrabajoTerminado.into()),
        _ => Ok(job),
    }
}

/// Deletes jobs that ended long ago.
pub(crate) async fn purge(pool: &Pool, antes: Timestamp, max: u32) -> Step<u64> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/purge.sql")).await?;
    Ok(client.execute(&statement, &[&Instante::from(antes), &i64::from(max)]).await?)
}

//! The outbox: who works on what, and how it ended.
//!
//! The lead's lock, where it is needed, is taken before a job's row, here as in every command that makes jobs, so that nobody
//! waits in a circle. Whose a job is, is asked in the statement that changes it.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::bucle::Bucle;
use embudo_domain::trabajo::{EstadoTrabajo, Trabajo};
use embudo_domain::{ProcesoId, Timestamp, TrabajoId};
use embudo_store::StoreError;
use embudo_store::cola::{Arriendo, Cupo, FinIntento, Resultado};
use uuid::Uuid;

use super::alone::commit;
use super::trabajo::micros;
use super::{bucle, trabajo};
use crate::failure::Step;
use crate::rows::{self, EnCurso, Instante};

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

/// Writes down how an attempt ended. `None`: the job is not the process's any more; else whether a job was made that waits for
/// whoever comes.
///
/// Done again after a commit in doubt it finds the job freed, and does nothing.
pub(crate) async fn finish(pool: &Pool, fin: &FinIntento) -> Step<Option<bool>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let end = finish_in(&tx, fin).await?;
    if end.is_some() {
        commit(tx).await?;
    }
    Ok(end)
}

/// The same within a transaction, which must not be committed after `None`.
pub(super) async fn finish_in(tx: &Transaction<'_>, fin: &FinIntento) -> Step<Option<bool>> {
    let held = tx.prepare_cached(include_str!("../../sql/trabajo/held.sql")).await?;
    let Some(row) = tx.query_opt(&held, &[&fin.id.0, &fin.quien.0]).await? else { return Ok(None) };
    let job = rows::en_curso(&row)?;

    let is_replaceable = matches!(fin.resultado, Resultado::Reintentar(_)) && job.tipo.se_sustituye();
    let is_answerable = fin.answerable().is_some();
    let needs_lock =
        is_replaceable || is_answerable || fin.bucle.is_some() || trabajo::needs_lock(&fin.trabajos);
    let locked = if needs_lock { bucle::lock(tx, job.lead).await? } else { None };
    let (mut estado, proximo_en) = match fin.resultado {
        Resultado::Hecho => (EstadoTrabajo::Hecho, None),
        Resultado::Reintentar(cuando) => (EstadoTrabajo::Pendiente, Some(Instante::from(cuando))),
        Resultado::Muerto => (EstadoTrabajo::Muerto, None),
        Resultado::Aparcado => (EstadoTrabajo::Aparcado, None),
    };
    let has_newer =
        (is_replaceable || is_answerable && job.tipo.se_sustituye()) && has_newer(tx, fin.id).await?;
    let mut is_answered = false;
    if is_replaceable && has_newer {
        estado = EstadoTrabajo::Sustituido;
    } else if is_answerable && !has_newer {
        let sent = first_attempt(tx, fin, job.intentos).await?;
        is_answered = bucle::vuelta(tx, job.lead, sent).await?.came();
    }
    if is_answered {
        estado = EstadoTrabajo::Hecho;
    }
    if !write_end(tx, fin, estado, proximo_en, is_answered).await? {
        return Ok(None);
    }
    // A lead that is gone has no loop.
    if let (Some(plazos), Some((_, antes)), EstadoTrabajo::Hecho) = (fin.bucle, locked, estado) {
        let vuelta = bucle::vuelta(tx, job.lead, job.creado_en).await?;
        bucle::set(tx, job.lead, antes, Bucle::tras_senal(antes, vuelta, fin.en, plazos)).await?;
    }
    if is_answered {
        return Ok(Some(false));
    }
    let EnCurso { lead, empresa, .. } = job;
    trabajo::insert(tx, lead, empresa, &fin.trabajos, fin.en).await.map(Some)
}

/// When the first attempt of this run began; so many have ended before the one that ends now.
async fn first_attempt(tx: &Transaction<'_>, fin: &FinIntento, intentos: i64) -> Step<Timestamp> {
    if intentos == 0 {
        return Ok(fin.entrega.inicio);
    }
    let look = tx.prepare_cached(include_str!("../../sql/entrega/first_of_run.sql")).await?;
    let row = tx.query_opt(&look, &[&fin.id.0, &(intentos - 1)]).await?;
    Ok(row.map_or(Ok(None), |row| rows::instante(&row))?.unwrap_or(fin.entrega.inicio))
}

async fn has_newer(tx: &Transaction<'_>, id: TrabajoId) -> Step<bool> {
    let newer = tx.prepare_cached(include_str!("../../sql/trabajo/newer.sql")).await?;
    Ok(tx.query_one(&newer, &[&id.0]).await?.try_get(0)?)
}

/// The job, its line in the log and the event; `false` if the job is not the process's.
async fn write_end(
    tx: &Transaction<'_>,
    fin: &FinIntento,
    estado: EstadoTrabajo,
    proximo_en: Option<Instante>,
    is_answered: bool,
) -> Step<bool> {
    let (e, evento) = (&fin.entrega, fin.evento.as_ref());
    let detalle = match is_answered {
        true => fin.answered.as_deref(),
        false => evento.and_then(|e| e.detalle.as_deref()),
    };
    let statement = tx.prepare_cached(include_str!("../../sql/trabajo/finish.sql")).await?;
    let row = tx
        .query_opt(
            &statement,
            &[
                &fin.id.0,
                &fin.quien.0,
                &estado.as_str(),
                &proximo_en,
                &Instante::from(fin.en),
                &Instante::from(e.inicio),
                &e.duracion_ms,
                &e.ok,
                &e.status.map(i32::from),
                &e.error,
                &e.respuesta,
                &evento.map(|_| Uuid::now_v7()),
                &evento.map(|e| e.tipo.as_str()),
                &evento.map(|e| e.simulado),
                &evento.map(|e| e.ok || is_answered),
                &detalle,
                &evento.map(|e| Instante::from(e.creado_en)),
            ],
        )
        .await?;
    Ok(row.is_some())
}

/// Makes a job pending and due.
pub(crate) async fn retry(pool: &Pool, id: TrabajoId, en: Timestamp) -> Step<()> {
    change_unless_done(pool, id, include_str!("../../sql/trabajo/retry.sql"), en).await
}

/// Ends a job that need not be sent.
pub(crate) async fn discard(pool: &Pool, id: TrabajoId, en: Timestamp) -> Step<()> {
    change_unless_done(pool, id, include_str!("../../sql/trabajo/discard.sql"), en).await
}

async fn change_unless_done(pool: &Pool, id: TrabajoId, sql: &str, en: Timestamp) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let lock = tx.prepare_cached(include_str!("../../sql/trabajo/lock.sql")).await?;
    let row = tx.query_opt(&lock, &[&id.0]).await?.ok_or(StoreError::TrabajoNotFound)?;
    if rows::estado(&row)? == EstadoTrabajo::Hecho {
        return Err(StoreError::TrabajoTerminado.into());
    }
    let statement = tx.prepare_cached(sql).await?;
    tx.execute(&statement, &[&id.0, &Instante::from(en)]).await?;
    commit(tx).await
}

/// Deletes jobs that ended long ago.
pub(crate) async fn purge(pool: &Pool, antes: Timestamp, max: u32) -> Step<u64> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/trabajo/purge.sql")).await?;
    Ok(client.execute(&statement, &[&Instante::from(antes), &i64::from(max)]).await?)
}

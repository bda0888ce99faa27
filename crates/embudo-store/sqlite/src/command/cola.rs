//! The outbox: jobs taken, kept, given back and ended.
//!
//! Whether a lease lives is asked of the database's clock, inside the SQL; whether a job is due, of the caller's. A job
//! is a process's as long as its name stands on it: one whose lease ran out stays so until another process takes it, so
//! that an attempt that took too long is written down rather than made twice.

use embudo_domain::bucle::Bucle;
use embudo_domain::evento::Evento;
use embudo_domain::trabajo::{EstadoTrabajo, Trabajo};
use embudo_domain::{ProcesoId, Timestamp, TrabajoId};
use embudo_store::StoreError;
use embudo_store::cola::{Arriendo, Cupo, FinIntento, Resultado};
use rusqlite::Connection;

use super::trabajo::micros;
use super::{bucle, execute, ingest, trabajo};
use crate::failure::Step;
use crate::query::{all, exists, first};
use crate::rows;

/// Takes jobs, at most so many of each kind, oldest due first.
pub(crate) fn claim(
    conexion: &Connection,
    cupos: &[Cupo],
    arriendo: Arriendo,
    ahora: Timestamp,
) -> Step<Vec<Trabajo>> {
    let mut taken = Vec::new();
    for cupo in cupos {
        let sql = if cupo.solo_primeros {
            include_str!("../../sql/trabajo/claim_first.sql")
        } else {
            include_str!("../../sql/trabajo/claim.sql")
        };
        let values = (cupo.tipo.as_str(), ahora.as_microsecond(), cupo.cuantos);
        for id in all(conexion, sql, values, |row| Ok(row.get::<_, uuid::Uuid>(0)?))? {
            let sql = include_str!("../../sql/trabajo/lease.sql");
            let values = (id, arriendo.quien.0, micros(arriendo.dura));
            taken.extend(first(conexion, sql, values, rows::trabajo)?);
        }
    }
    taken.sort_by_key(|t| t.proximo_en);
    Ok(taken)
}

/// Prolongs leases; returns the jobs that are still this process's.
pub(crate) fn renew(conexion: &Connection, ids: Vec<TrabajoId>, arriendo: Arriendo) -> Step<Vec<TrabajoId>> {
    let mut held = Vec::with_capacity(ids.len());
    for id in ids {
        let sql = include_str!("../../sql/trabajo/renew.sql");
        if execute(conexion, sql, (id.0, arriendo.quien.0, micros(arriendo.dura)))? > 0 {
            held.push(id);
        }
    }
    Ok(held)
}

/// Gives back every job of a process.
pub(crate) fn release(conexion: &Connection, quien: ProcesoId) -> Step<u64> {
    execute(conexion, include_str!("../../sql/trabajo/release.sql"), (quien.0,)).map(|n| n as u64)
}

/// Notes that a mail is about to be handed over.
pub(crate) fn begin_send(conexion: &Connection, id: TrabajoId, quien: ProcesoId) -> Step<bool> {
    execute(conexion, include_str!("../../sql/trabajo/begin_send.sql"), (id.0, quien.0)).map(|n| n > 0)
}

/// Writes down how an attempt ended, with all that follows from it.
pub(crate) fn finish(conexion: &Connection, fin: &FinIntento) -> Step<bool> {
    let (estado, proximo_en) = end_of(conexion, fin)?;
    let is_answered = estado == EstadoTrabajo::Hecho && fin.resultado != Resultado::Hecho;
    let terminado_en = (estado != EstadoTrabajo::Pendiente).then_some(fin.en);
    let e = &fin.entrega;
    let ended = first(
        conexion,
        include_str!("../../sql/trabajo/finish.sql"),
        (
            fin.id.0,
            fin.quien.0,
            estado.as_str(),
            proximo_en.map(Timestamp::as_microsecond),
            terminado_en.map(Timestamp::as_microsecond),
            e.ok,
            &e.error,
        ),
        rows::trabajo_en_mano,
    )?;
    let Some((lead, _, creado_en)) = ended else {
        return Ok(false);
    };
    execute(
        conexion,
        include_str!("../../sql/entrega/insert.sql"),
        (fin.id.0, e.inicio.as_microsecond(), e.duracion_ms, e.ok, e.status, &e.error, &e.respuesta),
    )?;
    if let Some(evento) = &fin.evento {
        let evento = match is_answered {
            true => &Evento { ok: true, detalle: fin.answered.clone(), ..evento.clone() },
            false => evento,
        };
        ingest::insert_evento(conexion, lead, evento)?;
    }
    if let Some(plazos) = fin.bucle.filter(|_| estado == EstadoTrabajo::Hecho) {
        let vuelta = bucle::since(conexion, lead, creado_en)?;
        bucle::start(conexion, lead, Bucle::tras_senal(None, vuelta, fin.en, plazos))?;
    }
    if !is_answered {
        trabajo::insert_all(conexion, lead, &fin.trabajos, fin.en)?;
    }
    Ok(true)
}

/// What becomes of the job, and when it is due again. A newer one may have taken its place while it was being tried, or what it
/// asks for may have come back.
fn end_of(conexion: &Connection, fin: &FinIntento) -> Step<(EstadoTrabajo, Option<Timestamp>)> {
    let (estado, proximo_en) = match fin.resultado {
        Resultado::Hecho => return Ok((EstadoTrabajo::Hecho, None)),
        Resultado::Muerto => (EstadoTrabajo::Muerto, None),
        Resultado::Aparcado => (EstadoTrabajo::Aparcado, None),
        Resultado::Reintentar(cuando) => (EstadoTrabajo::Pendiente, Some(cuando)),
    };
    if proximo_en.is_none() && fin.answerable().is_none() {
        return Ok((estado, None));
    }
    let sql = include_str!("../../sql/trabajo/held.sql");
    let held = first(conexion, sql, (fin.id.0, fin.quien.0), rows::trabajo_en_curso)?;
    let Some((lead, tipo, intentos)) = held else { return Ok((estado, proximo_en)) };
    let newer = include_str!("../../sql/trabajo/newer.sql");
    let has_newer = tipo.se_sustituye() && exists(conexion, newer, (lead.0, tipo.as_str(), fin.id.0))?;
    if has_newer && proximo_en.is_some() {
        return Ok((EstadoTrabajo::Sustituido, None));
    }
    if !has_newer && fin.answerable().is_some() {
        let sent = first_attempt(conexion, fin, intentos)?;
        if bucle::since(conexion, lead, sent)?.came() {
            return Ok((EstadoTrabajo::Hecho, None));
        }
    }
    Ok((estado, proximo_en))
}

/// When the first attempt of this run began; so many have ended before the one that ends now.
fn first_attempt(conexion: &Connection, fin: &FinIntento, intentos: u32) -> Step<Timestamp> {
    let Some(after) = intentos.checked_sub(1) else { return Ok(fin.entrega.inicio) };
    let sql = include_str!("../../sql/entrega/first_of_run.sql");
    Ok(first(conexion, sql, (fin.id.0, after), rows::inicio)?.unwrap_or(fin.entrega.inicio))
}

/// Makes a job due, from the start if it had ended.
pub(crate) fn retry(conexion: &Connection, id: TrabajoId, en: Timestamp) -> Step<()> {
    unless_done(conexion, id)?;
    let sql = include_str!("../../sql/trabajo/retry.sql");
    execute(conexion, sql, (id.0, en.as_microsecond())).map(drop)
}

/// Ends a job that need not be sent.
pub(crate) fn discard(conexion: &Connection, id: TrabajoId, en: Timestamp) -> Step<()> {
    unless_done(conexion, id)?;
    let sql = include_str!("../../sql/trabajo/discard.sql");
    execute(conexion, sql, (id.0, en.as_microsecond())).map(drop)
}

fn unless_done(conexion: &Connection, id: TrabajoId) -> Step<()> {
    let found = first(conexion, include_str!("../../sql/trabajo/get.sql"), (id.0,), rows::trabajo)?;
    match found.ok_or(StoreError::TrabajoNotFound)?.estado {
        EstadoTrabajo::Hecho => Err(StoreError::TrabajoTerminado.into()),
        _ => Ok(()),
    }
}

/// Deletes old jobs with their logs.
pub(crate) fn purge(conexion: &Connection, antes: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/trabajo/purge.sql");
    let gone = all(conexion, sql, (antes.as_microsecond(), max), |row| {
        Ok((row.get::<_, uuid::Uuid>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
    })?;
    for job in &gone {
        execute(conexion, include_str!("../../sql/entrega/delete.sql"), (job.0,))?;
        // What became of a quote is known for as long as the quote is.
        execute(conexion, include_str!("../../sql/presupuesto_entrega/keep.sql"), (job.0, &job.1, job.2))?;
    }
    Ok(gone.len() as u64)
}

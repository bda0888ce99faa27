//! The outbox: jobs taken, kept, given back and ended.
//!
//! Whether a lease lives is asked of the database's clock, inside the SQL; whether a job is due, of the caller's. A job
//! is a process's as long as its name stands on it: one whose lease ran out stays so until another process takes it, so
//! that an attempt that took too long is written down rather than made twice.

use embudo_domain::bucle::Vuelta;
use embudo_domain::trabajo::{EstadoTrabajo, Trabajo};
use embudo_domain::{ProcesoId, Timestamp, TrabajoId};
use embudo_store::StoreError;
use embudo_store::cola::{Arriendo, Cupo, FinIntento};
use embudo_store::finish::Seen;
use rusqlite::Connection;

use super::trabajo::micros;
use super::{bucle, execute, ingest, trabajo};
use crate::failure::Step;
use crate::query::{all, exists, first};
use crate::rows::{self, Held};

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
    let sql = include_str!("../../sql/trabajo/held.sql");
    let Some(held) = first(conexion, sql, (fin.id.0, fin.quien.0), rows::held)? else { return Ok(false) };
    let lead = held.lead;
    let decided = fin.decide(seen(conexion, fin, held)?);
    execute(
        conexion,
        include_str!("../../sql/trabajo/finish.sql"),
        (
            fin.id.0,
            decided.estado.as_str(),
            decided.proximo_en.map(Timestamp::as_microsecond),
            decided.terminado_en.map(Timestamp::as_microsecond),
            decided.en_duda,
            &decided.ultimo_error,
        ),
    )?;
    let e = &fin.entrega;
    execute(
        conexion,
        include_str!("../../sql/entrega/insert.sql"),
        (fin.id.0, e.inicio.as_microsecond(), e.duracion_ms, e.ok, e.status, &e.error, &e.respuesta),
    )?;
    if let Some(evento) = &decided.evento {
        ingest::insert_evento(conexion, lead, evento)?;
    }
    if let Some(bucle) = decided.bucle {
        bucle::set(conexion, lead, bucle)?;
    }
    if decided.is_followed {
        trabajo::insert_all(conexion, lead, &fin.trabajos, fin.en)?;
    }
    Ok(true)
}

/// Looks up what the end is decided by.
fn seen(conexion: &Connection, fin: &FinIntento, held: Held) -> Step<Seen> {
    let Held { lead, tipo, creado_en, intentos, en_duda, ultimo_error } = held;
    let lookups = fin.lookups();
    let newer = include_str!("../../sql/trabajo/newer.sql");
    let since_sent = match lookups.since_sent {
        true => bucle::since(conexion, lead, first_attempt(conexion, fin, intentos)?)?,
        false => Vuelta::default(),
    };
    let (since_made, bucle) = match lookups.since_made {
        true => (bucle::since(conexion, lead, creado_en)?, bucle::get(conexion, lead)?),
        false => (Vuelta::default(), None),
    };
    let has_newer = lookups.has_newer && exists(conexion, newer, (lead.0, tipo.as_str(), fin.id.0))?;
    Ok(Seen { tipo, en_duda, ultimo_error, has_newer, since_sent, since_made, bucle })
}

/// When the first attempt of this run began; so many have ended before the one that ends now.
fn first_attempt(conexion: &Connection, fin: &FinIntento, intentos: u32) -> Step<Timestamp> {
    let Some(after) = intentos.checked_sub(1) else { return Ok(fin.entrega.inicio) };
    let sql = include_str!("../../sql/entrega/first_of_run.sql");
    Ok(first(conexion, sql, (fin.id.0, after), rows::inicio)?.unwrap_or(fin.entrega.inicio))
}

/// Makes a job due, from the start if it had ended.
pub(crate) fn retry(conexion: &Connection, id: TrabajoId, en: Timestamp) -> Step<()> {
    let job = unless_done(conexion, id)?.tried_again(en);
    let values = (id.0, job.estado.as_str(), job.intentos, job.proximo_en.as_microsecond(), job.en_duda);
    execute(conexion, include_str!("../../sql/trabajo/retry.sql"), values).map(drop)
}

/// Ends a job that need not be sent.
pub(crate) fn discard(conexion: &Connection, id: TrabajoId, en: Timestamp) -> Step<()> {
    unless_done(conexion, id)?;
    let sql = include_str!("../../sql/trabajo/discard.sql");
    execute(conexion, sql, (id.0, en.as_microsecond())).map(drop)
}

fn unless_done(conexion: &Connection, id: TrabajoId) -> Step<Trabajo> {
    let found = first(conexion, include_str!("../../sql/trabajo/get.sql"), (id.0,), rows::trabajo)?;
    let job = found.ok_or(StoreError::TrabajoNotFound)?;
    match job.estado {
        EstadoTrabajo::Hecho => Err(StoreError::TrabajoTerminado.into()),
        _ => Ok(job),
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

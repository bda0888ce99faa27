//! Ingestions: photos, notes and events of one call.

use embudo_domain::bucle::{Bucle, Vuelta};
use embudo_domain::evento::Evento;
use embudo_domain::ingesta::Momento;
use embudo_domain::orden::Numerador;
use embudo_domain::trabajo::Trabajo;
use embudo_domain::{Huella, LeadId, Zona};
use embudo_store::command::{Ingest, RecordEvento};
use embudo_store::{Hecho, StoreError};
use rusqlite::Connection;

use super::{bucle, execute, execute_on_lead, once, trabajo};
use crate::failure::Step;
use crate::query::first;
use crate::rows;

/// Saves one ingestion. Returns also the jobs it made under a lease, as far as they are known.
pub(crate) fn ingest(conexion: &Connection, command: &Ingest) -> Step<(Hecho, Vec<Trabajo>)> {
    let mut made = Vec::new();
    let hecho = once(conexion, command.idempotencia.as_ref(), || {
        // Notes, events and jobs find out by themselves whether the lead exists.
        let is_empty = command.notas.is_empty() && command.eventos.is_empty() && command.trabajos.is_empty();
        if !command.fotos.is_empty() || is_empty {
            insert_fotos(conexion, command)?;
        }
        for nota in &command.notas {
            let zona = nota.zona.map(Zona::as_str);
            execute_on_lead(
                conexion,
                include_str!("../../sql/nota/insert.sql"),
                (command.lead.0, nota.id.0, &nota.texto, zona, command.en.as_microsecond()),
            )?;
        }
        command.eventos.iter().try_for_each(|evento| insert_evento(conexion, command.lead, evento))?;
        move_loop(conexion, command)?;
        made = trabajo::insert_all(conexion, command.lead, &command.trabajos, command.en)?;
        Ok(())
    })?;
    Ok((hecho, made))
}

/// Appends an event and makes its jobs; those under a lease are returned, as far as they are known.
pub(crate) fn record_evento(conexion: &Connection, command: &RecordEvento) -> Step<(Hecho, Vec<Trabajo>)> {
    let mut made = Vec::new();
    let hecho = once(conexion, command.idempotencia.as_ref(), || {
        match &command.evento {
            Some(evento) => insert_evento(conexion, command.lead, evento)?,
            // A job finds out by itself whether the lead exists.
            None if command.trabajos.is_empty() => lock(conexion, command.lead).map(drop)?,
            None => {}
        }
        made = trabajo::insert_all(conexion, command.lead, &command.trabajos, command.en)?;
        Ok(())
    })?;
    Ok((hecho, made))
}

/// What the lead waits for after this call. Nothing is asked of the database where the call can change nothing.
fn move_loop(conexion: &Connection, command: &Ingest) -> Step<()> {
    let renders = command.fotos.iter().any(|f| f.momento == Momento::Despues);
    let vuelta = Vuelta { renders, finalizar: command.finalizar };
    if !vuelta.came() {
        return Ok(());
    }
    let is_answer = trabajo::answer_waiting(conexion, command.lead, command.en)?;
    if is_answer {
        insert_evento(conexion, command.lead, &Evento::signal_answered(command.en))?;
    }
    bucle::change(conexion, command.lead, |antes| match is_answer {
        true => Bucle::tras_senal(antes, vuelta, command.en, command.plazos),
        false => Bucle::tras_ingesta(antes, vuelta, command.en, command.plazos),
    })
}

/// The lead's renovation type; the writer's transaction keeps the lead as it is.
fn lock(conexion: &Connection, lead: LeadId) -> Step<Option<Zona>> {
    let sql = include_str!("../../sql/lead/lock.sql");
    Ok(first(conexion, sql, (lead.0,), rows::tipo_reforma)?.ok_or(StoreError::LeadNotFound)?)
}

fn insert_fotos(conexion: &Connection, command: &Ingest) -> Step<()> {
    let lead = command.lead.0;
    let tipo_reforma = lock(conexion, command.lead)?;
    let sql = include_str!("../../sql/foto/max_orden.sql");
    let maximo = conexion.prepare_cached(sql)?.query_row((lead,), |row| row.get(0))?;
    let mut numerador = Numerador::after(maximo);
    for foto in &command.fotos {
        for huella in foto.imagen.huellas() {
            check_blob(conexion, command.lead, huella, &command.barridos)?;
        }
        let (url, prefijo, bytes, crudo) = rows::columnas_imagen(&foto.imagen);
        execute_on_lead(
            conexion,
            include_str!("../../sql/foto/insert.sql"),
            (
                lead,
                foto.id.0,
                foto.zona.unwrap_or_else(|| Zona::supuesta(tipo_reforma)).as_str(),
                foto.momento.as_str(),
                numerador.siguiente(foto.orden),
                url,
                prefijo,
                bytes,
                crudo,
                command.en.as_microsecond(),
            ),
        )?;
    }
    Ok(())
}

/// Refuses a blob that is being swept, or was swept since its bytes were put. A trace that the call knows of has done its
/// service and goes.
pub(super) fn check_blob(
    conexion: &Connection,
    lead: LeadId,
    huella: Huella,
    barridos: &[(Huella, i64)],
) -> Step<()> {
    let blob = (lead.0, huella.0);
    let marca = first(conexion, include_str!("../../sql/blob_marca/get.sql"), blob, rows::marca_blob)?;
    match marca {
        None => Ok(()),
        Some(m) if m.barrido && barridos.contains(&(huella, m.vez)) => {
            execute(conexion, include_str!("../../sql/blob_marca/delete.sql"), blob).map(drop)
        }
        Some(_) => Err(StoreError::BlobMarked.into()),
    }
}

pub(super) fn insert_evento(conexion: &Connection, lead: LeadId, evento: &Evento) -> Step<()> {
    execute_on_lead(
        conexion,
        include_str!("../../sql/evento/insert.sql"),
        (
            lead.0,
            evento.tipo.as_str(),
            evento.simulado,
            evento.ok,
            &evento.detalle,
            evento.creado_en.as_microsecond(),
        ),
    )
}

//! Ingestions: photos, notes and events of one call.

use embudo_domain::evento::Evento;
use embudo_domain::orden::Numerador;
use embudo_domain::{LeadId, Zona};
use embudo_store::command::{Ingest, RecordEvento};
use embudo_store::{Hecho, StoreError};
use rusqlite::Connection;

use super::{execute_on_lead, once};
use crate::failure::Step;
use crate::query::{exists, first};
use crate::rows;

/// Saves one ingestion.
pub(crate) fn ingest(conexion: &Connection, command: &Ingest) -> Step<Hecho> {
    once(conexion, command.idempotencia.as_ref(), || {
        // Notes and events find out by themselves whether the lead exists.
        if !command.fotos.is_empty() || (command.notas.is_empty() && command.eventos.is_empty()) {
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
        command.eventos.iter().try_for_each(|evento| insert_evento(conexion, command.lead, evento))
    })
}

/// Appends an event.
pub(crate) fn record_evento(conexion: &Connection, command: &RecordEvento) -> Step<Hecho> {
    once(conexion, command.idempotencia.as_ref(), || insert_evento(conexion, command.lead, &command.evento))
}

fn insert_fotos(conexion: &Connection, command: &Ingest) -> Step<()> {
    let lead = command.lead.0;
    let sql = include_str!("../../sql/lead/lock.sql");
    let tipo_reforma = first(conexion, sql, (lead,), rows::tipo_reforma)?.ok_or(StoreError::LeadNotFound)?;
    let sql = include_str!("../../sql/foto/max_orden.sql");
    let maximo = conexion.prepare_cached(sql)?.query_row((lead,), |row| row.get(0))?;
    let mut numerador = Numerador::desde(maximo);
    for foto in &command.fotos {
        for huella in foto.imagen.huellas() {
            if exists(conexion, include_str!("../../sql/blob_marca/exists.sql"), (lead, huella.0))? {
                return Err(StoreError::BlobMarked.into());
            }
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

fn insert_evento(conexion: &Connection, lead: LeadId, evento: &Evento) -> Step<()> {
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

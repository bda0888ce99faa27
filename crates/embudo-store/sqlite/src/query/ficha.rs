//! One lead with everything that belongs to it.

use std::sync::LazyLock;

use embudo_domain::ficha::{CambioEstado, Ficha, Foto, Lead, Nota};
use embudo_domain::presupuesto::EntregaPresupuesto;
use embudo_domain::{FotoId, LeadId};
use embudo_store::StoreError;
use embudo_store::columns::{fill, untyped};
use embudo_store::query::{CursorEvento, EventoEnLista};
use rusqlite::Connection;

use super::{all, exists, first};
use crate::failure::Step;
use crate::rows::{self, Columns};

/// The whole record, from one snapshot.
pub(crate) fn ficha(conexion: &Connection, id: LeadId) -> Step<Ficha> {
    let by_lead = (id.0,);
    let (mut lead, email_normal) = lead(conexion, id)?;
    lead.utm = utm(conexion, id)?;
    let duplicados = all(
        conexion,
        include_str!("../../sql/lead/duplicates.sql"),
        (id.0, lead.empresa.id.0, &lead.telefono_e164, email_normal),
        |row| Ok(LeadId(Columns::of("lead", row).take()?)),
    )?;
    let sql = include_str!("../../sql/presupuesto/list_short.sql");
    let mut presupuestos = all(conexion, sql, by_lead, rows::presupuesto_resumen)?;
    let sql = include_str!("../../sql/presupuesto_entrega/list.sql");
    EntregaPresupuesto::repartir(&mut presupuestos, &all(conexion, sql, by_lead, rows::entrega_presupuesto)?);
    Ok(Ficha {
        lead,
        duplicados,
        fotos: fotos(conexion, id)?,
        notas: notas(conexion, id)?,
        conversacion: all(conexion, include_str!("../../sql/turno/list.sql"), by_lead, rows::turno)?,
        calificacion: first(
            conexion,
            include_str!("../../sql/calificacion/get.sql"),
            by_lead,
            rows::calificacion,
        )?,
        intentos: all(conexion, include_str!("../../sql/intento/list.sql"), by_lead, rows::intento)?,
        eventos: eventos_tras(conexion, id, None, -1)?.into_iter().map(|e| e.evento).collect(),
        consentimientos: all(
            conexion,
            include_str!("../../sql/consentimiento/list.sql"),
            by_lead,
            rows::consentimiento,
        )?,
        presupuestos,
    })
}

/// What a signal says of a lead: itself, its photos and its notes. The rest is left empty, because a long conversation has
/// no business in the writer's transaction.
pub(crate) fn para_senal(conexion: &Connection, id: LeadId) -> Step<Ficha> {
    let lead = lead(conexion, id)?.0;
    Ok(Ficha { fotos: fotos(conexion, id)?, notas: notas(conexion, id)?, ..Ficha::bare(lead) })
}

static GET: LazyLock<String> = LazyLock::new(|| fill(include_str!("../../sql/lead/get.sql"), 1, untyped));

/// The lead's own row without its `utm`, and its e-mail in lower case.
pub(crate) fn lead(conexion: &Connection, id: LeadId) -> Step<(Lead, String)> {
    let found = first(conexion, &GET, (id.0,), |row| {
        let mut columns = Columns::of("lead", row);
        Ok((rows::lead(&mut columns)?, columns.take()?))
    })?;
    Ok(found.ok_or(StoreError::LeadNotFound)?)
}

fn fotos(conexion: &Connection, lead: LeadId) -> Step<Vec<Foto>> {
    all(conexion, include_str!("../../sql/foto/list.sql"), (lead.0,), rows::foto)
}

fn notas(conexion: &Connection, lead: LeadId) -> Step<Vec<Nota>> {
    all(conexion, include_str!("../../sql/nota/list.sql"), (lead.0,), rows::nota)
}

/// One page of a lead's events, changes of state among them.
pub(crate) fn eventos(
    conexion: &Connection,
    lead: LeadId,
    cursor: Option<CursorEvento>,
    limit: u32,
) -> Step<Vec<EventoEnLista>> {
    let eventos = eventos_tras(conexion, lead, cursor, i64::from(limit))?;
    if eventos.is_empty() && !exists(conexion, include_str!("../../sql/lead/exists.sql"), (lead.0,))? {
        return Err(StoreError::LeadNotFound.into());
    }
    Ok(eventos)
}

fn eventos_tras(
    conexion: &Connection,
    lead: LeadId,
    cursor: Option<CursorEvento>,
    limit: i64,
) -> Step<Vec<EventoEnLista>> {
    // Before every event there is.
    let (creado_en, clase, n) =
        cursor.map_or((i64::MIN, 0, 0), |c| (c.creado_en.as_microsecond(), c.clase, c.n));
    let sql = include_str!("../../sql/evento/list.sql");
    all(conexion, sql, (lead.0, creado_en, clase, n, limit), rows::evento_en_lista)
}

/// Campaign and ad ids, sorted by name.
pub(super) fn utm(conexion: &Connection, lead: LeadId) -> Step<Vec<(String, String)>> {
    all(conexion, include_str!("../../sql/utm/list.sql"), (lead.0,), |row| {
        let mut columns = Columns::of("utm", row);
        Ok((columns.take()?, columns.take()?))
    })
}

/// Every value that `estado_wa` and `bot_step` were given.
pub(crate) fn historial(conexion: &Connection, lead: LeadId) -> Step<Vec<CambioEstado>> {
    let cambios = all(conexion, include_str!("../../sql/estado_historia/list.sql"), (lead.0,), rows::cambio)?;
    if cambios.is_empty() && !exists(conexion, include_str!("../../sql/lead/exists.sql"), (lead.0,))? {
        return Err(StoreError::LeadNotFound.into());
    }
    Ok(cambios)
}

/// One photo of a lead.
pub(crate) fn foto(conexion: &Connection, lead: LeadId, foto: FotoId) -> Step<Foto> {
    let found = first(conexion, include_str!("../../sql/foto/get.sql"), (lead.0, foto.0), rows::foto)?;
    Ok(found.ok_or(StoreError::FotoNotFound)?)
}

//! One lead with everything that belongs to it.

use embudo_domain::ficha::{CambioEstado, Ficha, Foto};
use embudo_domain::{FotoId, LeadId};
use embudo_store::StoreError;
use rusqlite::Connection;

use super::{all, exists, first};
use crate::failure::Step;
use crate::rows::{self, Columns};

/// The whole record, from one snapshot.
pub(crate) fn ficha(conexion: &Connection, id: LeadId) -> Step<Ficha> {
    let by_lead = (id.0,);
    let found = first(conexion, include_str!("../../sql/lead/get.sql"), by_lead, |row| {
        let mut columns = Columns::of("lead", row);
        Ok((rows::lead(&mut columns)?, columns.take::<String>()?))
    })?;
    let (mut lead, email_normal) = found.ok_or(StoreError::LeadNotFound)?;
    lead.utm = utm(conexion, id)?;
    let duplicados = all(
        conexion,
        include_str!("../../sql/lead/duplicates.sql"),
        (id.0, lead.empresa.id.0, &lead.telefono_e164, email_normal),
        |row| Ok(LeadId(Columns::of("lead", row).take()?)),
    )?;
    Ok(Ficha {
        lead,
        duplicados,
        fotos: all(conexion, include_str!("../../sql/foto/list.sql"), by_lead, rows::foto)?,
        notas: all(conexion, include_str!("../../sql/nota/list.sql"), by_lead, rows::nota)?,
        conversacion: all(conexion, include_str!("../../sql/turno/list.sql"), by_lead, rows::turno)?,
        calificacion: first(
            conexion,
            include_str!("../../sql/calificacion/get.sql"),
            by_lead,
            rows::calificacion,
        )?,
        intentos: all(conexion, include_str!("../../sql/intento/list.sql"), by_lead, rows::intento)?,
        eventos: all(conexion, include_str!("../../sql/evento/list.sql"), by_lead, rows::evento)?,
        consentimientos: all(
            conexion,
            include_str!("../../sql/consentimiento/list.sql"),
            by_lead,
            rows::consentimiento,
        )?,
    })
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

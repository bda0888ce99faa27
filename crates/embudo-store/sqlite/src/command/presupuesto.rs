//! Quotes: drafted with a number, completed with their PDF, answered by clients. What may happen to one is the domain's decision.

use embudo_domain::presupuesto::{EstadoPresupuesto, Presupuesto};
use embudo_domain::{EmpresaId, PresupuestoId, Timestamp};
use embudo_store::StoreError;
use embudo_store::presupuestos::{
    AnswerPresupuesto, CompletePresupuesto, Contestacion, DraftPresupuesto, sustituibles,
};
use rusqlite::{Connection, params};

use super::{cola, execute, ingest, trabajo};
use crate::failure::Step;
use crate::query::{first, presupuestos};
use crate::rows;

/// Drafts a quote, unless the lead's last one will do.
pub(crate) fn draft(conexion: &Connection, command: DraftPresupuesto) -> Step<Presupuesto> {
    let (lead, contenido, anio) = (command.lead, command.documento.huella(), command.anio()?);
    let sql = include_str!("../../sql/lead/get_empresa.sql");
    let empresa = first(conexion, sql, (lead.0,), |row| Ok(EmpresaId(row.get(0)?)))?;
    let empresa = empresa.ok_or(StoreError::LeadNotFound)?;
    let sql = include_str!("../../sql/presupuesto/last.sql");
    let ultimo = first(conexion, sql, (lead.0,), rows::presupuesto)?;
    if let Some(ultimo) = ultimo.as_ref().filter(|u| command.repite(u, contenido)) {
        return Ok(ultimo.clone());
    }
    for estado in sustituibles() {
        let values = (lead.0, estado.as_str(), EstadoPresupuesto::Sustituido.as_str());
        execute(conexion, include_str!("../../sql/presupuesto/supersede.sql"), values)?;
    }
    let sql = include_str!("../../sql/presupuesto_serie/next.sql");
    let orden = conexion.prepare_cached(sql)?.query_row((empresa.0, anio), |row| row.get(0))?;
    let nuevo = command.redactar(contenido, empresa, orden, ultimo.as_ref())?;
    insert(conexion, &nuevo)?;
    Ok(nuevo)
}

fn insert(conexion: &Connection, p: &Presupuesto) -> Step<()> {
    let documento = serde_json::to_string(&p.documento)
        .map_err(|e| StoreError::Internal(format!("a quote is no JSON: {e}")))?;
    execute(
        conexion,
        include_str!("../../sql/presupuesto/insert.sql"),
        params![
            p.id.0,
            p.lead.0,
            p.empresa.0,
            p.numero.anio(),
            p.numero.orden(),
            p.version,
            p.estado.as_str(),
            p.contenido.0,
            p.documento.impuesto.total.0,
            p.validez.emitido.to_string(),
            p.validez.hasta.to_string(),
            p.creado_en.as_microsecond(),
            documento,
        ],
    )
    .map(drop)
}

/// Stores a quote's PDF, sends the quote on its way and ends the job that drew it.
pub(crate) fn complete(conexion: &Connection, command: CompletePresupuesto) -> Step<bool> {
    let CompletePresupuesto { id, pdf, eventos, entregas, mut fin, barridos } = command;
    let sql = include_str!("../../sql/trabajo/held.sql");
    let held = first(conexion, sql, (fin.id.0, fin.quien.0), rows::held)?;
    let Some(rows::Held { lead, .. }) = held else { return Ok(false) };
    let antes = presupuestos::presupuesto(conexion, id)?;
    if antes.lead != lead {
        return Err(StoreError::PresupuestoNotFound.into());
    }
    if antes.pdf.is_none() {
        ingest::check_blob(conexion, lead, pdf.huella, &barridos)?;
        let bytes = i64::try_from(pdf.bytes).unwrap_or(i64::MAX);
        let sql = include_str!("../../sql/presupuesto/set_pdf.sql");
        execute(conexion, sql, (id.0, pdf.huella.0, pdf.sha256, bytes))?;
    }
    if antes.estado.puede_pasar_a(EstadoPresupuesto::Emitido) {
        set_estado(conexion, id, EstadoPresupuesto::Emitido, Some(fin.en))?;
    }
    if antes.estado == EstadoPresupuesto::Sustituido {
        fin.trabajos.clear();
        return cola::finish(conexion, &fin);
    }
    let ended = cola::finish(conexion, &fin)?;
    for e in entregas {
        let sql = include_str!("../../sql/presupuesto_entrega/insert.sql");
        let values = (id.0, e.canal.as_str(), e.trabajo.0, e.simulada, fin.en.as_microsecond());
        execute(conexion, sql, values)?;
    }
    eventos.iter().try_for_each(|evento| ingest::insert_evento(conexion, lead, evento))?;
    Ok(ended)
}

fn set_estado(
    conexion: &Connection,
    id: PresupuestoId,
    estado: EstadoPresupuesto,
    emitido_en: Option<Timestamp>,
) -> Step<()> {
    let sql = include_str!("../../sql/presupuesto/set_estado.sql");
    execute(conexion, sql, (id.0, estado.as_str(), emitido_en.map(Timestamp::as_microsecond))).map(drop)
}

/// Writes down what a client says of a quote.
pub(crate) fn answer(conexion: &Connection, command: &AnswerPresupuesto) -> Step<Contestacion> {
    let antes = presupuestos::presupuesto(conexion, command.id)?;
    let estado = match command.decidir(&antes) {
        Ok(estado) => estado,
        Err(contestacion) => return Ok(contestacion),
    };
    let r = &command.respuesta;
    execute(
        conexion,
        include_str!("../../sql/presupuesto_respuesta/insert.sql"),
        (command.id.0, r.aceptado, &r.motivo, &r.ip, &r.texto_version, r.pdf_sha256, r.en.as_microsecond()),
    )?;
    set_estado(conexion, command.id, estado, None)?;
    ingest::insert_evento(conexion, antes.lead, &command.evento)?;
    trabajo::insert_all(conexion, antes.lead, &command.trabajos, r.en)?;
    Ok(Contestacion::Hecha)
}

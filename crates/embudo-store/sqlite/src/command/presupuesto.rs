//! Quotes: drafted with a number, completed with their PDF, answered by clients. What may happen to one is the domain's decision.

use embudo_domain::presupuesto::{Presupuesto, PresupuestoState};
use embudo_domain::{EmpresaId, PresupuestoId, Timestamp};
use embudo_store::StoreError;
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, CompletePresupuesto, DraftPresupuesto, replaceable,
};
use rusqlite::{Connection, params};

use super::{execute, ingest, job, outbox};
use crate::failure::Step;
use crate::query::{first, presupuestos};
use crate::rows;

/// Drafts a quote, unless the lead's last one will do.
pub(crate) fn draft(connection: &Connection, command: DraftPresupuesto) -> Step<Presupuesto> {
    let (lead, content, year) = (command.lead, command.document.digest(), command.year()?);
    let sql = include_str!("../../sql/lead/get_empresa.sql");
    let empresa = first(connection, sql, (lead.0,), |row| Ok(EmpresaId(row.get(0)?)))?;
    let empresa = empresa.ok_or(StoreError::LeadNotFound)?;
    let sql = include_str!("../../sql/presupuesto/last.sql");
    let last = first(connection, sql, (lead.0,), rows::presupuesto)?;
    if let Some(last) = last.as_ref().filter(|u| command.repeats(u, content)) {
        return Ok(last.clone());
    }
    for state in replaceable() {
        let values = (lead.0, state.as_str(), PresupuestoState::Superseded.as_str());
        execute(connection, include_str!("../../sql/presupuesto/supersede.sql"), values)?;
    }
    let sql = include_str!("../../sql/presupuesto_serie/next.sql");
    let orden = connection.prepare_cached(sql)?.query_row((empresa.0, year), |row| row.get(0))?;
    let new = command.draft(content, empresa, orden, last.as_ref())?;
    insert(connection, &new)?;
    Ok(new)
}

fn insert(connection: &Connection, p: &Presupuesto) -> Step<()> {
    let document = serde_json::to_string(&p.document)
        .map_err(|e| StoreError::Internal(format!("a quote is no JSON: {e}")))?;
    execute(
        connection,
        include_str!("../../sql/presupuesto/insert.sql"),
        params![
            p.id.0,
            p.lead.0,
            p.empresa.0,
            p.number.year(),
            p.number.orden(),
            p.version,
            p.state.as_str(),
            p.content.0,
            p.document.impuesto.total.0,
            p.validity.issued.to_string(),
            p.validity.until.to_string(),
            p.creado_en.as_microsecond(),
            document,
        ],
    )
    .map(drop)
}

/// Stores a quote's PDF, sends the quote on its way and ends the job that drew it.
pub(crate) fn complete(connection: &Connection, command: CompletePresupuesto) -> Step<bool> {
    let CompletePresupuesto { id, pdf, events, deliveries, mut end, swept } = command;
    let sql = include_str!("../../sql/trabajo/held.sql");
    let held = first(connection, sql, (end.id.0, end.who.0), rows::held)?;
    let Some(rows::Held { lead, .. }) = held else { return Ok(false) };
    let antes = presupuestos::presupuesto(connection, id)?;
    if antes.lead != lead {
        return Err(StoreError::PresupuestoNotFound.into());
    }
    if antes.pdf.is_none() {
        ingest::check_blob(connection, lead, pdf.digest, &swept)?;
        let bytes = i64::try_from(pdf.bytes).unwrap_or(i64::MAX);
        let sql = include_str!("../../sql/presupuesto/set_pdf.sql");
        execute(connection, sql, (id.0, pdf.digest.0, pdf.sha256, bytes))?;
    }
    if antes.state.can_become(PresupuestoState::Emitido) {
        set_state(connection, id, PresupuestoState::Emitido, Some(end.at))?;
    }
    if antes.state == PresupuestoState::Superseded {
        end.jobs.clear();
        return outbox::finish(connection, &end);
    }
    let ended = outbox::finish(connection, &end)?;
    for e in deliveries {
        let sql = include_str!("../../sql/presupuesto_entrega/insert.sql");
        let values = (id.0, e.channel.as_str(), e.job.0, e.simulated, end.at.as_microsecond());
        execute(connection, sql, values)?;
    }
    events.iter().try_for_each(|event| ingest::insert_event(connection, lead, event))?;
    Ok(ended)
}

fn set_state(
    connection: &Connection,
    id: PresupuestoId,
    state: PresupuestoState,
    emitido_en: Option<Timestamp>,
) -> Step<()> {
    let sql = include_str!("../../sql/presupuesto/set_estado.sql");
    execute(connection, sql, (id.0, state.as_str(), emitido_en.map(Timestamp::as_microsecond))).map(drop)
}

/// Writes down what a client says of a quote.
pub(crate) fn answer(connection: &Connection, command: &AnswerPresupuesto) -> Step<AnswerResult> {
    let antes = presupuestos::presupuesto(connection, command.id)?;
    let state = match command.decide(&antes) {
        Ok(state) => state,
        Err(answer_result) => return Ok(answer_result),
    };
    let r = &command.answer;
    execute(
        connection,
        include_str!("../../sql/presupuesto_respuesta/insert.sql"),
        (command.id.0, r.accepted, &r.reason, &r.ip, &r.texto_version, r.pdf_sha256, r.at.as_microsecond()),
    )?;
    set_state(connection, command.id, state, None)?;
    ingest::insert_event(connection, antes.lead, &command.event)?;
    job::insert_all(connection, antes.lead, &command.jobs, r.at)?;
    Ok(AnswerResult::Done)
}

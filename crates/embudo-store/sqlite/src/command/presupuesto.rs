//! Quotes: drafted with a number, completed with their PDF, answered by clients. What may happen to one is the domain's decision.

use embudo_domain::presupuesto::{Presupuesto, PresupuestoState};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp};
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, AskVisit, CompletePresupuesto, DraftPresupuesto, replaceable,
};
use embudo_store::{StoreError, queries};
use rusqlite::{Connection, named_params};

use super::finish::{self, Held};
use super::{blob, etapa, event, execute, job};
use crate::failure::Step;
use crate::query::{first, run_first};

/// Drafts a quote, unless the lead's last one will do.
pub(crate) fn draft(connection: &Connection, command: DraftPresupuesto) -> Step<Presupuesto> {
    let (lead, content) = (command.lead, command.document.digest());
    let sql = include_str!("../../sql/lead/get_empresa.sql");
    let empresa = first(connection, sql, (lead.0,), |c| c.get("empresa_id").map(EmpresaId))?;
    let empresa = empresa.ok_or(StoreError::LeadNotFound)?;
    let last = run_first(connection, &queries::quote::last(lead))?;
    if let Some(last) = last.as_ref().filter(|u| command.repeats(u, content)) {
        return Ok(last.clone());
    }
    issue(connection, command, empresa, last.as_ref(), None)
}

/// Gives a quote its number, after the lead's last one, which it takes the place of.
pub(super) fn issue(
    connection: &Connection,
    command: DraftPresupuesto,
    empresa: EmpresaId,
    last: Option<&Presupuesto>,
    sheet: Option<&str>,
) -> Step<Presupuesto> {
    let (lead, content, year, at) = (command.lead, command.document.digest(), command.year()?, command.at);
    for state in replaceable() {
        execute(
            connection,
            include_str!("../../sql/presupuesto/supersede.sql"),
            named_params! {
                ":lead": lead.0,
                ":estado": state.as_str(),
                ":sustituido": PresupuestoState::Superseded.as_str(),
            },
        )?;
    }
    let sql = include_str!("../../sql/presupuesto_serie/next.sql");
    let orden = connection.prepare_cached(sql)?.query_row((empresa.0, year), |row| row.get(0))?;
    let new = command.draft(content, empresa, orden, last)?;
    insert(connection, &new, sheet)?;
    etapa::settle(connection, lead, at)?;
    Ok(new)
}

fn get(connection: &Connection, id: PresupuestoId) -> Step<Presupuesto> {
    Ok(run_first(connection, &queries::quote::get(id))?.ok_or(StoreError::PresupuestoNotFound)?)
}

fn insert(connection: &Connection, p: &Presupuesto, sheet: Option<&str>) -> Step<()> {
    let document = serde_json::to_string(&p.document)
        .map_err(|e| StoreError::Internal(format!("a quote is no JSON: {e}")))?;
    execute(
        connection,
        include_str!("../../sql/presupuesto/insert.sql"),
        named_params! {
            ":id": p.id.0,
            ":lead": p.lead.0,
            ":empresa": p.empresa.0,
            ":anio": p.number.year(),
            ":orden": p.number.orden(),
            ":version": p.version,
            ":estado": p.state.as_str(),
            ":contenido": p.content.0,
            ":total_cents": p.document.impuesto.total.0,
            ":emitido": p.validity.issued.to_string(),
            ":hasta": p.validity.until.to_string(),
            ":now": p.creado_en.as_microsecond(),
            ":documento": document,
            ":hoja": sheet,
        },
    )
    .map(drop)
}

/// Stores a quote's PDF, sends the quote on its way and ends the job that drew it; returns its lead.
pub(crate) fn complete(connection: &Connection, command: CompletePresupuesto) -> Step<Option<LeadId>> {
    let CompletePresupuesto { id, pdf, events, deliveries, mut end, swept } = command;
    let Some(Held { lead, .. }) = finish::held(connection, &end)? else { return Ok(None) };
    let antes = get(connection, id)?;
    if antes.lead != lead {
        return Err(StoreError::PresupuestoNotFound.into());
    }
    if antes.pdf.is_none() {
        blob::check(connection, lead, pdf.digest, &swept)?;
        let bytes = i64::try_from(pdf.bytes).unwrap_or(i64::MAX);
        let sql = include_str!("../../sql/presupuesto/set_pdf.sql");
        execute(
            connection,
            sql,
            named_params! {":id": id.0, ":huella": pdf.digest.0, ":sha256": pdf.sha256, ":bytes": bytes},
        )?;
    }
    if antes.state.can_become(PresupuestoState::Emitido) {
        set_state(connection, id, PresupuestoState::Emitido, Some(end.at))?;
        etapa::settle(connection, lead, end.at)?;
    }
    if antes.state == PresupuestoState::Superseded {
        end.jobs.clear();
        return finish::finish(connection, &end);
    }
    let ended = finish::finish(connection, &end)?;
    for e in deliveries {
        let sql = include_str!("../../sql/presupuesto_entrega/insert.sql");
        execute(
            connection,
            sql,
            named_params! {
                ":presupuesto": id.0,
                ":canal": e.channel.as_str(),
                ":trabajo": e.job.0,
                ":simulada": e.simulated,
                ":now": end.at.as_microsecond(),
            },
        )?;
    }
    events.iter().try_for_each(|event| event::insert(connection, lead, event))?;
    Ok(ended)
}

fn set_state(
    connection: &Connection,
    id: PresupuestoId,
    state: PresupuestoState,
    emitido_en: Option<Timestamp>,
) -> Step<()> {
    let sql = include_str!("../../sql/presupuesto/set_estado.sql");
    execute(
        connection,
        sql,
        named_params! {
            ":id": id.0,
            ":estado": state.as_str(),
            ":emitido_en": emitido_en.map(Timestamp::as_microsecond),
        },
    )
    .map(drop)
}

/// Writes down what a client says of a quote.
pub(crate) fn answer(connection: &Connection, command: &AnswerPresupuesto) -> Step<(AnswerResult, LeadId)> {
    let antes = get(connection, command.id)?;
    let state = match command.decide(&antes) {
        Ok(state) => state,
        Err(answer_result) => return Ok((answer_result, antes.lead)),
    };
    let r = &command.answer;
    execute(
        connection,
        include_str!("../../sql/presupuesto_respuesta/insert.sql"),
        named_params! {
            ":presupuesto": command.id.0,
            ":aceptado": r.accepted,
            ":motivo": r.reason,
            ":ip": r.ip,
            ":texto_version": r.texto_version,
            ":declaracion": r.declaracion,
            ":opciones": r.kept_options(),
            ":total_cents": r.total.map(|total| total.0),
            ":inicio_anticipado": r.early_start,
            ":pdf_sha256": r.pdf_sha256,
            ":creado_en": r.at.as_microsecond(),
        },
    )?;
    set_state(connection, command.id, state, None)?;
    etapa::settle(connection, antes.lead, r.at)?;
    event::insert(connection, antes.lead, &command.event)?;
    job::insert_all(connection, antes.lead, &command.jobs, r.at)?;
    Ok((AnswerResult::Done, antes.lead))
}

/// Writes down that a client asks for a visit.
pub(crate) fn ask_visit(connection: &Connection, command: &AskVisit) -> Step<(AnswerResult, LeadId)> {
    let antes = get(connection, command.id)?;
    if let Err(answer_result) = command.decide(&antes) {
        return Ok((answer_result, antes.lead));
    }
    let (lead, at) = (antes.lead, command.request.at);
    execute(
        connection,
        include_str!("../../sql/presupuesto/set_visita.sql"),
        named_params! {":id": command.id.0, ":now": at.as_microsecond(), ":nota": command.request.note},
    )?;
    etapa::settle(connection, lead, at)?;
    event::insert(connection, lead, &command.event)?;
    job::insert_all(connection, lead, &command.jobs, at)?;
    Ok((AnswerResult::Done, lead))
}

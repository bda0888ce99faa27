//! Quotes: drafted with a number, completed with their PDF, answered by clients. What may happen to one is the domain's decision.
//!
//! All three hold the lead's lock, so that a lead's quotes change one command at a time. A company's series of numbers is locked
//! after the lead, by the statement that gives one.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::presupuesto::{Presupuesto, PresupuestoState, StoredPdf};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp};
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, AskVisit, CompletePresupuesto, DraftPresupuesto, replaceable,
};

use embudo_store::{StoreError, queries};

use super::alone::commit;
use super::finish::Finished;
use super::{blob, column, etapa, event, job, watched_loop};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};
use crate::writer::run_within;

/// Drafts a quote, unless the lead's last one will do.
pub(crate) async fn draft(pool: &Pool, command: &DraftPresupuesto) -> Step<Presupuesto> {
    let (lead, content) = (command.lead, command.document.digest());
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let (empresa, _) = watched_loop::lock(&tx, lead).await?.ok_or(StoreError::LeadNotFound)?;
    let latest = run_in(&tx, &queries::quote::last(lead)).await?.pop();
    if let Some(latest) = latest.as_ref().filter(|u| command.repeats(u, content)) {
        return Ok(latest.clone());
    }
    let new = issue(&tx, command, EmpresaId(empresa), latest.as_ref(), None).await?;
    commit(tx).await?;
    Ok(new)
}

/// Gives a quote its number, after the lead's last one, which it takes the place of. The lead is locked.
pub(super) async fn issue(
    tx: &Transaction<'_>,
    command: &DraftPresupuesto,
    empresa: EmpresaId,
    last: Option<&Presupuesto>,
    sheet: Option<&str>,
) -> Step<Presupuesto> {
    let (lead, content, year) = (command.lead, command.document.digest(), command.year()?);
    let states: Vec<&str> = replaceable().map(PresupuestoState::as_str).collect();
    let sustituido = PresupuestoState::Superseded.as_str();
    let params = params! { lead: lead.0, estado: states, sustituido };
    tx.execute(sql!("presupuesto/supersede.sql"), params).await?;
    let series = params! { empresa: empresa.0, anio: i32::from(year) };
    let orden = tx.row(sql!("presupuesto_serie/next.sql"), series).await?.try_get(0)?;
    let new = command.clone().draft(content, empresa, orden, last)?;
    insert(tx, &new, sheet).await?;
    etapa::settle(tx, lead, command.at).await?;
    Ok(new)
}

async fn insert(tx: &Transaction<'_>, p: &Presupuesto, sheet: Option<&str>) -> Step<()> {
    let document = serde_json::to_string(&p.document)
        .map_err(|e| StoreError::Internal(format!("a quote cannot be written as JSON: {e}")))?;
    let params = params! {
        id: p.id.0,
        lead: p.lead.0,
        empresa: p.empresa.0,
        anio: i32::from(p.number.year()),
        orden: i64::from(p.number.orden()),
        version: i64::from(p.version),
        estado: p.state.as_str(),
        contenido: p.content.0.as_slice(),
        total_cents: p.document.impuesto.total.0,
        emitido: p.validity.issued,
        hasta: p.validity.until,
        now: Instant::from(p.creado_en),
        documento: document,
        hoja: sheet,
    };
    tx.execute(sql!("presupuesto/insert.sql"), params).await.map(drop)
}

/// Stores a quote's PDF, sends the quote on its way and ends the job that drew it. `None`: the job is not the process's any more.
pub(crate) async fn complete(pool: &Pool, command: &CompletePresupuesto) -> Step<Option<Finished>> {
    let (id, mut end) = (command.id, command.end.clone());
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let held = params! { id: end.id.0, quien: end.who.0 };
    let Some(row) = tx.row_opt(sql!("trabajo/lead_of_held.sql"), held).await? else { return Ok(None) };
    let (lead, empresa) = (LeadId(row.try_get("lead_id")?), row.try_get("empresa_id")?);
    // Also keeps sweeps of the lead's blobs out.
    tx.row_opt(sql!("lead/lock.sql"), params! { lead: lead.0, lock: blob::sweep_lock(lead) }).await?;
    let antes = get(&tx, id).await?.filter(|p| p.lead == lead).ok_or(StoreError::PresupuestoNotFound)?;
    if antes.pdf.is_none() {
        blob::check(&tx, lead, &[command.pdf.digest], &command.swept).await?;
        set_pdf(&tx, id, command.pdf).await?;
    }
    if antes.state.can_become(PresupuestoState::Emitido) {
        set_state(&tx, id, PresupuestoState::Emitido, Some(end.at)).await?;
        etapa::settle(&tx, lead, end.at).await?;
    }
    let is_delivered = antes.state != PresupuestoState::Superseded;
    if !is_delivered {
        end.jobs.clear();
    }
    let Some(finished) = run_within(&tx, &end).await? else { return Ok(None) };
    if is_delivered {
        event::insert(&tx, lead, empresa, &command.events).await?;
        insert_deliveries(&tx, command).await?;
    }
    commit(tx).await?;
    Ok(Some(finished))
}

async fn insert_deliveries(tx: &Transaction<'_>, command: &CompletePresupuesto) -> Step<()> {
    let params = params! {
        presupuesto: command.id.0,
        canal: column(&command.deliveries, |e| e.channel.as_str()),
        trabajo: column(&command.deliveries, |e| e.job.0),
        simulada: column(&command.deliveries, |e| e.simulated),
        now: Instant::from(command.end.at),
    };
    tx.execute(sql!("presupuesto_entrega/insert.sql"), params).await.map(drop)
}

async fn get(tx: &Transaction<'_>, id: PresupuestoId) -> Step<Option<Presupuesto>> {
    Ok(run_in(tx, &queries::quote::get(id)).await?.pop())
}

async fn set_pdf(tx: &Transaction<'_>, id: PresupuestoId, pdf: StoredPdf) -> Step<()> {
    let params = params! {
        id: id.0,
        huella: pdf.digest.0.as_slice(),
        sha256: pdf.sha256.as_slice(),
        bytes: i64::try_from(pdf.bytes).unwrap_or(i64::MAX),
    };
    tx.execute(sql!("presupuesto/set_pdf.sql"), params).await.map(drop)
}

async fn set_state(
    tx: &Transaction<'_>,
    id: PresupuestoId,
    state: PresupuestoState,
    emitido_en: Option<Timestamp>,
) -> Step<()> {
    let params = params! { id: id.0, estado: state.as_str(), emitido_en: emitido_en.map(Instant::from) };
    tx.execute(sql!("presupuesto/set_estado.sql"), params).await.map(drop)
}

/// Writes down what a client says of a quote; with it, whose quote it is and whether a job was made that waits for any process.
pub(crate) async fn answer(pool: &Pool, command: &AnswerPresupuesto) -> Step<(AnswerResult, Finished)> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let row = tx.row_opt(sql!("presupuesto/get_lead.sql"), params! { id: command.id.0 }).await?;
    let lead = LeadId(row.ok_or(StoreError::PresupuestoNotFound)?.try_get("lead_id")?);
    watched_loop::lock(&tx, lead).await?;
    let antes = get(&tx, command.id).await?.ok_or(StoreError::PresupuestoNotFound)?;
    let state = match command.decide(&antes) {
        Ok(state) => state,
        Err(answer_result) => return Ok((answer_result, Finished { lead, loose: false })),
    };
    let r = &command.answer;
    let empresa = antes.empresa.0;
    let params = params! {
        presupuesto: command.id.0,
        lead: lead.0,
        empresa,
        aceptado: r.accepted,
        motivo: r.reason,
        ip: r.ip,
        texto_version: r.texto_version,
        declaracion: r.declaracion,
        opciones: r.kept_options(),
        total_cents: r.total.map(|total| total.0),
        inicio_anticipado: r.early_start,
        pdf_sha256: r.pdf_sha256.as_slice(),
        creado_en: Instant::from(r.at),
    };
    tx.execute(sql!("presupuesto_respuesta/insert.sql"), params).await?;
    set_state(&tx, command.id, state, None).await?;
    etapa::settle(&tx, lead, r.at).await?;
    event::insert(&tx, lead, empresa, std::slice::from_ref(&command.event)).await?;
    let loose = job::insert(&tx, lead, &command.jobs, r.at).await?;
    commit(tx).await?;
    Ok((AnswerResult::Done, Finished { lead, loose }))
}

/// Writes down that a client asks for a visit; with it, whose quote it is and whether a job was made that waits for any process.
pub(crate) async fn ask_visit(pool: &Pool, command: &AskVisit) -> Step<(AnswerResult, Finished)> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let row = tx.row_opt(sql!("presupuesto/get_lead.sql"), params! { id: command.id.0 }).await?;
    let lead = LeadId(row.ok_or(StoreError::PresupuestoNotFound)?.try_get("lead_id")?);
    watched_loop::lock(&tx, lead).await?;
    let antes = get(&tx, command.id).await?.ok_or(StoreError::PresupuestoNotFound)?;
    if let Err(answer_result) = command.decide(&antes) {
        return Ok((answer_result, Finished { lead, loose: false }));
    }
    let at = command.request.at;
    let params = params! { id: command.id.0, now: Instant::from(at), nota: command.request.note };
    tx.execute(sql!("presupuesto/set_visita.sql"), params).await?;
    etapa::settle(&tx, lead, at).await?;
    event::insert(&tx, lead, antes.empresa.0, std::slice::from_ref(&command.event)).await?;
    let loose = job::insert(&tx, lead, &command.jobs, at).await?;
    commit(tx).await?;
    Ok((AnswerResult::Done, Finished { lead, loose }))
}

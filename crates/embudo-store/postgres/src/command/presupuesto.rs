//! Quotes: drafted with a number, completed with their PDF, answered by clients. What may happen to one is the domain's decision.
//!
//! All three hold the lead's lock, so that a lead's quotes change one command at a time. A company's series of numbers is locked
//! after the lead, by the statement that gives one.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::presupuesto::{Presupuesto, PresupuestoState, StoredPdf};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp};
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, CompletePresupuesto, DraftPresupuesto, replaceable,
};

use embudo_store::{StoreError, queries};
use uuid::Uuid;

use super::alone::commit;
use super::finish::Finished;
use super::{blob, etapa, event, job, watched_loop};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::writer::run_within;

/// Drafts a quote, unless the lead's last one will do.
pub(crate) async fn draft(pool: &Pool, command: &DraftPresupuesto) -> Step<Presupuesto> {
    let (lead, content, year) = (command.lead, command.document.digest(), command.year()?);
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let (empresa, _) = watched_loop::lock(&tx, lead).await?.ok_or(StoreError::LeadNotFound)?;
    let latest = run_in(&tx, &queries::quote::last(lead)).await?.pop();
    if let Some(latest) = latest.as_ref().filter(|u| command.repeats(u, content)) {
        return Ok(latest.clone());
    }
    let states: Vec<&str> = replaceable().map(PresupuestoState::as_str).collect();
    let supersede = tx.prepare_cached(include_str!("../../sql/presupuesto/supersede.sql")).await?;
    tx.execute(&supersede, &[&lead.0, &states, &PresupuestoState::Superseded.as_str()]).await?;
    let next = tx.prepare_cached(include_str!("../../sql/presupuesto_serie/next.sql")).await?;
    let orden = tx.query_one(&next, &[&empresa, &i32::from(year)]).await?.try_get(0)?;
    let new = command.clone().draft(content, EmpresaId(empresa), orden, latest.as_ref())?;
    insert(&tx, &new).await?;
    etapa::settle(&tx, lead, command.at).await?;
    commit(tx).await?;
    Ok(new)
}

async fn insert(tx: &Transaction<'_>, p: &Presupuesto) -> Step<()> {
    let document = serde_json::to_string(&p.document)
        .map_err(|e| StoreError::Internal(format!("a quote cannot be written as JSON: {e}")))?;
    let insert = tx.prepare_cached(include_str!("../../sql/presupuesto/insert.sql")).await?;
    tx.execute(
        &insert,
        &[
            &p.id.0,
            &p.lead.0,
            &p.empresa.0,
            &i32::from(p.number.year()),
            &i64::from(p.number.orden()),
            &i64::from(p.version),
            &p.state.as_str(),
            &p.content.0.as_slice(),
            &p.document.impuesto.total.0,
            &p.validity.issued,
            &p.validity.until,
            &Instant::from(p.creado_en),
            &document,
        ],
    )
    .await?;
    Ok(())
}

/// Stores a quote's PDF, sends the quote on its way and ends the job that drew it. `None`: the job is not the process's any more.
pub(crate) async fn complete(pool: &Pool, command: &CompletePresupuesto) -> Step<Option<Finished>> {
    let (id, mut end) = (command.id, command.end.clone());
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let held = tx.prepare_cached(include_str!("../../sql/trabajo/lead_of_held.sql")).await?;
    let Some(row) = tx.query_opt(&held, &[&end.id.0, &end.who.0]).await? else { return Ok(None) };
    let (lead, empresa) = (LeadId(row.try_get("lead_id")?), row.try_get("empresa_id")?);
    // Also keeps sweeps of the lead's blobs out.
    let lock = tx.prepare_cached(include_str!("../../sql/lead/lock.sql")).await?;
    tx.query_opt(&lock, &[&lead.0, &blob::sweep_lock(lead)]).await?;
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
    let channels: Vec<&str> = command.deliveries.iter().map(|e| e.channel.as_str()).collect();
    let jobs: Vec<Uuid> = command.deliveries.iter().map(|e| e.job.0).collect();
    let simulated: Vec<bool> = command.deliveries.iter().map(|e| e.simulated).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/presupuesto_entrega/insert.sql")).await?;
    let at = Instant::from(command.end.at);
    tx.execute(&insert, &[&command.id.0, &channels, &jobs, &simulated, &at]).await?;
    Ok(())
}

async fn get(tx: &Transaction<'_>, id: PresupuestoId) -> Step<Option<Presupuesto>> {
    Ok(run_in(tx, &queries::quote::get(id)).await?.pop())
}

async fn set_pdf(tx: &Transaction<'_>, id: PresupuestoId, pdf: StoredPdf) -> Step<()> {
    let bytes = i64::try_from(pdf.bytes).unwrap_or(i64::MAX);
    let set = tx.prepare_cached(include_str!("../../sql/presupuesto/set_pdf.sql")).await?;
    tx.execute(&set, &[&id.0, &pdf.digest.0.as_slice(), &pdf.sha256.as_slice(), &bytes]).await?;
    Ok(())
}

async fn set_state(
    tx: &Transaction<'_>,
    id: PresupuestoId,
    state: PresupuestoState,
    emitido_en: Option<Timestamp>,
) -> Step<()> {
    let set = tx.prepare_cached(include_str!("../../sql/presupuesto/set_estado.sql")).await?;
    tx.execute(&set, &[&id.0, &state.as_str(), &emitido_en.map(Instant::from)]).await?;
    Ok(())
}

/// Writes down what a client says of a quote; with it, whose quote it is and whether a job was made that waits for any process.
pub(crate) async fn answer(pool: &Pool, command: &AnswerPresupuesto) -> Step<(AnswerResult, Finished)> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let find = tx.prepare_cached(include_str!("../../sql/presupuesto/get_lead.sql")).await?;
    let row = tx.query_opt(&find, &[&command.id.0]).await?.ok_or(StoreError::PresupuestoNotFound)?;
    let lead = LeadId(row.try_get("lead_id")?);
    watched_loop::lock(&tx, lead).await?;
    let antes = get(&tx, command.id).await?.ok_or(StoreError::PresupuestoNotFound)?;
    let state = match command.decide(&antes) {
        Ok(state) => state,
        Err(answer_result) => return Ok((answer_result, Finished { lead, loose: false })),
    };
    let r = &command.answer;
    let (empresa, at) = (antes.empresa.0, Instant::from(r.at));
    let sha256 = r.pdf_sha256.as_slice();
    let insert = tx.prepare_cached(include_str!("../../sql/presupuesto_respuesta/insert.sql")).await?;
    tx.execute(
        &insert,
        &[&command.id.0, &lead.0, &empresa, &r.accepted, &r.reason, &r.ip, &r.texto_version, &sha256, &at],
    )
    .await?;
    set_state(&tx, command.id, state, None).await?;
    etapa::settle(&tx, lead, r.at).await?;
    event::insert(&tx, lead, empresa, std::slice::from_ref(&command.event)).await?;
    let loose = job::insert(&tx, lead, &command.jobs, r.at).await?;
    commit(tx).await?;
    Ok((AnswerResult::Done, Finished { lead, loose }))
}

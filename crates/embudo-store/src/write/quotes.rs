//! Quotes: drafted with a number, completed with their PDF, answered by clients. The domain decides what may happen to
//! a quote.
//!
//! Every command here holds the lead's lock, so that a lead's quotes change one command at a time. The series of
//! numbers of a company is locked after the lead, by the statement that gives a number.

use async_trait::async_trait;
use embudo_domain::job::JobKind;
use embudo_domain::presupuesto::{Certainty, OrderedDelivery, Presupuesto, PresupuestoState, StoredPdf};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp};

use super::json;
use super::{Engine, Load, Lock, Tx, audit, blobs, etapa, sql};
use crate::presupuestos::{
    AnswerPresupuesto, AnswerResult, AskVisit, CompletePresupuesto, KeepAccepted, NewPresupuesto, replaceable,
};
use crate::queries::{Query, Statement, job as jobs, lead as leads, quote as queries};
use crate::touches::Touch;
use crate::{PresupuestoStore, Result, StoreError};

/// Approximately how long a quote's document is.
pub(super) const DOCUMENT: usize = 16 << 10;

#[async_trait]
impl<E: Engine> PresupuestoStore for E {
    async fn add_presupuesto(&self, command: NewPresupuesto) -> Result<Presupuesto> {
        let load = Load::on(command.lead.0).and(DOCUMENT);
        let drafted = self.write(load, command, |tx, command| Box::pin(draft(tx, command))).await?;
        self.touched().note(drafted.lead, Touch::anew());
        Ok(drafted)
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let load = Load::on(command.id.0).and(DOCUMENT);
        let end = self.write(load, command, |tx, command| Box::pin(complete(tx, command))).await?;
        let Some((lead, loose)) = end else { return Ok(false) };
        self.tell_of(loose);
        self.touched().note(lead, Touch::anew());
        Ok(true)
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult> {
        let load = Load::on(command.id.0);
        let end = self.write(load, command, |tx, command| Box::pin(answer(tx, command))).await?;
        Ok(answered(self, end))
    }

    async fn keep_accepted(&self, command: KeepAccepted) -> Result<()> {
        let load = Load::on(command.id.0);
        let lead = self.write(load, command, |tx, command| Box::pin(keep_accepted(tx, command))).await?;
        self.touched().note(lead, Touch::seen());
        Ok(())
    }

    async fn ask_visit(&self, command: AskVisit) -> Result<AnswerResult> {
        let load = Load::on(command.id.0);
        let end = self.write(load, command, |tx, command| Box::pin(ask(tx, command))).await?;
        Ok(answered(self, end))
    }
}

/// The result of an answer, the quote's lead, and whether a job was made that any process may take.
type Answered = (AnswerResult, LeadId, bool);

fn answered(engine: &impl Engine, (result, lead, loose): Answered) -> AnswerResult {
    engine.tell_of(loose);
    engine.touched().note(lead, Touch::anew());
    result
}

/// Drafts a quote, unless the lead's last one has the same content and is still valid.
async fn draft(tx: &Tx<'_>, command: &NewPresupuesto) -> Result<Presupuesto> {
    let (lead, content) = (command.lead, command.document.digest());
    tx.lock(Lock::Lead(lead)).await?;
    let empresa = tx.first(leads::empresa(lead)).await?.ok_or(StoreError::LeadNotFound)?;
    let last = tx.first(queries::last(lead)).await?;
    if let Some(last) = last.as_ref().filter(|last| command.repeats(last, content)) {
        return Ok(last.clone());
    }
    issue(tx, command, empresa, last.as_ref(), None).await
}

/// Stores a quote with its number; earlier quotes of the lead are superseded. The caller has locked the lead.
pub(super) async fn issue(
    tx: &Tx<'_>,
    command: &NewPresupuesto,
    empresa: EmpresaId,
    last: Option<&Presupuesto>,
    draft_json: Option<&str>,
) -> Result<Presupuesto> {
    let (lead, content) = (command.lead, command.document.digest());
    let sustituido = PresupuestoState::Superseded.as_str();
    for state in replaceable() {
        tx.run(sql!("presupuesto/supersede.sql", lead: lead.0, estado: state.as_str(), sustituido)).await?;
    }
    let next = Query::new(include_str!("../../sql/presupuesto_serie/next.sql"), |c| c.get("ultimo"))
        .bind("empresa", empresa.0)
        .bind("anio", command.year()?);
    let orden = tx.first(next).await?;
    let orden = orden.ok_or_else(|| StoreError::Internal("a series gave no number".into()))?;
    let new = command.clone().numbered(content, empresa, orden, last)?;
    tx.run(insert(&new, draft_json)?).await?;
    etapa::settle(tx, lead, command.at).await?;
    Ok(new)
}

fn insert(p: &Presupuesto, draft_json: Option<&str>) -> Result<Statement> {
    let certainty = Certainty::of(&p.document);
    Ok(sql!(
        "presupuesto/insert.sql",
        id: p.id.0,
        lead: p.lead.0,
        empresa: p.empresa.0,
        anio: p.number.year(),
        orden: p.number.orden(),
        version: p.version,
        estado: p.state.as_str(),
        contenido: p.content,
        total_cents: p.document.impuesto.total.0,
        emitido: p.validity.issued,
        hasta: p.validity.until,
        now: p.creado_en,
        documento: json(&p.document)?,
        hoja: draft_json,
        orientativo: certainty.is_orientative.then_some(true),
        rango_min_cents: certainty.range.map(|range| range.minimum.0),
        rango_max_cents: certainty.range.map(|range| range.maximum.0),
    ))
}

/// Stores a quote's PDF, makes its deliveries and ends the job that drew it. Returns the quote's lead, and whether a
/// job was made that any process may take. `None`: the process does not hold the job any more.
async fn complete(tx: &Tx<'_>, command: &CompletePresupuesto) -> Result<Option<(LeadId, bool)>> {
    let (id, mut end) = (command.id, command.end.clone());
    let Some(lead) = tx.first(jobs::lead_of_held(end.id, end.who)).await? else { return Ok(None) };
    tx.lock(Lock::Lead(lead)).await?;
    tx.lock(Lock::Blobs(lead)).await?;
    tx.lock(Lock::Job(end.id)).await?;
    if tx.first(jobs::lead_of_held(end.id, end.who)).await?.is_none() {
        return Ok(None);
    }
    let before = tx.first(queries::get(id)).await?.filter(|quote| quote.lead == lead);
    let before = before.ok_or(StoreError::PresupuestoNotFound)?;
    if before.pdf.is_none() {
        blobs::check(tx, lead, command.pdf.digest, &command.swept).await?;
        tx.run(set_pdf(id, command.pdf)).await?;
    }
    if before.state.can_become(PresupuestoState::Emitido) {
        tx.run(set_state(id, PresupuestoState::Emitido, Some(end.at))).await?;
        etapa::settle(tx, lead, end.at).await?;
    } else {
        // The quote is sent again, which is no new event for workflows.
        end.jobs.retain(|job| job.kind != JobKind::Event);
    }
    let is_delivered = before.state != PresupuestoState::Superseded;
    if !is_delivered {
        end.jobs.clear();
    }
    let loose = tx.finish(&end).await?.unwrap_or_default();
    if is_delivered {
        tx.events(lead, &command.events).await?;
        for delivery in &command.deliveries {
            tx.run(deliver(id, delivery, end.at)).await?;
        }
    }
    Ok(Some((lead, loose)))
}

fn deliver(id: PresupuestoId, delivery: &OrderedDelivery, at: Timestamp) -> Statement {
    sql!(
        "presupuesto_entrega/insert.sql",
        presupuesto: id.0,
        canal: delivery.channel.as_str(),
        trabajo: delivery.job.0,
        simulada: delivery.simulated,
        now: at,
    )
}

fn set_pdf(id: PresupuestoId, pdf: StoredPdf) -> Statement {
    let bytes = i64::try_from(pdf.bytes).unwrap_or(i64::MAX);
    sql!("presupuesto/set_pdf.sql", id: id.0, huella: pdf.digest, sha256: pdf.sha256, bytes)
}

fn set_state(id: PresupuestoId, state: PresupuestoState, emitido_en: Option<Timestamp>) -> Statement {
    sql!("presupuesto/set_estado.sql", id: id.0, estado: state.as_str(), emitido_en)
}

/// A quote, after locking its lead.
async fn locked(tx: &Tx<'_>, id: PresupuestoId) -> Result<Presupuesto> {
    let lead = tx.first(queries::lead(id)).await?.ok_or(StoreError::PresupuestoNotFound)?;
    tx.lock(Lock::Lead(lead)).await?;
    tx.first(queries::get(id)).await?.ok_or(StoreError::PresupuestoNotFound)
}

/// Writes a client's answer to a quote.
async fn answer(tx: &Tx<'_>, command: &AnswerPresupuesto) -> Result<Answered> {
    let before = locked(tx, command.id).await?;
    let lead = before.lead;
    let state = match command.decide(&before) {
        Ok(state) => state,
        Err(result) => return Ok((result, lead, false)),
    };
    let r = &command.answer;
    let insert = sql!(
        "presupuesto_respuesta/insert.sql",
        presupuesto: command.id.0,
        aceptado: r.accepted,
        motivo: &r.reason,
        ip: &r.ip,
        texto_version: &r.texto_version,
        declaracion: &r.declaracion,
        opciones: r.kept_options(),
        total_cents: r.total.map(|total| total.0),
        inicio_anticipado: &r.early_start,
        apuntado_por: r.by_phone.as_ref().map(|by| &by.who),
        apuntado_nota: r.by_phone.as_ref().and_then(|by| by.note.as_ref()),
        pdf_sha256: r.pdf_sha256,
        creado_en: r.at,
    );
    tx.run(insert).await?;
    tx.run(set_state(command.id, state, None)).await?;
    etapa::settle(tx, lead, r.at).await?;
    tx.events(lead, std::slice::from_ref(&command.event)).await?;
    audit::tell(tx, command.audit.as_ref()).await?;
    Ok((AnswerResult::Done, lead, tx.jobs(lead, &command.jobs, r.at).await?))
}

/// Stores the PDF of an accepted quote; returns the quote's lead.
async fn keep_accepted(tx: &Tx<'_>, command: &KeepAccepted) -> Result<LeadId> {
    let KeepAccepted { id, pdf, swept } = command;
    let quote = locked(tx, *id).await?;
    if quote.state != PresupuestoState::Aceptado {
        return Err(StoreError::PresupuestoNotFound);
    }
    if quote.accepted_pdf.is_none() {
        tx.lock(Lock::Blobs(quote.lead)).await?;
        blobs::check(tx, quote.lead, pdf.digest, swept).await?;
        let bytes = i64::try_from(pdf.bytes).unwrap_or(i64::MAX);
        let set =
            sql!("presupuesto/set_accepted.sql", id: id.0, huella: pdf.digest, sha256: pdf.sha256, bytes);
        tx.run(set).await?;
    }
    Ok(quote.lead)
}

/// Writes that a client asks for a visit.
async fn ask(tx: &Tx<'_>, command: &AskVisit) -> Result<Answered> {
    let before = locked(tx, command.id).await?;
    let (lead, at) = (before.lead, command.request.at);
    if let Err(result) = command.decide(&before) {
        return Ok((result, lead, false));
    }
    tx.run(sql!("presupuesto/set_visita.sql", id: command.id.0, now: at, nota: &command.request.note))
        .await?;
    etapa::settle(tx, lead, at).await?;
    tx.events(lead, std::slice::from_ref(&command.event)).await?;
    Ok((AnswerResult::Done, lead, tx.jobs(lead, &command.jobs, at).await?))
}

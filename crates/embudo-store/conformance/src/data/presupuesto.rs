//! Quotes ready to be drafted, completed and answered, on the suite's fixed clock.

use std::sync::Arc;

use embudo_domain::brand::Brand;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::iva::{Condiciones, Impuestos};
use embudo_domain::job::JobKind;
use embudo_domain::nota::Nota;
use embudo_domain::presupuesto::{
    Base, Bounds, Character, Document, Presupuesto, PresupuestoState, PrintedOption, SignedAnswer, StoredPdf,
    Validity, VisitRequest,
};
use embudo_domain::pricing::Line;
use embudo_domain::tarifa::Tarifa;
use embudo_domain::{Digest, LeadId, NotaId, PresupuestoId, Timestamp};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use uuid::Uuid;

use super::outbox::{LENGTH, end, make, of, process};
use super::{event, record, t};
use embudo_store::Store;
use embudo_store::outbox::JobOutcome;
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, AskVisit, CompletePresupuesto, NewPresupuesto,
};

/// The day on which the suite's quotes are issued.
pub const TODAY: Date = date(2026, 11, 14);

/// This many days after [`TODAY`].
pub fn day(more: i32) -> Date {
    TODAY.saturating_add(more.days())
}

/// A quote's document for this lead, with one note.
pub async fn document(store: &Arc<dyn Store>, lead: LeadId, nota: &str) -> Document {
    let base = Base {
        brand: &Brand::default(),
        logo: None,
        tarifa: &Tarifa::por_defecto(),
        impuestos: &Impuestos::por_defecto(),
        condiciones: Condiciones::default(),
        legal: None,
        day: TODAY,
        // The store keeps documents of any size.
        bounds: Bounds { lines: usize::MAX, text: usize::MAX },
    };
    let nota = Nota { id: NotaId(Uuid::nil()), text: nota.to_owned(), zona: None, creada_en: t(0) };
    let document = Document::compose(&record(store, lead).await.lead, &[nota], &[], base);
    Document { decided: Some(Character::Binding), ..document }
}

/// A draft that is valid for thirty days.
pub fn draft(lead: LeadId, document: Document, issued: Date, at: Timestamp) -> NewPresupuesto {
    let validity = Validity::new(issued, 30);
    NewPresupuesto { id: PresupuestoId(Uuid::new_v4()), lead, document, validity, at }
}

/// Drafts a quote with this note, today.
pub async fn add_presupuesto(store: &Arc<dyn Store>, lead: LeadId, nota: &str) -> Presupuesto {
    draft_it(store, lead, nota, TODAY).await
}

/// Drafts a quote with this note on a day.
pub async fn draft_it(store: &Arc<dyn Store>, lead: LeadId, nota: &str, issued: Date) -> Presupuesto {
    let document = document(store, lead, nota).await;
    store.add_presupuesto(draft(lead, document, issued, t(1))).await.expect("drafted")
}

/// A quote as it is stored now.
pub async fn job_of(store: &Arc<dyn Store>, p: &Presupuesto) -> Presupuesto {
    store.presupuesto(p.id).await.expect("the quote exists")
}

pub async fn state_of(store: &Arc<dyn Store>, p: &Presupuesto) -> PresupuestoState {
    job_of(store, p).await.state
}

/// The numbers of a lead's quotes with their states, oldest first.
pub async fn summary(store: &Arc<dyn Store>, lead: LeadId) -> Vec<(String, u32, PresupuestoState)> {
    let all = store.presupuestos(lead).await.expect("a list");
    let short: Vec<_> = all.iter().map(Presupuesto::summary).collect();
    assert_eq!(record(store, lead).await.presupuestos, short, "record and list agree");
    all.into_iter().rev().map(|p| (p.number.to_string(), p.version, p.state)).collect()
}

/// A PDF that is different for each `which`.
pub fn pdf(which: &str) -> StoredPdf {
    let digest = Digest::of(which.as_bytes());
    StoredPdf { digest, sha256: Digest::of(&digest.0).0, bytes: 123_456 }
}

/// The end of a new job that drew this PDF for the quote's lead. The job is held by a process of its own.
pub async fn drawn(store: &Arc<dyn Store>, p: &Presupuesto, pdf: StoredPdf) -> CompletePresupuesto {
    let who = process();
    let id = make(store, p.lead, of(JobKind::Presupuesto, who, LENGTH), t(1)).await;
    CompletePresupuesto {
        id: p.id,
        pdf,
        events: Vec::new(),
        deliveries: Vec::new(),
        end: end(id, who, JobOutcome::Done, t(2)),
        swept: Vec::new(),
    }
}

/// Completes a quote with its first PDF.
pub async fn complete(store: &Arc<dyn Store>, p: &Presupuesto) {
    let command = drawn(store, p, pdf(&p.id.to_string())).await;
    assert!(store.complete_presupuesto(command).await.expect("completed"), "the job is held");
}

/// A quote that was sent.
pub async fn send(store: &Arc<dyn Store>, lead: LeadId, nota: &str) -> Presupuesto {
    let p = add_presupuesto(store, lead, nota).await;
    complete(store, &p).await;
    job_of(store, &p).await
}

/// Sends a quote with this document.
pub async fn send_document(store: &Arc<dyn Store>, lead: LeadId, document: Document) -> Presupuesto {
    let command = draft(lead, document, TODAY, t(1));
    let p = store.add_presupuesto(command).await.expect("drafted");
    complete(store, &p).await;
    job_of(store, &p).await
}

/// The same document with this many of its first lines as options too.
pub fn with_options(document: Document, how_many: usize) -> Document {
    let lines: Vec<_> = document.pricing.capitulos.iter().flat_map(|c| &c.lines).take(how_many).collect();
    let option = |(n, line): (usize, &&Line)| PrintedOption {
        id: format!("opcion-{n}"),
        zona: document.pricing.kind,
        room: None,
        capitulo: "Opciones".into(),
        line: (*line).clone(),
    };
    let options = lines.iter().enumerate().map(option).collect();
    Document { options, ..document }
}

/// A client who asks for a visit today.
pub fn asks(p: &Presupuesto, note: Option<&str>, at: Timestamp) -> AskVisit {
    AskVisit {
        id: p.id,
        request: VisitRequest { at, note: note.map(str::to_owned) },
        today: TODAY,
        event: event(EventKind::AskedVisit, at),
        jobs: Vec::new(),
    }
}

/// A client's answer to a quote today, which names the PDF of the quote.
pub fn says(p: &Presupuesto, accepted: bool, at: Timestamp) -> AnswerPresupuesto {
    let answer = SignedAnswer {
        accepted,
        reason: None,
        ip: None,
        texto_version: "2026-01".into(),
        declaracion: Some("iva_reducido 2026.1".into()),
        options: Vec::new(),
        total: accepted.then_some(p.document.impuesto.total),
        early_start: None,
        by_phone: None,
        pdf_sha256: p.pdf.map_or([0; 32], |pdf| pdf.sha256),
        at,
    };
    let event = incident(accepted, at);
    AnswerPresupuesto { id: p.id, answer, today: TODAY, event, jobs: Vec::new(), audit: None }
}

/// The event of an answer.
pub fn incident(accepted: bool, at: Timestamp) -> Event {
    let kind = if accepted { EventKind::PresupuestoAccepted } else { EventKind::PresupuestoRejected };
    event(kind, at)
}

/// Sends an answer and returns the result.
pub async fn answer(store: &Arc<dyn Store>, command: AnswerPresupuesto) -> AnswerResult {
    store.answer_presupuesto(command).await.expect("answered")
}

/// A new quote of the lead, with this note, in the given state.
pub async fn in_state(
    store: &Arc<dyn Store>,
    lead: LeadId,
    nota: &str,
    state: PresupuestoState,
) -> Presupuesto {
    if state == PresupuestoState::Preparing {
        return add_presupuesto(store, lead, nota).await;
    }
    let p = send(store, lead, nota).await;
    match state {
        PresupuestoState::Aceptado | PresupuestoState::Rechazado => {
            let command = says(&p, state == PresupuestoState::Aceptado, t(3));
            assert_eq!(answer(store, command).await, AnswerResult::Done);
        }
        PresupuestoState::Superseded => drop(add_presupuesto(store, lead, &format!("{nota}, mejor")).await),
        PresupuestoState::Preparing | PresupuestoState::Emitido => {}
    }
    let p = job_of(store, &p).await;
    assert_eq!(p.state, state);
    p
}

//! A client's answer to a quote: accepted, declined, or a visit requested, with the evidence.

use std::net::IpAddr;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::event::{Event, EventKind};
use embudo_domain::iva::Impuesto;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{ByPhone, Presupuesto, SignedAnswer, VisitRequest};
use embudo_domain::signal::{EventTopic, NewEvent};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::presupuestos::{AnswerPresupuesto, AnswerResult, AskVisit};
use embudo_store::{CallKey, Done, Outcome, StoreError};

use super::Quotes;
use crate::AppError;
use crate::access::Actor;
use crate::notices::{Notice, Taken};

/// The version of the text that a client agrees to when accepting.
pub const ACCEPTANCE_TEXT: &str = "2026-11-16.2";

/// Stored instead of the text version if the client said it by telephone.
const BY_PHONE_TEXT: &str = "por teléfono";

#[derive(Debug, Clone)]
pub struct ClientAnswer {
    pub word: ClientWord,
    pub ip: Option<IpAddr>,
}

#[derive(Debug, Clone)]
pub enum ClientWord {
    Accepts {
        /// The ids of the options that were ticked.
        options: Vec<String>,
        /// The total that the client saw.
        total: Cents,
        /// Whether the client made the declaration that the tax rate requires.
        declared: bool,
        /// Whether the client requests that the work begin within the days of withdrawal.
        early_start: bool,
    },
    Declines {
        /// The reason, in the client's words.
        reason: Option<String>,
    },
}

impl Quotes<'_> {
    /// Records a client's answer to the quote that they were shown. The company is notified. After an acceptance, a PDF
    /// of what was accepted is drawn and mailed to the client.
    pub async fn answer(
        self,
        presupuesto: &Presupuesto,
        answer: ClientAnswer,
    ) -> Result<AnswerResult, AppError> {
        self.write_answer(presupuesto, answer, None).await
    }

    /// Records an answer that a client gave to a person of the company by telephone. It is the same answer, with the
    /// name of the person who wrote it down. There is no network address of the client, and the client did not see the
    /// text on the page.
    pub async fn answer_by_phone(
        self,
        presupuesto: &Presupuesto,
        word: ClientWord,
        note: Option<String>,
        actor: &Actor,
    ) -> Result<AnswerResult, AppError> {
        let mut audit = self.app.leads().entry(
            presupuesto.lead,
            presupuesto.empresa,
            AuditAction::QuoteAcceptedByPhone,
            actor,
        );
        audit.after = Some(match &note {
            Some(note) => format!("{}: {note}", presupuesto.number),
            None => presupuesto.number.to_string(),
        });
        let by = ByPhone { who: actor.who.clone(), note };
        self.write_answer(presupuesto, ClientAnswer { word, ip: None }, Some((by, audit))).await
    }

    async fn write_answer(
        self,
        presupuesto: &Presupuesto,
        answer: ClientAnswer,
        told: Option<(ByPhone, AuditEntry)>,
    ) -> Result<AnswerResult, AppError> {
        let (by_phone, audit) = told.unzip();
        let pdf = presupuesto.pdf.ok_or(StoreError::PresupuestoNotFound)?;
        let (at, document) = (self.app.now(), &presupuesto.document);
        let number = presupuesto.number.to_string();
        let unanswered = SignedAnswer {
            accepted: false,
            reason: None,
            ip: answer.ip.map(|ip| ip.to_string()),
            texto_version: if by_phone.is_some() { BY_PHONE_TEXT } else { ACCEPTANCE_TEXT }.to_owned(),
            declaracion: None,
            options: Vec::new(),
            total: None,
            early_start: None,
            by_phone,
            pdf_sha256: pdf.sha256,
            at,
        };
        let (kind, signed) = match answer.word {
            ClientWord::Accepts { options, total, declared, early_start } => {
                let Some(options) = document.choose(&options) else {
                    return Ok(AnswerResult::OtherOptions);
                };
                let impuesto = document.with_options(&options).impuesto;
                let early_start = document.early_start().filter(|_| early_start);
                let signed = SignedAnswer {
                    accepted: true,
                    declaracion: declared.then(|| declaration_of(&impuesto)),
                    options,
                    total: Some(total),
                    early_start: early_start.map(|text| text.version.clone()),
                    ..unanswered
                };
                (EventKind::PresupuestoAccepted, signed)
            }
            ClientWord::Declines { reason } => {
                (EventKind::PresupuestoRejected, SignedAnswer { reason, ..unanswered })
            }
        };
        let notice = Notice::Answered {
            number: number.clone(),
            accepted: signed.accepted,
            reason: signed.reason.clone(),
            taken: Taken::of(&signed),
        };
        let detail = match &signed.by_phone {
            Some(by) => format!("{number}, por teléfono: lo apuntó {}", by.who),
            None => number,
        };
        let mut jobs = self.app.jobs().notice(&notice);
        let topic = match signed.accepted {
            true => EventTopic::QuoteAccepted,
            false => EventTopic::QuoteRejected,
        };
        let total = signed.total.unwrap_or(document.impuesto.total);
        let event = NewEvent::of_quote(topic, presupuesto.number, total);
        jobs.extend(self.app.jobs().event(Some(presupuesto.empresa), event).await?);
        if signed.accepted {
            jobs.push(self.app.jobs().acceptance(presupuesto.id));
        }
        let command = AnswerPresupuesto {
            id: presupuesto.id,
            answer: signed,
            today: self.app.today(),
            event: Event { kind, simulated: false, ok: true, detail: Some(detail), creado_en: at },
            jobs,
            audit,
        };
        let result = self.app.store.answer_presupuesto(command).await?;
        self.app.attempts.notify();
        Ok(result)
    }

    /// Records that a person gave the quote to the client. If the button is pressed twice, it is recorded once.
    pub async fn hand_over(
        self,
        presupuesto: &Presupuesto,
        key: CallKey,
        actor: &Actor,
    ) -> Result<(), AppError> {
        let (lead, at, number) = (presupuesto.lead, self.app.now(), presupuesto.number.to_string());
        let event = Event {
            kind: EventKind::DeliveredByHand,
            simulated: false,
            ok: true,
            detail: Some(number.clone()),
            creado_en: at,
        };
        let idempotency = Some(key.with(Outcome::Done, Vec::new(), at));
        let command = RecordEvent { lead, event: Some(event), jobs: Vec::new(), at, idempotency };
        if self.app.store.record_event(command).await? == Done::Now {
            let action = AuditAction::QuoteHandedOver;
            self.app.leads().log(lead, presupuesto.empresa, action, Some(number), actor).await?;
        }
        Ok(())
    }

    /// Records that a client wants a visit, on a quote that is not binding yet. The company is notified once.
    pub async fn ask_visit(
        self,
        presupuesto: &Presupuesto,
        note: Option<String>,
    ) -> Result<AnswerResult, AppError> {
        let (at, number) = (self.app.now(), presupuesto.number.to_string());
        let notice = Notice::AskedVisit { number: number.clone(), note: note.clone() };
        let command = AskVisit {
            id: presupuesto.id,
            request: VisitRequest { at, note },
            today: self.app.today(),
            event: Event {
                kind: EventKind::AskedVisit,
                simulated: false,
                ok: true,
                detail: Some(number),
                creado_en: at,
            },
            jobs: self.app.jobs().notice(&notice),
        };
        Ok(self.app.store.ask_visit(command).await?)
    }
}

/// The rule whose declaration a client makes, with the version of the rules.
fn declaration_of(impuesto: &Impuesto) -> String {
    format!("{} {}", impuesto.rule, impuesto.version)
}

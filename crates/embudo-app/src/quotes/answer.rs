//! What a client says of a quote: accepted or declined, with the evidence.

use std::net::IpAddr;

use embudo_domain::event::{Event, EventKind};
use embudo_domain::presupuesto::{Presupuesto, SignedAnswer};
use embudo_store::StoreError;
use embudo_store::presupuestos::{AnswerPresupuesto, AnswerResult};

use super::Quotes;
use crate::AppError;
use crate::notices::Notice;

/// The version of the words that a client agrees to when accepting.
pub const ACCEPTANCE_TEXT: &str = "2026-11";

#[derive(Debug, Clone)]
pub struct ClientAnswer {
    pub accepted: bool,
    /// Why, in the client's words.
    pub reason: Option<String>,
    pub ip: Option<IpAddr>,
}

impl Quotes<'_> {
    /// Writes down what a client says of the quote they were shown. The company is told.
    pub async fn answer(
        self,
        presupuesto: &Presupuesto,
        answer: ClientAnswer,
    ) -> Result<AnswerResult, AppError> {
        let pdf = presupuesto.pdf.ok_or(StoreError::PresupuestoNotFound)?;
        let at = self.app.now();
        let kind =
            if answer.accepted { EventKind::PresupuestoAccepted } else { EventKind::PresupuestoRejected };
        let number = presupuesto.number.to_string();
        let notice = Notice::Answered {
            number: number.clone(),
            accepted: answer.accepted,
            reason: answer.reason.clone(),
        };
        let command = AnswerPresupuesto {
            id: presupuesto.id,
            answer: SignedAnswer {
                accepted: answer.accepted,
                reason: answer.reason,
                ip: answer.ip.map(|ip| ip.to_string()),
                texto_version: ACCEPTANCE_TEXT.to_owned(),
                pdf_sha256: pdf.sha256,
                at,
            },
            today: self.app.today(),
            event: Event { kind, simulated: false, ok: true, detail: Some(number), creado_en: at },
            jobs: self.app.jobs().notice(&notice),
        };
        Ok(self.app.store.answer_presupuesto(command).await?)
    }
}

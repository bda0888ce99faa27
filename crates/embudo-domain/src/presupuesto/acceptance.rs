//! What a client took of a quote, and the visit they asked for where it is no promise yet.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Document, Presupuesto, PrintedOption, SignedAnswer};
use crate::legal::{LegalKey, LegalText};
use crate::money::Cents;

/// An option that a client ticked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenOption {
    /// Its name in the quote.
    pub id: String,
    /// What it is, with its room where there are several.
    pub concepto: String,
}

/// What a client accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// What they pay, tax and options included.
    pub total: Cents,
    /// In the quote's order.
    pub options: Vec<ChosenOption>,
    /// They declared what the rate of the tax supposes.
    pub declared: bool,
    /// They asked for the work to begin within the days of withdrawal.
    pub early_start: bool,
    pub at: Timestamp,
}

/// A client would like somebody to come and measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitRequest {
    pub at: Timestamp,
    /// When it suits them, or whatever they wrote.
    pub note: Option<String>,
}

impl Presupuesto {
    /// What the client accepted, if they did.
    pub fn acceptance(&self) -> Option<Acceptance> {
        let answer = self.answer.as_ref().filter(|answer| answer.accepted)?;
        Some(Acceptance {
            total: answer.total.unwrap_or(self.document.impuesto.total),
            options: answer.options.clone(),
            declared: answer.declaracion.is_some(),
            early_start: answer.early_start.is_some(),
            at: answer.at,
        })
    }

    /// The visit that still waits for an answer: nothing was said of the quote since.
    pub fn open_visit(&self) -> Option<&VisitRequest> {
        let answered = self.answer.as_ref().map(|answer| answer.at);
        self.visit.as_ref().filter(|visit| answered.is_none_or(|at| at <= visit.at))
    }
}

impl SignedAnswer {
    /// The options as they are kept; nothing where none was ticked.
    pub fn kept_options(&self) -> Option<String> {
        let kept = || serde_json::to_string(&self.options).expect("plain data becomes JSON");
        (!self.options.is_empty()).then(kept)
    }
}

impl Document {
    /// The options with these ids, in the quote's order. `None`: one of them is not of this quote, or more are named than there are.
    pub fn choose<T: AsRef<str>>(&self, ids: &[T]) -> Option<Vec<ChosenOption>> {
        let is_own = |id: &T| self.options.iter().any(|o| o.id == id.as_ref());
        if ids.len() > self.options.len() || !ids.iter().all(is_own) {
            return None;
        }
        let is_chosen = |o: &&PrintedOption| ids.iter().any(|id| id.as_ref() == o.id);
        Some(self.options.iter().filter(is_chosen).map(PrintedOption::chosen).collect())
    }

    /// The request to begin within the days of withdrawal, where the quote carries it.
    pub fn early_start(&self) -> Option<&LegalText> {
        self.legal.iter().find(|text| text.key == LegalKey::EarlyStart)
    }
}

impl PrintedOption {
    fn chosen(&self) -> ChosenOption {
        let concepto = match &self.room {
            Some(room) => format!("{room}: {}", self.line.concepto),
            None => self.line.concepto.clone(),
        };
        ChosenOption { id: self.id.clone(), concepto }
    }
}

impl AsRef<str> for ChosenOption {
    fn as_ref(&self) -> &str {
        &self.id
    }
}

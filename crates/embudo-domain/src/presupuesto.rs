//! A quote: its number, its states, how long it holds, what it says ([`Document`]), and when two of them say the same.

mod acceptance;
mod bounds;
mod delivery;
mod differences;
mod document;
pub mod draft;
pub(crate) mod number;
mod options;
mod scope;
mod sections;
mod terms;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

use crate::digest::Digest;
use crate::money::Cents;
use crate::pricing::Range;
use crate::{EmpresaId, LeadId, PresupuestoId};

pub use acceptance::{Acceptance, ByPhone, ChosenOption, VisitRequest};
pub use bounds::Bounds;
pub use delivery::{DeliveryChannel, DeliveryState, OrderedDelivery, PresupuestoDelivery};
pub use differences::{Difference, DifferenceKind, differences, of_drafts};
pub use document::{Base, Cliente, Document, Issuer, PrintedFoto, PrintedNota};
pub use draft::Draft;
pub use number::PresupuestoNumber;
pub use options::{Chosen, PrintedOption};
pub use scope::{ScopeLine, ScopePart};
pub use sections::{PrintedRoom, Section};
pub use terms::{Character, Discount, DiscountValue, Due, Payment, Terms};

enumeration! {
    /// Where a quote stands.
    PresupuestoState {
        Borrador = "borrador",
        /// Drawn and handed to its deliveries, whatever becomes of them.
        Emitido = "emitido",
        Aceptado = "aceptado",
        Rechazado = "rechazado",
        Superseded = "sustituido",
    }
}

impl PresupuestoState {
    /// Which of a lead's quotes tells what the job comes to: the one with the lowest number. What was accepted counts
    /// most, then what was sent, what is being drawn, and what was declined.
    pub fn precedence(self) -> u8 {
        match self {
            Self::Aceptado => 0,
            Self::Emitido => 1,
            Self::Borrador => 2,
            Self::Rechazado => 3,
            Self::Superseded => 4,
        }
    }

    /// Whether a quote may go from this state to another.
    ///
    /// A draft is issued or superseded. An issued one is answered or superseded. A client who declined may still change
    /// their mind, and a declined one may be superseded by a better offer. An accepted one is a contract: nothing
    /// changes it.
    pub fn can_become(self, a: Self) -> bool {
        use PresupuestoState::{Aceptado, Borrador, Emitido, Rechazado, Superseded};
        matches!(
            (self, a),
            (Borrador, Emitido | Superseded)
                | (Emitido, Aceptado | Rechazado | Superseded)
                | (Rechazado, Aceptado | Superseded)
        )
    }

    /// Whether nothing can change it any more.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Aceptado | Self::Superseded)
    }
}

/// From when until when a quote holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// The day it was issued, in the company's zone.
    pub issued: Date,
    /// The last day on which it holds.
    pub until: Date,
}

impl Validity {
    /// A quote issued on a day that holds for some days after it.
    pub fn new(issued: Date, days: u16) -> Self {
        Self { issued, until: issued.saturating_add(i32::from(days).days()) }
    }

    /// Whether it still holds on a day.
    pub fn holds(&self, day: Date) -> bool {
        day <= self.until
    }
}

/// A quote as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presupuesto {
    pub id: PresupuestoId,
    pub lead: LeadId,
    /// The lead's company.
    pub empresa: EmpresaId,
    /// Its number within the company.
    pub number: PresupuestoNumber,
    /// Its place among the lead's quotes, from 1.
    pub version: u32,
    pub state: PresupuestoState,
    pub document: Document,
    /// The digest of what it says ([`Document::digest`]).
    pub content: Digest,
    /// From when until when it holds.
    pub validity: Validity,
    /// Its PDF, once drawn.
    pub pdf: Option<StoredPdf>,
    /// The PDF of what the client accepted, once drawn.
    pub accepted_pdf: Option<StoredPdf>,
    /// When it was drafted.
    pub creado_en: Timestamp,
    /// When it was issued: drawn, and handed to its deliveries.
    pub emitido_en: Option<Timestamp>,
    /// What the client said of it last.
    pub answer: Option<SignedAnswer>,
    /// The visit that the client asked for last, where it is orientative.
    pub visit: Option<VisitRequest>,
}

/// A quote in a lead's record: everything but what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresupuestoSummary {
    pub id: PresupuestoId,
    /// Its number within the company.
    pub number: PresupuestoNumber,
    /// Its place among the lead's quotes, from 1.
    pub version: u32,
    pub state: PresupuestoState,
    /// What the client pays, tax included.
    pub total: Cents,
    pub certainty: Certainty,
    /// From when until when it holds.
    pub validity: Validity,
    /// Its PDF, once drawn.
    pub pdf: Option<StoredPdf>,
    /// The PDF of what the client accepted, once drawn.
    pub accepted_pdf: Option<StoredPdf>,
    /// When it was drafted.
    pub creado_en: Timestamp,
    /// When it was issued: drawn, and handed to its deliveries.
    pub emitido_en: Option<Timestamp>,
    /// What became of its way to the client, one of each channel; empty until it is issued.
    pub deliveries: Vec<PresupuestoDelivery>,
    pub accepted: Option<Acceptance>,
    /// The visit that the client asked for last.
    pub visit: Option<VisitRequest>,
}

impl Presupuesto {
    /// What a lead's record shows of it, but for its deliveries.
    pub fn summary(&self) -> PresupuestoSummary {
        PresupuestoSummary {
            id: self.id,
            number: self.number,
            version: self.version,
            state: self.state,
            total: self.document.impuesto.total,
            certainty: Certainty::of(&self.document),
            validity: self.validity,
            pdf: self.pdf,
            accepted_pdf: self.accepted_pdf,
            creado_en: self.creado_en,
            emitido_en: self.emitido_en,
            deliveries: Vec::new(),
            accepted: self.acceptance(),
            visit: self.visit.clone(),
        }
    }
}

/// Whether a quote's total is a promise, and if not, between what it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Certainty {
    pub is_orientative: bool,
    pub range: Option<Range>,
}

impl Certainty {
    pub fn of(document: &Document) -> Self {
        let is_orientative = document.character() == Character::Orientative;
        Self { is_orientative, range: document.shown_range() }
    }

    /// The price and whether it is a promise, for places that show nothing beside it.
    pub fn label(&self, total: Cents) -> String {
        let figure = self.figure(total);
        if self.is_orientative { format!("{figure}, orientativo") } else { figure }
    }

    /// The price as lists show it: the total, or the range.
    pub fn figure(&self, total: Cents) -> String {
        self.range.map_or_else(|| total.to_string(), |range| range.figure())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredPdf {
    /// Its blob, under the lead's prefix.
    pub digest: Digest,
    /// Its SHA-256, which a client can check.
    pub sha256: [u8; 32],
    pub bytes: u64,
}

/// What a client said of a quote, with the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedAnswer {
    pub accepted: bool,
    /// Why, in the client's words.
    pub reason: Option<String>,
    /// The address it came from.
    pub ip: Option<String>,
    /// The version of the text that the client agreed to.
    pub texto_version: String,
    /// The rule, with its version, whose declaration the client made on accepting; the text is in the sealed document.
    pub declaracion: Option<String>,
    /// The options that the client ticked, in the quote's order.
    pub options: Vec<ChosenOption>,
    /// What the client agreed to pay, tax and options included; none of a declined quote. Answers of before did not
    /// say: it was the quote's own total.
    pub total: Option<Cents>,
    /// The version of the text by which the client asked for the work to begin within the days of withdrawal.
    pub early_start: Option<String>,
    /// Who wrote it down, where the client said it by telephone.
    pub by_phone: Option<ByPhone>,
    /// The PDF that was answered.
    pub pdf_sha256: [u8; 32],
    pub at: Timestamp,
}

enumeration! {
    /// How a total stands to the client's target.
    Fit { Inside = "dentro", Near = "cerca", Above = "por_encima" }
}

impl Fit {
    /// Compares a total with tax, which is what a person pays, with what they want to spend. Up to a tenth above is
    /// near.
    pub fn of(total: Cents, target: Cents) -> Self {
        if total <= target {
            Self::Inside
        } else if i128::from(total.0) * 10 <= i128::from(target.0) * 11 {
            Self::Near
        } else {
            Self::Above
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

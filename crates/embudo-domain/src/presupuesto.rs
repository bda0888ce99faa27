//! A quote: its number, its states, how long it is valid, what it says ([`Document`]), and when two quotes say the
//! same.

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
    /// The state of a quote.
    PresupuestoState {
        /// It has a number and is not drawn yet.
        Preparing = "borrador",
        /// Drawn and handed to its deliveries, whether or not they succeed.
        Emitido = "emitido",
        Aceptado = "aceptado",
        Rechazado = "rechazado",
        Superseded = "sustituido",
    }
}

impl PresupuestoState {
    /// The rank of a quote among those of its lead. The quote with the lowest rank tells what the job costs: the
    /// accepted quote if there is one, otherwise an issued quote, a quote in preparation, a declined quote.
    pub fn precedence(self) -> u8 {
        match self {
            Self::Aceptado => 0,
            Self::Emitido => 1,
            Self::Preparing => 2,
            Self::Rechazado => 3,
            Self::Superseded => 4,
        }
    }

    /// Whether a quote may go from this state to another.
    ///
    /// A quote in preparation is issued or superseded. An issued one is answered or superseded. A client who declined
    /// may still change their mind, and a declined one may be superseded by a better offer. An accepted one is a
    /// contract: nothing changes it.
    pub fn can_become(self, a: Self) -> bool {
        use PresupuestoState::{Aceptado, Emitido, Preparing, Rechazado, Superseded};
        matches!(
            (self, a),
            (Preparing, Emitido | Superseded)
                | (Emitido, Aceptado | Rechazado | Superseded)
                | (Rechazado, Aceptado | Superseded)
        )
    }

    /// Whether nothing can change its state any more.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Aceptado | Self::Superseded)
    }
}

/// The first and the last day on which a quote is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// The day it was issued, in the company's zone.
    pub issued: Date,
    /// The last day on which it is valid.
    pub until: Date,
}

impl Validity {
    /// A quote that is issued on a day and is valid for this number of days after it.
    pub fn new(issued: Date, days: u16) -> Self {
        Self { issued, until: issued.saturating_add(i32::from(days).days()) }
    }

    /// Whether it is still valid on a day.
    pub fn holds(&self, day: Date) -> bool {
        day <= self.until
    }
}

/// A quote as it is stored.
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
    /// The days on which it is valid.
    pub validity: Validity,
    /// Its PDF, once drawn.
    pub pdf: Option<StoredPdf>,
    /// The PDF of what the client accepted, once drawn.
    pub accepted_pdf: Option<StoredPdf>,
    /// When it was drafted.
    pub creado_en: Timestamp,
    /// When it was issued: drawn, and handed to its deliveries.
    pub emitido_en: Option<Timestamp>,
    /// The client's last answer to it.
    pub answer: Option<SignedAnswer>,
    /// The visit that the client asked for last, if the quote is orientative.
    pub visit: Option<VisitRequest>,
}

/// A quote in a lead's record: everything except its document.
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
    /// The days on which it is valid.
    pub validity: Validity,
    /// Its PDF, once drawn.
    pub pdf: Option<StoredPdf>,
    /// The PDF of what the client accepted, once drawn.
    pub accepted_pdf: Option<StoredPdf>,
    /// When it was drafted.
    pub creado_en: Timestamp,
    /// When it was issued: drawn, and handed to its deliveries.
    pub emitido_en: Option<Timestamp>,
    /// The state of its delivery to the client, one for each channel; empty until it is issued.
    pub deliveries: Vec<PresupuestoDelivery>,
    pub accepted: Option<Acceptance>,
    /// The visit that the client asked for last.
    pub visit: Option<VisitRequest>,
}

impl Presupuesto {
    /// What a lead's record shows of the quote, except for its deliveries.
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

/// Whether a quote's total is binding, and if not, the range in which it lies.
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

    /// The price, and whether it is only orientative, for places that show nothing else about it.
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
    /// The digest of its blob, which is stored under the lead's prefix.
    pub digest: Digest,
    /// Its SHA-256, which a client can check.
    pub sha256: [u8; 32],
    pub bytes: u64,
}

/// A client's answer to a quote, with the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedAnswer {
    pub accepted: bool,
    /// The reason, in the client's words.
    pub reason: Option<String>,
    /// The IP address from which the answer came, if it is known.
    pub ip: Option<String>,
    /// The version of the text that the client agreed to.
    pub texto_version: String,
    /// The rule, with its version, whose declaration the client made when accepting. The text is in the sealed
    /// document.
    pub declaracion: Option<String>,
    /// The options that the client ticked, in the quote's order.
    pub options: Vec<ChosenOption>,
    /// What the client agreed to pay, tax and options included. `None` for a declined quote, and for answers from
    /// before this field existed: they accepted the quote's own total.
    pub total: Option<Cents>,
    /// The version of the text with which the client asked for the work to begin within the days of withdrawal.
    pub early_start: Option<String>,
    /// Who wrote the answer down, if the client gave it by telephone.
    pub by_phone: Option<ByPhone>,
    /// The PDF that was answered.
    pub pdf_sha256: [u8; 32],
    pub at: Timestamp,
}

enumeration! {
    /// How a total compares to the client's target.
    Fit { Inside = "dentro", Near = "cerca", Above = "por_encima" }
}

impl Fit {
    /// Compares a total with tax, which is what a person pays, to the amount that they want to spend. A total of up to
    /// a tenth above that amount is near.
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

//! One lead as a person sees it: its current data, and its timeline in pages.

use embudo_domain::Timestamp;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::foto::Foto;
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::PresupuestoSummary;
use embudo_domain::timeline::{Moment, MomentKind, TimelineCursor};

/// The current data of a lead. Its size does not grow with the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadSheet {
    pub lead: Lead,
    pub calificacion: Option<Calificacion>,
    /// The first photos, by number; at most [`MAX_FOTOS`].
    pub fotos: Vec<Foto>,
    /// Quotes, newest first.
    pub presupuestos: Vec<PresupuestoSummary>,
    /// The last consents, newest first; at most [`MAX_CONSENTS`].
    pub consentimientos: Vec<Consentimiento>,
    /// When the client last wrote.
    pub last_written: Option<Timestamp>,
    /// The highest number among the call attempts; 0 if there is none.
    pub last_call: i64,
}

/// The maximum of photos in a sheet.
pub const MAX_FOTOS: u32 = 200;
/// The maximum of consents in a sheet.
pub const MAX_CONSENTS: u32 = 30;

/// A page of the timeline of a lead, or of several leads of one person.
#[derive(Debug, Clone)]
pub struct TimelinePage {
    pub kinds: Vec<MomentKind>,
    /// Only entries that are older than this.
    pub before: Option<TimelineCursor>,
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEntry {
    pub moment: Moment,
    /// Its position; the next page starts after it.
    pub cursor: TimelineCursor,
}

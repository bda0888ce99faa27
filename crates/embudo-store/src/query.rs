//! What lists are asked for.

use embudo_domain::calificacion::Nivel;
use embudo_domain::event::Event;
use embudo_domain::perfil::{CanalOrigen, EstadoWa};
use embudo_domain::search::fold;
use embudo_domain::{EmpresaId, LeadId, Timestamp, Zona};

/// Which leads; every condition that is set must hold.
#[derive(Debug, Clone, Default)]
pub struct LeadFilter {
    /// Of this company.
    pub empresa: Option<EmpresaId>,
    /// With this telephone, as E.164.
    pub telefono_e164: Option<String>,
    /// With this e-mail, in lower case.
    pub email_normal: Option<String>,
    /// Of this type.
    pub tipo_reforma: Option<Zona>,
    /// Qualified at this level.
    pub nivel: Option<Nivel>,
    /// From this channel.
    pub canal_origen: Option<CanalOrigen>,
    /// Viable or not.
    pub viable: Option<bool>,
    /// In this message state.
    pub estado_wa: Option<EstadoWa>,
    /// Whose search text contains this, folded ([`plegar`]). `%` and `_` mean themselves.
    pub text: Option<String>,
    /// Created at this instant or later.
    pub since: Option<Timestamp>,
    /// Created before this instant.
    pub until: Option<Timestamp>,
}

impl LeadFilter {
    /// Whether the answer may take a walk through every lead: no index finds what is asked for, and few leads may have it. Engines
    /// bound how many such walks they take at once, so that other reads do not wait for them.
    pub fn walks(&self) -> bool {
        let is_found = self.telefono_e164.is_some() || self.email_normal.is_some();
        let is_searched = self.text.is_some()
            || self.tipo_reforma.is_some()
            || self.nivel.is_some()
            || self.canal_origen.is_some()
            || self.viable.is_some()
            || self.estado_wa.is_some();
        is_searched && !is_found
    }
}

/// The last lead of a page; the next page starts after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// When that lead was created.
    pub creado_en: Timestamp,
    /// Its id.
    pub id: LeadId,
}

/// The text that a lead is found by.
pub fn search_text(nombre: &str, email: &str, e164: &str, provincia: Option<&str>) -> String {
    fold(&[nombre, email, e164, provincia.unwrap_or("")].join("\n"))
}

/// The place of an event among a lead's events: by time, then the lead's own events before changes of state, then in the
/// order they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventCursor {
    /// When it happened.
    pub creado_en: Timestamp,
    /// 0: an event; 1: a change of state.
    pub class: i16,
    /// The order of writing within its kind.
    pub n: i64,
}

/// An event with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEvent {
    /// The event.
    pub event: Event,
    /// Its place; the next page starts after it.
    pub cursor: EventCursor,
}

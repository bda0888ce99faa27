//! The whole record of a lead, as it is read back.

use jiff::Timestamp;

use crate::calificacion::Calificacion;
use crate::consentimiento::Consentimiento;
use crate::conversacion::Rol;
use crate::event::Event;
use crate::foto::Foto;
use crate::intento::Intento;
use crate::lead::Lead;
use crate::nota::Nota;
use crate::presupuesto::PresupuestoSummary;
use crate::{IntentoId, LeadId, TurnoId};

/// A lead with everything that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadRecord {
    pub lead: Lead,
    /// Other leads of the same company with the same telephone or e-mail.
    pub duplicates: Vec<LeadId>,
    /// Photos by number, then in the order in which they came.
    pub fotos: Vec<Foto>,
    /// Notes in the order they came.
    pub notas: Vec<Nota>,
    /// Chat turns in the order they were accepted.
    pub conversacion: Vec<StoredTurno>,
    pub calificacion: Option<Calificacion>,
    /// Contact attempts in the order they came.
    pub intentos: Vec<StoredIntento>,
    /// Events in the order they happened, changes of state included.
    pub events: Vec<Event>,
    /// Consents in the order they came.
    pub consentimientos: Vec<Consentimiento>,
    pub presupuestos: Vec<PresupuestoSummary>,
}

impl LeadRecord {
    /// A record with the lead and nothing else.
    pub fn bare(lead: Lead) -> Self {
        Self {
            lead,
            duplicates: Vec::new(),
            fotos: Vec::new(),
            notas: Vec::new(),
            conversacion: Vec::new(),
            calificacion: None,
            intentos: Vec::new(),
            events: Vec::new(),
            consentimientos: Vec::new(),
            presupuestos: Vec::new(),
        }
    }
}

/// A stored chat turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTurno {
    pub id: TurnoId,
    pub rol: Rol,
    pub mensaje: String,
    pub media_type: Option<String>,
    pub media_url: Option<String>,
    /// Transcript of a voice note.
    pub transcripcion_audio: Option<String>,
    /// When it was accepted.
    pub creado_en: Timestamp,
}

/// A stored contact attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredIntento {
    pub id: IntentoId,
    pub intento: Intento,
    /// When it was recorded.
    pub creado_en: Timestamp,
}

/// A value that `estado_wa` or `bot_step` once had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    /// `estado_wa` or `bot_step`.
    pub field: String,
    pub value: String,
    pub creado_en: Timestamp,
}

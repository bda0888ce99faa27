//! The whole record of a lead, as it is read back.

use jiff::Timestamp;

use crate::calificacion::{Calificacion, Nivel};
use crate::consentimiento::Consentimiento;
use crate::conversacion::Rol;
use crate::digest::Digest;
use crate::empresa::Empresa;
use crate::event::Event;
use crate::ingesta::Momento;
use crate::intento::Intento;
use crate::perfil::Perfil;
use crate::presupuesto::PresupuestoSummary;
use crate::watched_loop::WatchedLoop;
use crate::{FotoId, IntentoId, LeadId, NotaId, TurnoId, Zona};

/// A lead's own row.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    /// Its id.
    pub id: LeadId,
    /// Its company.
    pub empresa: Empresa,
    /// The client's name.
    pub nombre: String,
    /// The telephone as typed.
    pub telefono: String,
    /// The telephone as E.164.
    pub telefono_e164: String,
    /// The e-mail as typed.
    pub email: String,
    /// The province.
    pub provincia: Option<String>,
    /// Every field of the profile.
    pub perfil: Perfil,
    /// Campaign and ad ids, sorted by name.
    pub utm: Vec<(String, String)>,
    /// When it was created.
    pub creado_en: Timestamp,
    /// When one of its own fields last changed.
    pub actualizado_en: Timestamp,
    /// Where it stands between the profile signal and `finalizar`.
    pub watched_loop: Option<WatchedLoop>,
}

/// A lead in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadSummary {
    /// The lead.
    pub lead: Lead,
    /// Its level, if qualified.
    pub nivel: Option<Nivel>,
    /// Its score, if qualified.
    pub score: Option<i64>,
}

/// A lead with everything that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadRecord {
    /// The lead.
    pub lead: Lead,
    /// Other leads of the same company with the same telephone or e-mail.
    pub duplicates: Vec<LeadId>,
    /// Photos by number, then in the order they came.
    pub fotos: Vec<Foto>,
    /// Notes in the order they came.
    pub notas: Vec<Nota>,
    /// Chat turns in the order they were accepted.
    pub conversacion: Vec<StoredTurno>,
    /// The qualification.
    pub calificacion: Option<Calificacion>,
    /// Contact attempts in the order they came.
    pub intentos: Vec<StoredIntento>,
    /// Events in the order they happened, changes of state included.
    pub events: Vec<Event>,
    /// Consents in the order they came.
    pub consentimientos: Vec<Consentimiento>,
    /// Quotes, newest first.
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

/// A photo that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Foto {
    /// Its id.
    pub id: FotoId,
    /// Its zone, decided at ingestion.
    pub zona: Zona,
    /// Before or after.
    pub momento: Momento,
    /// Its number.
    pub orden: f64,
    /// Where its bytes are.
    pub image: StoredImage,
    /// When it came.
    pub creada_en: Timestamp,
}

/// Where a photo's bytes are, and how the received text is rebuilt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredImage {
    /// The address, as received.
    Url(String),
    /// `prefijo` followed by the canonical base64 of the blob is the received text.
    Canonical {
        /// Everything up to the comma.
        prefix: String,
        /// The picture's blob.
        bytes: Digest,
    },
    /// `prefijo` followed by the blob `crudo` is the received text; `bytes` is the picture.
    Informal {
        /// Everything up to the comma.
        prefix: String,
        /// The picture's blob.
        bytes: Digest,
        /// The received payload's blob.
        raw: Digest,
    },
    /// Like the former, but no picture could be read from it.
    Unreadable {
        /// Everything up to the comma.
        prefix: String,
        /// The received payload's blob.
        raw: Digest,
    },
}

impl StoredImage {
    /// Whether a picture could be read from what was received.
    pub fn legible(&self) -> bool {
        !matches!(self, Self::Unreadable { .. })
    }

    /// The blobs it needs.
    pub fn digests(&self) -> impl Iterator<Item = Digest> {
        let (a, b) = match self {
            Self::Url(_) => (None, None),
            Self::Canonical { bytes, .. } => (Some(*bytes), None),
            Self::Informal { bytes, raw, .. } => (Some(*bytes), Some(*raw)),
            Self::Unreadable { raw, .. } => (Some(*raw), None),
        };
        a.into_iter().chain(b)
    }
}

/// A note that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nota {
    /// Its id.
    pub id: NotaId,
    /// The text.
    pub text: String,
    /// Its zone, absent if none was named.
    pub zona: Option<Zona>,
    /// When it came.
    pub creada_en: Timestamp,
}

/// A chat turn that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTurno {
    /// Its id.
    pub id: TurnoId,
    /// Who speaks.
    pub rol: Rol,
    /// What is said.
    pub mensaje: String,
    /// Kind of media.
    pub media_type: Option<String>,
    /// Where the media is.
    pub media_url: Option<String>,
    /// Transcript of a voice note.
    pub transcripcion_audio: Option<String>,
    /// When it was accepted.
    pub creado_en: Timestamp,
}

/// A contact attempt that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredIntento {
    /// Its id.
    pub id: IntentoId,
    /// The attempt.
    pub intento: Intento,
    /// When it was recorded.
    pub creado_en: Timestamp,
}

/// A value that `estado_wa` or `bot_step` once had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    /// `estado_wa` or `bot_step`.
    pub field: String,
    /// What was written.
    pub value: String,
    /// When.
    pub creado_en: Timestamp,
}

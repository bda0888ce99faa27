//! The whole record of a lead, as it is read back.

use jiff::Timestamp;

use crate::bucle::Bucle;
use crate::calificacion::{Calificacion, Nivel};
use crate::consentimiento::Consentimiento;
use crate::conversacion::Rol;
use crate::empresa::Empresa;
use crate::evento::Evento;
use crate::huella::Huella;
use crate::ingesta::Momento;
use crate::intento::Intento;
use crate::perfil::Perfil;
use crate::presupuesto::PresupuestoResumen;
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
    pub bucle: Option<Bucle>,
}

/// A lead in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadResumen {
    /// The lead.
    pub lead: Lead,
    /// Its level, if qualified.
    pub nivel: Option<Nivel>,
    /// Its score, if qualified.
    pub score: Option<i64>,
}

/// A lead with everything that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ficha {
    /// The lead.
    pub lead: Lead,
    /// Other leads of the same company with the same telephone or e-mail.
    pub duplicados: Vec<LeadId>,
    /// Photos by number, then in the order they came.
    pub fotos: Vec<Foto>,
    /// Notes in the order they came.
    pub notas: Vec<Nota>,
    /// Chat turns in the order they were accepted.
    pub conversacion: Vec<TurnoGuardado>,
    /// The qualification.
    pub calificacion: Option<Calificacion>,
    /// Contact attempts in the order they came.
    pub intentos: Vec<IntentoGuardado>,
    /// Events in the order they happened, changes of state included.
    pub eventos: Vec<Evento>,
    /// Consents in the order they came.
    pub consentimientos: Vec<Consentimiento>,
    /// Quotes, newest first.
    pub presupuestos: Vec<PresupuestoResumen>,
}

impl Ficha {
    /// A record with the lead and nothing else.
    pub fn bare(lead: Lead) -> Self {
        Self {
            lead,
            duplicados: Vec::new(),
            fotos: Vec::new(),
            notas: Vec::new(),
            conversacion: Vec::new(),
            calificacion: None,
            intentos: Vec::new(),
            eventos: Vec::new(),
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
    pub imagen: ImagenGuardada,
    /// When it came.
    pub creada_en: Timestamp,
}

/// Where a photo's bytes are, and how the received text is rebuilt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImagenGuardada {
    /// The address, as received.
    Url(String),
    /// `prefijo` followed by the canonical base64 of the blob is the received text.
    Canonica {
        /// Everything up to the comma.
        prefijo: String,
        /// The picture's blob.
        bytes: Huella,
    },
    /// `prefijo` followed by the blob `crudo` is the received text; `bytes` is the picture.
    Informal {
        /// Everything up to the comma.
        prefijo: String,
        /// The picture's blob.
        bytes: Huella,
        /// The received payload's blob.
        crudo: Huella,
    },
    /// Like the former, but no picture could be read from it.
    Ilegible {
        /// Everything up to the comma.
        prefijo: String,
        /// The received payload's blob.
        crudo: Huella,
    },
}

impl ImagenGuardada {
    /// Whether a picture could be read from what was received.
    pub fn legible(&self) -> bool {
        !matches!(self, Self::Ilegible { .. })
    }

    /// The blobs it needs.
    pub fn huellas(&self) -> impl Iterator<Item = Huella> {
        let (a, b) = match self {
            Self::Url(_) => (None, None),
            Self::Canonica { bytes, .. } => (Some(*bytes), None),
            Self::Informal { bytes, crudo, .. } => (Some(*bytes), Some(*crudo)),
            Self::Ilegible { crudo, .. } => (Some(*crudo), None),
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
    pub texto: String,
    /// Its zone, absent if none was named.
    pub zona: Option<Zona>,
    /// When it came.
    pub creada_en: Timestamp,
}

/// A chat turn that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnoGuardado {
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
pub struct IntentoGuardado {
    /// Its id.
    pub id: IntentoId,
    /// The attempt.
    pub intento: Intento,
    /// When it was recorded.
    pub creado_en: Timestamp,
}

/// A value that `estado_wa` or `bot_step` once had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CambioEstado {
    /// `estado_wa` or `bot_step`.
    pub campo: String,
    /// What was written.
    pub valor: String,
    /// When.
    pub creado_en: Timestamp,
}

//! What the bot, the form and the outside workflow write about a lead.

use async_trait::async_trait;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::event::Event;
use embudo_domain::foto::StoredImage;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::Intento;
use embudo_domain::perfil::Perfil;
use embudo_domain::watched_loop::Deadlines;
use embudo_domain::{Digest, FotoId, IntentoId, LeadId, NotaId, ReplyId, Timestamp, TurnoId, Zona};

use crate::outbox::NewJob;
use crate::{Done, Idempotency, Result};

/// A chat turn.
#[derive(Debug, Clone)]
pub struct AppendTurno {
    pub id: TurnoId,
    pub lead: LeadId,
    pub turno: Turno,
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

impl AppendTurno {
    /// The reply that this turn records: a workflow that sent a reply uses the reply's id as the key of the call
    /// (contract §4). Most turns have no key.
    pub fn records(&self) -> Option<ReplyId> {
        let key = self.idempotency.as_ref()?;
        (self.turno.rol == Rol::Assistant).then(|| ReplyId::parse(&key.key)).flatten()
    }
}

/// A partial update of a lead.
#[derive(Debug, Clone)]
pub struct UpdatePerfil {
    pub lead: LeadId,
    pub perfil: Perfil,
    /// `true`: the caller stores itself whether the area is an estimate (`m2_estimado` of the obra). `false`: an area
    /// that is sent counts as known.
    pub m2_is_estimate: bool,
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

impl UpdatePerfil {
    /// Whether the sent area counts as known, so that `m2_estimado` of the obra is cleared.
    pub fn knows_area(&self) -> bool {
        self.perfil.m2_suelo.is_some() && !self.m2_is_estimate
    }
}

/// Answers that a person took back.
#[derive(Debug, Clone)]
pub struct ClearPerfil {
    pub lead: LeadId,
    pub answers: Vec<Answer>,
    pub at: Timestamp,
}

/// An answer of the profile that can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// `m2Suelo`.
    M2Suelo,
    Estructural,
    /// `presupuestoDeclarado` and `presupuestoTarget`.
    Presupuesto,
    TasteText,
}

/// A note that its writer may change.
#[derive(Debug, Clone)]
pub struct SetNota {
    pub lead: LeadId,
    pub id: NotaId,
    /// Its zone; a note that exists keeps its own.
    pub zona: Zona,
    /// Its text from now on; `None` removes the note.
    pub text: Option<String>,
    pub at: Timestamp,
}

#[derive(Debug, Clone)]
pub struct UpsertCalificacion {
    pub lead: LeadId,
    pub calificacion: Calificacion,
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// A contact attempt.
#[derive(Debug, Clone)]
pub struct RecordIntento {
    pub id: IntentoId,
    pub lead: LeadId,
    pub intento: Intento,
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// One ingestion.
#[derive(Debug, Clone)]
pub struct Ingest {
    pub lead: LeadId,
    /// Photos, in the order sent. Their blobs are durable already.
    pub fotos: Vec<NewFoto>,
    /// Notes, in the order sent.
    pub notas: Vec<NewNota>,
    /// The events for the lead's history that follow from the call's flags.
    pub events: Vec<Event>,
    /// The jobs that follow from the call. They are made after the items, so that signals contain the items.
    pub jobs: Vec<NewJob>,
    /// Whether the call ends the loop.
    pub finalizar: bool,
    /// How long the loop's steps may take.
    pub deadlines: Deadlines,
    /// Blobs whose bytes were put again after a sweep had deleted them, each with the number of its mark
    /// ([`crate::blob_marks::BlobMark::nth`]).
    pub swept: Vec<(Digest, i64)>,
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// A photo to be saved.
#[derive(Debug, Clone)]
pub struct NewFoto {
    pub id: FotoId,
    /// Where its bytes are.
    pub image: StoredImage,
    pub zona: Option<Zona>,
    pub momento: Momento,
    pub orden: Option<f64>,
}

/// A note to be saved.
#[derive(Debug, Clone)]
pub struct NewNota {
    pub id: NotaId,
    pub text: String,
    /// The zone, if named; absent stays absent.
    pub zona: Option<Zona>,
}

/// An event without other data, with the jobs that follow from it.
#[derive(Debug, Clone)]
pub struct RecordEvent {
    pub lead: LeadId,
    /// The event; absent if only jobs are made.
    pub event: Option<Event>,
    /// Jobs to be made in the same transaction.
    pub jobs: Vec<NewJob>,
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

impl From<RecordEvent> for Ingest {
    /// An ingestion that contains only the event.
    fn from(command: RecordEvent) -> Self {
        Self {
            lead: command.lead,
            fotos: Vec::new(),
            notas: Vec::new(),
            events: command.event.into_iter().collect(),
            jobs: command.jobs,
            finalizar: false,
            deadlines: Deadlines::default(),
            swept: Vec::new(),
            at: command.at,
            idempotency: command.idempotency,
        }
    }
}

/// What is written about a lead.
#[async_trait]
pub trait LeadWriteStore: Send + Sync + 'static {
    /// Appends a chat turn and updates the lead's states with it. If the turn [`AppendTurno::records`] a reply of the
    /// lead, it confirms the reply and ends its job.
    async fn append_turno(&self, command: AppendTurno) -> Result<Done>;
    /// Writes the fields that are sent and keeps the others.
    async fn update_perfil(&self, command: UpdatePerfil) -> Result<Done>;
    /// Writes the sent fields into the lead's only qualification and keeps the others.
    async fn upsert_calificacion(&self, command: UpsertCalificacion) -> Result<Done>;
    /// Records a contact attempt.
    async fn record_intento(&self, command: RecordIntento) -> Result<Done>;
    /// Saves the photos, notes and events of one ingestion. Decides zones and numbers under the lead's lock:
    /// [`embudo_domain::Zona::assumed`], [`embudo_domain::orden::Numberer`]. [`crate::StoreError::BlobMarked`] if a
    /// photo names a blob that is being swept, or was swept, unless `swept` shows that its bytes were put again after
    /// that very deletion; such traces are removed. Moves the loop on
    /// ([`embudo_domain::watched_loop::WatchedLoop::after_ingesta`]).
    async fn ingest(&self, command: Ingest) -> Result<Done>;
    /// Appends an event.
    async fn record_event(&self, command: RecordEvent) -> Result<Done>;
}

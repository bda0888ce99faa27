//! The commands: what is written, with every id and time already made.

use embudo_domain::calificacion::Calificacion;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::contact::{Email, Telefono};
use embudo_domain::conversacion::Turno;
use embudo_domain::event::Event;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::Intento;
use embudo_domain::lead::ContactPatch;
use embudo_domain::perfil::Perfil;
use embudo_domain::record::StoredImage;
use embudo_domain::watched_loop::Deadlines;
use embudo_domain::{Digest, EmpresaId, FotoId, IntentoId, LeadId, NotaId, Timestamp, TurnoId, Zona};
use jiff::SignedDuration;

use crate::Idempotency;
use crate::outbox::NewJob;

/// What changes on a company; `None` keeps.
#[derive(Debug, Clone, Default)]
pub struct EmpresaPatch {
    /// New name.
    pub nombre: Option<String>,
    /// New slug.
    pub slug: Option<String>,
    /// Make it the default company.
    pub por_defecto: bool,
    /// New address for notices; empty removes it.
    pub email_avisos: Option<String>,
    /// Whether it wants notices.
    pub notices: Option<bool>,
}

/// A new lead.
#[derive(Debug, Clone)]
pub struct CreateLead {
    /// Its id.
    pub id: LeadId,
    /// Its company; the default one when absent.
    pub empresa: Option<EmpresaId>,
    /// The client's name.
    pub nombre: String,
    /// The client's telephone.
    pub telefono: Telefono,
    /// The client's e-mail.
    pub email: Email,
    /// The client's province.
    pub provincia: Option<String>,
    /// Name, e-mail, telephone and province folded for searching.
    pub search: String,
    /// Fields of the profile known from the start.
    pub perfil: Perfil,
    /// Campaign and ad ids.
    pub utm: Vec<(String, String)>,
    /// Consents given.
    pub consentimientos: Vec<Consentimiento>,
    /// What must leave the house because of it.
    pub jobs: Vec<NewJob>,
    /// Now.
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// Corrected contact data.
#[derive(Debug, Clone)]
pub struct UpdateContact {
    /// Whose.
    pub lead: LeadId,
    /// What changes. The engine refreshes the search text from the resulting contact data
    /// ([`crate::query::search_text`]).
    pub patch: ContactPatch,
    /// Now.
    pub at: Timestamp,
}

/// A chat turn.
#[derive(Debug, Clone)]
pub struct AppendTurno {
    /// Its id.
    pub id: TurnoId,
    /// Whose.
    pub lead: LeadId,
    /// The turn.
    pub turno: Turno,
    /// Now.
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// A partial update of a lead.
#[derive(Debug, Clone)]
pub struct UpdatePerfil {
    /// Whose.
    pub lead: LeadId,
    /// The fields sent.
    pub perfil: Perfil,
    /// Now.
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// Answers that a person took back.
#[derive(Debug, Clone)]
pub struct ClearPerfil {
    /// Whose.
    pub lead: LeadId,
    /// Which.
    pub answers: Vec<Answer>,
    /// Now.
    pub at: Timestamp,
}

/// An answer of the profile that can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// `m2Floor`.
    M2Suelo,
    /// `estructural`.
    Estructural,
    /// `presupuestoDeclared` and `presupuestoTarget`.
    Presupuesto,
    /// `tasteText`.
    TasteText,
}

/// A note that its writer may change.
#[derive(Debug, Clone)]
pub struct SetNota {
    /// Whose.
    pub lead: LeadId,
    /// The note: the same id is the same note.
    pub id: NotaId,
    /// Its zone; a note that exists keeps its own.
    pub zona: Zona,
    /// What it says from now on; absent removes it.
    pub text: Option<String>,
    /// Now.
    pub at: Timestamp,
}

/// A qualification.
#[derive(Debug, Clone)]
pub struct UpsertCalificacion {
    /// Whose.
    pub lead: LeadId,
    /// The fields sent.
    pub calificacion: Calificacion,
    /// Now.
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// A contact attempt.
#[derive(Debug, Clone)]
pub struct RecordIntento {
    /// Its id.
    pub id: IntentoId,
    /// Whose.
    pub lead: LeadId,
    /// The attempt.
    pub intento: Intento,
    /// Now.
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// One ingestion.
#[derive(Debug, Clone)]
pub struct Ingest {
    /// Whose.
    pub lead: LeadId,
    /// Photos, in the order sent. Their blobs are durable already.
    pub fotos: Vec<NewFoto>,
    /// Notes, in the order sent.
    pub notas: Vec<NewNota>,
    /// What the call's flags leave in the lead's history.
    pub events: Vec<Event>,
    /// What must leave the house because of it; made after the items, so that they are in it.
    pub jobs: Vec<NewJob>,
    /// Whether the call asks for the end of the loop.
    pub finalizar: bool,
    /// How long the loop's steps may take.
    pub deadlines: Deadlines,
    /// Blobs of this call that were put again after the deletion with this number.
    pub swept: Vec<(Digest, i64)>,
    /// Now.
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// A photo to be saved.
#[derive(Debug, Clone)]
pub struct NewFoto {
    /// Its id.
    pub id: FotoId,
    /// Where its bytes are.
    pub image: StoredImage,
    /// The zone, if named.
    pub zona: Option<Zona>,
    /// Before or after.
    pub momento: Momento,
    /// Its number, if given.
    pub orden: Option<f64>,
}

/// A note to be saved.
#[derive(Debug, Clone)]
pub struct NewNota {
    /// Its id.
    pub id: NotaId,
    /// The text.
    pub text: String,
    /// The zone, if named; absent stays absent.
    pub zona: Option<Zona>,
}

/// An event on its own, with what it sends out.
#[derive(Debug, Clone)]
pub struct RecordEvent {
    /// Whose.
    pub lead: LeadId,
    /// What happened; absent where only jobs are made.
    pub event: Option<Event>,
    /// What must leave the house because of it.
    pub jobs: Vec<NewJob>,
    /// Now.
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// How long a mark keeps other sweeps off. Whoever marked a blob deletes it well within this time or not at all: two sweeps that are
/// both about to delete the same bytes could not tell when they are through, and an ingestion would put them again in between.
pub const MARK_LIFE: SignedDuration = SignedDuration::from_mins(10);

/// A blob that a sweep marked, or has deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobMark {
    /// Which.
    pub digest: Digest,
    /// The number of the mark.
    pub nth: i64,
    /// `false`: about to be deleted. `true`: deleted.
    pub sweep: bool,
}

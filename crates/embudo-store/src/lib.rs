//! What Embudo asks of a database, in words of the business.
//!
//! One method of [`Store`] is one atomic command: it happens as a whole or not at all, and when it returns
//! `Ok` it is durable. No transaction type crosses the trait. Ids and times are made by the caller and
//! passed in, fallbacks are decided by domain code, so the engines differ in SQL alone. Both pass the cases of
//! `embudo-store-conformance`; a method without a case there does not exist.

pub mod columns;
pub mod command;
mod error;
pub mod finish;
pub mod idempotency;
pub mod outbox;
pub mod outcome;
pub mod presupuestos;
pub mod queries;
pub mod query;
pub mod read;
mod recent;
pub mod row;
pub mod rows;

use async_trait::async_trait;
use embudo_domain::empresa::Empresa;
use embudo_domain::record::{Foto, LeadRecord, LeadSummary, StateChange};
use embudo_domain::{Digest, EmpresaId, FotoId, LeadId, Timestamp};

use command::{
    AppendTurno, BlobMark, ClearPerfil, CreateLead, EmpresaPatch, Ingest, RecordEvent, RecordIntento,
    SetNota, UpdateContact, UpdatePerfil, UpsertCalificacion,
};
pub use error::StoreError;
pub use idempotency::{CallKey, Done, Idempotency};
pub use outbox::Outbox;
pub use outcome::{FinalizarOutcome, Outcome};
pub use presupuestos::Presupuestos;
use query::{Cursor, EventCursor, LeadFilter, ListedEvent};
pub use recent::Recent;

/// The result of a command or query.
pub type Result<T> = std::result::Result<T, StoreError>;

/// The database.
///
/// Commands that carry an [`Idempotency`] store it with their work: called again with the same key and body they
/// do nothing and return [`Done::Before`].
#[async_trait]
pub trait Store: Outbox + Presupuestos {
    /// Succeeds when the database answers and can be written to.
    async fn ping(&self) -> Result<()>;

    // Companies

    /// Creates a company. The first one ever created becomes the default one, whatever `por_defecto` says; a later
    /// one with `por_defecto` takes that place over. [`StoreError::SlugTaken`] if its slug is in use.
    async fn create_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<()>;
    /// Creates this company as the default one unless a default company exists; returns the default company. Safe to
    /// call from several processes at once.
    async fn ensure_default_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<Empresa>;
    /// Changes a company; [`StoreError::EmpresaNotFound`], [`StoreError::SlugTaken`].
    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa>;
    /// Every company, the default one first, then by name.
    async fn list_empresas(&self) -> Result<Vec<Empresa>>;

    // Leads

    /// Creates a lead with its consents. [`StoreError::EmpresaNotFound`] if its company is unknown.
    async fn create_lead(&self, command: CreateLead) -> Result<Done>;
    /// Corrects contact data.
    async fn update_contact(&self, command: UpdateContact) -> Result<()>;
    /// The whole record of a lead.
    async fn record(&self, lead: LeadId) -> Result<LeadRecord>;
    /// One page of leads, newest first (`creado_en`, then `id`, both descending), after `cursor`.
    async fn list_leads(
        &self,
        filter: LeadFilter,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadSummary>>;
    /// One page of a lead's events, oldest first, after `cursor`; [`StoreError::LeadNotFound`].
    async fn events(&self, lead: LeadId, cursor: Option<EventCursor>, limit: u32)
    -> Result<Vec<ListedEvent>>;
    /// Every value that `estado_wa` and `bot_step` were given, in order.
    async fn history(&self, lead: LeadId) -> Result<Vec<StateChange>>;

    // What the bot and the form write

    /// Appends a chat turn and updates the lead's states with it.
    async fn append_turno(&self, command: AppendTurno) -> Result<Done>;
    /// Writes the fields sent, keeps the others.
    async fn update_perfil(&self, command: UpdatePerfil) -> Result<Done>;
    /// Takes answers back: they are absent again, the others stay. [`StoreError::LeadNotFound`].
    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()>;
    /// Writes a note in place of what stood under its id, or removes it; it keeps its place among the lead's notes.
    /// Removing one that is not there is fine. [`StoreError::LeadNotFound`].
    async fn set_nota(&self, command: SetNota) -> Result<()>;
    /// Writes the fields sent into the lead's one qualification, keeps the others.
    async fn upsert_calificacion(&self, command: UpsertCalificacion) -> Result<Done>;
    /// Records a contact attempt.
    async fn record_intento(&self, command: RecordIntento) -> Result<Done>;
    /// Saves the photos, notes and events of one ingestion. Decides zones and numbers under the lead's lock:
    /// [`embudo_domain::Zona::assumed`], [`embudo_domain::orden::Numberer`].
    /// [`StoreError::BlobMarked`] if a photo names a blob that is being swept, or was, unless `barridos` shows that its bytes
    /// were put again after that very deletion; such traces are removed. Moves the loop on ([`embudo_domain::watched_loop::WatchedLoop::after_ingesta`]).
    async fn ingest(&self, command: Ingest) -> Result<Done>;
    /// Appends an event.
    async fn record_event(&self, command: RecordEvent) -> Result<Done>;

    // Photos and their blobs

    /// One photo; [`StoreError::FotoNotFound`] if this lead has no such photo.
    async fn foto(&self, lead: LeadId, foto: FotoId) -> Result<Foto>;
    /// Removes a photo and what was made of it; [`StoreError::FotoNotFound`] if this lead has no such photo.
    async fn delete_foto(&self, lead: LeadId, foto: FotoId) -> Result<()>;
    /// Whether a photo of the lead, what was made of one, or the PDF of a quote names the blob.
    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool>;
    /// Marks a blob for sweeping and returns the number of the mark (`vez`), which is higher than every one before. `None`: the blob is
    /// in use ([`Store::blob_in_use`]), or another sweep has marked it and may still be about to delete it ([`command::MARK_LIFE`]). An
    /// unknown lead's blob can be marked.
    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>>;
    /// Turns the mark with this number into a trace of the deletion, once the blob is deleted; does nothing to any other mark. The
    /// trace stays, so that an ingestion which found the bytes before they were deleted learns of it ([`StoreError::BlobMarked`]).
    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()>;
    /// The marks and traces of a lead.
    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>>;
    /// Every blob that is marked and not yet swept, by a sweep that is running or by one that died.
    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>>;
    /// Deletes at most `max` traces older than `antes`; returns how many.
    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64>;

    // Housekeeping

    /// Deletes at most `max` idempotency rows that expired before `en`; returns how many.
    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64>;
}

//! What Embudo needs from a database, in business terms.
//!
//! One method of [`Store`] is one atomic command: it happens as a whole or not at all, and when it returns `Ok` it is
//! durable. No transaction type is visible in the trait. Ids and times are made by the caller and passed in, fallbacks
//! are decided by domain code, so the engines differ only in SQL. Both pass the cases of `embudo-store-conformance`;
//! every method must have a case there.

pub mod audit;
pub mod blob_marks;
pub mod columns;
pub mod company_keys;
pub mod counts;
pub mod credentials;
pub mod desk;
pub mod drafts;
pub mod edited;
pub mod empresas;
mod error;
pub mod figures;
pub mod finish;
pub mod fotos;
pub mod idempotency;
pub mod inbox;
pub mod installation;
pub mod lead_edits;
pub mod lead_writes;
pub mod leads;
pub mod leases;
pub mod loop_deadlines;
pub mod notices;
pub mod outbox;
pub mod outbox_admin;
pub mod outcome;
pub mod pauses;
pub mod presupuestos;
pub mod projected_lead;
pub mod projection;
pub mod push;
pub mod queries;
pub mod read;
mod recent;
pub mod replies;
pub mod rights;
pub mod row;
pub mod rows;
pub mod sessions;
pub mod sheet;
pub mod tables;
pub mod touches;
pub mod users;
pub mod visits;
pub mod write;

pub use audit::AuditStore;
pub use blob_marks::BlobMarkStore;
pub use company_keys::CompanyKeyStore;
pub use counts::CountStore;
pub use credentials::CredentialStore;
pub use desk::DeskStore;
pub use drafts::DraftStore;
pub use empresas::EmpresaStore;
pub use error::StoreError;
pub use figures::FigureStore;
pub use fotos::FotoStore;
pub use idempotency::{CallKey, Done, Idempotency, IdempotencyStore};
pub use inbox::InboxStore;
pub use installation::InstallationStore;
pub use lead_edits::LeadEditStore;
pub use lead_writes::LeadWriteStore;
pub use leads::LeadStore;
pub use leases::LeaseStore;
pub use loop_deadlines::LoopDeadlineStore;
pub use notices::NoticeStore;
pub use outbox::OutboxStore;
pub use outbox_admin::OutboxAdminStore;
pub use outcome::{FinalizarOutcome, Outcome};
pub use pauses::PauseStore;
pub use presupuestos::PresupuestoStore;
pub use projection::ProjectionStore;
pub use push::PushStore;
pub use read::{
    AccessReads, BlobReads, CompanyKeyReads, CountReads, DraftReads, EmpresaReads, FigureReads, FotoReads,
    InstallationReads, JobReads, LeadReads, NoticeReads, OutboxLists, PresupuestoReads, PushReads,
    ReminderReads, ReplyReads, RightsReads, SheetReads, VisitReads,
};
pub use recent::Recent;
pub use replies::ReplyStore;
pub use rights::RightsStore;
pub use sessions::SessionStore;
pub use users::UserStore;
pub use visits::VisitStore;

/// The result of a command or query.
pub type Result<T> = std::result::Result<T, StoreError>;

macro_rules! store {
    ($($subject:ident)+) => {
        /// The database: the traits of all subjects together. Held as `Arc<dyn Store>`.
        ///
        /// Commands that carry an [`Idempotency`] store it with their work: called again with the same key and body
        /// they do nothing and return [`Done::Before`].
        pub trait Store: $($subject +)+ {}

        impl<T: $($subject +)+> Store for T {}

        /// The methods of every subject, for code that holds an engine itself instead of a [`Store`].
        pub mod prelude {
            $(pub use crate::$subject as _;)+
        }
    };
}

store! {
    EmpresaStore EmpresaReads
    CompanyKeyStore CompanyKeyReads
    LeadStore LeadReads LeadWriteStore LeadEditStore
    FotoStore FotoReads
    BlobMarkStore BlobReads
    PresupuestoStore PresupuestoReads
    DraftStore DraftReads
    OutboxStore OutboxAdminStore PauseStore JobReads OutboxLists
    LoopDeadlineStore ReminderReads
    IdempotencyStore
    InstallationStore InstallationReads LeaseStore CountStore CountReads
    UserStore CredentialStore SessionStore AuditStore AccessReads
    NoticeStore NoticeReads PushStore PushReads
    InboxStore DeskStore ProjectionStore
    FigureStore FigureReads
    SheetReads
    VisitStore VisitReads
    ReplyStore ReplyReads
    RightsStore RightsReads
}

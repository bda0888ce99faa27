//! What Embudo asks of a database, in words of the business.
//!
//! One method of [`Store`] is one atomic command: it happens as a whole or not at all, and when it returns
//! `Ok` it is durable. No transaction type crosses the trait. Ids and times are made by the caller and
//! passed in, fallbacks are decided by domain code, so the engines differ in SQL alone. Both pass the cases of
//! `embudo-store-conformance`; a method without a case there does not exist.

pub mod audit;
pub mod blob_marks;
pub mod columns;
pub mod company_keys;
pub mod counts;
pub mod credentials;
pub mod desk;
pub mod drafts;
pub mod empresas;
mod error;
pub mod figures;
pub mod finish;
pub mod fotos;
pub mod idempotency;
pub mod inbox;
pub mod installation;
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
pub mod projection;
pub mod queries;
pub mod read;
mod recent;
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

pub use audit::Audit;
pub use blob_marks::BlobMarks;
pub use company_keys::CompanyKeys;
pub use counts::Counts;
pub use credentials::Credentials;
pub use desk::Desk;
pub use drafts::Drafts;
pub use empresas::Empresas;
pub use error::StoreError;
pub use figures::Figures;
pub use fotos::Fotos;
pub use idempotency::{CallKey, Done, Idempotency, IdempotencyKeys};
pub use inbox::Inbox;
pub use installation::Installation;
pub use lead_writes::LeadWrites;
pub use leads::Leads;
pub use leases::Leases;
pub use loop_deadlines::LoopDeadlines;
pub use notices::Notices;
pub use outbox::Outbox;
pub use outbox_admin::OutboxAdmin;
pub use outcome::{FinalizarOutcome, Outcome};
pub use pauses::Pauses;
pub use presupuestos::Presupuestos;
pub use projection::Projection;
pub use read::{
    AccessReads, BlobReads, ChasingReads, CompanyKeyReads, CountReads, DraftReads, EmpresaReads, FigureReads,
    FotoReads, JobReads, LeadReads, NoticeReads, OutboxLists, PresupuestoReads, RightsReads, SheetReads,
    VisitReads,
};
pub use recent::Recent;
pub use rights::Rights;
pub use sessions::Sessions;
pub use sheet::Sheets;
pub use users::Users;
pub use visits::Visits;

/// The result of a command or query.
pub type Result<T> = std::result::Result<T, StoreError>;

macro_rules! store {
    ($($subject:ident)+) => {
        /// The database: every subject of it, in one. Held as `Arc<dyn Store>`.
        ///
        /// Commands that carry an [`Idempotency`] store it with their work: called again with the same key and body they
        /// do nothing and return [`Done::Before`].
        pub trait Store: $($subject +)+ {}

        impl<T: $($subject +)+> Store for T {}

        /// Every subject's methods, for whoever holds an engine itself instead of a [`Store`].
        pub mod prelude {
            $(pub use crate::$subject as _;)+
        }
    };
}

store! {
    Empresas EmpresaReads
    CompanyKeys CompanyKeyReads
    Leads LeadReads LeadWrites
    Fotos FotoReads
    BlobMarks BlobReads
    Presupuestos PresupuestoReads
    Drafts DraftReads
    Outbox OutboxAdmin Pauses JobReads OutboxLists
    LoopDeadlines ChasingReads
    IdempotencyKeys
    Installation Leases Counts CountReads
    Users Credentials Sessions Audit AccessReads
    Notices NoticeReads
    Inbox Desk Projection
    Figures FigureReads
    Sheets SheetReads
    Visits VisitReads
    Rights RightsReads
}

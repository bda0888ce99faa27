//! What Embudo asks of a database, in words of the business.
//!
//! One method of [`Store`] is one atomic command: it happens as a whole or not at all, and when it returns
//! `Ok` it is durable. No transaction type crosses the trait. Ids and times are made by the caller and
//! passed in, fallbacks are decided by domain code, so the engines differ in SQL alone. Both pass the cases of
//! `embudo-store-conformance`; a method without a case there does not exist.

pub mod audit;
pub mod blob_marks;
pub mod columns;
pub mod credentials;
pub mod desk;
pub mod empresas;
mod error;
pub mod finish;
pub mod fotos;
pub mod idempotency;
pub mod inbox;
pub mod installation;
pub mod lead_writes;
pub mod leads;
pub mod loop_deadlines;
pub mod outbox;
pub mod outbox_admin;
pub mod outcome;
pub mod pauses;
pub mod presupuestos;
pub mod projection;
pub mod queries;
pub mod read;
mod recent;
pub mod row;
pub mod rows;
pub mod sessions;
pub mod sheet;
pub mod touches;
pub mod users;

pub use audit::Audit;
pub use blob_marks::BlobMarks;
pub use credentials::Credentials;
pub use desk::Desk;
pub use empresas::Empresas;
pub use error::StoreError;
pub use fotos::Fotos;
pub use idempotency::{CallKey, Done, Idempotency, IdempotencyKeys};
pub use inbox::Inbox;
pub use installation::Installation;
pub use lead_writes::LeadWrites;
pub use leads::Leads;
pub use loop_deadlines::LoopDeadlines;
pub use outbox::Outbox;
pub use outbox_admin::OutboxAdmin;
pub use outcome::{FinalizarOutcome, Outcome};
pub use pauses::Pauses;
pub use presupuestos::Presupuestos;
pub use projection::Projection;
pub use read::{
    AccessReads, BlobReads, EmpresaReads, FotoReads, JobReads, LeadReads, OutboxLists, PresupuestoReads,
    SheetReads,
};
pub use recent::Recent;
pub use sessions::Sessions;
pub use sheet::Sheets;
pub use users::Users;

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
    Leads LeadReads LeadWrites
    Fotos FotoReads
    BlobMarks BlobReads
    Presupuestos PresupuestoReads
    Outbox OutboxAdmin Pauses JobReads OutboxLists
    LoopDeadlines
    IdempotencyKeys
    Installation
    Users Credentials Sessions Audit AccessReads
    Inbox Desk Projection
    Sheets SheetReads
}

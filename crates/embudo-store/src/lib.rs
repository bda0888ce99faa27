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
pub mod empresas;
mod error;
pub mod finish;
pub mod fotos;
pub mod idempotency;
pub mod installation;
pub mod lead_writes;
pub mod leads;
pub mod loop_deadlines;
pub mod outbox;
pub mod outbox_admin;
pub mod outcome;
pub mod presupuestos;
pub mod queries;
pub mod read;
pub mod read_sheet;
mod recent;
pub mod row;
pub mod rows;
pub mod sessions;
pub mod sheet;
pub mod users;

pub use audit::Audit;
pub use blob_marks::BlobMarks;
pub use credentials::Credentials;
pub use empresas::Empresas;
pub use error::StoreError;
pub use fotos::Fotos;
pub use idempotency::{CallKey, Done, Idempotency, IdempotencyKeys};
pub use installation::Installation;
pub use lead_writes::LeadWrites;
pub use leads::Leads;
pub use loop_deadlines::LoopDeadlines;
pub use outbox::Outbox;
pub use outbox_admin::OutboxAdmin;
pub use outcome::{FinalizarOutcome, Outcome};
pub use presupuestos::Presupuestos;
pub use recent::Recent;
pub use sessions::Sessions;
pub use sheet::Sheets;
pub use users::Users;

/// The result of a command or query.
pub type Result<T> = std::result::Result<T, StoreError>;

/// The database: every subject of it, in one. Held as `Arc<dyn Store>`.
///
/// Commands that carry an [`Idempotency`] store it with their work: called again with the same key and body they
/// do nothing and return [`Done::Before`].
pub trait Store:
    Empresas
    + Leads
    + LeadWrites
    + Fotos
    + BlobMarks
    + Presupuestos
    + Outbox
    + OutboxAdmin
    + LoopDeadlines
    + IdempotencyKeys
    + Installation
    + Users
    + Credentials
    + Sessions
    + Audit
    + Sheets
{
}

impl<T> Store for T where
    T: Empresas
        + Leads
        + LeadWrites
        + Fotos
        + BlobMarks
        + Presupuestos
        + Outbox
        + OutboxAdmin
        + LoopDeadlines
        + IdempotencyKeys
        + Installation
        + Users
        + Credentials
        + Sessions
        + Audit
        + Sheets
{
}

/// Every subject's methods, for whoever holds an engine itself instead of a [`Store`].
pub mod prelude {
    pub use crate::{
        Audit as _, BlobMarks as _, Credentials as _, Empresas as _, Fotos as _, IdempotencyKeys as _,
        Installation as _, LeadWrites as _, Leads as _, LoopDeadlines as _, Outbox as _, OutboxAdmin as _,
        Presupuestos as _, Sessions as _, Sheets as _, Users as _,
    };
}

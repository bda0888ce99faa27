//! Reads that are not hot, by subject. Every type that can run a [`Query`] has all of them: they are written once for
//! both engines.

mod access;
mod blobs;
mod company_keys;
mod counts;
mod drafts;
mod duplicates;
mod empresas;
mod figures;
mod fotos;
mod inbox;
mod inbox_rows;
mod installation;
mod jobs;
mod leads;
mod notices;
mod outbox;
mod presupuestos;
mod push;
mod reminders;
mod replies;
mod rights;
mod search;
mod sheet;
mod visits;

use embudo_domain::LeadId;

pub use access::AccessReads;
pub use blobs::BlobReads;
pub use company_keys::CompanyKeyReads;
pub use counts::CountReads;
pub use drafts::DraftReads;
pub use empresas::EmpresaReads;
pub use figures::FigureReads;
pub use fotos::FotoReads;
pub use inbox::{desk, owners, tail};
pub use installation::InstallationReads;
pub use jobs::JobReads;
pub use leads::{IN_ORDER, LeadReads};
pub use notices::NoticeReads;
pub use outbox::OutboxLists;
pub use presupuestos::PresupuestoReads;
pub use push::PushReads;
pub use reminders::{QuietLead, ReminderReads, Stretch, UnansweredQuote};
pub use replies::ReplyReads;
pub use rights::RightsReads;
pub use sheet::SheetReads;
pub use visits::VisitReads;

use crate::queries::search::Trigrams;
use crate::queries::{Query, lead};
use crate::{Result, StoreError};

/// A database that answers queries, each from one snapshot.
pub trait Reader: Send + Sync + 'static {
    /// How the engine finds a part of a text.
    const TRIGRAMS: Trigrams;

    /// The highest value of a table's column `n`.
    fn last_serial(table: &'static str) -> Query<i64>;

    /// How large the database is.
    fn database_bytes() -> Query<u64>;

    /// Every row of the answer, in its order.
    fn read<T: Send + 'static>(&self, query: Query<T>) -> impl Future<Output = Result<Vec<T>>> + Send;
}

async fn first<T: Send + 'static>(reader: &impl Reader, query: Query<T>) -> Result<Option<T>> {
    Ok(reader.read(query).await?.into_iter().next())
}

/// The number of the last row of a table.
async fn last_serial<R: Reader>(reader: &R, table: &'static str) -> Result<i64> {
    Ok(first(reader, R::last_serial(table)).await?.unwrap_or(0))
}

/// The rows of a lead, or an error if the lead does not exist. Its existence is checked after the rows are read,
/// because a lead that was created in between had no rows.
async fn of_lead<T: Send + 'static>(reader: &impl Reader, id: LeadId, query: Query<T>) -> Result<Vec<T>> {
    let rows = reader.read(query).await?;
    if rows.is_empty() && first(reader, lead::exists(id)).await? != Some(true) {
        return Err(StoreError::LeadNotFound);
    }
    Ok(rows)
}

//! Reads that are not hot, by subject. Whatever runs [`Query`]s has them all: they are written once for both engines.

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
pub use leads::LeadReads;
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
    /// How it finds a part of a text.
    const TRIGRAMS: Trigrams;

    /// The last number that a table's `n` was given.
    fn last_serial(table: &'static str) -> Query<i64>;

    /// How large the database is.
    fn database_bytes() -> Query<u64>;

    /// Every row of the answer, in its order.
    fn read<T: Send + 'static>(&self, query: Query<T>) -> impl Future<Output = Result<Vec<T>>> + Send;
}

async fn first<T: Send + 'static>(reader: &impl Reader, query: Query<T>) -> Result<Option<T>> {
    Ok(reader.read(query).await?.into_iter().next())
}

/// The last row that a table had.
async fn last_serial<R: Reader>(reader: &R, table: &'static str) -> Result<i64> {
    Ok(first(reader, R::last_serial(table)).await?.unwrap_or(0))
}

/// The rows of a lead that exists. It is looked for after them: one that came in between had none.
async fn of_lead<T: Send + 'static>(reader: &impl Reader, id: LeadId, query: Query<T>) -> Result<Vec<T>> {
    let rows = reader.read(query).await?;
    if rows.is_empty() && first(reader, lead::exists(id)).await? != Some(true) {
        return Err(StoreError::LeadNotFound);
    }
    Ok(rows)
}

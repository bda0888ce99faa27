//! The methods of the store that are not written once for both engines: which function each calls, how much it writes,
//! and whether it needs a savepoint.

mod lead_writes;
mod leads;
mod leases;
mod native;
mod outbox;

use embudo_domain::job::Job;
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::queries::search::Trigrams;
use embudo_store::queries::{Query, Reach};
use embudo_store::read::Reader;
use embudo_store::{Done, Idempotency, Result};

use crate::writer::Shape;
use crate::{SqliteStore, query};

/// The approximate size of a row besides its texts.
const ROW: usize = 256;

/// A key needs statements of its own, so even a command with one statement is `Single` only without a key.
fn shape(key: Option<&Idempotency>, is_single: bool) -> Shape {
    if key.is_none() && is_single { Shape::Single } else { Shape::Several }
}

/// Approximately how many bytes these jobs write.
fn bytes_of(jobs: &[NewJob]) -> usize {
    let payload = |t: &NewJob| match &t.payload {
        NewPayload::Text(text) | NewPayload::Notice { text, .. } => text.len(),
        NewPayload::Perfil | NewPayload::Mensajeria | NewPayload::Event(_) => 8 * ROW,
    };
    jobs.iter().map(|t| ROW + payload(t)).sum()
}

fn len(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}

impl SqliteStore {
    /// Keeps the jobs that a command made under a lease, and returns its result.
    fn made(&self, (done, jobs): (Done, Vec<Job>)) -> Done {
        self.recent.leave(jobs);
        done
    }
}

impl Reader for SqliteStore {
    const TRIGRAMS: Trigrams = Trigrams::Fts5;

    fn last_serial(table: &'static str) -> Query<i64> {
        Query::of(format!("SELECT coalesce(max(n), 0) AS last FROM {table}"), |c| c.get("last"))
    }

    fn database_bytes() -> Query<u64> {
        let text = "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()";
        Query::new(text, |c| c.get("bytes"))
    }

    async fn read<T: Send + 'static>(&self, query: Query<T>) -> Result<Vec<T>> {
        let reach = query.reach();
        let run = move |c: &_| query::run(c, &query);
        match reach {
            Reach::Found => self.readers.run(run).await,
            Reach::Walk => self.readers.walk(run).await,
        }
    }
}

//! The methods of the store that are not written once for both engines, with the way that each command or query takes.
//!
//! If a command made work for any process, the other processes are notified after its commit.

mod lead_writes;
mod leads;
mod leases;
mod native;
mod outbox;

use embudo_store::queries::search::Trigrams;
use embudo_store::queries::{Query, Reach};
use embudo_store::read::Reader;
use embudo_store::touches::Touch;
use embudo_store::{Done, Idempotency, Result};
use embudo_trace::OpenSpan;
use tokio::time::Instant;

use crate::command::alone::Ended;
use crate::command::job::WithJobs;
use crate::command::{CallWithJobs, Finished, JobsMade, alone};
use crate::patience::{patiently, until};
use crate::writer::{Grouped, Verdict};
use crate::{PgStore, query};

impl PgStore {
    /// Runs a command in a group, or alone if its group failed.
    pub(crate) async fn write<K: Grouped>(&self, command: K) -> Result<K::End> {
        let _span = OpenSpan::of_store("store write", "postgresql");
        let deadline = Instant::now() + K::PATIENCE;
        let writing = async {
            match self.writers.run(command).await {
                Verdict::Told(end) => end,
                Verdict::Alone(command) => {
                    let turn = || self.turns.on(command.key());
                    until!(self, deadline, turn(), alone::plain(&self.pool, &command)).await
                }
            }
        };
        self.commits.guard_until(deadline, writing).await
    }

    /// Runs a command that may have a key; a command with a key runs alone.
    async fn write_once<K: Grouped>(&self, command: K, key: Option<Idempotency>) -> Result<Ended<K::End>> {
        let Some(key) = key else { return self.write(command).await.map(Ended::Now) };
        let turn = || self.turns.on(command.key());
        patiently!(self, turn(), alone::keyed(&self.pool, &key, &command), K::PATIENCE)
    }

    /// Runs a command that returns nothing.
    async fn record<K: Grouped<End = ()>>(&self, command: K, key: Option<Idempotency>) -> Result<Done> {
        Ok(match self.write_once(command, key).await? {
            Ended::Now(()) => Done::Now,
            Ended::Before(done) => done,
        })
    }

    /// Runs a call that makes jobs.
    async fn call(&self, command: CallWithJobs, key: Option<Idempotency>) -> Result<Done> {
        Ok(match self.write_once(command, key).await? {
            Ended::Now(JobsMade { leased, loose }) => {
                self.announce_if(loose);
                self.recent.leave(leased);
                Done::Now
            }
            Ended::Before(done) => done,
        })
    }

    /// Notes the end of an attempt, whose lead is known only now.
    fn finished(&self, end: Option<Finished>) {
        if let Some(Finished { lead, loose }) = end {
            self.announce_if(loose);
            self.touches.note(lead, Touch::anew());
        }
    }

    /// Finishes a command that may have made jobs: if any process may take one of them, the others are notified.
    fn announce(&self, end: WithJobs) -> Done {
        self.announce_if(end.loose);
        end.done
    }
}

impl Reader for PgStore {
    const TRIGRAMS: Trigrams = Trigrams::Like;

    fn last_serial(table: &'static str) -> Query<i64> {
        let sequence = format!("pg_sequence_last_value(pg_get_serial_sequence('{table}', 'n')::regclass)");
        Query::of(format!("SELECT coalesce({sequence}, 0) AS last"), |c| c.get("last"))
    }

    fn database_bytes() -> Query<u64> {
        Query::new("SELECT pg_database_size(current_database()) AS bytes", |c| c.get("bytes"))
    }

    async fn read<T: Send + 'static>(&self, query: Query<T>) -> Result<Vec<T>> {
        let turn = || self.turns.question(query.reach() == Reach::Walk);
        patiently!(read self, turn(), query::run(&self.pool, &query))
    }
}

impl PgStore {
    /// Notifies the other processes if there is work for them.
    pub(crate) fn announce_if(&self, loose: bool) {
        if loose {
            self.announcer.soon();
        }
    }
}

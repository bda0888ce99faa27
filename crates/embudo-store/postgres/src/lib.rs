//! [`Store`] on PostgreSQL 13 or later.
//!
//! What the bot writes, calls that make jobs, and ends of attempts go to a few writers, which group waiting commands by
//! kind (`writer`). Commands with an idempotency key or with photos run alone on a pool (`command/`), and so do
//! commands that are written once for both engines (`engine`) and reads (`query/`), each in its turn (`turns`).
//! Renewing leases and checking readiness use connections of their own. SQL is in files under `sql/`, its parameters
//! have names (`statement`), and `embudo_store::rows` reads the rows. No business rule lives here: the caller brings
//! ids, times and decisions. Jobs are shared by several processes, which notify each other of them (`notice`).
//! `synchronous_commit` is configured at the server and never changed here.

mod change_notice;
mod command;
mod commits;
mod connection;
mod engine;
mod failure;
mod hosts;
mod migrations;
mod named;
mod notice;
mod patience;
mod query;
mod rows;
mod scrub;
mod statement;
mod statistics;
mod store;
mod tables;
mod tls;
mod trigrams;
mod turns;
mod writer;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use deadpool_postgres::Pool;
use embudo_store::touches::Touches;
use embudo_store::{Recent, Result, Store, StoreError};
use embudo_supervisor::Supervisor;
use futures_util::future::BoxFuture;

use change_notice::Teller;
use commits::Commits;
use connection::{POOL_SETTINGS, Sweeper, Target, VITAL_SETTINGS};
use notice::{Announcer, Listener};
pub use tables::{PgFilling, PgTables, unlisted};
pub use trigrams::Trigrams;
use turns::Turns;
use writer::{Prober, Writers};

/// The number of connections for work that must not wait.
const VITAL: usize = 2;
/// How long a writer may be busy with the same work. Each of its steps times out much earlier.
const STUCK: Duration = Duration::from_secs(30);

/// How many connections a store may use: `pool + writers`, two more for work that must not wait, one more while it
/// starts and later to check whether commits return, one more for workers that wait for jobs, and two more once jobs
/// are made and attempts ended.
#[derive(Debug, Clone)]
pub struct Options {
    /// Connections for reads and for commands that run alone.
    pub pool: usize,
    /// Connections that write what the bot sends, grouped.
    pub writers: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { pool: 16, writers: 2 }
    }
}

/// Counters of a store's writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    pub commands: u64,
    /// Groups of these commands; each group is one statement or one transaction.
    pub statements: u64,
}

#[derive(Debug)]
pub struct PgStore {
    pool: Pool,
    /// The turns of commands and reads on the pool.
    turns: Turns,
    /// For leases and readiness, which must not wait behind anything.
    vital: Pool,
    writers: Writers,
    announcer: Announcer,
    teller: Teller,
    listener: Listener,
    recent: Recent,
    touches: Touches,
    commits: Commits,
    target: Target,
    _sweeper: Sweeper,
    supervisor: Supervisor,
}

impl PgStore {
    /// Connects and returns the store behind the trait. This is done here so that its commands are compiled with this
    /// crate, and not again in each crate that connects.
    pub fn shared(url: &str, options: Options) -> BoxFuture<'_, Result<Arc<dyn Store>>> {
        Box::pin(async move { Ok(Arc::new(Self::connect(url, options).await?) as _) })
    }

    /// Connects to a `postgres://` URL, runs the migrations that are missing and starts the writers.
    ///
    /// Beyond the driver's parameters the URL may have `sslmode` (`disable`, `prefer`, `require`, `verify-ca`,
    /// `verify-full`) and `sslrootcert` (a PEM file with further authorities).
    pub async fn connect(url: &str, options: Options) -> Result<Self> {
        let target = Target::parse(url)?;
        let mut client = target.connect().await?;
        migrations::run(&mut client).await?;
        trigrams::ensure(&mut client).await;
        let pool = target.pool(options.pool.max(1), POOL_SETTINGS)?;
        let vital = target.pool(VITAL, VITAL_SETTINGS)?;
        let supervisor = Supervisor::default();
        let teller = Teller::spawn(&supervisor, pool.clone());
        Ok(Self {
            turns: Turns::new(options.pool.max(1)),
            writers: Writers::spawn(&supervisor, &target, command::KINDS, options.writers),
            announcer: Announcer::spawn(&supervisor, pool.clone()),
            listener: Listener::new(supervisor.clone(), target.clone(), teller.who),
            commits: Commits::spawn(&supervisor, &target),
            vital: vital.clone(),
            _sweeper: Sweeper::spawn(&supervisor, &target, [pool.clone(), vital]),
            target,
            teller,
            pool,
            recent: Recent::default(),
            touches: Touches::default(),
            supervisor,
        })
    }

    /// Runs the missing migrations and nothing else. Returns the number of the last one before and after; 0 means none.
    pub async fn migrate(url: &str) -> Result<(i32, i32)> {
        let mut client = Target::parse(url)?.connect().await?;
        let versions = migrations::run(&mut client).await?;
        trigrams::ensure(&mut client).await;
        Ok(versions)
    }

    /// How names are searched in a database that is up to date. Changes nothing.
    pub async fn trigrams(url: &str) -> Result<Trigrams> {
        trigrams::look(&Target::parse(url)?.connect().await?).await
    }

    /// The number of the last migration that the database has (0 means none) and of the last one known here. Changes
    /// nothing.
    pub async fn schema_version(url: &str) -> Result<(i32, i32)> {
        migrations::version(&Target::parse(url)?.connect().await?).await
    }

    /// The writers' counters.
    pub fn stats(&self) -> Stats {
        Stats {
            commands: self.writers.counters.commands.load(Ordering::Relaxed),
            statements: self.writers.counters.groups.load(Ordering::Relaxed),
        }
    }

    /// Checks that every writer is up and can write.
    async fn writers_answer(&self) -> Result<()> {
        self.supervisor.check(STUCK).map_err(StoreError::Unavailable)?;
        futures_util::future::try_join_all(self.writers.probers().map(Prober::ping)).await.map(drop)
    }
}

//! Commands that are not hot, by subject. They are written once for both engines, over a small interface: an engine
//! opens a transaction for a command ([`Engine`]) and runs its statements ([`Transaction`]). Every type that implements
//! [`Engine`] has all the traits in this module.
//!
//! A command that returns an error is undone as a whole. On PostgreSQL it may be tried again, so it must do nothing but
//! run statements.

mod audit;
mod blobs;
mod cells;
mod company;
mod company_keys;
mod counts;
mod credentials;
mod desk;
mod drafts;
mod empresas;
mod etapa;
mod figures;
mod fotos;
mod idempotency;
pub mod leads;
mod lock;
mod loops;
mod native;
mod notices;
pub mod obra;
mod outbox;
mod pauses;
mod projection;
mod push;
mod quotes;
mod replies;
mod rights;
mod secrets;
mod sessions;
mod tarifas;
mod users;
mod visits;

#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use embudo_domain::event::Event;
use embudo_domain::{LeadId, Timestamp, UserId};
use uuid::Uuid;

pub use lock::Lock;
pub use native::Native;

use crate::outbox::{JobAttemptEnd, NewJob};
use crate::queries::{Query, Statement, Values};
use crate::row::Columns;
use crate::touches::Touches;
use crate::{Result, StoreError};

/// The approximate size of a row besides its texts.
const ROW: usize = 256;

/// The function that is called with each row.
pub type OnRow<'f> = &'f mut (dyn FnMut(&Columns<'_>) -> Result<()> + Send);

/// The operations of an engine's transaction.
#[async_trait]
pub trait Transaction: Send + Sync {
    async fn query(&self, text: &str, values: &Values, on_row: OnRow<'_>) -> Result<()>;
    /// Returns how many rows were changed.
    async fn execute(&self, text: &str, values: &Values) -> Result<u64>;
    /// Takes locks of one kind and holds them until the transaction ends. An engine with a single writer does nothing
    /// here.
    async fn lock(&self, locks: &[Lock]) -> Result<()>;
    /// Appends events to a lead's history, and updates its etapa.
    async fn events(&self, lead: LeadId, events: &[Event]) -> Result<()>;
    /// Makes jobs of a locked lead; returns whether any process may take one of them.
    async fn jobs(&self, lead: LeadId, jobs: &[NewJob], at: Timestamp) -> Result<bool>;
    /// Writes the end of an attempt at a job; returns whether a job was made that any process may take. `None`: the
    /// process does not hold the job any more.
    async fn finish(&self, end: &JobAttemptEnd) -> Result<Option<bool>>;
    /// On SQLite: removes the lead's text from the trigram index, and overwrites what is deleted from now on. Does
    /// nothing on PostgreSQL.
    async fn begin_erasure(&self, lead: LeadId) -> Result<()>;
    /// The column that numbers jobs in the order in which they are made.
    fn job_order(&self) -> &'static str;
}

/// The transaction of one command.
pub struct Tx<'t> {
    engine: &'t dyn Transaction,
    /// The last lock that was taken.
    last: Mutex<Option<Lock>>,
}

impl<'t> Tx<'t> {
    pub fn of(engine: &'t dyn Transaction) -> Self {
        Self { engine, last: Mutex::default() }
    }

    /// Every row of a query.
    pub async fn rows<T: Send>(&self, query: impl Borrow<Query<T>> + Send) -> Result<Vec<T>> {
        let query = query.borrow();
        let mut rows = Vec::new();
        let mut keep = |row: &Columns<'_>| query.read(row).map(|row| rows.push(row));
        self.engine.query(query.text(), query.values(), &mut keep).await?;
        Ok(rows)
    }

    /// The first row of a query, if there is one.
    pub async fn first<T: Send>(&self, query: impl Borrow<Query<T>> + Send) -> Result<Option<T>> {
        Ok(self.rows(query).await?.into_iter().next())
    }

    /// Runs a statement; returns how many rows it changed.
    pub async fn run(&self, statement: impl Borrow<Statement> + Send) -> Result<u64> {
        let statement = statement.borrow();
        self.engine.execute(statement.text(), statement.values()).await
    }

    /// Runs a statement; if it changes no row, returns the error `missing`.
    pub async fn run_or(&self, statement: impl Borrow<Statement> + Send, missing: StoreError) -> Result<()> {
        match self.run(statement).await? {
            0 => Err(missing),
            _ => Ok(()),
        }
    }

    /// Takes a lock. Locks must be taken in the order of [`Lock`], so that no two commands can deadlock.
    pub async fn lock(&self, lock: Lock) -> Result<()> {
        self.lock_all(vec![lock]).await
    }

    pub async fn lock_leads(&self, leads: &[LeadId]) -> Result<()> {
        self.lock_all(leads.iter().copied().map(Lock::Lead).collect()).await
    }

    pub async fn lock_agendas(&self, people: &[UserId]) -> Result<()> {
        self.lock_all(people.iter().copied().map(Lock::Agenda).collect()).await
    }

    async fn lock_all(&self, mut locks: Vec<Lock>) -> Result<()> {
        locks.sort();
        locks.dedup();
        let Some(first) = locks.first() else { return Ok(()) };
        let last = std::mem::replace(
            &mut *self.last.lock().unwrap_or_else(PoisonError::into_inner),
            locks.last().copied(),
        );
        debug_assert!(last.is_none_or(|last| last <= *first), "{first:?} is taken after {last:?}");
        self.engine.lock(&locks).await
    }

    /// Appends events to a lead's history, and updates its etapa.
    pub async fn events(&self, lead: LeadId, events: &[Event]) -> Result<()> {
        self.engine.events(lead, events).await
    }

    /// Makes jobs of a locked lead; returns whether any process may take one of them. Must be called last, so that the
    /// payloads contain what the command has written.
    pub async fn jobs(&self, lead: LeadId, jobs: &[NewJob], at: Timestamp) -> Result<bool> {
        self.engine.jobs(lead, jobs, at).await
    }

    async fn finish(&self, end: &JobAttemptEnd) -> Result<Option<bool>> {
        self.engine.finish(end).await
    }

    async fn begin_erasure(&self, lead: LeadId) -> Result<()> {
        self.engine.begin_erasure(lead).await
    }

    fn job_order(&self) -> &'static str {
        self.engine.job_order()
    }
}

/// The future of a running command.
pub type Running<'t, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 't>>;

/// The work of a command inside its transaction.
pub type Work<C, T> = for<'t> fn(&'t Tx<'t>, &'t C) -> Running<'t, T>;

/// What an engine needs to know of a command before it runs.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Approximately how much it writes.
    pub bytes: usize,
    /// The lead, or another thing, for whose locks it will wait.
    pub thing: Option<Uuid>,
}

impl Load {
    pub const SMALL: Self = Self { bytes: 4 * ROW, thing: None };

    fn on(thing: Uuid) -> Self {
        Self { thing: Some(thing), ..Self::SMALL }
    }

    /// The load of a command that also writes this many bytes of text.
    fn and(self, bytes: usize) -> Self {
        Self { bytes: self.bytes + bytes, ..self }
    }
}

/// A database that runs commands, each in a transaction of its own.
pub trait Engine: Send + Sync + 'static {
    /// Runs a command; it is durable when this returns `Ok`.
    fn write<C, T>(&self, load: Load, command: C, work: Work<C, T>) -> impl Future<Output = Result<T>> + Send
    where
        C: Send + Sync + 'static,
        T: Send + 'static;

    /// Where the engine notes which leads were written about.
    fn touched(&self) -> &Touches;

    /// Notifies the other processes if there is a job for them.
    fn tell_of(&self, loose: bool);
}

/// The text of a value that is stored as JSON.
fn json(data: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(data)
        .map_err(|e| StoreError::Internal(format!("it cannot be written as JSON: {e}")))
}

/// Runs a command of one statement; returns how many rows it changed.
async fn run(engine: &impl Engine, load: Load, statement: Statement) -> Result<u64> {
    engine.write(load, statement, |tx, statement| Box::pin(tx.run(statement))).await
}

/// Runs statements in their order.
async fn run_all(
    tx: &Tx<'_>,
    statements: impl IntoIterator<Item = impl Borrow<Statement> + Send>,
) -> Result<()> {
    for statement in statements {
        tx.run(statement).await?;
    }
    Ok(())
}

/// The statement of a file under `sql/`, with its parameters: `sql!("sesion/touch.sql", id: id.0, now)`, where `now` is
/// a variable of that name.
macro_rules! sql {
    ($path:literal $(, $name:ident $(: $value:expr)?)* $(,)?) => {
        $crate::queries::Query::statement(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/", $path)))
            $(.bind(stringify!($name), $crate::write::sql!(@ $name $($value)?)))*
    };
    (@ $name:ident) => { $name };
    (@ $name:ident $value:expr) => { $value };
}
pub(crate) use sql;

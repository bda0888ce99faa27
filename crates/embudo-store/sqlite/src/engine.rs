//! Runs the commands of `embudo_store::write` on the writer's connection.
//!
//! Every step of such a command completes at once, so the writer's thread polls it only once.

use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use embudo_domain::event::Event;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::outbox::{JobAttemptEnd, NewJob};
use embudo_store::queries::Values;
use embudo_store::touches::Touches;
use embudo_store::write::{Engine, Load, Lock, OnRow, Transaction, Tx, Work};
use rusqlite::Connection;

use crate::SqliteStore;
use crate::command::{event, finish, job, rights};
use crate::failure::{Failure, Step, store_error};
use crate::query;

/// The writer's transaction, lent to one command.
struct Lent<'c>(Mutex<State<'c>>);

struct State<'c> {
    connection: &'c mut Connection,
    /// SQLite's own error, which the writer needs.
    failure: Option<rusqlite::Error>,
    is_erasing: bool,
}

impl<'c> Lent<'c> {
    fn state(&self) -> MutexGuard<'_, State<'c>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step<T>(&self, step: impl FnOnce(&Connection) -> Step<T>) -> Result<T> {
        let mut state = self.state();
        step(state.connection).map_err(|failure| match failure {
            Failure::Store(error) => error,
            Failure::Sqlite(error) => {
                let told = store_error(&error);
                state.failure = Some(error);
                told
            }
        })
    }
}

#[async_trait]
impl Transaction for Lent<'_> {
    async fn query(&self, text: &str, values: &Values, on_row: OnRow<'_>) -> Result<()> {
        self.step(|connection| query::each(connection, text, values, on_row))
    }

    async fn execute(&self, text: &str, values: &Values) -> Result<u64> {
        self.step(|connection| query::execute(connection, text, values))
    }

    /// There is only one writer, so no locks are needed.
    async fn lock(&self, _: &[Lock]) -> Result<()> {
        Ok(())
    }

    async fn events(&self, lead: LeadId, events: &[Event]) -> Result<()> {
        self.step(|connection| events.iter().try_for_each(|event| event::insert(connection, lead, event)))
    }

    async fn finish(&self, end: &JobAttemptEnd) -> Result<Option<bool>> {
        self.step(|connection| finish::finish(connection, end)).map(|lead| lead.map(|_| false))
    }

    async fn begin_erasure(&self, lead: LeadId) -> Result<()> {
        self.state().is_erasing = true;
        self.step(|connection| rights::begin(connection, lead))
    }

    fn job_order(&self) -> &'static str {
        "rowid"
    }

    async fn jobs(&self, lead: LeadId, jobs: &[NewJob], at: Timestamp) -> Result<bool> {
        self.step(|connection| job::insert_all(connection, lead, jobs, at)).map(|_| false)
    }
}

/// Runs a command inside the open transaction.
fn run<C, T>(connection: &mut Connection, command: &C, work: Work<C, T>) -> Step<T> {
    let lent = Lent(Mutex::new(State { connection, failure: None, is_erasing: false }));
    let end = {
        let tx = Tx::of(&lent);
        let running = pin!(work(&tx, command));
        match running.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(end) => end,
            Poll::Pending => unreachable!("a command waits for its statements alone, which are done at once"),
        }
    };
    let State { failure, is_erasing, connection } =
        lent.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    if is_erasing {
        rights::end(connection)?;
    }
    match (end, failure) {
        (Ok(end), _) => Ok(end),
        (Err(_), Some(failure)) => Err(failure.into()),
        (Err(error), None) => Err(error.into()),
    }
}

impl Engine for SqliteStore {
    async fn write<C, T>(&self, load: Load, command: C, work: Work<C, T>) -> Result<T>
    where
        C: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.writer.run_command(load.bytes, move |connection| run(connection, &command, work)).await
    }

    fn touched(&self) -> &Touches {
        &self.touches
    }

    /// There is no other process to notify.
    fn tell_of(&self, _: bool) {}
}

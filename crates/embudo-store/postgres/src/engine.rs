//! Runs the commands of `embudo_store::write`, each in a transaction of its own on a connection of the pool.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use deadpool_postgres::{GenericClient, Pool};
use embudo_domain::event::Event;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::outbox::{JobAttemptEnd, NewJob};
use embudo_store::queries::Values;
use embudo_store::touches::Touches;
use embudo_store::write::{Engine, Load, Lock, OnRow, Transaction, Tx, Work};
use embudo_store::{Result, StoreError};
use tokio_postgres::types::Type;
use tokio_postgres::{Row, Statement};
use uuid::Uuid;

use crate::PgStore;
use crate::command::alone::commit;
use crate::command::blob::sweep_lock;
use crate::command::{event, job};
use crate::failure::{Failure, Step, store_error};
use crate::patience::patiently;
use crate::query::bound;
use crate::rows::{Bound, read};
use crate::statement::{OnPool, Value, params, sql};
use crate::writer::run_within;

/// The numbers of advisory locks; they only must not be used by anything else in the database.
const EMPRESAS: i64 = 0x656d_6275_646f_0002;
const PEOPLE: i64 = 0x656d_6275_646f_0006;

/// A transaction that is lent to one command.
struct Lent<'c> {
    tx: deadpool_postgres::Transaction<'c>,
    /// PostgreSQL's own error, which decides whether the command is tried again.
    failure: Mutex<Option<Failure>>,
}

impl Lent<'_> {
    /// Keeps a failure, and returns it as the trait's error.
    fn keep_failure(&self, failure: Failure) -> StoreError {
        let error = match &failure {
            Failure::Pg(error) => store_error(error),
            Failure::ReadOnly => StoreError::Unavailable("the server is read-only".into()),
            Failure::Store(_) => return failure.into(),
        };
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        error
    }

    async fn rows(&self, text: &str, values: &Values) -> Step<Vec<Row>> {
        let (text, values) = bound(text, values)?;
        let (statement, values) = (self.prepared(&text, &values).await?, slice(&values));
        Ok(self.tx.query(&statement, &values).await?)
    }

    async fn changed(&self, text: &str, values: &Values) -> Step<u64> {
        let (text, values) = bound(text, values)?;
        let (statement, values) = (self.prepared(&text, &values).await?, slice(&values));
        Ok(GenericClient::execute(&self.tx, &statement, &values).await?)
    }

    async fn prepared(&self, text: &str, values: &[Bound<'_>]) -> Step<Statement> {
        let types: Vec<Type> = values.iter().map(Bound::sql_type).collect();
        Ok(self.tx.prepare_typed_cached(text, &types).await?)
    }

    /// Takes locks of one kind, in their order.
    async fn wait(&self, locks: &[Lock]) -> Step<()> {
        let Some(kind) = locks.first() else { return Ok(()) };
        let ids: Vec<Uuid> = locks.iter().filter_map(Lock::id).collect();
        match kind {
            Lock::People => self.tx.rows(sql!("advisory/lock.sql"), params! { lock: PEOPLE }).await,
            Lock::Empresas => self.tx.rows(sql!("advisory/lock.sql"), params! { lock: EMPRESAS }).await,
            Lock::Empresa(_) => self.tx.rows(sql!("empresa/lock.sql"), params! { id: ids }).await,
            Lock::Lead(_) => self.tx.rows(sql!("lead/lock_ids.sql"), params! { lead: ids }).await,
            Lock::Erasure(lead) => {
                self.tx.rows(sql!("lead/lock_to_erase.sql"), params! { lead: lead.0 }).await?;
                // The end of an attempt locks its job, with or without its lead. So it writes its rows before they are
                // erased, or it writes nothing.
                self.tx.rows(sql!("trabajo/lock_to_erase.sql"), params! { lead: lead.0 }).await
            }
            Lock::Job(_) => self.tx.rows(sql!("trabajo/lock.sql"), params! { id: ids }).await,
            Lock::Blobs(lead) => {
                self.tx.rows(sql!("blob_marca/share.sql"), params! { lock: sweep_lock(*lead) }).await
            }
            Lock::Agenda(_) => self.tx.rows(sql!("agenda/lock.sql"), params! { usuario: ids }).await,
            Lock::Figures => self.tx.rows(sql!("lead_cifra/close.sql"), params! {}).await,
        }
        .map(drop)
    }
}

#[async_trait]
impl Transaction for Lent<'_> {
    async fn query(&self, text: &str, values: &Values, on_row: OnRow<'_>) -> Result<()> {
        let rows = self.rows(text, values).await.map_err(|failure| self.keep_failure(failure))?;
        rows.iter().try_for_each(|row| {
            read(row, |columns| on_row(columns)).map_err(|failure| self.keep_failure(failure))
        })
    }

    async fn execute(&self, text: &str, values: &Values) -> Result<u64> {
        self.changed(text, values).await.map_err(|failure| self.keep_failure(failure))
    }

    async fn lock(&self, locks: &[Lock]) -> Result<()> {
        self.wait(locks).await.map_err(|failure| self.keep_failure(failure))
    }

    async fn events(&self, lead: LeadId, events: &[Event]) -> Result<()> {
        let append =
            async { event::insert(&self.tx, lead, event::empresa_of(&self.tx, lead).await?, events).await };
        append.await.map_err(|failure| self.keep_failure(failure))
    }

    async fn finish(&self, end: &JobAttemptEnd) -> Result<Option<bool>> {
        let finished = run_within(&self.tx, end).await.map_err(|failure| self.keep_failure(failure))?;
        Ok(finished.map(|finished| finished.loose))
    }

    /// The search's index is updated by itself when its table changes.
    async fn begin_erasure(&self, _: LeadId) -> Result<()> {
        Ok(())
    }

    fn job_order(&self) -> &'static str {
        "n"
    }

    async fn jobs(&self, lead: LeadId, jobs: &[NewJob], at: Timestamp) -> Result<bool> {
        job::insert(&self.tx, lead, jobs, at).await.map_err(|failure| self.keep_failure(failure))
    }
}

fn slice<'v>(values: &'v [Bound<'v>]) -> Vec<Value<'v>> {
    values.iter().map(|value| value as _).collect()
}

async fn run<C: Sync, T>(pool: &Pool, command: &C, work: Work<C, T>) -> Step<T> {
    let mut client = pool.get().await?;
    let lent = Lent { tx: client.transaction().await?, failure: Mutex::default() };
    let end = work(&Tx::of(&lent), command).await;
    let Lent { tx, failure } = lent;
    match (end, failure.into_inner().unwrap_or_else(PoisonError::into_inner)) {
        (Ok(end), _) => commit(tx).await.map(|()| end),
        (Err(_), Some(failure)) => Err(failure),
        (Err(error), None) => Err(error.into()),
    }
}

impl Engine for PgStore {
    async fn write<C, T>(&self, load: Load, command: C, work: Work<C, T>) -> Result<T>
    where
        C: Send + Sync + 'static,
        T: Send + 'static,
    {
        let turn = || async move {
            match load.thing {
                Some(thing) => self.turns.on(thing).await,
                None => self.turns.command().await,
            }
        };
        patiently!(self, turn(), run(&self.pool, &command, work))
    }

    fn touched(&self) -> &Touches {
        &self.touches
    }

    fn tell_of(&self, loose: bool) {
        self.announce_if(loose);
    }
}

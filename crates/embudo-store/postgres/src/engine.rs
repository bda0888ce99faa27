//! Runs the commands of `embudo_store::write`, each in a transaction of its own on a connection of the pool.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use deadpool_postgres::{GenericClient, Pool};
use embudo_store::queries::Values;
use embudo_store::touches::Touches;
use embudo_store::write::{Engine, Load, Lock, OnRow, Transaction, Tx, Work};
use embudo_store::{Result, StoreError};
use tokio_postgres::types::Type;
use tokio_postgres::{Row, Statement};
use uuid::Uuid;

use crate::PgStore;
use crate::command::alone::commit;
use crate::failure::{Failure, Step, store_error};
use crate::patience::patiently;
use crate::query::bound;
use crate::rows::{Bound, read};
use crate::statement::{OnPool, Sql, Value, params, sql};

/// The numbers of advisory locks: any that nobody else in the database uses.
const EMPRESAS: i64 = 0x656d_6275_646f_0002;
const PEOPLE: i64 = 0x656d_6275_646f_0006;

/// A transaction, lent to one command.
struct Lent<'c> {
    tx: deadpool_postgres::Transaction<'c>,
    /// PostgreSQL's own error, by which it is decided whether the command is tried again.
    failure: Mutex<Option<Failure>>,
}

impl Lent<'_> {
    /// The trait's word for a failure, which is kept.
    fn told(&self, failure: Failure) -> StoreError {
        let told = match &failure {
            Failure::Pg(error) => store_error(error),
            Failure::ReadOnly => StoreError::Unavailable("the server is read-only".into()),
            Failure::Store(_) => return failure.into(),
        };
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        told
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

    async fn wait(&self, lock: &Lock) -> Step<()> {
        match lock {
            Lock::People => self.alone(PEOPLE).await,
            Lock::Empresas => self.alone(EMPRESAS).await,
            Lock::Empresa(id) => self.hold(sql!("empresa/lock.sql"), id.0).await,
            _ => todo!(),
        }
    }

    /// Waits for the row of an id.
    async fn hold(&self, sql: &Sql, id: Uuid) -> Step<()> {
        OnPool::execute(&self.tx, sql, params! { id }).await.map(drop)
    }

    /// Waits for a number that only one transaction at a time has.
    async fn alone(&self, lock: i64) -> Step<()> {
        OnPool::execute(&self.tx, sql!("advisory/lock.sql"), params! { lock }).await.map(drop)
    }
}

#[async_trait]
impl Transaction for Lent<'_> {
    async fn query(&self, text: &str, values: &Values, on_row: OnRow<'_>) -> Result<()> {
        let rows = self.rows(text, values).await.map_err(|failure| self.told(failure))?;
        rows.iter()
            .try_for_each(|row| read(row, |columns| on_row(columns)).map_err(|failure| self.told(failure)))
    }

    async fn execute(&self, text: &str, values: &Values) -> Result<u64> {
        self.changed(text, values).await.map_err(|failure| self.told(failure))
    }

    async fn lock(&self, lock: &Lock) -> Result<()> {
        self.wait(lock).await.map_err(|failure| self.told(failure))
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

    fn jobs_wait(&self) {
        self.announcer.soon();
    }
}

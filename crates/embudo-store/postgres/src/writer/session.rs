//! The connection on which a group runs: a writer's own, or a transaction on a connection of the pool.

use std::borrow::Cow;
use std::time::Instant;

use deadpool_postgres::Transaction;
use futures_util::future::try_join_all;
use tokio_postgres::{Client, Error, Row, Statement};

use crate::connection::{Target, promptly};
use crate::failure::Step;
use crate::statement::{Params, Sql};

type Prepared = (&'static Sql, Statement);

/// A writer's connection with the statements of its lane.
pub(super) struct Connection {
    pub(super) client: Client,
    statements: Vec<Prepared>,
    pub(super) opened: Instant,
}

impl Connection {
    /// A connection with these statements prepared.
    pub(super) async fn open(target: &Target, sql: Vec<&'static Sql>) -> embudo_store::Result<Self> {
        let client = target.connect_writer().await?;
        let prepare = async |sql: &'static Sql| Ok((sql, client.prepare(&sql.text).await?));
        let statements = promptly(try_join_all(sql.into_iter().map(prepare))).await?;
        Ok(Self { client, statements, opened: Instant::now() })
    }

    pub(super) fn session(&self, attempt: Attempt) -> Session<'_> {
        Session { client: &self.client, statements: Cow::Borrowed(&self.statements), is_own: true, attempt }
    }
}

/// Whether the commands may have been done before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// They were never sent: the rows that they append do not exist yet.
    First,
    /// A commit may be in doubt.
    Again,
}

/// The connection and statements with which commands run.
pub(crate) struct Session<'a> {
    client: &'a Client,
    statements: Cow<'a, [Prepared]>,
    /// Whether the group begins and ends a transaction of its own.
    is_own: bool,
    pub(crate) attempt: Attempt,
}

impl<'a> Session<'a> {
    /// A session within a transaction, with these statements.
    pub(crate) async fn within(tx: &'a Transaction<'_>, sql: &[&'static Sql]) -> Step<Session<'a>> {
        let prepare = async |sql: &'static Sql| Ok::<_, Error>((sql, tx.prepare_cached(&sql.text).await?));
        let statements = try_join_all(sql.iter().map(|sql| prepare(sql))).await?;
        let statements = Cow::Owned(statements);
        Ok(Self { client: tx.client(), statements, is_own: false, attempt: Attempt::Again })
    }
}

impl Session<'_> {
    /// Begins a transaction, unless the group runs within one.
    pub(crate) async fn begin(&self) -> Result<(), Error> {
        if self.is_own { self.client.batch_execute("BEGIN").await } else { Ok(()) }
    }

    /// Commits, unless the caller began the transaction. After an error the server rolls back instead, without
    /// reporting it here.
    pub(crate) async fn commit(&self) -> Result<(), Error> {
        if self.is_own { self.client.batch_execute("COMMIT").await } else { Ok(()) }
    }

    /// Runs a statement that the command's kind lists. Calls that are made at the same time are sent in that order,
    /// without waiting for the answers in between.
    pub(crate) async fn query(&self, sql: &'static Sql, params: &Params<'_>) -> Step<Vec<Row>> {
        Ok(self.client.query(self.prepared(sql), &sql.bind(params)?).await?)
    }

    /// Like `query`, for a statement without rows in its answer; returns how many rows it wrote.
    pub(crate) async fn execute(&self, sql: &'static Sql, params: &Params<'_>) -> Step<u64> {
        Ok(self.client.execute(self.prepared(sql), &sql.bind(params)?).await?)
    }

    fn prepared(&self, sql: &'static Sql) -> &Statement {
        let found = self.statements.iter().find(|(known, _)| std::ptr::eq(*known, sql));
        &found.expect("a kind lists its statements").1
    }
}

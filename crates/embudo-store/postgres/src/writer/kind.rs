//! The properties of a command that can run together with others of its kind.

use std::future::Future;
use std::time::Duration;

use deadpool_postgres::Transaction;
use embudo_store::Result;
use uuid::Uuid;

use super::session::Session;
use crate::failure::Step;
use crate::patience::PATIENCE;
use crate::statement::Sql;

/// A command that can be run for many callers at once.
pub(crate) trait Grouped: Send + Sync + Sized + 'static {
    /// The result for its caller.
    type End: Send + 'static;

    const LANE: Lane = Lane::Bot;
    /// Whether the statements of a group must run in one transaction. A single statement is a transaction of its own.
    const IS_TRANSACTION: bool = false;
    /// How long a caller waits in all if its command runs alone.
    const PATIENCE: Duration = PATIENCE;

    /// Every statement of a group, to be prepared before it is needed.
    fn sql() -> Vec<&'static Sql>;

    /// Commands with the same key keep their order, and share turns when they run alone. The key is the lead's id, if
    /// the lead is known.
    fn key(&self) -> Uuid;

    fn claim(&self) -> Claim {
        Claim::Nothing
    }

    /// Approximately how much memory the command takes.
    fn bytes(&self) -> usize;

    /// Runs the group and returns the result of each command, in the order given. If it runs again with the same
    /// commands, nothing is done twice. After an error the transaction may still be open.
    fn run(on: &Session<'_>, group: &[&Self]) -> impl Future<Output = Step<Vec<Result<Self::End>>>> + Send;
}

/// To which writers a kind goes. Each lane has connections of its own, so that slow work does not hold up the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// What the bot writes.
    Bot,
    /// Calls that make jobs.
    Jobs,
    Ends,
}

/// What a command changes that another command of the same batch may want to change too. The kinds of a batch are
/// separate statements, and the order of arrival must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    Nothing,
    /// A row that others of the same kind may change in the same batch: the kind merges their changes.
    Shared(Uuid),
    /// Something that no other command of the batch may change.
    Only(Uuid),
}

/// What a writer must know of a kind beforehand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(super) lane: Lane,
    pub(super) sql: fn() -> Vec<&'static Sql>,
}

impl Kind {
    pub(crate) const fn of<K: Grouped>() -> Self {
        Self { lane: K::LANE, sql: K::sql }
    }
}

/// Runs one command as a group of its own within a transaction.
pub(crate) async fn run_within<K: Grouped>(tx: &Transaction<'_>, command: &K) -> Step<K::End> {
    let session = Session::within(tx, &K::sql()).await?;
    let end = K::run(&session, &[command]).await?.pop();
    Ok(end.expect("one command has one end")?)
}

/// The statements of a lane, which each of its connections prepares.
pub(super) fn statements(kinds: &[Kind], lane: Lane) -> Vec<&'static Sql> {
    kinds.iter().filter(|kind| kind.lane == lane).flat_map(|kind| (kind.sql)()).collect()
}

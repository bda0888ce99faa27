//! One transaction with all waiting commands: each has its own result, and all share one commit.

use embudo_store::StoreError;
use rusqlite::Connection;

use super::Shape;
use super::task::{Ran, Task};
use crate::failure::{is_passing, store_error};

/// The result of a batch.
pub(super) struct Outcome {
    /// `Err`: nothing of the batch is stored, and no command may be acknowledged.
    pub(super) result: Result<(), String>,
    /// Whether the connection may be unusable, so that the next batch needs a new one.
    pub(super) give_up_connection: bool,
    /// Whether the database cannot be written to now: no space, no file, no permission, or another connection's lock.
    pub(super) is_failing: bool,
}

impl Outcome {
    pub(super) fn failed(error: &rusqlite::Error) -> Self {
        Self { give_up_connection: !is_passing(error), result: Err(error.to_string()), is_failing: true }
    }
}

/// Runs the commands and commits. Each command keeps its own result; the caller sends them out.
pub(super) fn run(connection: &mut Connection, batch: &mut [Box<dyn Task>]) -> Outcome {
    let ended = begin(connection)
        .and_then(|()| run_all(connection, batch))
        .and_then(|is_failing| commit(connection).map(|()| is_failing));
    let error = match ended {
        Ok(is_failing) => return Outcome { result: Ok(()), give_up_connection: false, is_failing },
        Err(error) => error,
    };
    let mut outcome = Outcome::failed(&error);
    if !connection.is_autocommit() && exec(connection, "ROLLBACK").is_err() {
        outcome.give_up_connection = true;
    }
    outcome
}

fn begin(connection: &Connection) -> rusqlite::Result<()> {
    exec(connection, "BEGIN IMMEDIATE")
}

fn commit(connection: &Connection) -> rusqlite::Result<()> {
    exec(connection, "COMMIT")
}

/// Returns an error only when the whole transaction is lost; otherwise whether a command found that nothing can be
/// written.
fn run_all(connection: &mut Connection, batch: &mut [Box<dyn Task>]) -> rusqlite::Result<bool> {
    let alone = batch.len() == 1;
    let mut is_failing = false;
    for task in batch {
        // A lone command needs no savepoint: the whole transaction can be rolled back.
        let savepoint = task.shape() == Shape::Several && !alone;
        if savepoint {
            exec(connection, "SAVEPOINT command")?;
        }
        let ran = task.run(connection);
        if connection.is_autocommit() {
            // A full disk or an I/O error may have rolled back everything, including the work of other commands.
            return Err(match ran {
                Ran::Failed { sqlite: Some(error) } => error,
                _ => lost("the transaction ended before its commit"),
            });
        }
        if let Ran::Failed { sqlite: Some(error) } = &ran {
            is_failing |= matches!(store_error(error), StoreError::Unavailable(_));
        }
        match ran {
            Ran::Done if savepoint => exec(connection, "RELEASE command")?,
            Ran::Done => {}
            Ran::Failed { .. } | Ran::Panicked if savepoint => {
                exec(connection, "ROLLBACK TO command")?;
                exec(connection, "RELEASE command")?;
            }
            Ran::Failed { .. } | Ran::Panicked if alone => {
                // Nothing is left to commit; with an empty transaction the caller can commit as usual.
                exec(connection, "ROLLBACK")?;
                exec(connection, "BEGIN")?;
            }
            // A single statement that failed has changed nothing.
            Ran::Failed { .. } => {}
            Ran::Panicked => return Err(lost("a command panicked")),
        }
    }
    Ok(is_failing)
}

fn exec(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute(()).map(drop)
}

fn lost(reason: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error {
            code: rusqlite::ErrorCode::OperationAborted,
            extended_code: rusqlite::ffi::SQLITE_ABORT,
        },
        Some(reason.to_owned()),
    )
}

//! A command in the queue, with the channel for its caller's answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use embudo_store::{Result, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::Shape;
use crate::failure::{Failure, Step};

/// The result of running a command, before anything is committed.
pub(super) enum Ran {
    /// It did its work.
    Done,
    /// It failed by its own rules or by SQLite's.
    Failed {
        /// SQLite's error, if it was one.
        sqlite: Option<rusqlite::Error>,
    },
    /// It panicked: its changes so far are unknown.
    Panicked,
}

/// What the writer needs to know of a command.
pub(super) trait Task: Send {
    fn shape(&self) -> Shape;
    fn bytes(&self) -> usize;
    /// Runs it once, inside the batch's transaction, and keeps the answer.
    fn run(&mut self, connection: &mut Connection) -> Ran;
    /// Sends the caller the result, or the reason why the whole batch failed. The caller may have stopped waiting.
    fn answer(self: Box<Self>, batch: &std::result::Result<(), String>);
}

/// A command: holds its work until it has run, its result afterwards.
pub(super) struct Command<F, T> {
    shape: Shape,
    bytes: usize,
    work: Option<F>,
    result: Result<T>,
    reply: oneshot::Sender<Result<T>>,
}

impl<F, T> Command<F, T> {
    pub(super) fn new(shape: Shape, bytes: usize, work: F, reply: oneshot::Sender<Result<T>>) -> Self {
        let result = Err(StoreError::Unavailable("the command did not run".into()));
        Self { shape, bytes, work: Some(work), result, reply }
    }
}

impl<F, T> Task for Command<F, T>
where
    T: Send,
    F: FnOnce(&mut Connection) -> Step<T> + Send,
{
    fn shape(&self) -> Shape {
        self.shape
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn run(&mut self, connection: &mut Connection) -> Ran {
        let work = self.work.take().expect("a command runs once");
        // Unwind-safe: after a panic everything the command did is rolled back.
        match catch_unwind(AssertUnwindSafe(|| work(connection))) {
            Ok(Ok(value)) => {
                self.result = Ok(value);
                Ran::Done
            }
            Ok(Err(Failure::Store(error))) => {
                self.result = Err(error);
                Ran::Failed { sqlite: None }
            }
            Ok(Err(Failure::Sqlite(error))) => {
                self.result = Err(crate::failure::store_error(&error));
                Ran::Failed { sqlite: Some(error) }
            }
            Err(_) => {
                self.result = Err(StoreError::Internal("a command panicked".into()));
                Ran::Panicked
            }
        }
    }

    fn answer(self: Box<Self>, batch: &std::result::Result<(), String>) {
        let result = match batch {
            Ok(()) => self.result,
            Err(reason) => Err(StoreError::Unavailable(reason.clone())),
        };
        // The caller may have stopped waiting; the work is done all the same.
        let _ = self.reply.send(result);
    }
}

/// Panics in the writer's own thread, where no command does.
#[cfg(test)]
pub(super) struct Bomb;

#[cfg(test)]
impl Task for Bomb {
    fn shape(&self) -> Shape {
        Shape::Single
    }

    fn bytes(&self) -> usize {
        panic!("told to")
    }

    fn run(&mut self, _: &mut Connection) -> Ran {
        Ran::Done
    }

    fn answer(self: Box<Self>, _: &std::result::Result<(), String>) {}
}

//! The state of a task that is visible from outside.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether a task is up, and since when it works.
#[derive(Debug)]
pub struct Pulse {
    name: &'static str,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_down: bool,
    /// When the current work began.
    began: Option<Instant>,
}

impl Pulse {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, state: Mutex::default() }
    }

    /// The name of the task.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Marks the beginning of a piece of work, which ends when the returned value is dropped.
    pub fn begin(&self) -> Work<'_> {
        self.state().began = Some(Instant::now());
        Work(self)
    }

    /// The task runs again after a panic.
    pub fn up(&self) {
        self.state().is_down = false;
    }

    pub(crate) fn down(&self) {
        *self.state() = State { is_down: true, began: None };
    }

    pub(crate) fn check(&self, patience: Duration) -> Result<(), String> {
        let state = self.state();
        if state.is_down {
            return Err(format!("{} has panicked and starts again in a moment", self.name));
        }
        match state.began.map(|began| began.elapsed()) {
            Some(busy) if busy >= patience => {
                Err(format!("{} has been at the same work for {} s", self.name, busy.as_secs()))
            }
            _ => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The two plain values are consistent even if a thread panicked while it held the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A piece of work that has begun and not ended.
#[derive(Debug)]
#[must_use]
pub struct Work<'a>(&'a Pulse);

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.0.state().began = None;
    }
}

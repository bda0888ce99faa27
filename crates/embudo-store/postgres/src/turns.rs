//! Turns on the pool: commands that may wait for locks and reads that may scan a table never take all connections.
//!
//! Turns are given in the order of the requests, and nobody is refused; the caller decides how long to wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

/// How many commands on the same lead run at once: they mostly wait for each other's locks.
const AT_ONCE: usize = 2;
/// How many things are remembered before unused ones are removed.
const REMEMBERED: usize = 1024;

/// The shares of the pool, as semaphores.
#[derive(Debug)]
pub(crate) struct Turns {
    commands: Arc<Semaphore>,
    walks: Arc<Semaphore>,
    things: Mutex<HashMap<Uuid, Arc<Semaphore>>>,
}

/// A turn; it ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _share: Option<OwnedSemaphorePermit>,
    _thing: Option<OwnedSemaphorePermit>,
}

impl Turns {
    /// The shares for a pool of this size.
    pub(crate) fn new(pool: usize) -> Self {
        Self {
            commands: Arc::new(Semaphore::new((pool - pool / 4).max(1))),
            walks: Arc::new(Semaphore::new((pool / 8).max(1))),
            things: Mutex::default(),
        }
    }

    pub(crate) async fn command(&self) -> Turn {
        Turn { _share: Some(permit(&self.commands).await), _thing: None }
    }

    /// A turn for a command that may wait for the locks of this lead, or of another thing.
    pub(crate) async fn on(&self, thing: Uuid) -> Turn {
        // The turn of the thing comes first: a command that waits for it must not hold a share that another command
        // could use.
        let of_thing = permit(&self.thing(thing)).await;
        Turn { _share: Some(permit(&self.commands).await), _thing: Some(of_thing) }
    }

    /// A turn for a read. Only a read that may scan a whole table (`walks`) has to wait for one.
    pub(crate) async fn question(&self, walks: bool) -> Turn {
        let share = if walks { Some(permit(&self.walks).await) } else { None };
        Turn { _share: share, _thing: None }
    }

    fn thing(&self, id: Uuid) -> Arc<Semaphore> {
        // The map is consistent even if a thread panicked while it held the lock.
        let mut things = self.things.lock().unwrap_or_else(PoisonError::into_inner);
        if things.len() >= REMEMBERED {
            // A command that has a turn, or waits for one, also holds a reference to the semaphore.
            things.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        Arc::clone(things.entry(id).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE))))
    }
}

async fn permit(semaphore: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    Arc::clone(semaphore).acquire_owned().await.expect("turns are never closed")
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_thing_has_few_turns_and_others_have_theirs() {
        let turns = Turns::new(16);
        let (one, other) = (Uuid::new_v4(), Uuid::new_v4());
        let first = turns.on(one).await;
        let _second = turns.on(one).await;
        let mut third = Box::pin(turns.on(one));
        assert!((&mut third).now_or_never().is_none(), "two at once");
        drop(turns.on(other).await);
        drop(first);
        drop(third.await);
    }

    #[tokio::test]
    async fn what_nobody_asks_for_is_forgotten() {
        let turns = Turns::new(16);
        let kept = Uuid::new_v4();
        let turn = turns.on(kept).await;
        for _ in 0..3 * REMEMBERED {
            drop(turns.on(Uuid::new_v4()).await);
        }
        let things = turns.things.lock().expect("whole");
        assert!(things.len() <= REMEMBERED && things.contains_key(&kept));
        drop(turn);
    }

    #[tokio::test]
    async fn commands_and_walks_leave_connections_to_others() {
        let turns = Turns::new(16);
        let mut taken = Vec::new();
        while let Some(turn) = turns.command().now_or_never() {
            taken.push(turn);
        }
        assert_eq!(taken.len(), 12);
        while let Some(turn) = turns.question(true).now_or_never() {
            taken.push(turn);
        }
        assert_eq!(taken.len(), 14);
        drop(turns.question(false).await);
    }
}

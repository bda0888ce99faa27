//! The open event streams. Their number is limited for each person and for the process, and all of them end at once
//! when the process stops.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use embudo_domain::UserId;
use tokio::sync::watch;

/// The maximum number of streams of one person, who may have several tabs open.
const OF_ONE: usize = 8;
const IN_ALL: usize = 1_000;

#[derive(Debug, Default)]
struct Open {
    by_person: HashMap<UserId, usize>,
    in_all: usize,
}

/// Clones share the same streams.
#[derive(Debug, Clone)]
pub(crate) struct Streams {
    open: Arc<Mutex<Open>>,
    ended: watch::Sender<bool>,
}

impl Default for Streams {
    fn default() -> Self {
        Self { open: Arc::default(), ended: watch::Sender::new(false) }
    }
}

impl Streams {
    /// Reserves a place for one more stream until the place is dropped. `None` if this person or the process has the
    /// maximum.
    pub fn take(&self, who: UserId) -> Option<Seat> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let own = open.by_person.get(&who).copied().unwrap_or_default();
        if own >= OF_ONE || open.in_all >= IN_ALL || *self.ended.borrow() {
            return None;
        }
        open.by_person.insert(who, own + 1);
        open.in_all += 1;
        Some(Seat { of: self.open.clone(), who, ended: self.ended.subscribe() })
    }

    /// Ends all streams and refuses new ones.
    pub fn end(&self) {
        self.ended.send_replace(true);
    }
}

#[derive(Debug)]
pub(crate) struct Seat {
    of: Arc<Mutex<Open>>,
    who: UserId,
    ended: watch::Receiver<bool>,
}

impl Seat {
    /// Waits until the stream must end.
    pub async fn ended(&mut self) {
        // An error means that the sender was dropped together with the pages. The stream ends then too.
        let _ = self.ended.wait_for(|ended| *ended).await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        open.in_all -= 1;
        if let Some(own) = open.by_person.get_mut(&self.who) {
            *own -= 1;
            if *own == 0 {
                open.by_person.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn one_person_has_so_many_and_all_end_at_once() {
        let streams = Streams::default();
        let who = UserId(Uuid::from_u128(1));
        let mut seats: Vec<Seat> = (0..OF_ONE).filter_map(|_| streams.take(who)).collect();
        assert_eq!(seats.len(), OF_ONE);
        assert!(streams.take(who).is_none());
        assert!(streams.take(UserId(Uuid::from_u128(2))).is_some());
        seats.pop();
        let mut last = streams.take(who).expect("one left");
        streams.end();
        last.ended().await;
        assert!(streams.take(UserId(Uuid::from_u128(3))).is_none());
        drop((seats, last));
        assert_eq!(streams.open.lock().expect("held by nobody").in_all, 0);
    }
}

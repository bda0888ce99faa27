//! The state that all attempts of this process share: seats (permits of a semaphore) by kind of job, the circuit
//! breaker of each kind, and the jobs in progress.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use embudo_domain::job::JobKind;
use embudo_domain::{JobId, Timestamp, UserId};
use embudo_store::outbox::Allotment;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::circuit_breaker::{CircuitBreaker, Step};
use crate::jobs::Health;
use crate::machine;

/// The maximum number of attempts at the same time, by kind: a slow receiver takes no seat from another kind, and the
/// mail server is not overloaded.
const SIGNALS_AT_ONCE: usize = 128;
const MAILS_AT_ONCE: usize = 8;
/// The maximum number of previews of one person: one is drawn, and one waits.
const PREVIEWS_OF_ONE: usize = 2;
/// How long a preview waits for its turn before it is refused.
const PATIENCE: Duration = Duration::from_secs(60);

/// The state that all attempts of this process share.
pub(crate) struct AttemptPool {
    pub seats: BTreeMap<JobKind, Arc<Semaphore>>,
    circuit_breaker: Mutex<BTreeMap<JobKind, CircuitBreaker>>,
    in_progress: Mutex<BTreeSet<JobId>>,
    /// For each person, their lock for previews, and how many of their previews are drawn or waiting.
    previews: Mutex<BTreeMap<UserId, (Arc<Semaphore>, usize)>>,
    pub has_work: Notify,
    pub free: Notify,
}

impl Default for AttemptPool {
    fn default() -> Self {
        // Jobs that draw a document are limited by processors and memory, not by connections.
        let quotes = machine::quotes_at_once();
        let seats = JobKind::ALL.map(|kind| {
            let how_many = match kind {
                JobKind::Presupuesto | JobKind::Acceptance => quotes,
                kind if kind.is_mail() => MAILS_AT_ONCE,
                _ => SIGNALS_AT_ONCE,
            };
            (kind, Arc::new(Semaphore::new(how_many)))
        });
        Self {
            seats: seats.into(),
            circuit_breaker: Mutex::default(),
            in_progress: Mutex::default(),
            previews: Mutex::default(),
            has_work: Notify::new(),
            free: Notify::new(),
        }
    }
}

impl AttemptPool {
    /// Tells the worker that there may be a job to claim.
    pub fn notify(&self) {
        self.has_work.notify_one();
    }

    pub fn allotments(&self, now: Timestamp) -> Vec<Allotment> {
        let circuit_breaker = self.circuit_breaker.lock().unwrap_or_else(PoisonError::into_inner);
        let allotment = |(kind, seats): (&JobKind, &Arc<Semaphore>)| {
            let free_ones = u32::try_from(seats.available_permits()).unwrap_or(u32::MAX);
            let (how_many, first_attempts_only) =
                match circuit_breaker.get(kind).map_or(Step::Free, |c| c.step(now)) {
                    Step::Free => (free_ones, false),
                    Step::One => (free_ones.min(1), false),
                    Step::First => (free_ones, true),
                };
            Allotment { kind: *kind, how_many, first_attempts_only }
        };
        self.seats.iter().map(allotment).filter(|c| c.how_many > 0).collect()
    }

    pub fn note_down(&self, kind: JobKind, health: Health, now: Timestamp) {
        let is_well = match health {
            Health::Good => true,
            Health::Bad => false,
            Health::Unknown => return,
        };
        let mut circuit_breaker = self.circuit_breaker.lock().unwrap_or_else(PoisonError::into_inner);
        circuit_breaker.entry(kind).or_default().note_down(is_well, now);
    }

    pub fn in_progress(&self) -> Vec<JobId> {
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// Waits until a preview may be drawn for a person: one at a time for each person, and in a seat for quotes, so
    /// that previews and quotes together do not overload the machine. `None`: this person already has the maximum
    /// number of previews, or the wait took too long.
    pub async fn turn(self: &Arc<Self>, who: UserId) -> Option<Turn> {
        let (own, place) = {
            let mut previews = self.previews.lock().unwrap_or_else(PoisonError::into_inner);
            let (own, count) = previews.entry(who).or_insert_with(|| (Arc::new(Semaphore::new(1)), 0));
            if *count >= PREVIEWS_OF_ONE {
                return None;
            }
            *count += 1;
            (Arc::clone(own), Place { pool: Arc::clone(self), who })
        };
        let seats = Arc::clone(&self.seats[&JobKind::Presupuesto]);
        let both = async { Some((own.acquire_owned().await.ok()?, seats.acquire_owned().await.ok()?)) };
        let (own, seat) = tokio::time::timeout(PATIENCE, both).await.ok()??;
        Some(Turn { _seat: seat, _own: own, _place: place })
    }

    pub fn enter(self: &Arc<Self>, id: JobId) -> InProgress {
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        InProgress { pool: self.clone(), id }
    }

    /// Enters a job, unless this process is already trying it: a process that stalled may claim its own jobs again
    /// after their leases expired.
    pub fn enter_once(self: &Arc<Self>, id: JobId) -> Option<InProgress> {
        let is_new = self.in_progress.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        is_new.then(|| InProgress { pool: self.clone(), id })
    }
}

/// The place of a person in the list of people with previews.
struct Place {
    pool: Arc<AttemptPool>,
    who: UserId,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut previews = self.pool.previews.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, count)) = previews.get_mut(&self.who) {
            *count -= 1;
            if *count == 0 {
                previews.remove(&self.who);
            }
        }
    }
}

/// A person's permission to draw a preview, with a seat for it.
pub(crate) struct Turn {
    _seat: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
    _place: Place,
}

/// A job in progress. Its lease is renewed as long as this value lives.
pub(crate) struct InProgress {
    pool: Arc<AttemptPool>,
    id: JobId,
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.pool.in_progress.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        self.pool.free.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn previews_are_drawn_one_at_a_time_for_each_person() {
        let pool = Arc::new(AttemptPool::default());
        let (ana, luis) = (UserId(uuid::Uuid::from_u128(1)), UserId(uuid::Uuid::from_u128(2)));
        let first = pool.turn(ana).await.expect("the first");
        let second = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.turn(ana).await.is_some() }
        });
        while pool.previews.lock().expect("sound")[&ana].1 < 2 {
            tokio::task::yield_now().await;
        }
        assert!(pool.turn(ana).await.is_none(), "a third has no place");
        let other = pool.turn(luis).await.expect("another person does not wait for it");
        assert!(!second.is_finished());
        drop((first, other));
        assert!(second.await.expect("no panic"), "the second has its turn");
        assert!(pool.previews.lock().expect("sound").is_empty(), "nothing is left of them");
        assert_eq!(pool.seats[&JobKind::Presupuesto].available_permits(), machine::quotes_at_once());
    }
}

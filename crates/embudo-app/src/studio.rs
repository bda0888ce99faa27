//! What the attempts of this process share: places by kind, the record of each receiver, and who is at work.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use embudo_domain::job::JobKind;
use embudo_domain::{JobId, Timestamp};
use embudo_store::outbox::Allotment;
use tokio::sync::{Notify, Semaphore};

use crate::circuit_breaker::{CircuitBreaker, Step};
use crate::jobs::Health;

/// Attempts at the same time, by kind: one slow receiver takes no place from another, and a mail server is spared.
const SIGNALS_AT_ONCE: usize = 128;
const MAILS_AT_ONCE: usize = 8;
/// Drawing takes a processor, not a line.
const PRESUPUESTOS_AT_ONCE: usize = 2;

/// What the attempts of this process share.
pub(crate) struct Studio {
    pub seats: BTreeMap<JobKind, Arc<Semaphore>>,
    circuit_breaker: Mutex<BTreeMap<JobKind, CircuitBreaker>>,
    in_progress: Mutex<BTreeSet<JobId>>,
    pub has_work: Notify,
    pub free: Notify,
}

impl Default for Studio {
    fn default() -> Self {
        let seats = JobKind::ALL.map(|kind| {
            let how_many = match kind {
                JobKind::Presupuesto => PRESUPUESTOS_AT_ONCE,
                kind if kind.is_mail() => MAILS_AT_ONCE,
                _ => SIGNALS_AT_ONCE,
            };
            (kind, Arc::new(Semaphore::new(how_many)))
        });
        Self {
            seats: seats.into(),
            circuit_breaker: Mutex::default(),
            in_progress: Mutex::default(),
            has_work: Notify::new(),
            free: Notify::new(),
        }
    }
}

impl Studio {
    /// Says that there may be something to claim.
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

    pub fn enter(self: &Arc<Self>, id: JobId) -> InProgress {
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        InProgress { studio: self.clone(), id }
    }

    /// The same, unless the job is being tried already: a process that stalled finds its own leases run out.
    pub fn enter_once(self: &Arc<Self>, id: JobId) -> Option<InProgress> {
        let is_new = self.in_progress.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        is_new.then(|| InProgress { studio: self.clone(), id })
    }
}

/// A job that is being tried; its lease is kept alive while this lives.
pub(crate) struct InProgress {
    studio: Arc<Studio>,
    id: JobId,
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.studio.in_progress.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        self.studio.free.notify_waiters();
    }
}

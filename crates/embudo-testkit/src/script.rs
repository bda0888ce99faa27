//! What the misbehaving servers share: a script of treatments, a record of what arrived, and a semaphore that holds
//! responses back.

use std::collections::VecDeque;
use std::sync::Mutex;

use tokio::sync::{Semaphore, watch};

use crate::PATIENCE;

/// A script and a record. `M` is a treatment, `R` is what is recorded.
pub(crate) struct Script<M, R> {
    queue: Mutex<VecDeque<M>>,
    always: Mutex<M>,
    log: Mutex<Vec<R>>,
    count: watch::Sender<usize>,
    semaphore: Semaphore,
}

impl<M: Clone, R: Clone> Script<M, R> {
    pub fn new(always: M) -> Self {
        Self {
            queue: Mutex::default(),
            always: Mutex::new(always),
            log: Mutex::default(),
            count: watch::Sender::new(0),
            semaphore: Semaphore::new(0),
        }
    }

    pub fn push(&self, manners: impl IntoIterator<Item = M>) {
        self.queue.lock().unwrap().extend(manners);
    }

    pub fn always(&self, manner: M) {
        *self.always.lock().unwrap() = manner;
    }

    /// Takes the next treatment if it matches; otherwise it stays in the script. If the script is empty, the next
    /// treatment is that of `always`.
    pub fn take_if(&self, is: impl Fn(&M) -> bool) -> Option<M> {
        let mut queue = self.queue.lock().unwrap();
        match queue.front() {
            Some(m) if is(m) => queue.pop_front(),
            Some(_) => None,
            None => Some(self.always.lock().unwrap().clone()).filter(|m| is(m)),
        }
    }

    /// Takes the next treatment.
    pub fn take(&self) -> M {
        self.take_if(|_| true).expect("every manner is one of all")
    }

    pub fn record(&self, thing: R) {
        let mut log = self.log.lock().unwrap();
        log.push(thing);
        self.count.send_replace(log.len());
    }

    pub fn all(&self) -> Vec<R> {
        self.log.lock().unwrap().clone()
    }

    /// Waits until this number of items was recorded. The test fails after a timeout instead of hanging.
    pub async fn await_count(&self, n: usize) -> Vec<R> {
        let mut count = self.count.subscribe();
        let expected = tokio::time::timeout(PATIENCE, count.wait_for(|c| *c >= n)).await;
        assert!(expected.is_ok(), "only {} of {n} came in time", self.all().len());
        self.all()
    }

    /// Lets one waiting response continue, now or as soon as it waits.
    pub fn release(&self) {
        self.semaphore.add_permits(1);
    }

    /// Waits for a call of `release`.
    pub async fn wait(&self) {
        self.semaphore.acquire().await.expect("it is never closed").forget();
    }
}

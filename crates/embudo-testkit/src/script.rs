//! What the misbehaving counterparts share: a script of manners, a record of what came, and a hand on the brake.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

/// A script and a record. `M` is a manner, `R` what is recorded.
pub(crate) struct Script<M, R> {
    outbox: Mutex<VecDeque<M>>,
    always: Mutex<M>,
    log: Mutex<Vec<R>>,
    account: watch::Sender<usize>,
    brake: Semaphore,
}

impl<M: Clone, R: Clone> Script<M, R> {
    pub fn new(always: M) -> Self {
        Self {
            outbox: Mutex::default(),
            always: Mutex::new(always),
            log: Mutex::default(),
            account: watch::Sender::new(0),
            brake: Semaphore::new(0),
        }
    }

    pub fn push(&self, manners: impl IntoIterator<Item = M>) {
        self.outbox.lock().unwrap().extend(manners);
    }

    pub fn always(&self, manner: M) {
        *self.always.lock().unwrap() = manner;
    }

    /// The next manner, if it is one of these; it stays in the script otherwise.
    pub fn take_if(&self, is: impl Fn(&M) -> bool) -> Option<M> {
        let mut outbox = self.outbox.lock().unwrap();
        match outbox.front() {
            Some(m) if is(m) => outbox.pop_front(),
            Some(_) => None,
            None => Some(self.always.lock().unwrap().clone()).filter(|m| is(m)),
        }
    }

    /// The next manner.
    pub fn take(&self) -> M {
        self.take_if(|_| true).expect("every manner is one of all")
    }

    pub fn record(&self, thing: R) {
        let mut log = self.log.lock().unwrap();
        log.push(thing);
        self.account.send_replace(log.len());
    }

    pub fn all(&self) -> Vec<R> {
        self.log.lock().unwrap().clone()
    }

    /// Waits until this much came. A test that waits in vain fails instead of hanging.
    pub async fn await_count(&self, n: usize) -> Vec<R> {
        let mut account = self.account.subscribe();
        let expected = tokio::time::timeout(Duration::from_secs(30), account.wait_for(|c| *c >= n)).await;
        assert!(expected.is_ok(), "only {} of {n} came in 30 s", self.all().len());
        self.all()
    }

    /// Lets one that waits (now or later) go on.
    pub fn release(&self) {
        self.brake.add_permits(1);
    }

    /// Waits to be let go on.
    pub async fn wait(&self) {
        self.brake.acquire().await.expect("it is never closed").forget();
    }
}

//! What the misbehaving counterparts share: a script of manners, a record of what came, and a hand on the brake.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

/// A script and a record. `M` is a manner, `R` what is recorded.
pub(crate) struct Script<M, R> {
    cola: Mutex<VecDeque<M>>,
    siempre: Mutex<M>,
    registro: Mutex<Vec<R>>,
    cuenta: watch::Sender<usize>,
    freno: Semaphore,
}

impl<M: Clone, R: Clone> Script<M, R> {
    pub fn new(siempre: M) -> Self {
        Self {
            cola: Mutex::default(),
            siempre: Mutex::new(siempre),
            registro: Mutex::default(),
            cuenta: watch::Sender::new(0),
            freno: Semaphore::new(0),
        }
    }

    pub fn push(&self, maneras: impl IntoIterator<Item = M>) {
        self.cola.lock().unwrap().extend(maneras);
    }

    pub fn siempre(&self, manera: M) {
        *self.siempre.lock().unwrap() = manera;
    }

    /// The next manner, if it is one of these; it stays in the script otherwise.
    pub fn take_if(&self, es: impl Fn(&M) -> bool) -> Option<M> {
        let mut cola = self.cola.lock().unwrap();
        match cola.front() {
            Some(m) if es(m) => cola.pop_front(),
            Some(_) => None,
            None => Some(self.siempre.lock().unwrap().clone()).filter(|m| es(m)),
        }
    }

    /// The next manner.
    pub fn take(&self) -> M {
        self.take_if(|_| true).expect("every manner is one of all")
    }

    pub fn record(&self, cosa: R) {
        let mut registro = self.registro.lock().unwrap();
        registro.push(cosa);
        self.cuenta.send_replace(registro.len());
    }

    pub fn todo(&self) -> Vec<R> {
        self.registro.lock().unwrap().clone()
    }

    /// Waits until so much came. A test that waits in vain fails instead of hanging.
    pub async fn await_count(&self, n: usize) -> Vec<R> {
        let mut cuenta = self.cuenta.subscribe();
        let esperado = tokio::time::timeout(Duration::from_secs(30), cuenta.wait_for(|c| *c >= n)).await;
        assert!(esperado.is_ok(), "only {} of {n} came in 30 s", self.todo().len());
        self.todo()
    }

    /// Lets one that waits (now or later) go on.
    pub fn soltar(&self) {
        self.freno.add_permits(1);
    }

    /// Waits to be let go on.
    pub async fn esperar(&self) {
        self.freno.acquire().await.expect("it is never closed").forget();
    }
}

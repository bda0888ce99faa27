//! Tasks and threads that run as long as the process does: they start again after a panic, and readiness can ask
//! whether each of them makes progress.
//!
//! A task's data is kept in a state that outlives panics, so that a queue loses at most the item in work. A task
//! reports when it begins a piece of work ([`Pulse::begin`]); if a piece of work began long ago and never ended, the
//! task is stuck, and readiness reports it. Nothing here knows what the tasks do.

mod pulse;

use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use embudo_metrics::TASK_RESTARTS;
use futures_util::FutureExt;

pub use pulse::{Pulse, Work};

/// The pause after a panic. It doubles with each further panic, up to [`PAUSE_MAX`].
const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// The future of one run of a task.
pub type Run<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The tasks of one owner. Clones are handles on the same list.
#[derive(Debug, Clone, Default)]
pub struct Supervisor {
    pulses: Arc<Mutex<Vec<Arc<Pulse>>>>,
}

impl Supervisor {
    /// Runs a task until it ends by itself; one that panics starts again with the same state after a pause.
    pub fn spawn<S, F>(&self, name: &'static str, mut state: S, mut run: F) -> tokio::task::JoinHandle<()>
    where
        S: Send + 'static,
        F: for<'a> FnMut(&'a mut S, &'a Pulse) -> Run<'a> + Send + 'static,
    {
        let watched = self.watch(name);
        tokio::spawn(async move {
            let mut pauses = Pauses::default();
            // Unwind-safe: a state is written so that it can be used again after a panic, and everything that the run
            // itself owned was dropped.
            while AssertUnwindSafe(async { run(&mut state, &watched).await }).catch_unwind().await.is_err() {
                tokio::time::sleep(pauses.after_panic(&watched)).await;
                watched.up();
            }
        })
    }

    pub fn thread<S, F>(
        &self,
        name: &'static str,
        mut state: S,
        mut run: F,
    ) -> io::Result<std::thread::JoinHandle<()>>
    where
        S: Send + 'static,
        F: FnMut(&mut S, &Pulse) + Send + 'static,
    {
        let watched = self.watch(name);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let mut pauses = Pauses::default();
            while catch_unwind(AssertUnwindSafe(|| run(&mut state, &watched))).is_err() {
                std::thread::sleep(pauses.after_panic(&watched));
                watched.up();
            }
        })
    }

    /// Watches something that starts again by itself, until the watch is dropped.
    pub fn watch(&self, name: &'static str) -> Watched {
        // So that the metric exists, with 0, before the first panic.
        TASK_RESTARTS.counter(&[name]).increment(0);
        let pulse = Arc::new(Pulse::new(name));
        self.pulses().push(Arc::clone(&pulse));
        Watched { supervisor: self.clone(), pulse }
    }

    /// Fails with the first task that is down after a panic, or that began its work at least `patience` ago.
    pub fn check(&self, patience: Duration) -> Result<(), String> {
        self.pulses().iter().try_for_each(|pulse| pulse.check(patience))
    }

    fn pulses(&self) -> MutexGuard<'_, Vec<Arc<Pulse>>> {
        // The list is consistent even if a thread panicked while it held the lock.
        self.pulses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pulse of something that is watched until this is dropped.
#[derive(Debug)]
pub struct Watched {
    supervisor: Supervisor,
    pulse: Arc<Pulse>,
}

impl std::ops::Deref for Watched {
    type Target = Pulse;

    fn deref(&self) -> &Pulse {
        &self.pulse
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.supervisor.pulses().retain(|pulse| !Arc::ptr_eq(pulse, &self.pulse));
    }
}

/// How long a task waits after a panic before it starts again.
#[derive(Debug)]
pub struct Pauses {
    next: Duration,
    started: Instant,
}

impl Default for Pauses {
    fn default() -> Self {
        Self { next: PAUSE_MIN, started: Instant::now() }
    }
}

impl Pauses {
    /// Records the panic and returns the pause. A task that ran well for a while starts again quickly.
    pub fn after_panic(&mut self, pulse: &Pulse) -> Duration {
        pulse.down();
        if self.started.elapsed() > 2 * PAUSE_MAX {
            self.next = PAUSE_MIN;
        }
        let pause = self.next;
        self.next = (pause * 2).min(PAUSE_MAX);
        self.started = Instant::now() + pause;
        tracing::error!(task = pulse.name(), ?pause, "a task panicked; it starts again after a pause");
        TASK_RESTARTS.counter(&[pulse.name()]).increment(1);
        pause
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::{mpsc, oneshot};

    use super::*;

    /// A task that answers, or panics when it gets `None`.
    fn echo(supervisor: &Supervisor) -> mpsc::UnboundedSender<Option<oneshot::Sender<()>>> {
        let (sender, receiver) = mpsc::unbounded_channel::<Option<oneshot::Sender<()>>>();
        supervisor.spawn("echo", receiver, |receiver, _| {
            Box::pin(async move {
                while let Some(asked) = receiver.recv().await {
                    let _ = asked.expect("told to panic").send(());
                }
            })
        });
        sender
    }

    #[tokio::test]
    async fn a_task_that_panics_is_down_and_then_goes_on_with_its_queue() {
        let supervisor = Supervisor::default();
        let sender = echo(&supervisor);
        for _ in 0..3 {
            sender.send(None).expect("somebody listens");
            let (asked, answered) = oneshot::channel();
            sender.send(Some(asked)).expect("somebody listens");
            while supervisor.check(Duration::MAX).is_ok() {
                tokio::task::yield_now().await;
            }
            answered.await.expect("what waited is answered");
            supervisor.check(Duration::MAX).expect("it is up again");
        }
        drop(sender);
        while !supervisor.pulses().is_empty() {
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn a_thread_that_panics_starts_again() {
        let supervisor = Supervisor::default();
        let mut panics = 2;
        let thread = supervisor.thread("counter", (), move |(), _| {
            panics -= 1;
            assert!(panics < 0, "told to panic");
        });
        thread.expect("a thread").join().expect("it ended well at last");
        assert!(supervisor.pulses().is_empty());
    }

    #[test]
    fn work_that_never_ends_is_told() {
        let supervisor = Supervisor::default();
        let watched = supervisor.watch("slow");
        supervisor.check(Duration::ZERO).expect("it has nothing to do");
        let work = watched.begin();
        supervisor.check(Duration::from_secs(60)).expect("it has only begun");
        let stuck = supervisor.check(Duration::ZERO).expect_err("it does not get on");
        assert!(stuck.contains("slow"), "{stuck}");
        drop(work);
        supervisor.check(Duration::ZERO).expect("it has ended");
    }

    #[test]
    fn pauses_grow_and_have_an_end() {
        let pulse = Pulse::new("x");
        let mut pauses = Pauses::default();
        let taken: Vec<_> = (0..10).map(|_| pauses.after_panic(&pulse)).collect();
        assert!(taken.is_sorted());
        assert_eq!((taken[0], taken[9]), (PAUSE_MIN, PAUSE_MAX));
    }
}

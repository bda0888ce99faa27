//! Watches whether commits return. A server may answer every query and never end a commit: the synchronous standby is
//! gone, or the disk stalls.
//!
//! An abandoned commit leaves a session at the server, which goes on waiting and does not end with its connection. So
//! commits are not tried one after the other: one probe, which changes nothing, waits on a connection of its own for as
//! long as it takes. Meanwhile readiness fails, and commands are refused at once. When the probe returns, everything
//! goes on.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use embudo_store::{Result, StoreError};
use embudo_supervisor::Supervisor;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::Client;

use crate::connection::{Target, promptly};
use crate::failure::store_error;
use crate::writer::no_answer;

/// For how long a commit that returned shows that commits work.
const FRESH: Duration = Duration::from_secs(3);
/// If a probe takes longer, readiness fails.
const SLOW: Duration = Duration::from_secs(2);
/// If a probe takes longer, commands are refused.
const STUCK: Duration = Duration::from_secs(5);
/// A command that takes longer requests a probe.
const DOUBT: Duration = Duration::from_secs(5);

/// A commit that waits for the disk and the standby like any other, and leaves no row behind.
const PROBE: &str = "SELECT pg_logical_emit_message(true, 'embudo', '')";
/// If there is a synchronous standby, makes the next commit wait for it. So it also waits for everything that was
/// committed before.
pub(crate) const SETTLE: &str = "SELECT CASE WHEN current_setting('synchronous_standby_names') <> ''
    THEN pg_logical_emit_message(true, 'embudo', '') END";
/// Identifies this session, also among the sessions of other servers.
const SESSION: &str = "SELECT pid::text || ' ' || extract(epoch FROM backend_start)::text
    FROM pg_stat_activity WHERE pid = pg_backend_pid()";
const IS_THERE: &str = "SELECT EXISTS (SELECT FROM pg_stat_activity
    WHERE pid::text || ' ' || extract(epoch FROM backend_start)::text = $1)";

const WORDS: &str = "commits do not return";

/// The result of the last probe.
#[derive(Debug, Clone)]
enum Known {
    Nothing,
    /// A commit returned at this time.
    Returned(Instant),
    /// A commit could not be tried at this time. Writers get the same error and need no warning.
    Failed(Instant, String),
    /// A commit has been running since this time.
    UnderWay(Instant),
    /// A commit does not return.
    Stuck,
}

/// The watch over commits.
#[derive(Debug)]
pub(crate) struct Commits {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    known: watch::Sender<Known>,
    asked: Notify,
}

impl Commits {
    pub(crate) fn spawn(supervisor: &Supervisor, target: &Target) -> Self {
        let shared = Arc::new(Shared { known: watch::Sender::new(Known::Nothing), asked: Notify::new() });
        let prober = Prober { target: target.clone(), shared: Arc::clone(&shared), session: None };
        let task = supervisor.spawn("watching commits", prober, |prober, _| Box::pin(prober.run()));
        Self { shared, task }
    }

    /// An error if commits do not return, or cannot be tried. A commit that returned a moment ago is enough.
    pub(crate) async fn check(&self) -> Result<()> {
        let asked = Instant::now();
        let mut known = self.shared.known.subscribe();
        let answer = known.wait_for(|known| match known {
            Known::Returned(when) => asked < *when + FRESH,
            Known::Failed(when, _) => asked <= *when,
            Known::UnderWay(since) => asked >= *since + SLOW,
            Known::Stuck => true,
            Known::Nothing => false,
        });
        self.shared.asked.notify_one();
        let Ok(Ok(known)) = timeout(SLOW, answer).await else { return Err(stuck()) };
        match &*known {
            Known::Returned(_) => Ok(()),
            Known::Failed(_, why) => Err(StoreError::Unavailable(why.clone())),
            Known::Nothing | Known::UnderWay(_) | Known::Stuck => Err(stuck()),
        }
    }

    /// Runs work that ends with a commit. The work is refused at once while commits do not return, and gets an error in
    /// time when they stop returning.
    pub(crate) async fn guard<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        self.guarded(work, |work| work).await
    }

    /// Like `guard`, with a deadline for work that has no time-out of its own. The deadline is checked only after
    /// `DOUBT`, so that most commands need one timer.
    pub(crate) async fn guard_until<T>(
        &self,
        deadline: Instant,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.guarded(work, |work| async move {
            timeout_at(deadline, work).await.unwrap_or_else(|_| Err(no_answer()))
        })
        .await
    }

    /// `rest` waits for the work once it takes longer than `DOUBT`.
    async fn guarded<T, W: Future<Output = Result<T>>, R: Future<Output = Result<T>>>(
        &self,
        work: W,
        rest: impl FnOnce(Pin<Box<W>>) -> R,
    ) -> Result<T> {
        if matches!(*self.shared.known.borrow(), Known::Stuck) {
            return Err(stuck());
        }
        let mut work = Box::pin(work);
        if let Ok(end) = timeout(DOUBT, &mut work).await {
            return end;
        }
        tokio::select! {
            end = rest(work) => end,
            () = self.shared.stuck() => Err(stuck()),
        }
    }
}

impl Drop for Commits {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    /// Requests probes until commits turn out not to return.
    async fn stuck(&self) {
        let mut known = self.known.subscribe();
        loop {
            self.asked.notify_one();
            let stuck = known.wait_for(|known| matches!(known, Known::Stuck));
            if timeout(DOUBT, stuck).await.is_ok() {
                return;
            }
        }
    }
}

fn stuck() -> StoreError {
    StoreError::Unavailable(WORDS.into())
}

/// Tries a commit when asked to.
struct Prober {
    target: Target,
    shared: Arc<Shared>,
    session: Option<Session>,
}

struct Session {
    client: Arc<Client>,
    name: String,
    opened: std::time::Instant,
}

impl Prober {
    async fn run(&mut self) {
        let mut leaving = self.target.leaving();
        loop {
            tokio::select! {
                () = self.shared.asked.notified() => {}
                Ok(()) = leaving.changed() => {
                    self.session.take_if(|s| self.target.is_left(s.opened));
                    continue;
                }
            }
            if let Known::Returned(when) = *self.shared.known.borrow()
                && when.elapsed() < FRESH
            {
                continue;
            }
            self.shared.known.send_replace(Known::UnderWay(Instant::now()));
            let end = match self.probe().await {
                Ok(()) => Known::Returned(Instant::now()),
                Err(error) => {
                    self.session = None;
                    Known::Failed(Instant::now(), error.to_string())
                }
            };
            self.shared.known.send_replace(end);
        }
    }

    /// Tries a commit. As long as its session exists at the server, this waits for the same commit: a new one would not
    /// return either.
    async fn probe(&mut self) -> Result<()> {
        loop {
            let session = self.session().await?;
            let (client, name) = (Arc::clone(&session.client), session.name.clone());
            let mut commit = Box::pin(client.batch_execute(PROBE));
            loop {
                if let Ok(end) = timeout(STUCK, &mut commit).await {
                    return end.map_err(|e| store_error(&e));
                }
                if !matches!(*self.shared.known.borrow(), Known::Stuck) {
                    tracing::warn!(
                        "commits do not return: is the synchronous standby there, and the disk well? writes are refused meanwhile"
                    );
                    self.shared.known.send_replace(Known::Stuck);
                    // Everything that waits for a commit gives up, and its connection must not be used by others.
                    self.target.leave();
                }
                if !self.is_there(name.clone()).await {
                    break;
                }
            }
            self.session = None;
        }
    }

    async fn session(&mut self) -> Result<&Session> {
        let is_good = |s: &Session| !s.client.is_closed() && !self.target.is_left(s.opened);
        let session = match self.session.take().filter(is_good) {
            Some(session) => session,
            None => {
                let client = self.target.connect().await?;
                let name = promptly(client.query_one(SESSION, &[])).await?.get(0);
                Session { client: Arc::new(client), name, opened: std::time::Instant::now() }
            }
        };
        Ok(self.session.insert(session))
    }

    /// Whether the session belongs to the server that is reached now. If no server is reached, the answer is yes,
    /// because nothing better is known.
    async fn is_there(&self, name: String) -> bool {
        let Ok(client) = self.target.connect().await else { return true };
        promptly(client.query_one(IS_THERE, &[&name])).await.map_or(true, |row| row.get(0))
    }
}

//! The task of one writer.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use embudo_metrics::Histogram;
use embudo_store::StoreError;
use embudo_supervisor::Pulse;
use futures_util::FutureExt;
use futures_util::future::join_all;
use tokio::sync::mpsc;

use super::Counters;
use super::batch::{AnyErrand, AnyGroup, Batch};
use super::kind::{Kind, Lane, statements};
use super::probe::Probe;
use super::session::{Attempt, Connection};
use crate::commits::SETTLE;
use crate::connection::{Target, promptly};
use crate::failure::{Failure, Kind as ErrorKind, kind};

/// How many commands a batch may have.
const MAX_COMMANDS: usize = 512;
/// For how long callers are refused after a failed attempt to connect, before another attempt is made.
const BACK_OFF: Duration = Duration::from_millis(200);
/// A server that does not answer for this time is given up. Its own time-outs are a little shorter.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Writer {
    target: Target,
    kinds: &'static [Kind],
    lane: Lane,
    counters: Arc<Counters>,
    connection: Option<Connection>,
    /// When connecting last failed, and why.
    failed: Option<(Instant, String)>,
    /// Whether this writer should have a connection. Commands of the bot may come at any moment; the other lanes
    /// connect when they are first needed.
    is_needed: bool,
}

impl Writer {
    pub(super) fn new(target: Target, kinds: &'static [Kind], lane: Lane, counters: Arc<Counters>) -> Self {
        let is_needed = lane == Lane::Bot;
        Self { target, kinds, lane, counters, connection: None, failed: None, is_needed }
    }

    pub(super) async fn run(
        &mut self,
        queue: &mut mpsc::Receiver<Box<dyn AnyErrand>>,
        probes: &mut mpsc::Receiver<Probe>,
        pulse: &Pulse,
    ) {
        // After a panic the state of the connection is unknown.
        self.connection = None;
        if self.is_needed {
            // The first caller should not have to wait for a connection. If this attempt fails, the first command makes
            // another one.
            let _ = self.connect().await;
        }
        let mut waiting = Vec::with_capacity(MAX_COMMANDS);
        let mut leaving = self.target.leaving();
        loop {
            tokio::select! {
                biased;
                Some(probe) = probes.recv() => self.answer(probe, pulse).await,
                Ok(()) = leaving.changed() => {
                    self.connection.take_if(|c| self.target.is_left(c.opened));
                }
                many = queue.recv_many(&mut waiting, MAX_COMMANDS) => {
                    if many == 0 {
                        return;
                    }
                    let mut waiting = waiting.drain(..).peekable();
                    while waiting.peek().is_some() {
                        self.write(Batch::take(&mut waiting).into_groups(), pulse).await;
                    }
                }
            }
        }
    }

    /// Answers a probe: whether this writer can write. A writer that was never needed has no connection, which is fine.
    async fn answer(&mut self, probe: Probe, pulse: &Pulse) {
        let _work = pulse.begin();
        let reply = probe.reply();
        // The caller wants to know the current state, not an older one.
        self.failed = None;
        let end = match self.is_needed {
            false => Ok(()),
            true => match self.connect().await {
                Ok(connection) => promptly(connection.client.batch_execute("")).await,
                Err(why) => Err(StoreError::Unavailable(why)),
            },
        };
        if end.is_err() {
            self.connection = None;
        }
        let _ = reply.send(end);
    }

    /// The open connection, or a new one. A connection that is closed, or was left because of its server, is not used.
    async fn connect(&mut self) -> Result<&Connection, String> {
        self.is_needed = true;
        let is_gone = |c: &Connection| c.client.is_closed() || self.target.is_left(c.opened);
        if self.connection.as_ref().is_none_or(is_gone) {
            self.connection = None;
            if let Some((when, why)) = &self.failed
                && when.elapsed() < BACK_OFF
            {
                return Err(why.clone());
            }
            match Connection::open(&self.target, statements(self.kinds, self.lane)).await {
                Ok(connection) => {
                    self.failed = None;
                    self.connection = Some(connection);
                }
                Err(error) => {
                    tracing::warn!(%error, "PostgreSQL cannot be reached");
                    self.failed = Some((Instant::now(), error.to_string()));
                }
            }
        }
        let why = || self.failed.as_ref().map_or_else(String::new, |(_, why)| why.clone());
        self.connection.as_ref().ok_or_else(why)
    }

    /// Runs a batch and answers. Groups that need no transaction are sent together, each statement as a transaction of
    /// its own; the others run one by one.
    async fn write(&mut self, groups: Vec<Box<dyn AnyGroup>>, pulse: &Pulse) {
        let (apart, mut together): (Vec<_>, Vec<_>) = groups.into_iter().partition(|g| g.is_transaction());
        let ends = self.attempt(&mut together, Attempt::First, pulse).await;
        for (group, end) in together.into_iter().zip(ends) {
            self.settle(group, end, pulse).await;
        }
        for mut group in apart {
            let end = self.attempt_one(&mut group, Attempt::First, pulse).await;
            self.settle(group, end, pulse).await;
        }
    }

    async fn attempt(
        &mut self,
        groups: &mut [Box<dyn AnyGroup>],
        attempt: Attempt,
        pulse: &Pulse,
    ) -> Vec<Result<(), Trouble>> {
        if groups.is_empty() {
            return Vec::new();
        }
        let _work = pulse.begin();
        let counters = Arc::clone(&self.counters);
        let mut leaving = self.target.leaving();
        let ends = match self.connect().await {
            Ok(connection) => {
                leaving.mark_unchanged();
                let left = async move { drop(leaving.changed().await) }.shared();
                let run = |group| run(connection, attempt, &counters, group, left.clone());
                join_all(groups.iter_mut().map(|group| run(&mut **group))).await
            }
            Err(why) => groups.iter().map(|_| Err(Trouble::Unreachable(why.clone()))).collect(),
        };
        if ends.iter().any(|end| end.as_ref().is_err_and(Trouble::is_loss)) {
            self.connection = None;
        }
        if ends.iter().any(|end| end.as_ref().is_err_and(Trouble::is_of_server)) {
            self.target.leave();
        }
        ends
    }

    async fn attempt_one(
        &mut self,
        group: &mut Box<dyn AnyGroup>,
        attempt: Attempt,
        pulse: &Pulse,
    ) -> Result<(), Trouble> {
        self.attempt(std::slice::from_mut(group), attempt, pulse).await.pop().expect("one group has one end")
    }

    /// Tries a group once more. If its commands turn out to be done already, their commit may not have reached the
    /// standby yet, so this waits for it.
    async fn attempt_again(&mut self, group: &mut Box<dyn AnyGroup>, pulse: &Pulse) -> Result<(), Trouble> {
        self.attempt_one(group, Attempt::Again, pulse).await?;
        let _work = pulse.begin();
        let connection = self.connect().await.map_err(Trouble::Unreachable)?;
        let end = tokio::time::timeout(PATIENCE, connection.client.batch_execute(SETTLE)).await;
        let end =
            end.map_err(|_| Trouble::Silence).and_then(|end| end.map_err(|e| Trouble::Failed(e.into())));
        if end.is_err() {
            self.connection = None;
        }
        end
    }

    /// Answers the callers of a group. After a lost connection or a conflict the whole group is tried once more. After
    /// another failure, and if the second try fails too, each command goes back to its caller, because a single command
    /// may be the reason.
    async fn settle(&mut self, mut group: Box<dyn AnyGroup>, end: Result<(), Trouble>, pulse: &Pulse) {
        let end = match end {
            Err(trouble) if trouble.is_passing() => self.attempt_again(&mut group, pulse).await,
            end => end,
        };
        match end {
            Ok(()) => group.tell(),
            Err(Trouble::Unreachable(why)) => group.turn_away(&why),
            Err(trouble) => {
                tracing::debug!(error = %trouble.reason(), commands = group.len(), "a group of writes failed");
                group.hand_back();
            }
        }
    }
}

/// Runs a group. If the server is left meanwhile, its answer is not waited for.
async fn run(
    connection: &Connection,
    attempt: Attempt,
    counters: &Counters,
    group: &mut dyn AnyGroup,
    left: impl Future<Output = ()>,
) -> Result<(), Trouble> {
    counters.groups.fetch_add(1, Ordering::Relaxed);
    counters.commands.fetch_add(group.len() as u64, Ordering::Relaxed);
    counters.sizes.record(group.len() as f64);
    let _timed = Timed(&counters.seconds, Instant::now());
    let session = connection.session(attempt);
    let is_transaction = group.is_transaction();
    let work = async {
        let end = group.run(&session).await;
        if end.is_err() && is_transaction && !connection.client.is_closed() {
            // Ends a transaction that may still be open; without one the server only warns.
            let _ = connection.client.batch_execute("ROLLBACK").await;
        }
        end
    };
    // Unwind-safe: the connection is dropped after a panic, and the commands are only read.
    tokio::select! {
        biased;
        end = tokio::time::timeout(PATIENCE, AssertUnwindSafe(work).catch_unwind()) => match end {
            Ok(Ok(end)) => end.map_err(Trouble::Failed),
            Ok(Err(_)) => Err(Trouble::Panic),
            Err(_) => Err(Trouble::Silence),
        },
        () = left => Err(Trouble::Silence),
    }
}

/// Records how long something took when it ends, however it ends.
struct Timed<'a>(&'a Histogram, Instant);

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        self.0.record(self.1.elapsed());
    }
}

/// Why a group failed.
enum Trouble {
    Failed(Failure),
    Silence,
    Panic,
    /// The group could not even be sent.
    Unreachable(String),
}

impl Trouble {
    /// Whether the connection is useless from now on.
    fn is_loss(&self) -> bool {
        match self {
            Self::Failed(Failure::Pg(error)) => kind(error) == ErrorKind::Lost,
            Self::Failed(Failure::Store(_)) | Self::Unreachable(_) => false,
            Self::Failed(Failure::ReadOnly) | Self::Silence | Self::Panic => true,
        }
    }

    /// Whether other connections will have the same problem: the server is silent, or does not accept writes.
    fn is_of_server(&self) -> bool {
        match self {
            Self::Failed(failure) => failure.is_read_only(),
            Self::Silence => true,
            Self::Panic | Self::Unreachable(_) => false,
        }
    }

    /// Whether a second try of the whole group may succeed at once: the connection was dead, or two commands had a
    /// conflict.
    fn is_passing(&self) -> bool {
        matches!(self, Self::Failed(failure) if failure.is_passing())
    }

    fn reason(&self) -> String {
        match self {
            Self::Failed(Failure::Pg(error)) => crate::failure::store_error(error).to_string(),
            Self::Failed(Failure::Store(error)) => error.to_string(),
            Self::Failed(Failure::ReadOnly) => "the server is read-only".to_owned(),
            Self::Silence => "the server does not answer".to_owned(),
            Self::Panic => "a command panicked".to_owned(),
            Self::Unreachable(why) => why.clone(),
        }
    }
}

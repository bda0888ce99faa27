//! The outbox's writers: what waits goes together as one short transaction, and one commit answers all.
//!
//! One writer makes jobs, one ends attempts, each on a connection of its own that is opened when it is first needed. Unlike the
//! writers of `writer`, a group here takes several statements, because a lead's lock must be had before what depends on it is
//! looked up. A group that comes to nothing is handed back, and every caller runs its command alone, with the same ids: nobody is
//! punished for a neighbour. Nothing here knows what the commands mean.

use std::collections::HashSet;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use deadpool_postgres::{Object, Pool};
use embudo_store::{Result, StoreError};
use embudo_supervisor::{Pulse, Supervisor};
use futures_util::FutureExt;
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::Client;
use uuid::Uuid;

use crate::batch;
use crate::connection::{Target, promptly};
use crate::failure::{Failure, Kind, Step, kind};
use crate::probe::{Probe, Prober};
use crate::writer::Counters;

/// How many commands may go together, and how many bytes.
const MAX_COMMANDS: usize = 256;
const MAX_BYTES: usize = 4 << 20;
/// How many may wait; beyond it callers wait at the door.
const QUEUE: usize = 4096;
/// After a failed attempt to connect, how long callers are turned away without another one.
const BACK_OFF: Duration = Duration::from_millis(200);
/// A server that says nothing for so long is given up. It gives up itself a little earlier.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a caller waits for its group's end. A writer that takes longer is stuck, and its supervisor says so.
const CALLER_PATIENCE: Duration = Duration::from_secs(40);

/// A command that a few statements can do for many.
pub(crate) trait Together: Send + Sync + Sized + 'static {
    /// What its caller is told.
    type End: Send + 'static;
    /// The statements, prepared.
    type Statements: Send + Sync;

    /// Prepares the statements.
    fn prepare(
        client: &Client,
    ) -> impl Future<Output = std::result::Result<Self::Statements, tokio_postgres::Error>> + Send;

    /// Of two with the same key the second one goes with the next group.
    fn key(&self) -> Uuid;

    /// About how much memory it takes.
    fn bytes(&self) -> usize;

    /// Runs the group as one transaction, and tells each command's end in the order given. Run again with the same commands it does
    /// nothing twice. After an error the transaction may still be open.
    fn run(
        client: &Client,
        statements: &Self::Statements,
        group: &[&Self],
    ) -> impl Future<Output = Step<Vec<Result<Self::End>>>> + Send;
}

/// What becomes of a command.
pub(crate) type Verdict<K> = batch::Verdict<K, <K as Together>::End>;

/// A command and whoever waits for it.
struct Errand<K: Together> {
    command: K,
    reply: oneshot::Sender<Verdict<K>>,
}

/// The way to a writer.
#[derive(Debug)]
pub(crate) struct Outbox<K: Together> {
    queue: mpsc::Sender<Errand<K>>,
    pub(crate) prober: Prober,
}

impl<K: Together> std::fmt::Debug for Errand<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Errand").finish_non_exhaustive()
    }
}

impl<K: Together> Outbox<K> {
    /// Starts a writer. It ends when the way to it is gone and what waited is done.
    pub(crate) fn spawn(
        supervisor: &Supervisor,
        name: &'static str,
        target: Target,
        counters: Arc<Counters>,
    ) -> Self {
        let (queue, received) = mpsc::channel(QUEUE);
        let (prober, probes) = Prober::new();
        let writer = Writer { target, counters, connection: None, failed: None };
        supervisor.spawn(name, (writer, received, probes), |(writer, received, probes), pulse| {
            Box::pin(writer.run(received, probes, pulse))
        });
        Self { queue, prober }
    }

    /// Hands a command over and waits for its end.
    pub(crate) async fn run(&self, command: K) -> Verdict<K> {
        let (reply, end) = oneshot::channel();
        let handing = async {
            self.queue.send(Errand { command, reply }).await.ok()?;
            end.await.ok()
        };
        // It panicked or is stuck; either way nobody knows how the command ended.
        let gone = || Verdict::<K>::Told(Err(StoreError::Unavailable("the writer does not answer".into())));
        tokio::time::timeout(CALLER_PATIENCE, handing).await.ok().flatten().unwrap_or_else(gone)
    }
}

/// Runs one command as a group of its own. Its connection does not return to the pool: whoever gives up on the way leaves a
/// transaction open on it.
pub(crate) async fn alone<K: Together>(pool: &Pool, command: &K) -> Step<K::End> {
    let client = Object::take(pool.get().await?);
    let statements = K::prepare(&client).await?;
    let mut ends = K::run(&client, &statements, &[command]).await?;
    Ok(ends.pop().expect("one command has one end")?)
}

struct Writer<K: Together> {
    target: Target,
    counters: Arc<Counters>,
    connection: Option<(Client, K::Statements)>,
    /// When connecting last failed, and why.
    failed: Option<(Instant, String)>,
}

impl<K: Together> Writer<K> {
    async fn run(
        &mut self,
        queue: &mut mpsc::Receiver<Errand<K>>,
        probes: &mut mpsc::Receiver<Probe>,
        pulse: &Pulse,
    ) {
        // After a panic nobody knows what is left on it.
        self.connection = None;
        let mut waiting = Vec::with_capacity(MAX_COMMANDS);
        loop {
            tokio::select! {
                biased;
                Some(probe) = probes.recv() => self.answer(probe, pulse).await,
                many = queue.recv_many(&mut waiting, MAX_COMMANDS) => {
                    if many == 0 {
                        return;
                    }
                    while !waiting.is_empty() {
                        let group = take_group(&mut waiting);
                        self.write(group, pulse).await;
                    }
                }
            }
        }
    }

    /// Says whether it could write. One that was never needed has no connection, and that is well.
    async fn answer(&mut self, probe: Probe, pulse: &Pulse) {
        let _work = pulse.begin();
        let reply = probe.reply();
        let was_needed = self.connection.is_some() || self.failed.take().is_some();
        let end = if was_needed {
            match self.connect().await {
                Ok((client, _)) => promptly(client.batch_execute("")).await,
                Err(why) => Err(StoreError::Unavailable(why)),
            }
        } else {
            Ok(())
        };
        if end.is_err() {
            self.connection = None;
        }
        let _ = reply.send(end);
    }

    /// Runs a group, once more if the connection was lost or two met, and tells everyone. Where that comes to nothing, each goes
    /// back to its caller, because the failure may be one's alone.
    async fn write(&mut self, group: Vec<Errand<K>>, pulse: &Pulse) {
        let end = match self.attempt(&group, pulse).await {
            Err(trouble) if trouble.is_passing() => self.attempt(&group, pulse).await,
            end => end,
        };
        let trouble = match end {
            Ok(ends) => return tell(group, ends),
            Err(trouble) => trouble,
        };
        tracing::debug!(error = %trouble.error(), commands = group.len(), "a group of the outbox failed");
        for Errand { command, reply } in group {
            // Whoever waited may have gone.
            let _ = reply.send(match &trouble {
                Trouble::Unreachable(why) => Verdict::<K>::Told(Err(StoreError::Unavailable(why.clone()))),
                _ => Verdict::<K>::Alone(command),
            });
        }
    }

    async fn attempt(
        &mut self,
        group: &[Errand<K>],
        pulse: &Pulse,
    ) -> std::result::Result<Vec<Result<K::End>>, Trouble> {
        let _work = pulse.begin();
        let counters = Arc::clone(&self.counters);
        let (client, statements) = self.connect().await.map_err(Trouble::Unreachable)?;
        counters.statements.fetch_add(1, Ordering::Relaxed);
        counters.commands.fetch_add(group.len() as u64, Ordering::Relaxed);
        let commands: Vec<&K> = group.iter().map(|errand| &errand.command).collect();
        let work = async {
            let end = K::run(client, statements, &commands).await;
            if end.is_err() && !client.is_closed() {
                // Whatever is left of the transaction; outside of one it is only a warning.
                let _ = client.batch_execute("ROLLBACK").await;
            }
            end
        };
        // Unwind-safe: the connection is thrown away, and the commands are only read.
        let work = AssertUnwindSafe(Box::pin(work)).catch_unwind();
        let trouble = match tokio::time::timeout(PATIENCE, work).await {
            Ok(Ok(Ok(ends))) => return Ok(ends),
            Ok(Ok(Err(failure))) => Trouble::Failed(failure),
            Ok(Err(_)) => Trouble::Panic,
            Err(_) => Trouble::Silence,
        };
        if trouble.is_loss() {
            self.connection = None;
        }
        Err(trouble)
    }

    /// A connection that is not known to be dead.
    async fn connect(&mut self) -> std::result::Result<&(Client, K::Statements), String> {
        if self.connection.as_ref().is_none_or(|(client, _)| client.is_closed()) {
            self.connection = None;
            if let Some((when, why)) = &self.failed
                && when.elapsed() < BACK_OFF
            {
                return Err(why.clone());
            }
            match open::<K>(&self.target).await {
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
}

async fn open<K: Together>(target: &Target) -> Result<(Client, K::Statements)> {
    let client = target.connect_writer().await?;
    // Leads and jobs are reached one by one and in order, so that there is nothing to sort.
    promptly(client.batch_execute("SET enable_bitmapscan = off")).await?;
    let statements = promptly(K::prepare(&client)).await?;
    Ok((client, statements))
}

/// Why a group did not end well.
enum Trouble {
    Failed(Failure),
    Silence,
    Panic,
    /// It could not even be sent.
    Unreachable(String),
}

impl Trouble {
    /// Whether the connection is of no use any more.
    fn is_loss(&self) -> bool {
        match self {
            Self::Failed(Failure::Pg(error)) => kind(error) == Kind::Lost,
            Self::Failed(Failure::Store(_)) | Self::Unreachable(_) => false,
            Self::Silence | Self::Panic => true,
        }
    }

    /// Whether all together may do better at once: the connection was a dead one, or two commands met.
    fn is_passing(&self) -> bool {
        matches!(self, Self::Failed(failure) if failure.is_passing())
    }

    fn error(&self) -> String {
        match self {
            Self::Failed(Failure::Pg(error)) => crate::failure::store_error(error).to_string(),
            Self::Failed(Failure::Store(error)) => error.to_string(),
            Self::Silence => "the server does not answer".to_owned(),
            Self::Panic => "a command panicked".to_owned(),
            Self::Unreachable(why) => why.clone(),
        }
    }
}

fn tell<K: Together>(group: Vec<Errand<K>>, ends: Vec<Result<K::End>>) {
    debug_assert_eq!(group.len(), ends.len(), "every command has its end");
    for (errand, end) in group.into_iter().zip(ends) {
        let _ = errand.reply.send(Verdict::<K>::Told(end));
    }
}

/// Takes what may go together off the front; the rest keeps its order.
fn take_group<K: Together>(waiting: &mut Vec<Errand<K>>) -> Vec<Errand<K>> {
    let (mut bytes, mut keys) = (0, HashSet::new());
    let fits = |errand: &&Errand<K>| {
        bytes += errand.command.bytes();
        (keys.is_empty() || bytes <= MAX_BYTES) && keys.insert(errand.command.key())
    };
    let count = waiting.iter().take_while(fits).count();
    waiting.drain(..count).collect()
}

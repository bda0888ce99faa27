//! The outbox's writers: what waits goes together as one short transaction, and one commit answers all.
//!
//! One writer makes jobs, one ends attempts, each on a connection of its own that is opened when it is first needed. Unlike the
//! writers of `writer`, a group here takes several statements, because a lead's lock must be had before what depends on it is
//! looked up. A group that is refused is handed back, and every caller runs its command alone: nobody is punished for a neighbour.
//! Nothing here knows what the commands mean.

use std::collections::HashSet;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use embudo_store::{Result, StoreError};
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::Client;
use uuid::Uuid;

use crate::connection::Target;
use crate::failure::{Failure, Kind, Step, kind};
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
pub(crate) enum Verdict<K: Together> {
    /// It is done, or was refused for a reason of its own.
    Told(Result<K::End>),
    /// Its group was refused before anything was written: to be run alone.
    Alone(K),
}

/// A command and whoever waits for it.
struct Errand<K: Together> {
    command: K,
    reply: oneshot::Sender<Verdict<K>>,
}

/// The way to a writer.
#[derive(Debug)]
pub(crate) struct Outbox<K: Together> {
    queue: mpsc::Sender<Errand<K>>,
}

impl<K: Together> std::fmt::Debug for Errand<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Errand").finish_non_exhaustive()
    }
}

impl<K: Together> Outbox<K> {
    /// Starts a writer. It ends when the way to it is gone and what waited is done.
    pub(crate) fn spawn(target: Target, counters: Arc<Counters>) -> Self {
        let (queue, received) = mpsc::channel(QUEUE);
        let writer = Writer { target, counters, connection: None, failed: None };
        tokio::spawn(writer.run(received));
        Self { queue }
    }

    /// Hands a command over and waits for its end.
    pub(crate) async fn run(&self, command: K) -> Verdict<K> {
        let gone = || Verdict::Told(Err(StoreError::Unavailable("the writer has ended".into())));
        let (reply, end) = oneshot::channel();
        if self.queue.send(Errand { command, reply }).await.is_err() {
            return gone();
        }
        end.await.unwrap_or_else(|_| gone())
    }
}

struct Writer<K: Together> {
    target: Target,
    counters: Arc<Counters>,
    connection: Option<(Client, K::Statements)>,
    /// When connecting last failed, and why.
    failed: Option<(Instant, String)>,
}

impl<K: Together> Writer<K> {
    async fn run(mut self, mut queue: mpsc::Receiver<Errand<K>>) {
        let mut waiting = Vec::with_capacity(MAX_COMMANDS);
        while queue.recv_many(&mut waiting, MAX_COMMANDS).await > 0 {
            while !waiting.is_empty() {
                let group = take_group(&mut waiting);
                self.write(group).await;
            }
        }
    }

    /// Runs a group, once more if the connection was lost or two met, and tells everyone.
    async fn write(&mut self, group: Vec<Errand<K>>) {
        let mut trouble = match self.attempt(&group).await {
            Ok(ends) => return tell(group, ends),
            Err(trouble) => trouble,
        };
        let mut is_doubtful = false;
        if matches!(trouble.kind, Kind::Lost | Kind::Conflict) && trouble.may_repeat {
            is_doubtful = trouble.kind == Kind::Lost;
            trouble = match self.attempt(&group).await {
                Ok(ends) => return tell(group, ends),
                Err(trouble) => trouble,
            };
        }
        tracing::debug!(error = %trouble.error, commands = group.len(), "a group of the outbox failed");
        let is_refused = matches!(trouble.kind, Kind::Refused | Kind::Held | Kind::Conflict);
        for Errand { command, reply } in group {
            // One that may be committed already is not safe to run alone. Whoever waited may have gone.
            let _ = reply.send(if is_refused && !is_doubtful {
                Verdict::Alone(command)
            } else {
                Verdict::Told(Err(StoreError::Unavailable(trouble.error.clone())))
            });
        }
    }

    async fn attempt(&mut self, group: &[Errand<K>]) -> std::result::Result<Vec<Result<K::End>>, Trouble> {
        let counters = Arc::clone(&self.counters);
        let (client, statements) = self.connect().await.map_err(Trouble::unreachable)?;
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
        let trouble = match tokio::time::timeout(PATIENCE, Box::pin(work)).await {
            Ok(Ok(ends)) => return Ok(ends),
            Ok(Err(failure)) => Trouble::from(failure),
            Err(_) => Trouble::unreachable("the server does not answer".into()),
        };
        if trouble.kind == Kind::Lost {
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
    let settings = client.batch_execute("SET enable_bitmapscan = off").await;
    settings.map_err(|error| crate::failure::unreachable_error(&error))?;
    let statements = K::prepare(&client).await.map_err(|error| crate::failure::unreachable_error(&error))?;
    Ok((client, statements))
}

/// Why a group did not end well.
struct Trouble {
    kind: Kind,
    error: String,
    /// Whether another attempt may go better at once.
    may_repeat: bool,
}

impl Trouble {
    fn unreachable(error: String) -> Self {
        Self { kind: Kind::Lost, error, may_repeat: false }
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        let kind = match &failure {
            Failure::Pg(error) => kind(error),
            Failure::Store(_) => Kind::Refused,
        };
        Self { kind, error: StoreError::from(failure).to_string(), may_repeat: true }
    }
}

fn tell<K: Together>(group: Vec<Errand<K>>, ends: Vec<Result<K::End>>) {
    debug_assert_eq!(group.len(), ends.len(), "every command has its end");
    for (errand, end) in group.into_iter().zip(ends) {
        let _ = errand.reply.send(Verdict::Told(end));
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

//! A writer: takes what waits, runs it as one statement per kind, answers all.
//!
//! No timer: while one batch is being committed the next one gathers, and a lone command goes at once. A statement is its own
//! transaction, so it is one journey and one commit for all. Where it fails, nobody is punished for a neighbour: every caller
//! gets its command back and runs it alone, with the same ids, while the writer goes on with what waits behind them. Nothing here
//! knows what the commands mean.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use embudo_store::StoreError;
use embudo_store::command::{AppendTurno, RecordIntento, UpsertCalificacion};
use embudo_supervisor::{Pulse, Supervisor};
use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio_postgres::{Client, Error, Statement};
use uuid::Uuid;

use crate::batch::{Batch, Errand, Item, answer_all, hand_back, turn_away};
use crate::command::turno::PLAIN;
use crate::command::{Grouped, Perfil, Textos};
use crate::connection::{Target, promptly};
use crate::failure::{Kind, kind, store_error};
use crate::probe::{Probe, Prober};

/// How many commands may go together.
const MAX_COMMANDS: usize = 512;
/// How many may wait for one writer; beyond it callers wait at the door.
const QUEUE: usize = 4096;
/// After a failed attempt to connect, how long callers are turned away without another one.
const BACK_OFF: Duration = Duration::from_millis(200);
/// A server that says nothing for so long is given up. It gives up itself a little earlier.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the writers did so far.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) commands: AtomicU64,
    pub(crate) statements: AtomicU64,
}

/// The way to a writer.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) queue: mpsc::Sender<Item>,
    pub(crate) prober: Prober,
}

/// Starts a writer. It ends when the way to it is gone and what waited is done.
pub(crate) fn spawn(supervisor: &Supervisor, target: Target, counters: Arc<Counters>) -> Way {
    let (queue, received) = mpsc::channel(QUEUE);
    let (prober, probes) = Prober::new();
    let writer = Writer { target, counters, connection: None, failed: None };
    supervisor.spawn("the writer", (writer, received, probes), |(writer, received, probes), pulse| {
        Box::pin(writer.run(received, probes, pulse))
    });
    Way { queue, prober }
}

/// A connection with its statements.
struct Connection {
    client: Client,
    turno: Statement,
    turno_plain: Statement,
    perfil: Statement,
    calificacion: Statement,
    intento: Statement,
    textos: Statement,
}

impl Connection {
    async fn open(target: &Target) -> embudo_store::Result<Self> {
        let client = target.connect_writer().await?;
        let (turno, turno_plain, perfil, calificacion, intento, textos) = promptly(async {
            tokio::try_join!(
                client.prepare(AppendTurno::SQL),
                client.prepare(PLAIN),
                client.prepare(Perfil::sql(&[])),
                client.prepare(UpsertCalificacion::SQL),
                client.prepare(RecordIntento::SQL),
                client.prepare(Textos::SQL),
            )
        })
        .await?;
        Ok(Self { client, turno, turno_plain, perfil, calificacion, intento, textos })
    }
}

/// A kind of command and its prepared statement.
trait Prepared: Grouped {
    fn statement<'a>(connection: &'a Connection, batch: &[&Self]) -> &'a Statement;
}

macro_rules! prepared {
    ($($kind:ty => $field:ident),+ $(,)?) => {$(
        impl Prepared for $kind {
            fn statement<'a>(connection: &'a Connection, _: &[&Self]) -> &'a Statement {
                &connection.$field
            }
        }
    )+};
}
impl Prepared for AppendTurno {
    fn statement<'a>(connection: &'a Connection, batch: &[&Self]) -> &'a Statement {
        if Self::sql(batch) == PLAIN { &connection.turno_plain } else { &connection.turno }
    }
}
prepared!(
    Perfil => perfil,
    UpsertCalificacion => calificacion,
    RecordIntento => intento,
    Textos => textos,
);

/// Why a statement did not end well.
enum Trouble {
    Pg(Error),
    Silence,
    Panic,
    /// It could not even be sent.
    Unreachable(String),
}

impl Trouble {
    /// Whether the connection is of no use any more.
    fn is_loss(&self) -> bool {
        match self {
            Self::Pg(error) => kind(error) == Kind::Lost,
            Self::Silence | Self::Panic => true,
            Self::Unreachable(_) => false,
        }
    }

    /// Whether all together may do better at once: the connection was a dead one, or two commands met.
    fn is_passing(&self) -> bool {
        matches!(self, Self::Pg(error) if matches!(kind(error), Kind::Lost | Kind::Conflict))
    }

    fn error(&self) -> StoreError {
        match self {
            Self::Pg(error) => store_error(error),
            Self::Silence => StoreError::Unavailable("the server does not answer".into()),
            Self::Panic => StoreError::Internal("a command panicked".into()),
            Self::Unreachable(why) => StoreError::Unavailable(why.clone()),
        }
    }
}

struct Writer {
    target: Target,
    counters: Arc<Counters>,
    connection: Option<Connection>,
    /// When connecting last failed, and why.
    failed: Option<(Instant, String)>,
}

impl Writer {
    async fn run(
        &mut self,
        queue: &mut mpsc::Receiver<Item>,
        probes: &mut mpsc::Receiver<Probe>,
        pulse: &Pulse,
    ) {
        // After a panic nobody knows what is left on it.
        self.connection = None;
        // The first caller shall not wait for a connection; if there is none yet, it is tried again then.
        let _ = self.connect().await;
        let mut waiting = Vec::with_capacity(MAX_COMMANDS);
        loop {
            tokio::select! {
                biased;
                Some(probe) = probes.recv() => self.answer(probe, pulse).await,
                many = queue.recv_many(&mut waiting, MAX_COMMANDS) => {
                    if many == 0 {
                        return;
                    }
                    self.write_all(waiting.drain(..), pulse).await;
                }
            }
        }
    }

    async fn write_all(&mut self, items: impl Iterator<Item = Item>, pulse: &Pulse) {
        let mut items = items.peekable();
        loop {
            let mut batch = Batch::default();
            while let Some(item) = items.next_if(|item| batch.admits(item)) {
                batch.push(item);
            }
            if batch.is_empty() {
                return;
            }
            self.write(batch, pulse).await;
        }
    }

    /// Says whether it could write.
    async fn answer(&mut self, probe: Probe, pulse: &Pulse) {
        let _work = pulse.begin();
        let reply = probe.reply();
        // Whoever asks wants to know how it is now, not how it was a moment ago.
        self.failed = None;
        let end = match self.connect().await {
            Ok(connection) => promptly(connection.client.batch_execute("")).await,
            Err(why) => Err(StoreError::Unavailable(why)),
        };
        if end.is_err() {
            self.connection = None;
        }
        let _ = reply.send(end);
    }

    /// A connection that is not known to be dead.
    async fn connect(&mut self) -> Result<&Connection, String> {
        if self.connection.as_ref().is_none_or(|c| c.client.is_closed()) {
            self.connection = None;
            if let Some((when, why)) = &self.failed
                && when.elapsed() < BACK_OFF
            {
                return Err(why.clone());
            }
            match Connection::open(&self.target).await {
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

    /// Runs a batch: its kinds travel together, each a transaction of its own.
    async fn write(&mut self, batch: Batch, pulse: &Pulse) {
        let work = pulse.begin();
        let counters = Arc::clone(&self.counters);
        let connection = match self.connect().await {
            Ok(connection) => connection,
            Err(why) => return batch.turn_away(&why),
        };
        let (turnos, perfiles, calificaciones, intentos, textos) = tokio::join!(
            attempt(connection, &counters, &batch.turnos),
            attempt(connection, &counters, &batch.perfiles),
            attempt(connection, &counters, &batch.calificaciones),
            attempt(connection, &counters, &batch.intentos),
            attempt(connection, &counters, &batch.textos),
        );
        drop(work);
        let ends = [&turnos, &perfiles, &calificaciones, &intentos, &textos];
        if ends.iter().any(|end| is_loss(end)) {
            self.connection = None;
        }
        self.settle(batch.turnos, turnos, pulse).await;
        self.settle(batch.perfiles, perfiles, pulse).await;
        self.settle(batch.calificaciones, calificaciones, pulse).await;
        self.settle(batch.intentos, intentos, pulse).await;
        self.settle(batch.textos, textos, pulse).await;
    }

    /// Answers. After a lost connection or a conflict all are tried together once more; else, and if that comes to nothing, each
    /// goes back to its caller, because the failure may be one's alone.
    async fn settle<K: Prepared>(
        &mut self,
        errands: Vec<Errand<K>>,
        end: Result<Vec<Uuid>, Trouble>,
        pulse: &Pulse,
    ) {
        let end = match end {
            Err(trouble) if trouble.is_passing() => self.again(&errands, pulse).await,
            end => end,
        };
        match end {
            Ok(missing) => answer_all(errands, &missing),
            Err(Trouble::Unreachable(why)) => turn_away(errands, &why),
            Err(trouble) => {
                tracing::debug!(error = %trouble.error(), commands = errands.len(), "a group of writes failed");
                hand_back(errands);
            }
        }
    }

    /// Runs these once more, on another connection if the last one is gone.
    async fn again<K: Prepared>(
        &mut self,
        errands: &[Errand<K>],
        pulse: &Pulse,
    ) -> Result<Vec<Uuid>, Trouble> {
        let _work = pulse.begin();
        let counters = Arc::clone(&self.counters);
        let connection = self.connect().await.map_err(Trouble::Unreachable)?;
        let end = attempt(connection, &counters, errands).await;
        if is_loss(&end) {
            self.connection = None;
        }
        end
    }
}

fn is_loss(end: &Result<Vec<Uuid>, Trouble>) -> bool {
    end.as_ref().is_err_and(Trouble::is_loss)
}

async fn attempt<K: Prepared>(
    connection: &Connection,
    counters: &Counters,
    errands: &[Errand<K>],
) -> Result<Vec<Uuid>, Trouble> {
    if errands.is_empty() {
        return Ok(Vec::new());
    }
    counters.statements.fetch_add(1, Ordering::Relaxed);
    counters.commands.fetch_add(errands.len() as u64, Ordering::Relaxed);
    let batch: Vec<&K> = errands.iter().map(|errand| &errand.command).collect();
    let running = K::run(&connection.client, K::statement(connection, &batch), &batch);
    // Unwind-safe: the connection is thrown away, and the commands are only read.
    match tokio::time::timeout(PATIENCE, AssertUnwindSafe(running).catch_unwind()).await {
        Ok(Ok(end)) => end.map_err(Trouble::Pg),
        Ok(Err(_)) => Err(Trouble::Panic),
        Err(_) => Err(Trouble::Silence),
    }
}

//! A writer: takes what waits, runs it as one statement per kind, answers all.
//!
//! No timer: while one batch is being committed the next one gathers, and a lone command goes at once. A statement is its own
//! transaction, so it is one journey and one commit for all. Where it fails, nobody is punished for a neighbour: the same
//! commands, with the same ids, run again one by one. Nothing here knows what the commands mean.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use embudo_store::command::{AppendTurno, RecordIntento, UpsertCalificacion};
use embudo_store::{Hecho, StoreError};
use tokio::sync::mpsc;
use tokio_postgres::{Client, Error, Statement};
use uuid::Uuid;

use crate::batch::{Batch, Errand, Item, answer_all, turn_away};
use crate::command::turno::PLAIN;
use crate::command::{Grouped, Perfil, Textos};
use crate::connection::Target;
use crate::failure::{Kind, kind, store_error, unreachable_error};

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

/// Starts a writer. It ends when every sender is gone and what waited is done.
pub(crate) fn spawn(target: Target, counters: Arc<Counters>) -> mpsc::Sender<Item> {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let writer = Writer { target, counters, connection: None, failed: None };
    tokio::spawn(writer.run(receiver));
    sender
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
        let (turno, turno_plain, perfil, calificacion, intento, textos) = tokio::try_join!(
            client.prepare(AppendTurno::SQL),
            client.prepare(PLAIN),
            client.prepare(Perfil::SQL),
            client.prepare(UpsertCalificacion::SQL),
            client.prepare(RecordIntento::SQL),
            client.prepare(Textos::SQL),
        )
        .map_err(|error| unreachable_error(&error))?;
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
}

impl Trouble {
    fn kind(&self) -> Kind {
        match self {
            Self::Pg(error) => kind(error),
            Self::Silence => Kind::Lost,
        }
    }

    fn error(&self) -> StoreError {
        match self {
            Self::Pg(error) => store_error(error),
            Self::Silence => StoreError::Unavailable("the server does not answer".into()),
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
    async fn run(mut self, mut queue: mpsc::Receiver<Item>) {
        // The first caller shall not wait for a connection; if there is none yet, it is tried again then.
        let _ = self.connect().await;
        let mut waiting = Vec::with_capacity(MAX_COMMANDS);
        while queue.recv_many(&mut waiting, MAX_COMMANDS).await > 0 {
            let mut items = waiting.drain(..).peekable();
            loop {
                let mut batch = Batch::default();
                while let Some(item) = items.next_if(|item| batch.admits(item)) {
                    batch.push(item);
                }
                if batch.is_empty() {
                    break;
                }
                self.write(batch).await;
            }
        }
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
    async fn write(&mut self, batch: Batch) {
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
        let ends = [&turnos, &perfiles, &calificaciones, &intentos, &textos];
        if ends.iter().any(|end| is_lost(end)) {
            self.connection = None;
        }
        self.settle(batch.turnos, turnos).await;
        self.settle(batch.perfiles, perfiles).await;
        self.settle(batch.calificaciones, calificaciones).await;
        self.settle(batch.intentos, intentos).await;
        self.settle(batch.textos, textos).await;
    }

    /// Answers, or tries once more: after a lost connection or a conflict all together, else one by one.
    async fn settle<K: Prepared>(&mut self, errands: Vec<Errand<K>>, end: Result<Vec<Uuid>, Trouble>) {
        let trouble = match end {
            Ok(missing) => return answer_all(errands, &missing),
            Err(trouble) => trouble,
        };
        tracing::debug!(error = %trouble.error(), commands = errands.len(), "a group of writes failed");
        let trouble = match (trouble.kind(), trouble) {
            (Kind::Lost | Kind::Conflict, Trouble::Pg(_)) => match self.again(&errands).await {
                Ok(missing) => return answer_all(errands, &missing),
                Err(trouble) => trouble,
            },
            (_, trouble) => trouble,
        };
        if !matches!(trouble.kind(), Kind::Refused | Kind::Held) {
            return turn_away(errands, &trouble.error().to_string());
        }
        for errand in errands {
            let end = self.again(std::slice::from_ref(&errand)).await;
            errand.answer(match end {
                Ok(missing) if missing.is_empty() => Ok(Hecho::Ahora),
                Ok(_) => Err(StoreError::LeadNotFound),
                Err(trouble) => {
                    tracing::warn!(error = %trouble.error(), "a write was refused");
                    Err(trouble.error())
                }
            });
        }
    }

    /// Runs these once more, on another connection if the last one is gone.
    async fn again<K: Prepared>(&mut self, errands: &[Errand<K>]) -> Result<Vec<Uuid>, Trouble> {
        let counters = Arc::clone(&self.counters);
        let Ok(connection) = self.connect().await else { return Err(Trouble::Silence) };
        let end = attempt(connection, &counters, errands).await;
        if is_lost(&end) {
            self.connection = None;
        }
        end
    }
}

fn is_lost(end: &Result<Vec<Uuid>, Trouble>) -> bool {
    end.as_ref().is_err_and(|trouble| trouble.kind() == Kind::Lost)
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
    match tokio::time::timeout(PATIENCE, running).await {
        Ok(end) => end.map_err(Trouble::Pg),
        Err(_) => Err(Trouble::Silence),
    }
}

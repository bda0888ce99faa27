//! Limits on guesses and on actions that cause costs, counted by all processes together.
//!
//! A count is added in memory at once and to the database within a second. Before something is allowed, the counts of
//! the other processes for the same subject are read, at most once a second. So a count of another process arrives
//! about two seconds late at most, and a count made here is effective at once. While the database is unavailable, this
//! process continues with the counts that it has. Addresses, telephones and e-mails leave memory only as keyed hashes.
//! [`Rate::check`] decides whether to refuse; this module must not know what is refused.

mod tally;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use embudo_domain::Timestamp;
use embudo_domain::rate::Rate;
use embudo_store::StoreError;
use embudo_store::counts::{Count, CountKey};
use jiff::SignedDuration;
use tokio::sync::{Notify, RwLock};
use uuid::Uuid;

use crate::App;
use tally::{Tallies, Unsaved};

/// How often counts are written, and how old the known counts of a subject may be.
const STEP: SignedDuration = SignedDuration::from_secs(1);
/// How long a caller waits for the counts of the other processes.
const READ_PATIENCE: Duration = Duration::from_millis(500);
/// The maximum time for writing.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);
/// The maximum number of counts that are written in one command.
const SLICE: usize = 500;

const QUARTER: Duration = Duration::from_mins(15);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counted {
    /// Attempts to sign in, by network address.
    SignInAddress,
    /// Attempts to sign in to one account, from anywhere, or from one known browser of its person.
    SignInAccount,
    /// Attempts from one known browser, at any account.
    SignInDevice,
    /// Links for a new password.
    Link,
    /// Sample mails that a person sends.
    Sample,
    /// New leads of the form, by network address.
    FormLead,
    /// New leads of the form, by company.
    FormEmpresa,
    FormFoto,
    /// Changes of a visit by its client.
    VisitChange,
    /// Messages that visitors request, by network address.
    MessageAddress,
    MessageTelephone,
    MessageLead,
    /// Calls that a lead requests.
    Call,
    /// Receipts of forms, by lead.
    ReceiptLead,
    /// Receipts of forms, by the address that they go to.
    ReceiptAddress,
}

impl Counted {
    /// The name of the count in the database, and the length of its window.
    const fn traits(self) -> (&'static str, Duration) {
        match self {
            Self::SignInAddress => ("entrar_red", QUARTER),
            Self::SignInAccount => ("entrar_cuenta", QUARTER),
            Self::SignInDevice => ("entrar_equipo", QUARTER),
            Self::Link => ("enlace", QUARTER),
            Self::Sample => ("prueba", QUARTER),
            Self::FormLead => ("formulario_red", HOUR),
            Self::FormEmpresa => ("formulario_empresa", DAY),
            Self::FormFoto => ("formulario_foto", HOUR),
            Self::VisitChange => ("visita", DAY),
            Self::MessageAddress => ("mensaje_red", HOUR),
            Self::MessageTelephone => ("mensaje_telefono", DAY),
            Self::MessageLead => ("mensaje_lead", DAY),
            Self::Call => ("llamada", DAY),
            Self::ReceiptLead => ("acuse_lead", DAY),
            Self::ReceiptAddress => ("acuse_correo", DAY),
        }
    }

    const fn window(self) -> Duration {
        self.traits().1
    }
}

/// All counts that this process knows.
#[derive(Default)]
pub(crate) struct SharedCounts {
    tallies: Mutex<Tallies>,
    /// Many tasks may read at the same time. While counts are written, no task reads, so that no count is read twice or
    /// missed.
    exchange: RwLock<()>,
    /// Wakes the task that writes counts.
    wake: Notify,
    failed_at: Mutex<Option<Timestamp>>,
}

impl SharedCounts {
    fn tallies(&self) -> MutexGuard<'_, Tallies> {
        // The counts are consistent even if a thread panicked while it held the lock.
        self.tallies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed_at(&self) -> MutexGuard<'_, Option<Timestamp>> {
        self.failed_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts, shared by all processes.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    pub(crate) app: &'a App,
}

impl Limits<'_> {
    /// Counts `n` for a subject, all or none.
    ///
    /// # Errors
    /// Over the limit: the number of seconds until there is room.
    pub async fn count(self, kind: Counted, subject: &[u8], n: u32, limit: u32) -> Result<(), u64> {
        let (now, rate) = (self.app.now(), Rate { limit, window: kind.window() });
        let (subject, at) = (self.place(kind, subject, now), since_epoch(now));
        // A caller who is over the limit by the counts in memory is refused without a query.
        rate.check(self.shared().tallies().used(kind, subject, at), n, at)?;
        self.learn(kind, subject, now).await;
        let mut tallies = self.shared().tallies();
        rate.check(tallies.used(kind, subject, at), n, at)?;
        tallies.add(kind, subject, at, n);
        self.shared().wake.notify_one();
        Ok(())
    }

    /// Writes the counts made here since the last time; returns how many.
    pub async fn flush(self) -> Result<usize, StoreError> {
        let alone = tokio::time::timeout(WRITE_PATIENCE, self.shared().exchange.write());
        let _alone = alone.await.map_err(|_| too_slow())?;
        let mut unsaved = Taken { shared: self.shared(), left: Vec::new() };
        unsaved.left = self.shared().tallies().take_unsaved(since_epoch(self.app.now()));
        let all = unsaved.left.len();
        while !unsaved.left.is_empty() {
            let rest = unsaved.left.len().saturating_sub(SLICE);
            let slice = unsaved.left[rest..].iter().map(count).collect();
            let added = tokio::time::timeout(WRITE_PATIENCE, self.app.store.add_counts(slice));
            added.await.unwrap_or_else(|_| Err(too_slow()))?;
            unsaved.left.truncate(rest);
        }
        Ok(all)
    }

    /// A task that never ends: writes new counts to the database, at most once in [`STEP`], and tries again after an
    /// error.
    pub(crate) async fn keep_shared(self) {
        let mut is_down = false;
        loop {
            self.shared().wake.notified().await;
            match self.flush().await {
                Ok(_) => is_down = false,
                Err(error) => {
                    if !std::mem::replace(&mut is_down, true) {
                        tracing::warn!(%error, "counts cannot be shared; this process goes on with its own");
                    }
                    self.shared().wake.notify_one();
                }
            }
            tokio::time::sleep(STEP.unsigned_abs()).await;
        }
    }

    /// Reads what all processes have counted for a subject, unless that is known and recent. If the database does not
    /// answer, the known counts are used.
    async fn learn(self, kind: Counted, subject: Uuid, now: Timestamp) {
        let shared = self.shared();
        let is_recent = |at: Option<Timestamp>| {
            at.is_some_and(|at| (SignedDuration::ZERO..STEP).contains(&now.duration_since(at)))
        };
        let at = since_epoch(now);
        if is_recent(shared.tallies().read_at(kind, subject, at)) || is_recent(*shared.failed_at()) {
            return;
        }
        let read = async {
            let _quiet = shared.exchange.read().await;
            let (word, window) = kind.traits();
            let number = i64::try_from(Rate::place(window, at).0).unwrap_or(i64::MAX);
            let key = CountKey { kind: word, subject, window: number - 1 };
            let found = self.app.store.counts_since(key).await?;
            shared.tallies().learn(kind, subject, &found, now);
            Ok::<_, StoreError>(())
        };
        if !matches!(tokio::time::timeout(READ_PATIENCE, read).await, Ok(Ok(()))) {
            *shared.failed_at() = Some(now);
        }
    }

    /// The key under which a subject is counted.
    fn place(self, kind: Counted, subject: &[u8], now: Timestamp) -> Uuid {
        let veiled = Uuid::from_bytes(self.app.outbound.passes.veil(kind.traits().0, subject));
        self.shared().tallies().place(kind, veiled, since_epoch(now))
    }

    fn shared(&self) -> &SharedCounts {
        &self.app.counts
    }
}

/// Counts that are being written to the database. If writing fails, they are given back.
struct Taken<'a> {
    shared: &'a SharedCounts,
    left: Vec<Unsaved>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.shared.tallies().give_back(&self.left);
    }
}

fn count(unsaved: &Unsaved) -> Count {
    let (kind, window) = unsaved.kind.traits();
    let number = i64::try_from(unsaved.window).unwrap_or(i64::MAX);
    let key = CountKey { kind, subject: unsaved.subject, window: number };
    // The following window still needs the counts of this one.
    let ends_s = number.saturating_add(2).saturating_mul(i64::try_from(window.as_secs()).unwrap_or(i64::MAX));
    Count { key, n: unsaved.n, expires: Timestamp::from_second(ends_s).unwrap_or(Timestamp::MAX) }
}

fn since_epoch(now: Timestamp) -> Duration {
    Duration::from_secs(u64::try_from(now.as_second()).unwrap_or(0))
}

fn too_slow() -> StoreError {
    StoreError::Unavailable("counts could not be written in time".into())
}

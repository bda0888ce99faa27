//! How often people and strangers may do what can be guessed or costs something, counted by all processes together.
//!
//! A count is added here at once and to the database within a second. Before something is let through, what the others
//! have counted for the same subject is read, at most once a second: so a count of another process comes a second late
//! at most, and one that was made here is never forgotten. While storage is away this process goes on with what it
//! knows. Addresses, telephones and e-mails leave memory as keyed hashes only. Refusals are decided by [`Rate::check`];
//! this module must not know what is refused.

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

/// How often counts are written, and how old what is known of a subject may be.
const STEP: SignedDuration = SignedDuration::from_secs(1);
/// How long somebody waits to know what the others have counted.
const READ_PATIENCE: Duration = Duration::from_millis(500);
/// How long writing may take.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);
/// Counts that are written in one command.
const SLICE: usize = 500;

const QUARTER: Duration = Duration::from_mins(15);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counted {
    /// Attempts to sign in, by network address.
    SignInAddress,
    /// Attempts at one account, from anywhere, or from one browser of its person's.
    SignInAccount,
    /// Attempts from a browser that is known, at any account.
    SignInDevice,
    /// Links for a new password.
    Link,
    /// Samples that a person sends out.
    Sample,
    /// New leads of the form, by network address.
    FormLead,
    /// New leads of the form, by company.
    FormEmpresa,
    FormFoto,
    /// Changes of a visit by its client.
    VisitChange,
    /// Messages that the public asks for, by network address.
    MessageAddress,
    MessageTelephone,
    MessageLead,
    /// Calls that a lead asks for.
    Call,
    /// Receipts of forms, by lead.
    ReceiptLead,
    /// Receipts of forms, by the address that they go to.
    ReceiptAddress,
}

impl Counted {
    /// Its word in the database, and how long a window is.
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

/// What this process knows of all counts.
#[derive(Default)]
pub(crate) struct SharedCounts {
    tallies: Mutex<Tallies>,
    /// Many read at once; while counts are written nobody does, so that no count is seen twice or not at all.
    exchange: RwLock<()>,
    /// Something is to be written.
    wake: Notify,
    failed_at: Mutex<Option<Timestamp>>,
}

impl SharedCounts {
    fn tallies(&self) -> MutexGuard<'_, Tallies> {
        // Counts are whole whatever panicked while holding them.
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
    /// Counts this many for a subject, all or none.
    ///
    /// # Errors
    /// Beyond the limit: the seconds until there is room.
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

    /// Writes what was counted here since the last time; returns how many counts.
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

    /// Writes counts for ever, at most once in [`STEP`].
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

    /// Reads what all processes have counted for a subject, unless that is known. Without an answer, what is known here
    /// has to do.
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

    /// As whom a subject is counted.
    fn place(self, kind: Counted, subject: &[u8], now: Timestamp) -> Uuid {
        let veiled = Uuid::from_bytes(self.app.outbound.passes.veil(kind.traits().0, subject));
        self.shared().tallies().place(kind, veiled, since_epoch(now))
    }

    fn shared(&self) -> &SharedCounts {
        &self.app.counts
    }
}

/// Counts on their way to the database. Those that do not get there are given back.
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
    // The window after it still looks back at it.
    let ends_s = number.saturating_add(2).saturating_mul(i64::try_from(window.as_secs()).unwrap_or(i64::MAX));
    Count { key, n: unsaved.n, expires: Timestamp::from_second(ends_s).unwrap_or(Timestamp::MAX) }
}

fn since_epoch(now: Timestamp) -> Duration {
    Duration::from_secs(u64::try_from(now.as_second()).unwrap_or(0))
}

fn too_slow() -> StoreError {
    StoreError::Unavailable("counts could not be written in time".into())
}

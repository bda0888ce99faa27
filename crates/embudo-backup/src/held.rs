//! The lease under which backups are made: only one process makes a backup at a time, and no blob is swept meanwhile.

use std::fs::{File, OpenOptions, TryLockError};
use std::future::Future;
use std::io::Read as _;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use embudo_blobs::DatabaseId;
use embudo_domain::ProcessId;
use embudo_store::Store;
use embudo_store::leases::Lease;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::{BackupError, Progress, Result};

/// The times of the lease.
#[derive(Debug, Clone, Copy)]
struct Times {
    /// A process that has not renewed its lease for this long is taken for dead.
    lease: Duration,
    /// The time between two renewals.
    renewal: Duration,
    /// The time between two attempts to take a lease that is held.
    look: Duration,
}

const TIMES: Times =
    Times { lease: Duration::from_secs(90), renewal: Duration::from_secs(20), look: Duration::from_secs(1) };

/// How long a backup waits for the lease. By then the lease of a dead process has expired.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The lease. It is renewed until it is given back or dropped.
pub(crate) struct Held {
    store: Arc<dyn Store>,
    who: ProcessId,
    times: Times,
    renewing: JoinHandle<()>,
    lost: watch::Receiver<bool>,
    _here: Option<File>,
}

impl Held {
    /// Takes the lease, waiting at most `patience` for another process. A process that died on this machine is not
    /// waited for: its lock in the data folder was released with it.
    pub(crate) async fn take(
        store: &Arc<dyn Store>,
        (data_dir, database): (&Path, DatabaseId),
        patience: Duration,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let lock = data_dir.join(format!("{database}.backup.lock"));
        Self::take_with(store, &lock, patience, progress, TIMES).await
    }

    async fn take_with(
        store: &Arc<dyn Store>,
        lock: &Path,
        patience: Duration,
        progress: &dyn Progress,
        times: Times,
    ) -> Result<Self> {
        let (who, begun) = (ProcessId(uuid::Uuid::new_v4()), Instant::now());
        let mut here = Here::Another;
        loop {
            if matches!(here, Here::Another) {
                here = Here::look(lock);
                if let Here::Ours(file) = &here {
                    if let Some(dead) = last_holder(file) {
                        store.end_lease(Lease::Backup, dead).await?;
                    }
                    note(file, who);
                }
            }
            let is_free = !matches!(here, Here::Another);
            if is_free && store.take_lease(Lease::Backup, who, times.lease).await? {
                break;
            }
            if begun.elapsed() >= patience {
                return Err(BackupError::Busy);
            }
            progress.at("waiting for another backup or copy", begun.elapsed().as_secs(), patience.as_secs());
            tokio::time::sleep(times.look).await;
        }
        let (told, lost) = watch::channel(false);
        let renewing = {
            let store = Arc::clone(store);
            tokio::spawn(async move {
                renew(store, who, times).await;
                told.send_replace(true);
            })
        };
        let here = match here {
            Here::Ours(file) => Some(file),
            _ => None,
        };
        Ok(Self { store: Arc::clone(store), who, times, renewing, lost, _here: here })
    }

    /// Runs `work` only while the lease is ours: once it is lost, another process may do the same work at this moment.
    pub(crate) async fn guard<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let mut lost = self.lost.clone();
        tokio::select! {
            biased;
            _ = lost.wait_for(|lost| *lost) => Err(BackupError::Lost),
            done = work => done,
        }
    }

    /// Asks the database whether the lease is still ours, before a step that cannot be undone. A process that was
    /// suspended has not noticed yet that it lost the lease.
    pub(crate) async fn confirm(&self) -> Result<()> {
        match self.store.take_lease(Lease::Backup, self.who, self.times.lease).await? {
            true => Ok(()),
            false => Err(BackupError::Lost),
        }
    }

    /// Gives the lease back. If that fails, the lease expires.
    pub(crate) async fn end(self) {
        self.renewing.abort();
        if let Err(error) = self.store.end_lease(Lease::Backup, self.who).await {
            tracing::warn!(%error, "the lease of the backup could not be given back; it runs out");
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

/// The lock of this machine's data folder. It is only a hint that avoids waiting: the lease decides.
enum Here {
    /// We hold the lock; the process that held it before has ended or has finished.
    Ours(File),
    /// Another process that is alive holds the lock.
    Another,
    /// There is no lock: the file system does not support locks, or the lock file cannot be opened.
    Nowhere,
}

impl Here {
    fn look(path: &Path) -> Self {
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
        let Ok(file) = opened else { return Self::Nowhere };
        match file.try_lock() {
            Ok(()) => Self::Ours(file),
            Err(TryLockError::WouldBlock) => Self::Another,
            Err(TryLockError::Error(_)) => Self::Nowhere,
        }
    }
}

/// The process that held the lock last. It has ended, so its lease can be given back.
fn last_holder(mut file: &File) -> Option<ProcessId> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok().map(ProcessId)
}

/// Writes the process id into the lock file before the lease is taken, so that the next process can give back the lease
/// of one that died. If writing fails, the next process waits until the lease expires.
fn note(file: &File, who: ProcessId) {
    let text = format!("{}\n", who.0);
    if let Err(error) = file.set_len(0).and_then(|()| file.write_all_at(text.as_bytes(), 0)) {
        tracing::debug!(%error, "the holder of the backup's lease could not be noted");
    }
}

/// Renews the lease until it is lost: taken by another process, or so near its end that another one may take it.
async fn renew(store: Arc<dyn Store>, who: ProcessId, times: Times) {
    let (mut last, mut pause) = (Instant::now(), times.renewal);
    loop {
        tokio::time::sleep(pause).await;
        let asked = Instant::now();
        let taking = store.take_lease(Lease::Backup, who, times.lease);
        let problem = match tokio::time::timeout(times.renewal, taking).await {
            Ok(Ok(true)) => {
                (last, pause) = (asked, times.renewal);
                continue;
            }
            Ok(Ok(false)) => {
                tracing::warn!("the lease of the backup was taken by another process");
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the database does not answer".to_owned(),
        };
        pause = times.renewal / 4;
        if last.elapsed() + times.renewal + pause > times.lease {
            tracing::warn!(problem, "the lease of the backup could not be prolonged and runs out");
            return;
        }
        tracing::warn!(problem, "the lease of the backup could not be prolonged; it is tried again");
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::future::pending;

    use embudo_store_sqlite::{Options, SqliteStore};

    use super::*;

    const SHORT: Times = Times {
        lease: Duration::from_secs(60),
        renewal: Duration::from_millis(20),
        look: Duration::from_millis(20),
    };

    fn store(folder: &tempfile::TempDir) -> Arc<dyn Store> {
        SqliteStore::shared(&folder.path().join("a.db"), &Options::default()).unwrap()
    }

    fn lock(folder: &tempfile::TempDir) -> std::path::PathBuf {
        folder.path().join("backup.lock")
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn one_that_died_on_this_machine_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        let held = Held::take_with(&store, &lock(&folder), Duration::ZERO, &(), SHORT).await.unwrap();
        let busy = Held::take_with(&store, &lock(&folder), Duration::ZERO, &(), SHORT).await.err();
        assert!(matches!(busy, Some(BackupError::Busy)), "one that lives is");
        // The dead process leaves its lease behind, but not its lock.
        let dead = held.who;
        drop(held);
        let elsewhere = folder.path().join("of another machine.lock");
        let busy = Held::take_with(&store, &elsewhere, Duration::ZERO, &(), SHORT).await.err();
        assert!(matches!(busy, Some(BackupError::Busy)), "nobody knows that of another machine");
        let held = Held::take_with(&store, &lock(&folder), Duration::ZERO, &(), SHORT).await.unwrap();
        assert!(!store.take_lease(Lease::Backup, dead, SHORT.lease).await.unwrap());
        held.end().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_lease_of_a_dead_process_is_waited_for_and_taken() {
        let folder = tempfile::tempdir().unwrap();
        let (store, dead) = (store(&folder), ProcessId(uuid::Uuid::new_v4()));
        assert!(store.take_lease(Lease::Backup, dead, Duration::from_millis(500)).await.unwrap());
        let refused = Held::take_with(&store, &lock(&folder), Duration::ZERO, &(), SHORT).await.err();
        assert!(matches!(refused, Some(BackupError::Busy)), "nobody waits for nothing");
        let held =
            Held::take_with(&store, &lock(&folder), Duration::from_secs(30), &(), SHORT).await.unwrap();
        held.confirm().await.unwrap();
        assert!(!store.take_lease(Lease::Backup, dead, SHORT.lease).await.unwrap());
        assert_eq!(held.guard(async { Ok(7) }).await.unwrap(), 7);
        held.end().await;
        assert!(store.take_lease(Lease::Backup, dead, SHORT.lease).await.unwrap());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn whoever_lost_it_stops() {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (store(&folder), ProcessId(uuid::Uuid::new_v4()));
        let held = Held::take_with(&store, &lock(&folder), Duration::ZERO, &(), SHORT).await.unwrap();
        let steal = async {
            store.end_lease(Lease::Backup, held.who).await.unwrap();
            // The renewing task may take the lease again in between.
            while !store.take_lease(Lease::Backup, other, SHORT.lease).await.unwrap() {
                store.end_lease(Lease::Backup, held.who).await.unwrap();
            }
        };
        let work = held.guard(pending::<Result<()>>());
        let limit = tokio::time::timeout(Duration::from_secs(30), async { tokio::join!(work, steal) });
        let (stopped, ()) = limit.await.expect("it stops");
        assert!(matches!(stopped, Err(BackupError::Lost)), "{stopped:?}");
        assert!(matches!(held.confirm().await, Err(BackupError::Lost)));
        held.end().await;
        assert!(store.take_lease(Lease::Backup, other, SHORT.lease).await.unwrap(), "the other's stays");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn whoever_cannot_prolong_it_stops_before_another_may_take_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        let times = Times { lease: Duration::from_secs(5), renewal: Duration::from_secs(1), ..SHORT };
        let held = Held::take_with(&store, &lock(&folder), Duration::ZERO, &(), times).await.unwrap();
        rusqlite::Connection::open(folder.path().join("a.db"))
            .unwrap()
            .execute_batch("DROP TABLE arriendo")
            .unwrap();
        let begun = Instant::now();
        let stopped = held.guard(pending::<Result<()>>()).await;
        assert!(matches!(stopped, Err(BackupError::Lost)), "{stopped:?}");
        assert!(begun.elapsed() < times.lease, "{:?}", begun.elapsed());
    }
}

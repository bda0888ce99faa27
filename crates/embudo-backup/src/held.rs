//! The lease under which backups are made: one at a time, and no blob is swept meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use embudo_domain::ProcessId;
use embudo_store::Store;
use embudo_store::leases::Lease;
use tokio::task::JoinHandle;

use crate::{BackupError, Progress, Result};

/// So long after its last word a process is taken for dead.
const TIME: Duration = Duration::from_secs(90);
const RENEWAL: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_secs(1);

/// Whoever waits so long gets the lease of a process that died.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The lease, prolonged until it is given back or dropped.
pub(crate) struct Held {
    store: Arc<dyn Store>,
    who: ProcessId,
    renewing: JoinHandle<()>,
}

impl Held {
    /// Takes it, waiting at most so long for another process.
    pub(crate) async fn take(
        store: &Arc<dyn Store>,
        patience: Duration,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let (who, begun) = (ProcessId(uuid::Uuid::new_v4()), Instant::now());
        while !store.take_lease(Lease::Backup, who, TIME).await? {
            if begun.elapsed() >= patience {
                return Err(BackupError::Busy);
            }
            progress.at("waiting for another backup or copy", begun.elapsed().as_secs(), patience.as_secs());
            tokio::time::sleep(LOOK).await;
        }
        let renewing = tokio::spawn(renew(Arc::clone(store), who));
        Ok(Self { store: Arc::clone(store), who, renewing })
    }

    /// Gives it back; one that cannot be given back runs out.
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

async fn renew(store: Arc<dyn Store>, who: ProcessId) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        match store.take_lease(Lease::Backup, who, TIME).await {
            Ok(true) => {}
            Ok(false) => tracing::warn!("the lease of the backup was taken by another process"),
            Err(error) => {
                tracing::warn!(%error, "the lease of the backup could not be prolonged; it is tried again");
            }
        }
    }
}

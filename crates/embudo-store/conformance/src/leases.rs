//! Leases: only one of several processes holds a lease, and another takes over when the lease ends.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::{Digest, ProcessId};
use embudo_store::Store;
use embudo_store::leases::Lease;
use uuid::Uuid;

use super::data::{a_lead, t};

const LONG: Duration = Duration::from_secs(600);

fn process() -> ProcessId {
    ProcessId(Uuid::new_v4())
}

async fn takes(store: &Arc<dyn Store>, who: ProcessId, time: Duration) -> bool {
    store.take_lease(Lease::Backup, who, time).await.expect("answered")
}

/// The holder can prolong the lease; another process gets it once it is released.
pub async fn one_holds_it_and_another_waits(store: Arc<dyn Store>) {
    let (one, other) = (process(), process());
    assert!(takes(&store, one, LONG).await);
    assert!(takes(&store, one, LONG).await);
    assert!(!takes(&store, other, LONG).await);
    store.end_lease(Lease::Backup, one).await.expect("given back");
    assert!(takes(&store, other, LONG).await);
    assert!(!takes(&store, one, LONG).await);
}

/// The lease of a holder that died expires.
pub async fn one_that_ran_out_is_free(store: Arc<dyn Store>) {
    let (one, other) = (process(), process());
    assert!(takes(&store, one, Duration::ZERO).await);
    assert!(takes(&store, other, LONG).await);
    assert!(!takes(&store, one, LONG).await);
}

/// A former holder cannot give back the lease of the current holder.
pub async fn only_ones_own_is_given_back(store: Arc<dyn Store>) {
    let (one, other) = (process(), process());
    assert!(takes(&store, one, LONG).await);
    store.end_lease(Lease::Backup, other).await.expect("nothing to give back");
    assert!(!takes(&store, other, LONG).await);
}

pub async fn of_many_that_come_at_once_one_takes_it(store: Arc<dyn Store>) {
    let all = (0..8).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.take_lease(Lease::Backup, process(), LONG).await })
    });
    let mut taken = 0;
    for one in all.collect::<Vec<_>>() {
        taken += usize::from(one.await.expect("no panic").expect("answered"));
    }
    assert_eq!(taken, 1);
}

/// Blobs that the rows of a backup name stay readable until the backup has copied them.
pub async fn while_a_backup_is_made_no_blob_is_marked(store: Arc<dyn Store>) {
    let (lead, blob, backup) = (a_lead(&store).await, Digest::of(b"libre"), process());
    assert!(takes(&store, backup, LONG).await);
    assert_eq!(store.mark_blob(lead, blob, t(0)).await.expect("answered"), None);
    assert_eq!(store.marked_blobs().await.expect("a list"), vec![]);
    store.end_lease(Lease::Backup, backup).await.expect("given back");
    assert!(store.mark_blob(lead, blob, t(0)).await.expect("answered").is_some());
}

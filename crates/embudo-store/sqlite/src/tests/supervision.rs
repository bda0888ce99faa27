//! Threads that panic start again, and readiness tells what cannot be done.

use embudo_store::Store;
use embudo_store::conformance::datos::{t, turno};

use super::{Mesa, is_unavailable};

#[tokio::test]
async fn a_writer_that_panics_starts_again_and_meanwhile_is_not_ready() {
    let mesa = Mesa::nueva().await;
    mesa.store.ping().await.expect("ready");
    mesa.store.writer.panic().await;
    // Waits in the queue until the thread is back. Whoever shared the panic's batch is told that nobody knows.
    let after = mesa.store.append_turno(turno(mesa.lead, "después", t(1)));
    let looking = async {
        while mesa.store.ping().await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    let (after, ()) = tokio::join!(after, looking);
    assert!(after.is_ok() || is_unavailable(&after), "{after:?}");
    while mesa.store.ping().await.is_err() {
        tokio::task::yield_now().await;
    }
    let stored = mesa.turnos().await.len();
    mesa.store.append_turno(turno(mesa.lead, "otro", t(2))).await.expect("writing is back");
    assert_eq!(mesa.turnos().await.len(), stored + 1);
}

#[tokio::test]
async fn readiness_writes_nothing() {
    let mesa = Mesa::nueva().await;
    let log = mesa.carpeta.path().join("embudo.db-wal");
    let size = || std::fs::metadata(&log).expect("a log").len();
    let (pages, before) = (mesa.store.stats().wal_pages, size());
    for _ in 0..100 {
        mesa.store.ping().await.expect("ready");
    }
    assert_eq!((mesa.store.stats().wal_pages, size()), (pages, before));
}

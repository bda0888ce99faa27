//! Threads that panic start again, and readiness tells what cannot be done.

use std::time::Duration;

use embudo_store::Store;
use embudo_store_conformance::data::{t, turno};

use super::Mesa;

/// Whether readiness tells of a panic. A question that is queued behind it waits until the thread is back, so it is asked often.
async fn is_told(mesa: &Mesa) -> bool {
    for _ in 0..100 {
        if let Ok(Err(_)) = tokio::time::timeout(Duration::from_millis(10), mesa.store.ping()).await {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn a_writer_that_panics_starts_again_and_meanwhile_is_not_ready() {
    let mesa = Mesa::nueva().await;
    mesa.store.ping().await.expect("ready");
    // Each pause is longer than the last, so that even a slow test sees one.
    mesa.store.writer.panic().await;
    while !is_told(&mesa).await {
        mesa.store.writer.panic().await;
    }
    while mesa.store.ping().await.is_err() {
        tokio::task::yield_now().await;
    }
    mesa.store.append_turno(turno(mesa.lead, "después", t(1))).await.expect("writing is back");
    assert_eq!(mesa.turnos().await.len(), 1);
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

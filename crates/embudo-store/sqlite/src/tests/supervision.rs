//! Threads that panic start again, and readiness reports what cannot be done meanwhile.

use std::time::Duration;

use embudo_store::prelude::*;
use embudo_store_conformance::data::{t, turno};

use super::Desk;

/// Whether readiness reports a panic. A check that is queued behind the panic waits until the thread is back, so it is
/// repeated often.
async fn is_told(desk: &Desk) -> bool {
    for _ in 0..100 {
        if let Ok(Err(_)) = tokio::time::timeout(Duration::from_millis(10), desk.store.ping()).await {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn a_writer_that_panics_starts_again_and_meanwhile_is_not_ready() {
    let desk = Desk::new().await;
    desk.store.ping().await.expect("ready");
    // The supervisor pauses longer after each panic, so that even a slow test sees a pause.
    desk.store.writer.panic().await;
    while !is_told(&desk).await {
        desk.store.writer.panic().await;
    }
    while desk.store.ping().await.is_err() {
        tokio::task::yield_now().await;
    }
    desk.store.append_turno(turno(desk.lead, "después", t(1))).await.expect("writing is back");
    assert_eq!(desk.turnos().await.len(), 1);
}

#[tokio::test]
async fn readiness_writes_nothing() {
    let desk = Desk::new().await;
    let log = desk.folder.path().join("embudo.db-wal");
    let size = || std::fs::metadata(&log).expect("a log").len();
    let (pages, before) = (desk.store.stats().wal_pages, size());
    for _ in 0..100 {
        desk.store.ping().await.expect("ready");
    }
    assert_eq!((desk.store.stats().wal_pages, size()), (pages, before));
}

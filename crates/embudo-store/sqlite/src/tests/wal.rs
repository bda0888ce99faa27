//! The write-ahead log stays bounded while writes and reads never pause.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use embudo_store::prelude::*;
use embudo_store_conformance::data::{new_lead, t, turno};

use super::Desk;
use crate::Options;

const LIMIT: u64 = 256 << 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_stays_short_under_sustained_load() {
    let desk = Desk::with(&Options { wal_limit_bytes: LIMIT, ..Default::default() }).await;
    // A lead that stays small keeps the reads short.
    let read = new_lead("Eva");
    let id = read.id;
    desk.store.create_lead(read).await.expect("created");
    let done = Arc::new(AtomicBool::new(false));
    let reader = {
        let (store, done) = (Arc::clone(&desk.store), Arc::clone(&done));
        tokio::spawn(async move {
            while !done.load(Ordering::Relaxed) {
                store.record(id).await.expect("read");
            }
        })
    };
    let wal = desk.folder.path().join("embudo.db-wal");
    let writers: Vec<_> = (0..16)
        .map(|_| {
            let (store, lead, wal) = (Arc::clone(&desk.store), desk.lead, wal.clone());
            tokio::spawn(async move {
                let mensaje = "x".repeat(4000);
                let mut longest = 0;
                for n in 0..200 {
                    store.append_turno(turno(lead, &mensaje, t(n))).await.expect("appended");
                    longest = longest.max(std::fs::metadata(&wal).expect("the log").len());
                }
                longest
            })
        })
        .collect();
    let mut longest = 0;
    for writer in writers {
        longest = longest.max(writer.await.expect("no panic"));
    }
    done.store(true, Ordering::Relaxed);
    reader.await.expect("no panic");
    assert!(longest < 12 * LIMIT, "13 MB were written; the log reached {longest} bytes");
    assert_eq!(desk.turnos().await.len(), 16 * 200);
}

//! A disk that is really full (promise D9): 503 meanwhile, working again as soon as there is space, and no acknowledged
//! write is lost.
//!
//! It needs a small file system of its own, so it does not run by itself:
//! `mount -t tmpfs -o size=64m tmpfs /mnt/small && EMBUDO_TEST_SMALL_DISK=/mnt/small \
//! cargo test -p embudo-store-sqlite --test it full_disk -- --ignored`

use std::collections::HashSet;
use std::sync::Arc;

use embudo_store::prelude::*;
use embudo_store::{Store, StoreError};
use embudo_store_conformance::data::{a_lead, long_text, t, turno};
use embudo_store_sqlite::{Options, SqliteStore};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs EMBUDO_TEST_SMALL_DISK, a small file system that it may fill"]
async fn a_full_disk_refuses_and_heals() {
    let disk = std::env::var_os("EMBUDO_TEST_SMALL_DISK").expect("EMBUDO_TEST_SMALL_DISK names a folder");
    let folder = tempfile::tempdir_in(disk).expect("a folder");
    let filler = folder.path().join("filler");
    let path = folder.path().join("embudo.db");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&path, &Options::default()).expect("opened"));
    let lead = a_lead(&store).await;
    let mut answered = HashSet::new();
    // A file that can be deleted later to free space.
    std::fs::write(&filler, vec![1; 16 << 20]).expect("there is room for the filler");
    let mensaje = long_text(50_000);
    let mut refused = 0;
    while refused < 50 {
        let command = turno(lead, &mensaje, t(1));
        let id = command.id;
        match store.append_turno(command).await {
            Ok(_) => assert!(answered.insert(id)),
            Err(StoreError::Unavailable(_)) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(matches!(store.ping().await, Ok(()) | Err(StoreError::Unavailable(_))));
    store.record(lead).await.expect("reads go on");

    std::fs::remove_file(&filler).expect("removed");
    for _ in 0..50 {
        let command = turno(lead, &mensaje, t(2));
        answered.insert(command.id);
        store.append_turno(command).await.expect("there is room again");
    }
    store.ping().await.expect("it can be written to");
    drop(store);
    let store = SqliteStore::open(&path, &Options::default()).expect("opened again");
    let record = store.record(lead).await.expect("a lead");
    let stored: HashSet<_> = record.conversacion.iter().map(|t| t.id).collect();
    assert_eq!(stored, answered, "exactly what was answered is stored");
}

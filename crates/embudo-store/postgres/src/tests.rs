//! What cannot be tested from outside: writers that panic.

use std::sync::Arc;

use embudo_domain::job::JobKind;
use embudo_store::Store;
use embudo_store::lead_writes::Ingest;
use embudo_store::outbox::JobOutcome;
use embudo_store::prelude::*;
use embudo_store_conformance::data::outbox::{LENGTH, end, of, process};
use embudo_store_conformance::data::{self, t};
use tokio_postgres::{Client, NoTls};

use crate::writer::Prober;
use crate::{Options, PgStore};

async fn client(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("the test server answers");
    tokio::spawn(connection);
    client
}

/// Waits until readiness has reported a panic, and then until it succeeds again.
async fn panic_and_heal(store: &PgStore, prober: &Prober) {
    let mut is_told = false;
    while !is_told {
        // The supervisor pauses longer after each panic, so that even a slow test sees a pause.
        prober.panic().await;
        tokio::task::yield_now().await;
        is_told = store.ping().await.is_err();
    }
    while store.ping().await.is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_that_panics_starts_again_and_meanwhile_is_not_ready() {
    let server = std::env::var("EMBUDO_TEST_PG").expect("EMBUDO_TEST_PG is set by ./test");
    let name = format!("embudo_{}", uuid::Uuid::new_v4().simple());
    let outside = client(&server).await;
    outside.batch_execute(&format!("CREATE DATABASE {name}")).await.expect("a database");
    let url = server.replace("/postgres", &format!("/{name}")).replace(&format!("/{name}@"), "/postgres@");
    let store = Arc::new(PgStore::connect(&url, Options::default()).await.expect("a store"));
    let dyn_store: Arc<dyn Store> = store.clone();
    let mut leads = vec![data::a_lead(&dyn_store).await];
    for _ in 0..7 {
        leads.push(data::other_lead(&dyn_store).await);
    }
    store.ping().await.expect("ready");

    for prober in store.writers.probers() {
        panic_and_heal(&store, prober).await;
    }
    let who = process();
    for lead in leads {
        store.append_turno(data::turno(lead, "después", t(1))).await.expect("appended");
        let job = of(JobKind::Perfil, who, LENGTH);
        let id = job.id;
        let call = Ingest { jobs: vec![job], ..data::ingesta(lead, vec![], t(1)) };
        store.ingest(call).await.expect("saved");
        assert!(store.finish(end(id, who, JobOutcome::Done, t(2))).await.expect("ended"));
    }
    drop((store, dyn_store));
    outside.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.expect("dropped");
}

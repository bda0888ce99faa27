//! The server goes and comes back: callers get an error quickly, no acknowledged write is lost, and nothing is done
//! twice.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::{Base, KILL, Server, fresh};
use embudo_domain::perfil::Perfil;
use embudo_store::lead_writes::AppendTurno;
use embudo_store::{Store, StoreError};
use embudo_store_conformance::data;
use embudo_store_postgres::{Options, PgStore};
use tokio::task::JoinSet;
use tokio_postgres::Client;

/// The time limit for an error or for healing. It leaves room for a busy machine.
const A_WHILE: Duration = Duration::from_secs(30);

/// Repeats a write until it succeeds: the first one may get a connection that the server has just closed.
async fn writes_heal(store: &Arc<dyn Store>, turno: AppendTurno) {
    let start = Instant::now();
    while let Err(error) = store.append_turno(turno.clone()).await {
        assert!(start.elapsed() < A_WHILE, "writes do not heal: {error}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_of_the_server_heals_alone() {
    let mut server = Server::start().await;
    let store: Arc<dyn Store> =
        Arc::new(PgStore::connect(&server.url, Options::default()).await.expect("a store"));
    let lead = data::a_lead(&store).await;
    store.append_turno(data::turno(lead, "antes", data::t(1))).await.expect("appended");
    store.record(lead).await.expect("read");

    server.stop().await;
    for _ in 0..20 {
        let start = Instant::now();
        let (turno, record, ingesta, ping) = tokio::join!(
            store.append_turno(data::turno(lead, "durante", data::t(2))),
            store.record(lead),
            store.ingest(data::ingesta(lead, vec![data::foto()], data::t(2))),
            store.ping(),
        );
        assert!(matches!(turno, Err(StoreError::Unavailable(_))), "{turno:?}");
        assert!(matches!(record, Err(StoreError::Unavailable(_))), "{record:?}");
        assert!(matches!(ingesta, Err(StoreError::Unavailable(_))), "{ingesta:?}");
        assert!(matches!(ping, Err(StoreError::Unavailable(_))), "{ping:?}");
        assert!(start.elapsed() < A_WHILE, "{:?}", start.elapsed());
    }

    server.again().await;
    writes_heal(&store, data::turno(lead, "después", data::t(3))).await;
    store.ping().await.expect("reads heal at once");
    let messages: Vec<String> =
        data::record(&store, lead).await.conversacion.into_iter().map(|t| t.mensaje).collect();
    assert_eq!(messages, ["antes", "después"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ended_connections_lose_nothing_and_double_nothing() {
    let (store, base) = fresh().await;
    let first = data::a_lead(&store).await;
    let mut leads = vec![first];
    for _ in 0..7 {
        leads.push(data::other_lead(&store).await);
    }
    let enough = Arc::new(AtomicBool::new(false));
    let mut tasks = JoinSet::new();
    for worker in 0..24_usize {
        let (store, enough, lead) = (Arc::clone(&store), Arc::clone(&enough), leads[worker % leads.len()]);
        tasks.spawn(async move {
            let mut good = Vec::new();
            for n in 0.. {
                if enough.load(Ordering::Relaxed) {
                    break;
                }
                let text = format!("{worker}-{n}");
                let end = if n % 2 == 0 {
                    let mut turno = data::turno(lead, &text, data::t(n));
                    turno.turno.bot_step = Some(text.clone());
                    store.append_turno(turno).await
                } else {
                    let perfil = Perfil { bot_step: Some(text.clone()), ..Perfil::default() };
                    store.update_perfil(data::perfil(lead, perfil, data::t(n))).await
                };
                match end {
                    Ok(_) => good.push((lead, text, n % 2 == 0)),
                    Err(StoreError::Unavailable(_)) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
            good
        });
    }
    let client = base.client().await;
    for _ in 0..30 {
        client.query_one(KILL, &[]).await.expect("ended");
        // Waits until something was written again.
        let sql = "SELECT coalesce(max(n), 0) FROM turno";
        let before: i64 = client.query_one(sql, &[]).await.expect("read").get(0);
        while client.query_one(sql, &[]).await.expect("read").get::<_, i64>(0) < before + 200 {
            tokio::task::yield_now().await;
        }
    }
    enough.store(true, Ordering::Relaxed);
    let mut good = Vec::new();
    while let Some(end) = tasks.join_next().await {
        good.extend(end.expect("no panic"));
    }
    let (mut steps, mut turns) = (HashMap::new(), HashMap::new());
    for lead in leads {
        for change in store.history(lead).await.expect("a history") {
            *steps.entry((lead, change.value)).or_insert(0) += 1;
        }
        for turno in data::record(&store, lead).await.conversacion {
            *turns.entry((lead, turno.mensaje)).or_insert(0) += 1;
        }
    }
    assert!(steps.values().chain(turns.values()).all(|times| *times == 1), "something was done twice");
    assert!(good.len() > 1000);
    for (lead, text, is_turn) in good {
        let key = (lead, text);
        assert!(steps.contains_key(&key), "{key:?} was acknowledged");
        assert!(!is_turn || turns.contains_key(&key), "{key:?} was acknowledged");
    }
}

/// Terminates every other connection to the database, and waits until they are gone. The store may connect again
/// meanwhile.
async fn end_others(client: &Client) {
    let others =
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let others: Vec<i32> =
        client.query(others, &[]).await.expect("read").iter().map(|row| row.get(0)).collect();
    client
        .query("SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid", &[&others])
        .await
        .expect("ended");
    let count = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY($1)";
    while client.query_one(count, &[&others]).await.expect("read").get::<_, i64>(0) > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_server_is_unavailable() {
    let base = Base::new().await;
    let store: Arc<dyn Store> = Arc::new(base.store().await);
    let lead = data::a_lead(&store).await;
    let client = base.client().await;
    let name: String = client.query_one("SELECT current_database()", &[]).await.expect("read").get(0);
    let set = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
    client.batch_execute(&set).await.expect("set");
    end_others(&client).await;
    let end = store.append_turno(data::turno(lead, "no", data::t(1))).await;
    assert!(matches!(end, Err(StoreError::Unavailable(_))), "{end:?}");
    let end = store.ping().await;
    assert!(matches!(end, Err(StoreError::Unavailable(_))), "{end:?}");
    store.record(lead).await.expect("reading goes on");

    let reset = format!("SET default_transaction_read_only = off; ALTER DATABASE {name} RESET ALL");
    client.batch_execute(&reset).await.expect("reset");
    end_others(&client).await;
    writes_heal(&store, data::turno(lead, "sí", data::t(2))).await;
    store.ping().await.expect("writing is back");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_quickly() {
    let start = Instant::now();
    // Nothing listens on port 1.
    let end = PgStore::connect("postgres://nadie@127.0.0.1:1/nada", Options::default()).await;
    assert!(matches!(end, Err(StoreError::Unavailable(_))), "{end:?}");
    assert!(start.elapsed() < A_WHILE);
    let end = PgStore::connect("postgres://nadie:secreto@h/nada?sslmode=quizá", Options::default()).await;
    let Err(StoreError::Internal(words)) = end else { panic!("{end:?}") };
    assert!(words.contains("sslmode") && !words.contains("secreto"), "{words}");
}

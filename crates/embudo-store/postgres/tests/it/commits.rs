//! The synchronous standby is gone: queries are answered, but commits do not return. Callers and readiness get an error
//! in time, attempts leave no sessions behind, and everything goes on when commits return.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{Server, client};
use embudo_store::lead_writes::AppendTurno;
use embudo_store::{Done, Store, StoreError};
use embudo_store_conformance::data;
use embudo_store_postgres::{Options, PgStore};
use tokio::task::JoinSet;

/// The limit in docs/operating.md for a write whose commit does not return (15 s), and what a busy machine may add.
const PROMISED: Duration = Duration::from_secs(15 + 7);
/// The number of a process's connections in docs/operating.md.
const CONNECTIONS: i64 = 24;
const LONG: Duration = Duration::from_secs(60);

/// A server whose commits can be made to wait for a missing standby.
struct Cluster {
    server: Server,
}

impl Cluster {
    async fn start() -> (Self, Arc<dyn Store>) {
        let server = Server::replicated().await;
        let store = PgStore::connect(&server.url, Options::default()).await.expect("a store");
        (Self { server }, Arc::new(store))
    }

    async fn lose_standby(&self) {
        self.set("nadie").await;
        // The setting is in force when the first commit waits.
        let probing = client(&self.server.url).await;
        let commit = "SELECT pg_logical_emit_message(true, 'test', '')";
        while tokio::time::timeout(Duration::from_millis(500), probing.batch_execute(commit)).await.is_ok() {}
    }

    async fn set(&self, name: &str) {
        let outside = client(&self.server.url).await;
        let set = format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'");
        outside.batch_execute(&set).await.expect("set");
        outside.batch_execute("SELECT pg_reload_conf()").await.expect("read again");
    }

    /// How many sessions the store has, including those that it gave up.
    async fn sessions(&self) -> i64 {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'embudo'";
        client(&self.server.url).await.query_one(sql, &[]).await.expect("read").get(0)
    }
}

fn assert_unavailable<T: std::fmt::Debug>(end: &embudo_store::Result<T>) {
    assert!(matches!(end, Err(StoreError::Unavailable(_))), "{end:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_are_told_in_time_although_nobody_asks_for_readiness() {
    let (cluster, store) = Cluster::start().await;
    let lead = data::a_lead(&store).await;
    store.append_turno(data::turno(lead, "antes", data::t(1))).await.expect("appended");
    cluster.lose_standby().await;

    let start = Instant::now();
    let photo = data::ingesta(lead, vec![data::foto()], data::t(2));
    let (turno, photo, new) = tokio::join!(
        store.append_turno(data::turno(lead, "durante", data::t(2))),
        store.ingest(photo),
        store.create_lead(data::new_lead("Eva")),
    );
    assert!(start.elapsed() < PROMISED, "{:?}", start.elapsed());
    assert_unavailable(&turno);
    assert_unavailable(&photo);
    assert_unavailable(&new);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_notices_and_all_goes_on_when_commits_return() {
    let (cluster, store) = Cluster::start().await;
    let lead = data::a_lead(&store).await;
    store.append_turno(data::turno(lead, "antes", data::t(1))).await.expect("appended");
    store.ping().await.expect("ready");
    cluster.lose_standby().await;

    // Readiness notices it even without writes.
    let start = Instant::now();
    while store.ping().await.is_ok() {
        assert!(start.elapsed() < PROMISED, "readiness does not notice");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // Many writes are tried. The first ones wait for a while; the others are refused at once.
    let mut tries = JoinSet::new();
    for n in 0..200_i64 {
        let store = Arc::clone(&store);
        tries.spawn(async move {
            let start = Instant::now();
            let end = match n % 2 {
                0 => store.append_turno(data::turno(lead, "durante", data::t(n))).await.map(drop),
                _ => store.ingest(data::ingesta(lead, vec![data::foto()], data::t(n))).await.map(drop),
            };
            (end, start.elapsed())
        });
    }
    while let Some(end) = tries.join_next().await {
        let (end, took) = end.expect("no panic");
        assert_unavailable(&end);
        assert!(took < PROMISED, "{took:?}");
    }
    let start = Instant::now();
    for n in 0..50 {
        assert_unavailable(&store.append_turno(data::turno(lead, "durante", data::t(n))).await);
        assert_unavailable(&store.ping().await);
    }
    assert!(start.elapsed() < LONG, "refused at once: {:?}", start.elapsed());
    store.record(lead).await.expect("reading goes on");
    let sessions = cluster.sessions().await;
    assert!(sessions <= 2 * CONNECTIONS, "{sessions} sessions: those that wait, and as many new ones");

    cluster.set("").await;
    let start = Instant::now();
    while store.ping().await.is_err() {
        assert!(start.elapsed() < LONG, "it does not heal");
    }
    store.append_turno(data::turno(lead, "después", data::t(300))).await.expect("appended");
    while cluster.sessions().await > CONNECTIONS {
        assert!(start.elapsed() < LONG, "sessions stay behind");
    }
    let record = data::record(&store, lead).await;
    assert_eq!(record.conversacion.first().expect("a turn").mensaje, "antes");
    assert_eq!(record.conversacion.last().expect("a turn").mensaje, "después");
}

/// A session that is terminated while it waits for the standby has committed all the same, but only on the primary.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_committed_without_the_standby_is_not_acknowledged_when_it_is_repeated() {
    let (cluster, store) = Cluster::start().await;
    let lead = data::a_lead(&store).await;
    cluster.lose_standby().await;
    let keyed = || {
        let idempotency = Some(data::key("POST /api/leads/x/conversacion", "k", 1, data::t(1)));
        AppendTurno { idempotency, ..data::turno(lead, "una vez", data::t(1)) }
    };
    let first = tokio::spawn({
        let (store, command) = (Arc::clone(&store), keyed());
        async move { store.append_turno(command).await }
    });
    let outside = client(&cluster.server.url).await;
    let end_waiting = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'embudo' AND wait_event = 'SyncRep'";
    while outside.query(end_waiting, &[]).await.expect("asked").is_empty() {
        tokio::task::yield_now().await;
    }
    assert_unavailable(&first.await.expect("no panic"));
    assert_eq!(data::record(&store, lead).await.conversacion.len(), 1, "it is there");

    assert_unavailable(&store.append_turno(keyed()).await);
    cluster.set("").await;
    let start = Instant::now();
    loop {
        match store.append_turno(keyed()).await {
            Ok(done) => break assert!(matches!(done, Done::Before(_)), "{done:?}"),
            Err(_) => assert!(start.elapsed() < LONG, "it does not heal"),
        }
    }
    assert_eq!(data::record(&store, lead).await.conversacion.len(), 1, "once");
}

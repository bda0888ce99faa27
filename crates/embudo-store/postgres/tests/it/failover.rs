//! Several hosts in the URL: a dead host costs only a moment, the host that accepts writes is found and remembered, and
//! connections to an old primary are left.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{Base, KILL};
use crate::node::{Node, Role};
use embudo_store::Store;
use embudo_store_conformance::data;
use embudo_store_postgres::{Options, PgStore};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

/// Long, because a machine may be slow. If the tested code is wrong, these waits would never end.
const LONG: Duration = Duration::from_secs(60);

/// User and address of the test server, and the name of the database.
fn parts(url: &str) -> (&str, &str, &str) {
    let (user, rest) = url.split_once("://").expect("a URL").1.split_once('@').expect("a user");
    let (server, rest) = rest.split_once('/').expect("a database");
    (user, server, rest.split_once('?').map_or(rest, |(name, _)| name))
}

/// A URL of the same database with these hosts.
fn url(base: &Base, hosts: &[&str]) -> String {
    let (user, _, name) = parts(&base.url);
    format!("postgres://{user}@{}/{name}?sslmode=disable&target_session_attrs=read-write", hosts.join(","))
}

async fn store(url: &str) -> Arc<dyn Store> {
    let connecting = tokio::time::timeout(LONG, PgStore::connect(url, Options::default()));
    Arc::new(connecting.await.expect("in time").expect("a store"))
}

/// Reads and writes on several connections at once.
async fn use_many(store: &Arc<dyn Store>) {
    let lead = data::other_lead(store).await;
    let mut tasks = JoinSet::new();
    for n in 0..8 {
        let store = Arc::clone(store);
        tasks.spawn(async move {
            store.record(lead).await.map(drop)?;
            store.ingest(data::ingesta(lead, vec![data::foto()], data::t(n))).await.map(drop)?;
            store.append_turno(data::turno(lead, "hola", data::t(n))).await.map(drop)
        });
    }
    while let Some(end) = tasks.join_next().await {
        end.expect("no panic").expect("done");
    }
}

/// Starts with a dead host first, works, and goes on working after every connection was terminated.
async fn works_behind(base: &Base, dead: &str) {
    let (_, server, _) = parts(&base.url);
    let store = store(&url(base, &[dead, server])).await;
    data::a_lead(&store).await;
    use_many(&store).await;
    store.ping().await.expect("ready");
    base.client().await.query_one(KILL, &[]).await.expect("ended");
    let start = Instant::now();
    while store.ping().await.is_err() {
        assert!(start.elapsed() < LONG, "it does not heal");
    }
    use_many(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_host_that_refuses_is_passed_over() {
    // Nothing listens on port 1.
    works_behind(&Base::new().await, "127.0.0.1:1").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_host_that_drops_packets_is_passed_over() {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let listener = socket.listen(1).expect("a listener");
    let address = listener.local_addr().expect("an address");
    // Nobody accepts connections: once the queue is full, the kernel drops further ones.
    let mut queue = Vec::new();
    while let Ok(end) = tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(address)).await {
        queue.push(end.expect("queued"));
    }
    works_behind(&Base::new().await, &address.to_string()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_host_that_is_frozen_is_passed_over_and_not_asked_again() {
    let base = Base::new().await;
    let (_, server, _) = parts(&base.url);
    let frozen = Node::before(server, Role::Frozen).await;
    let store = store(&url(&base, &[&frozen.address, server])).await;
    data::a_lead(&store).await;
    let taken = frozen.taken();
    use_many(&store).await;
    store.ping().await.expect("ready");
    assert_eq!(frozen.taken(), taken, "the good one is remembered");
    works_behind(&base, &frozen.address).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_freezes_is_left_and_not_taken_back_when_it_wakes_as_a_standby() {
    let base = Base::new().await;
    let (_, server, _) = parts(&base.url);
    let (old, new) = (Node::before(server, Role::Primary).await, Node::before(server, Role::Standby).await);
    let store = store(&url(&base, &[&old.address, &new.address])).await;
    let lead = data::a_lead(&store).await;
    use_many(&store).await;
    assert_eq!(new.open.load(std::sync::atomic::Ordering::SeqCst), 0, "all is written at the primary");

    old.is(Role::Frozen);
    new.is(Role::Primary);
    let start = Instant::now();
    let mut good = 0;
    while good < 3 {
        assert!(start.elapsed() < LONG, "the new primary is not found");
        let (turno, ping) =
            tokio::join!(store.append_turno(data::turno(lead, "después", data::t(2))), store.ping());
        good += usize::from(turno.is_ok() && ping.is_ok());
    }
    use_many(&store).await;

    let taken = old.taken();
    old.is(Role::Standby);
    for _ in 0..3 {
        use_many(&store).await;
        store.ping().await.expect("ready");
    }
    assert_eq!(old.taken(), taken, "the old one is not asked again");
    tokio::time::timeout(LONG, old.is_left()).await.expect("nobody stays with the old one");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_becomes_a_standby_is_left_by_every_connection() {
    let base = Base::new().await;
    let (_, server, _) = parts(&base.url);
    let (old, new) = (Node::before(server, Role::Primary).await, Node::before(server, Role::Standby).await);
    let store = store(&url(&base, &[&old.address, &new.address])).await;
    let listening = tokio::spawn({
        let store = Arc::clone(&store);
        async move {
            loop {
                store.woken().await;
            }
        }
    });
    data::a_lead(&store).await;
    use_many(&store).await;
    store.ping().await.expect("ready");

    // No connection is cut. Each command finds the new primary within its own time limit.
    old.is(Role::Standby);
    new.is(Role::Primary);
    data::other_lead(&store).await;
    use_many(&store).await;
    store.ping().await.expect("ready");
    tokio::time::timeout(LONG, old.is_left()).await.expect("nobody stays with the old one");
    listening.abort();
}

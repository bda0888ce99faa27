//! A server that accepts the log-in and then does not answer: callers and readiness get an error in time, and the store
//! recovers by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::Base;
use embudo_store::{Store, StoreError};
use embudo_store_conformance::data;
use embudo_store_postgres::{Options, PgStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The end of the log-in: ready for a query, outside of a transaction.
const READY: &[u8] = b"Z\0\0\0\x05I";

/// A proxy in front of the server.
struct Proxy {
    url: String,
    /// New connections get no answers after their log-in.
    is_silent: Arc<AtomicBool>,
    /// Changed to cut all connections.
    cut: watch::Sender<()>,
}

impl Proxy {
    async fn before(url: &str) -> Self {
        let (user, rest) = url.split_once('@').expect("a user");
        let (server, rest) = rest.split_once('/').expect("a database");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let own = format!("{user}@{}/{rest}", listener.local_addr().expect("an address"));
        let (cut, _) = watch::channel(());
        let is_silent = Arc::new(AtomicBool::new(false));
        let (server, silent, cutting) = (server.to_owned(), Arc::clone(&is_silent), cut.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (server, silent) = (server.clone(), Arc::clone(&silent));
                let mut cut = cutting.subscribe();
                tokio::spawn(async move {
                    let Ok(server) = TcpStream::connect(server).await else { return };
                    tokio::select! {
                        () = join(client, server, &silent) => {}
                        _ = cut.changed() => {}
                    }
                });
            }
        });
        Self { url: own, is_silent, cut }
    }
}

async fn join(client: TcpStream, server: TcpStream, silent: &AtomicBool) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async { drop(copy(&mut from_client, &mut to_server).await) };
    let down = async {
        let mut buffer = vec![0; 64 << 10];
        let mut is_in = false;
        while let Ok(many @ 1..) = from_server.read(&mut buffer).await {
            let said = &buffer[..many];
            let is_silent = silent.load(Ordering::SeqCst);
            let end = said.windows(READY.len()).position(|w| w == READY).map(|at| at + READY.len());
            let told = match end {
                _ if !is_silent => said,
                _ if is_in => &[],
                Some(end) => &said[..end],
                None => said,
            };
            is_in |= end.is_some();
            if to_client.write_all(told).await.is_err() {
                return;
            }
        }
    };
    tokio::select! { () = up => {}, () = down => {} }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_after_the_log_in_is_unavailable_in_time_and_heals() {
    let base = Base::new().await;
    let proxy = Proxy::before(&base.url).await;
    let store: Arc<dyn Store> =
        Arc::new(PgStore::connect(&proxy.url, Options::default()).await.expect("a store"));
    let lead = data::a_lead(&store).await;
    store.append_turno(data::turno(lead, "antes", data::t(1))).await.expect("appended");
    store.ping().await.expect("ready");

    proxy.is_silent.store(true, Ordering::SeqCst);
    proxy.cut.send_replace(());
    let start = Instant::now();
    let turno = || store.append_turno(data::turno(lead, "durante", data::t(2)));
    let (turno, other, record, ping) = tokio::join!(turno(), turno(), store.record(lead), store.ping());
    for end in [turno.map(drop), other.map(drop), record.map(drop), ping] {
        assert!(matches!(end, Err(StoreError::Unavailable(_))), "{end:?}");
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());

    proxy.is_silent.store(false, Ordering::SeqCst);
    let start = Instant::now();
    while store.append_turno(data::turno(lead, "después", data::t(3))).await.is_err()
        || store.record(lead).await.is_err()
        || store.ping().await.is_err()
    {
        assert!(start.elapsed() < Duration::from_secs(20), "it does not heal");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_against_silence_ends() {
    let base = Base::new().await;
    let proxy = Proxy::before(&base.url).await;
    proxy.is_silent.store(true, Ordering::SeqCst);
    let start =
        tokio::time::timeout(Duration::from_secs(30), PgStore::connect(&proxy.url, Options::default()));
    let end = start.await.expect("it is told");
    assert!(matches!(end, Err(StoreError::Unavailable(_))), "{end:?}");
}

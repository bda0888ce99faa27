//! Signals with a misbehaving receiver and a server that is killed: none is lost, every duplicate has the id of its
//! original, and a key has one effect however often its call is repeated.
//!
//! Short here; `EMBUDO_SIGNALS=10000 EMBUDO_KILLS=200 ./test -p embudo --test it signal_crashes` is the long run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use embudo_testkit::receiver::Manner;

use crate::hook::{COMPLETE, Hook, jobs, lead};
use crate::place::Place;

const CLIENTS: usize = 16;

embudo_testkit::both_engines!(blocking: no_signal_is_lost_or_doubled_under_another_id);

fn no_signal_is_lost_or_doubled_under_another_id(place: &Place) {
    let total = environment("EMBUDO_SIGNALS", 60);
    let kills = environment("EMBUDO_KILLS", 3);
    let hook = Hook::new(Manner::Ok);
    hook.receiver.manners(bad_manners(total));
    let mut server = hook.serve(place);
    let leads: Arc<Vec<String>> = Arc::new((0..total).map(|_| lead(&server)).collect());
    let load = Load::begin(&server.url, &server.key, &leads);
    for n in 1..=kills {
        load.wait(n * total / (kills + 1));
        server.signal("KILL");
        drop(server.end());
        server = hook.serve(place);
        load.move_away(&server.url);
    }
    load.wait(total);
    deliver_all(place, total);

    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for received in hook.receiver.received() {
        // If the receiver reset the connection, it has read only a part of the request.
        let Ok(body) = serde_json::from_slice::<serde_json::Value>(&received.body) else { continue };
        let lead = body["leadId"].as_str().unwrap().to_owned();
        ids.entry(lead).or_default().insert(received.header("webhook-id").unwrap().to_owned());
    }
    assert_eq!(ids.len(), total, "a signal never came");
    assert!(ids.values().all(|ids| ids.len() == 1), "a duplicate under another id");
}

fn environment(nombre: &str, without_it: usize) -> usize {
    std::env::var(nombre).map_or(without_it, |n| n.parse().unwrap())
}

/// Two of five requests are treated badly, in a fixed sequence.
fn bad_manners(total: usize) -> Vec<Manner> {
    let mut x = 0x9E37_79B9_u64;
    let a = |_| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        match x % 15 {
            0 => Manner::state(500),
            1 => Manner::RstOnConnect,
            2 => Manner::RstAfterHeaders,
            3 => Manner::RstAfterBody,
            4 => Manner::HalfClose,
            5 => Manner::retries(429, "1"),
            _ => Manner::Ok,
        }
    };
    (0..total).map(a).collect()
}

/// Makes every waiting job due instead of waiting hours for it, until all are done.
fn deliver_all(place: &Place, total: usize) {
    let start = Instant::now();
    let limit = total.to_string();
    loop {
        let wait = jobs(place, &["--state", "pendiente", "--limit", &limit]);
        if wait.is_empty() {
            break;
        }
        assert!(
            start.elapsed() < Duration::from_secs(60 + total as u64 / 10),
            "{} jobs are stuck",
            wait.len()
        );
        let ids: Vec<&str> = wait.iter().map(|j| j["id"].as_str().unwrap()).collect();
        for bracket in ids.chunks(200) {
            // Some jobs may be done by now; then the command refuses them.
            let _ = place.run(&[&["jobs", "retry"], bracket].concat());
        }
    }
    assert_eq!(
        jobs(place, &["--state", "hecho", "--limit", &(total + 1).to_string()]).len(),
        total,
        "one job a key"
    );
}

/// Clients that repeat each call, under its key, until it is acknowledged.
struct Load {
    _engine: tokio::runtime::Runtime,
    url: Arc<Mutex<String>>,
    done: Arc<AtomicUsize>,
}

impl Load {
    fn begin(url: &str, key: &str, leads: &Arc<Vec<String>>) -> Self {
        let engine =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(20)).build().unwrap();
        let url = Arc::new(Mutex::new(url.to_owned()));
        let (done, next) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        for _ in 0..CLIENTS {
            let (cliente, leads, url, key) = (cliente.clone(), leads.clone(), url.clone(), key.to_owned());
            let (done, next) = (done.clone(), next.clone());
            engine.spawn(async move {
                while let Some(lead) = leads.get(next.fetch_add(1, Ordering::Relaxed)) {
                    loop {
                        let destination = format!("{}/api/leads/{lead}/ingesta", url.lock().unwrap());
                        let request =
                            cliente.post(destination).bearer_auth(&key).header("Idempotency-Key", "una");
                        match request.body(COMPLETE).send().await.map(|r| r.status().as_u16()) {
                            Ok(200) => break,
                            Ok(409 | 503) | Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                            Ok(other) => panic!("{other}"),
                        }
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        Self { _engine: engine, url, done }
    }

    /// The server started again at another address.
    fn move_away(&self, url: &str) {
        url.clone_into(&mut self.url.lock().unwrap());
    }

    fn wait(&self, how_many: usize) {
        let start = Instant::now();
        while self.done.load(Ordering::Relaxed) < how_many {
            assert!(start.elapsed() < Duration::from_secs(120), "calls stand still");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

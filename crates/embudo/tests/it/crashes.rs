//! No acknowledged write is lost: the server killed under load, the database stopped under load.
//!
//! The number of kills is small here; `EMBUDO_KILLS=50 ./test -p embudo --test it crashes` is the long run.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use embudo_testkit::{data_uri, fake_jpeg};
use serde_json::{Value, json};

use crate::client::call;
use crate::place::{Place, Server};

const LEADS: usize = 4;
const CLIENTS: usize = 16;
/// The load runs until this many calls were acknowledged; then the server is killed.
const ACKS_PER_ROUND: usize = 150;

embudo_testkit::both_engines!(blocking: nothing_acknowledged_is_lost_when_the_server_is_killed);

/// What the server has acknowledged, for each lead.
#[derive(Default, Clone)]
pub struct Promises {
    turnos: BTreeMap<String, BTreeSet<String>>,
    pub ingestas: BTreeMap<String, usize>,
}

fn nothing_acknowledged_is_lost_when_the_server_is_killed(place: &Place) {
    let rounds = std::env::var("EMBUDO_KILLS").map_or(3, |n| n.parse().unwrap());
    let promises = Arc::new(Mutex::new(Promises::default()));
    let mut leads = Vec::new();
    for round in 0..rounds {
        let server = place.serve();
        if round == 0 {
            leads = create_leads(&server);
        }
        let load = Load::begin(&server, &leads, &promises);
        load.await_acks(ACKS_PER_ROUND);
        server.signal("KILL");
        load.finish();
        drop(server.end());
    }
    check(&place.serve(), &leads, &promises.lock().unwrap());
}

#[test]
fn a_database_that_goes_away_gives_503_and_heals_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let cluster = Cluster::start(&folder.path().join("pg"));
    let place = Place::sqlite().env("DATABASE_URL", &cluster.url);
    let server = place.serve();
    let leads = create_leads(&server);
    let promises = Arc::new(Mutex::new(Promises::default()));
    let load = Load::begin(&server, &leads, &promises);
    load.await_acks(ACKS_PER_ROUND);
    cluster.stop();
    load.wait_503(20);
    assert_eq!(call(&server, "GET", "/healthz", "").status, 200, "the process itself is well");
    assert_eq!(call(&server, "GET", "/readyz", "").status, 503);
    let outside: u64 = std::env::var("EMBUDO_PG_OUTSIDE_S").map_or(0, |s| s.parse().unwrap());
    std::thread::sleep(Duration::from_secs(outside));
    cluster.start_again();
    let before = load.acks();
    load.await_acks(before + ACKS_PER_ROUND);
    assert_eq!(call(&server, "GET", "/readyz", "").status, 200);
    load.finish();
    check(&server, &leads, &promises.lock().unwrap());
}

pub fn create_leads(server: &Server<'_>) -> Vec<String> {
    let body = r#"{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es"}"#;
    let create = |_| call(server, "POST", "/api/leads", body).json()["id"].as_str().unwrap().to_owned();
    (0..LEADS).map(create).collect()
}

/// Checks that everything acknowledged is stored, and that no call was done in part.
pub fn check(server: &Server<'_>, leads: &[String], promises: &Promises) {
    let mut total = 0;
    for lead in leads {
        let record = call(server, "GET", &format!("/api/leads/{lead}"), "").json();
        let list = |nombre: &str| record[nombre].as_array().unwrap().clone();
        let stored: BTreeSet<String> =
            list("conversacion").iter().map(|t| t["id"].as_str().unwrap().to_owned()).collect();
        let promised = promises.turnos.get(lead).cloned().unwrap_or_default();
        assert!(promised.is_subset(&stored), "{} turns lost", promised.difference(&stored).count());
        let events = list("eventos").iter().filter(|e| e["tipo"] == "perfil_completo").count();
        assert_eq!(
            (list("fotos").len(), list("notas").len()),
            (2 * events, events),
            "a call was done in part"
        );
        assert!(events >= promises.ingestas.get(lead).copied().unwrap_or(0), "an ingestion was lost");
        let orders: BTreeSet<u64> = list("fotos").iter().map(|f| f["orden"].as_u64().unwrap()).collect();
        assert_eq!(orders.len(), list("fotos").len(), "two photos share a number");
        for foto in list("fotos").iter().step_by(7) {
            assert_eq!(
                call(server, "GET", foto["href"].as_str().unwrap(), "").status,
                200,
                "a photo has no bytes"
            );
        }
        total += promised.len() + events;
    }
    assert!(total > 0, "the load did something");
}

/// Clients that call without pause until they are stopped.
pub struct Load {
    engine: tokio::runtime::Runtime,
    stop: Arc<AtomicBool>,
    acks: Arc<AtomicUsize>,
    rejections: Arc<AtomicUsize>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Load {
    pub fn begin(server: &Server<'_>, leads: &[String], promises: &Arc<Mutex<Promises>>) -> Self {
        let engine =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (stop, acks, rejections) = <(Arc<AtomicBool>, Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(30)).build().unwrap();
        let mut tasks = Vec::new();
        for n in 0..CLIENTS {
            let lead = leads[n % leads.len()].clone();
            let base = format!("{}/api/leads/{lead}", server.url);
            let (cliente, key, promises) = (cliente.clone(), server.key.clone(), promises.clone());
            let (stop, acks, rejections) = (stop.clone(), acks.clone(), rejections.clone());
            tasks.push(engine.spawn(async move {
                for return_to in 0_u64.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let (point, body) = some_call(n as u64, return_to);
                    let url = format!("{base}/{point}");
                    let sending = cliente.post(url).bearer_auth(&key).body(body.to_string()).send().await;
                    let Ok(answer) = sending else {
                        tokio::task::yield_now().await;
                        continue;
                    };
                    match answer.status().as_u16() {
                        200 => {}
                        503 => {
                            assert!(answer.headers().contains_key("retry-after"));
                            rejections.fetch_add(1, Ordering::Relaxed);
                            continue;
                        }
                        other => panic!("{other}: {:?}", answer.text().await),
                    }
                    // If the kill cuts the body of a 200, its id is missing, but for an ingestion the 200 is still a
                    // promise.
                    let body: Value = answer.json().await.unwrap_or_default();
                    promise(&mut promises.lock().unwrap(), &lead, point, &body);
                    acks.fetch_add(1, Ordering::Relaxed);
                }
            }));
        }
        Self { engine, stop, acks, rejections, tasks }
    }

    pub fn acks(&self) -> usize {
        self.acks.load(Ordering::Relaxed)
    }

    pub fn await_acks(&self, how_many: usize) {
        wait("acknowledged calls", || self.acks() >= how_many);
    }

    fn wait_503(&self, how_many: usize) {
        wait("refusals with 503", || self.rejections.load(Ordering::Relaxed) >= how_many);
    }

    pub fn finish(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.engine.block_on(async {
            for task in self.tasks {
                task.await.unwrap();
            }
        });
    }
}

fn some_call(cliente: u64, return_to: u64) -> (&'static str, Value) {
    if return_to % 8 != 7 {
        return (
            "conversacion",
            json!({ "rol": "user", "mensaje": format!("{cliente}-{return_to}"), "estadoWa": "leido" }),
        );
    }
    let foto = |side: u64| {
        let bytes = fake_jpeg((cliente << 40) + return_to * 2 + side, 20_000);
        json!({ "tipo": "foto", "imagen": data_uri(&bytes) })
    };
    let nota = json!({ "tipo": "texto", "texto": "x" });
    ("ingesta", json!({ "items": [foto(0), nota, foto(1)], "perfilCompleto": true }))
}

fn promise(promises: &mut Promises, lead: &str, point: &str, body: &Value) {
    if point == "ingesta" {
        *promises.ingestas.entry(lead.to_owned()).or_default() += 1;
    } else if let Some(id) = body["id"].as_str() {
        promises.turnos.entry(lead.to_owned()).or_default().insert(id.to_owned());
    }
}

/// Polls a counter that the threads of the load change.
pub fn wait(what: &str, list: impl Fn() -> bool) {
    let start = Instant::now();
    while !list() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {what} within a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A PostgreSQL server of this test, which the test may stop.
struct Cluster {
    dir: std::path::PathBuf,
    url: String,
}

impl Cluster {
    fn start(dir: &Path) -> Self {
        let url = Self::script(&["start", dir.to_str().unwrap()]);
        Self { dir: dir.to_owned(), url: url.trim().to_owned() }
    }

    fn stop(&self) {
        Self::script(&["stop", self.dir.to_str().unwrap()]);
    }

    fn start_again(&self) {
        assert_eq!(Self::script(&["start", self.dir.to_str().unwrap()]).trim(), self.url, "same port");
    }

    fn script(args: &[&str]) -> String {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-postgres");
        let output = Command::new(script).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-postgres");
        let _ = Command::new(script).args(["stop", self.dir.to_str().unwrap()]).output();
    }
}

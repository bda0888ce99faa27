//! Nothing that was acknowledged is lost: the server killed under load, the database stopped under load.
//!
//! The number of kills is small here; `EMBUDO_KILLS=50 ./test -p embudo --test it caidas` is the long run.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use embudo_testkit::{data_uri, fake_jpeg};
use serde_json::{Value, json};

use crate::cliente::call;
use crate::lugar::{Lugar, Servidor};

const LEADS: usize = 4;
const CLIENTES: usize = 16;
/// The load goes on until so many calls were acknowledged, then the axe falls.
const ACKS_POR_RONDA: usize = 150;

embudo_testkit::both_engines!(blocking: nothing_acknowledged_is_lost_when_the_server_is_killed);

/// What the server has promised, lead by lead.
#[derive(Default)]
struct Promesas {
    turnos: BTreeMap<String, BTreeSet<String>>,
    ingestas: BTreeMap<String, usize>,
}

fn nothing_acknowledged_is_lost_when_the_server_is_killed(lugar: &Lugar) {
    let rondas = std::env::var("EMBUDO_KILLS").map_or(3, |n| n.parse().unwrap());
    let promesas = Arc::new(Mutex::new(Promesas::default()));
    let mut leads = Vec::new();
    for ronda in 0..rondas {
        let server = lugar.serve();
        if ronda == 0 {
            leads = crear_leads(&server);
        }
        let carga = Carga::empezar(&server, &leads, &promesas);
        carga.esperar_acks(ACKS_POR_RONDA);
        server.signal("KILL");
        carga.terminar();
        drop(server.end());
    }
    comprobar(&lugar.serve(), &leads, &promesas.lock().unwrap());
}

#[test]
fn a_database_that_goes_away_gives_503_and_heals_by_itself() {
    let carpeta = tempfile::tempdir().unwrap();
    std::fs::set_permissions(carpeta.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let cluster = Cluster::start(&carpeta.path().join("pg"));
    let lugar = Lugar::sqlite().env("DATABASE_URL", &cluster.url);
    let server = lugar.serve();
    let leads = crear_leads(&server);
    let promesas = Arc::new(Mutex::new(Promesas::default()));
    let carga = Carga::empezar(&server, &leads, &promesas);
    carga.esperar_acks(ACKS_POR_RONDA);
    cluster.stop();
    carga.esperar_503(20);
    assert_eq!(call(&server, "GET", "/healthz", "").status, 200, "the process itself is well");
    assert_eq!(call(&server, "GET", "/readyz", "").status, 503);
    let fuera: u64 = std::env::var("EMBUDO_PG_FUERA_S").map_or(0, |s| s.parse().unwrap());
    std::thread::sleep(Duration::from_secs(fuera));
    cluster.start_again();
    let antes = carga.acks();
    carga.esperar_acks(antes + ACKS_POR_RONDA);
    assert_eq!(call(&server, "GET", "/readyz", "").status, 200);
    carga.terminar();
    comprobar(&server, &leads, &promesas.lock().unwrap());
}

fn crear_leads(server: &Servidor<'_>) -> Vec<String> {
    let cuerpo = r#"{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es"}"#;
    let crear = |_| call(server, "POST", "/api/leads", cuerpo).json()["id"].as_str().unwrap().to_owned();
    (0..LEADS).map(crear).collect()
}

/// Every promise is kept, and no call was done in part.
fn comprobar(server: &Servidor<'_>, leads: &[String], promesas: &Promesas) {
    let mut total = 0;
    for lead in leads {
        let ficha = call(server, "GET", &format!("/api/leads/{lead}"), "").json();
        let lista = |nombre: &str| ficha[nombre].as_array().unwrap().clone();
        let guardados: BTreeSet<String> =
            lista("conversacion").iter().map(|t| t["id"].as_str().unwrap().to_owned()).collect();
        let prometidos = promesas.turnos.get(lead).cloned().unwrap_or_default();
        assert!(prometidos.is_subset(&guardados), "{} turns lost", prometidos.difference(&guardados).count());
        let eventos = lista("eventos").iter().filter(|e| e["tipo"] == "perfil_completo").count();
        assert_eq!(
            (lista("fotos").len(), lista("notas").len()),
            (2 * eventos, eventos),
            "a call was done in part"
        );
        assert!(eventos >= promesas.ingestas.get(lead).copied().unwrap_or(0), "an ingestion was lost");
        let ordenes: BTreeSet<u64> = lista("fotos").iter().map(|f| f["orden"].as_u64().unwrap()).collect();
        assert_eq!(ordenes.len(), lista("fotos").len(), "two photos share a number");
        for foto in lista("fotos").iter().step_by(7) {
            assert_eq!(
                call(server, "GET", foto["href"].as_str().unwrap(), "").status,
                200,
                "a photo has no bytes"
            );
        }
        total += prometidos.len() + eventos;
    }
    assert!(total > 0, "the load did something");
}

/// Clients that call without pause until they are told to stop.
struct Carga {
    motor: tokio::runtime::Runtime,
    parar: Arc<AtomicBool>,
    acks: Arc<AtomicUsize>,
    rechazos: Arc<AtomicUsize>,
    tareas: Vec<tokio::task::JoinHandle<()>>,
}

impl Carga {
    fn empezar(server: &Servidor<'_>, leads: &[String], promesas: &Arc<Mutex<Promesas>>) -> Self {
        let motor =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (parar, acks, rechazos) = <(Arc<AtomicBool>, Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(30)).build().unwrap();
        let mut tareas = Vec::new();
        for n in 0..CLIENTES {
            let lead = leads[n % leads.len()].clone();
            let base = format!("{}/api/leads/{lead}", server.url);
            let (cliente, llave, promesas) = (cliente.clone(), server.key.clone(), promesas.clone());
            let (parar, acks, rechazos) = (parar.clone(), acks.clone(), rechazos.clone());
            tareas.push(motor.spawn(async move {
                for vuelta in 0_u64.. {
                    if parar.load(Ordering::Relaxed) {
                        return;
                    }
                    let (punto, cuerpo) = llamada(n as u64, vuelta);
                    let url = format!("{base}/{punto}");
                    let envio = cliente.post(url).bearer_auth(&llave).body(cuerpo.to_string()).send().await;
                    let Ok(respuesta) = envio else {
                        tokio::task::yield_now().await;
                        continue;
                    };
                    match respuesta.status().as_u16() {
                        200 => {}
                        503 => {
                            assert!(respuesta.headers().contains_key("retry-after"));
                            rechazos.fetch_add(1, Ordering::Relaxed);
                            continue;
                        }
                        otro => panic!("{otro}: {:?}", respuesta.text().await),
                    }
                    // A 200 whose body was cut by the kill names no id, but it is a promise all the same for ingestion.
                    let cuerpo: Value = respuesta.json().await.unwrap_or_default();
                    prometer(&mut promesas.lock().unwrap(), &lead, punto, &cuerpo);
                    acks.fetch_add(1, Ordering::Relaxed);
                }
            }));
        }
        Self { motor, parar, acks, rechazos, tareas }
    }

    fn acks(&self) -> usize {
        self.acks.load(Ordering::Relaxed)
    }

    fn esperar_acks(&self, cuantos: usize) {
        esperar("acknowledged calls", || self.acks() >= cuantos);
    }

    fn esperar_503(&self, cuantos: usize) {
        esperar("refusals with 503", || self.rechazos.load(Ordering::Relaxed) >= cuantos);
    }

    fn terminar(self) {
        self.parar.store(true, Ordering::Relaxed);
        self.motor.block_on(async {
            for tarea in self.tareas {
                tarea.await.unwrap();
            }
        });
    }
}

fn llamada(cliente: u64, vuelta: u64) -> (&'static str, Value) {
    if vuelta % 8 != 7 {
        return (
            "conversacion",
            json!({ "rol": "user", "mensaje": format!("{cliente}-{vuelta}"), "estadoWa": "leido" }),
        );
    }
    let foto = |lado: u64| {
        let bytes = fake_jpeg((cliente << 40) + vuelta * 2 + lado, 20_000);
        json!({ "tipo": "foto", "imagen": data_uri(&bytes) })
    };
    let nota = json!({ "tipo": "texto", "texto": "x" });
    ("ingesta", json!({ "items": [foto(0), nota, foto(1)], "perfilCompleto": true }))
}

fn prometer(promesas: &mut Promesas, lead: &str, punto: &str, cuerpo: &Value) {
    if punto == "ingesta" {
        *promesas.ingestas.entry(lead.to_owned()).or_default() += 1;
    } else if let Some(id) = cuerpo["id"].as_str() {
        promesas.turnos.entry(lead.to_owned()).or_default().insert(id.to_owned());
    }
}

/// Polls a counter that the load's own threads move.
fn esperar(que: &str, lista: impl Fn() -> bool) {
    let inicio = Instant::now();
    while !lista() {
        assert!(inicio.elapsed() < Duration::from_secs(60), "no {que} within a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A PostgreSQL of this test's own, which it may stop.
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
        let salida = Command::new(script).args(args).output().unwrap();
        assert!(salida.status.success(), "{args:?}: {}", String::from_utf8_lossy(&salida.stderr));
        String::from_utf8(salida.stdout).unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-postgres");
        let _ = Command::new(script).args(["stop", self.dir.to_str().unwrap()]).output();
    }
}

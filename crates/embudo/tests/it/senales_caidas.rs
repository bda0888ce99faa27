//! Signals through a receiver with bad manners and a server that is killed: none is lost, every duplicate has the id of its
//! original, and a key has one effect however often its call is repeated.
//!
//! Short here; `EMBUDO_SENALES=10000 EMBUDO_KILLS=200 ./test -p embudo --test it senales_caidas` is the long run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use embudo_testkit::receiver::Manner;

use crate::gancho::{COMPLETO, Gancho, jobs, lead};
use crate::lugar::Lugar;

const CLIENTES: usize = 16;

embudo_testkit::both_engines!(blocking: no_signal_is_lost_or_doubled_under_another_id);

fn no_signal_is_lost_or_doubled_under_another_id(lugar: &Lugar) {
    let total = entorno("EMBUDO_SENALES", 60);
    let kills = entorno("EMBUDO_KILLS", 3);
    let gancho = Gancho::new(Manner::Ok);
    gancho.receptor.manners(malas_maneras(total));
    let mut server = gancho.serve(lugar);
    let leads: Arc<Vec<String>> = Arc::new((0..total).map(|_| lead(&server)).collect());
    let carga = Carga::empezar(&server.url, &server.key, &leads);
    for n in 1..=kills {
        carga.esperar(n * total / (kills + 1));
        server.signal("KILL");
        drop(server.end());
        server = gancho.serve(lugar);
        carga.mudarse(&server.url);
    }
    carga.esperar(total);
    entregar_todo(lugar, total);

    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for recibida in gancho.receptor.received() {
        // A receiver that reset the connection has read only part of the request.
        let Ok(cuerpo) = serde_json::from_slice::<serde_json::Value>(&recibida.cuerpo) else { continue };
        let lead = cuerpo["leadId"].as_str().unwrap().to_owned();
        ids.entry(lead).or_default().insert(recibida.cabecera("webhook-id").unwrap().to_owned());
    }
    assert_eq!(ids.len(), total, "a signal never came");
    assert!(ids.values().all(|ids| ids.len() == 1), "a duplicate under another id");
}

fn entorno(nombre: &str, sin_el: usize) -> usize {
    std::env::var(nombre).map_or(sin_el, |n| n.parse().unwrap())
}

/// Two of five requests are treated badly, in a fixed mixture.
fn malas_maneras(total: usize) -> Vec<Manner> {
    let mut x = 0x9E37_79B9_u64;
    let una = |_| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        match x % 15 {
            0 => Manner::estado(500),
            1 => Manner::RstAlConectar,
            2 => Manner::RstTrasCabeceras,
            3 => Manner::RstTrasCuerpo,
            4 => Manner::MedioCierre,
            5 => Manner::reintenta(429, "1"),
            _ => Manner::Ok,
        }
    };
    (0..total).map(una).collect()
}

/// Asks for every waiting job at once instead of waiting hours for it, until all are done.
fn entregar_todo(lugar: &Lugar, total: usize) {
    let inicio = Instant::now();
    let limite = total.to_string();
    loop {
        let esperan = jobs(lugar, &["--estado", "pendiente", "--limite", &limite]);
        if esperan.is_empty() {
            break;
        }
        assert!(
            inicio.elapsed() < Duration::from_secs(60 + total as u64 / 10),
            "{} jobs are stuck",
            esperan.len()
        );
        let ids: Vec<&str> = esperan.iter().map(|j| j["id"].as_str().unwrap()).collect();
        for tramo in ids.chunks(200) {
            // Some may be done by now, which the command refuses.
            let _ = lugar.run(&[&["jobs", "retry"], tramo].concat());
        }
    }
    assert_eq!(
        jobs(lugar, &["--estado", "hecho", "--limite", &(total + 1).to_string()]).len(),
        total,
        "one job a key"
    );
}

/// Clients that repeat each call, under its key, until it is acknowledged.
struct Carga {
    _motor: tokio::runtime::Runtime,
    url: Arc<Mutex<String>>,
    hechas: Arc<AtomicUsize>,
}

impl Carga {
    fn empezar(url: &str, llave: &str, leads: &Arc<Vec<String>>) -> Self {
        let motor =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(20)).build().unwrap();
        let url = Arc::new(Mutex::new(url.to_owned()));
        let (hechas, siguiente) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        for _ in 0..CLIENTES {
            let (cliente, leads, url, llave) =
                (cliente.clone(), leads.clone(), url.clone(), llave.to_owned());
            let (hechas, siguiente) = (hechas.clone(), siguiente.clone());
            motor.spawn(async move {
                while let Some(lead) = leads.get(siguiente.fetch_add(1, Ordering::Relaxed)) {
                    loop {
                        let destino = format!("{}/api/leads/{lead}/ingesta", url.lock().unwrap());
                        let peticion =
                            cliente.post(destino).bearer_auth(&llave).header("Idempotency-Key", "una");
                        match peticion.body(COMPLETO).send().await.map(|r| r.status().as_u16()) {
                            Ok(200) => break,
                            Ok(409 | 503) | Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                            Ok(otro) => panic!("{otro}"),
                        }
                    }
                    hechas.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        Self { _motor: motor, url, hechas }
    }

    /// The server came back under another address.
    fn mudarse(&self, url: &str) {
        url.clone_into(&mut self.url.lock().unwrap());
    }

    fn esperar(&self, cuantas: usize) {
        let inicio = Instant::now();
        while self.hechas.load(Ordering::Relaxed) < cuantas {
            assert!(inicio.elapsed() < Duration::from_secs(120), "calls stand still");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

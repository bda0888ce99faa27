//! One key, sixteen clients at once, and a server that is killed among them: one signal, one mail job, one answer for all.
//!
//! Short here; `EMBUDO_CLAVES=100 ./test -p embudo --test it una_clave` is the long run.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use embudo_testkit::Mailbox;
use embudo_testkit::receiver::Manner;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::gancho::{COMPLETO, Gancho, jobs, lead};
use crate::lugar::{Lugar, Servidor};

const CLIENTES: usize = 16;
const PACIENCIA: Duration = Duration::from_secs(60);

embudo_testkit::both_engines!(blocking: a_key_has_one_effect_and_one_answer_through_a_kill);

/// When the axe falls.
#[derive(Debug, Clone, Copy)]
enum Momento {
    /// So many clients have begun: some are on their way to the database.
    Empezadas(usize),
    /// The receiver has the signal and has not answered.
    EnElReceptor,
    /// The receiver has just answered; perhaps that is written down, perhaps not.
    Contestada,
    /// One client has its answer, the others may not.
    UnaRespuesta,
}

const MOMENTOS: [Momento; 6] = [
    Momento::EnElReceptor,
    Momento::Empezadas(1),
    Momento::Contestada,
    Momento::Empezadas(CLIENTES),
    Momento::UnaRespuesta,
    Momento::Empezadas(4),
];

fn a_key_has_one_effect_and_one_answer_through_a_kill(lugar: &Lugar) {
    let rondas = std::env::var("EMBUDO_CLAVES").map_or(MOMENTOS.len(), |n| n.parse().unwrap());
    let motor = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let buzon = motor.block_on(Mailbox::arrancar());
    let gancho = Gancho::new(Manner::Ok);
    let (host, port) = (buzon.direccion.ip().to_string(), buzon.direccion.port().to_string());
    let correo = [format!("SMTP_HOST={host}"), format!("SMTP_PORT={port}")];
    let ajustes = [&gancho.perfil, &correo[0], &correo[1], "SMTP_TLS=none", "EMAIL_FROM=embudo@ejemplo.es"];
    let args: Vec<&str> = ajustes.iter().flat_map(|a| ["--set", a]).collect();
    let mut server = lugar.serve_with(&args);
    // Made before the company has an address, so that the only notices are those of the calls.
    let leads: Vec<String> = (0..rondas).map(|_| lead(&server)).collect();
    let empresas: serde_json::Value =
        serde_json::from_str(&lugar.ok(&["empresa", "list", "--json"])).unwrap();
    let casa = empresas[0]["id"].as_str().unwrap();
    lugar.ok(&["empresa", "set", casa, "--email-avisos", "avisos@ejemplo.es", "--json"]);

    for (ronda, lead) in leads.iter().enumerate() {
        let momento = MOMENTOS[ronda % MOMENTOS.len()];
        let antes = gancho.receptor.received().len();
        if matches!(momento, Momento::EnElReceptor) {
            gancho.receptor.manners([Manner::Tarde]);
        }
        let carrera = Carrera::empezar(&motor, &server, lead);
        match momento {
            Momento::Empezadas(cuantas) => esperar(|| carrera.empezadas() >= cuantas),
            Momento::EnElReceptor | Momento::Contestada => drop(gancho.requests(antes + 1)),
            Momento::UnaRespuesta => esperar(|| carrera.contestadas() >= 1),
        }
        server.signal("KILL");
        drop(server.end());
        server = lugar.serve_with(&args);
        carrera.mudarse(&server.url);

        let respuestas = carrera.terminar(&motor);
        assert_eq!(respuestas.len(), 1, "{momento:?}: {respuestas:?}");
        assert!(
            respuestas.iter().all(|r| r.contains(r#""perfilSenalado":true"#)),
            "{momento:?}: {respuestas:?}"
        );
        let de_este = |tipo: &str| jobs(lugar, &["--lead", lead, "--tipo", tipo]);
        assert_eq!(de_este("perfil").len(), 1, "{momento:?}");
        assert_eq!(de_este("correo_empresa").len(), 1, "{momento:?}");
        let recibidas = gancho.receptor.received();
        let suyas = recibidas[antes..].iter().filter(|r| r.json()["leadId"] == lead.as_str());
        let ids: BTreeSet<&str> = suyas.map(|r| r.cabecera("webhook-id").unwrap()).collect();
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), [de_este("perfil")[0]["id"].as_str().unwrap()]);
    }
    // A notice in doubt is sent again under the id that it had; two ids of one call would be two notices.
    let notices: BTreeSet<_> =
        buzon.messages().iter().map(|carta| carta.cabecera("Message-ID").unwrap()).collect();
    assert!(notices.len() <= rondas, "{notices:?}");
    drop(server);
    drop(gancho);
    let _inside = motor.enter();
    drop(buzon);
}

/// Clients that make the same call under the same key until each has its answer.
struct Carrera {
    url: Arc<Mutex<String>>,
    empezadas: Arc<AtomicUsize>,
    contestadas: Arc<AtomicUsize>,
    tareas: JoinSet<String>,
}

impl Carrera {
    fn empezar(motor: &Runtime, server: &Servidor<'_>, lead: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(20)).build().unwrap();
        let url = Arc::new(Mutex::new(server.url.clone()));
        let (empezadas, contestadas) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let mut tareas = JoinSet::new();
        for _ in 0..CLIENTES {
            let (cliente, url, llave, lead) =
                (cliente.clone(), url.clone(), server.key.clone(), lead.to_owned());
            let (empezadas, contestadas) = (empezadas.clone(), contestadas.clone());
            let llamada = async move {
                empezadas.fetch_add(1, Ordering::Relaxed);
                loop {
                    let destino = format!("{}/api/leads/{lead}/ingesta", url.lock().unwrap());
                    let peticion = cliente.post(destino).bearer_auth(&llave).header("Idempotency-Key", "una");
                    let Ok(respuesta) = peticion.body(COMPLETO).send().await else {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        continue;
                    };
                    match (respuesta.status().as_u16(), respuesta.text().await) {
                        (200, Ok(cuerpo)) => {
                            contestadas.fetch_add(1, Ordering::Relaxed);
                            return cuerpo;
                        }
                        (200 | 409 | 503, _) => tokio::time::sleep(Duration::from_millis(20)).await,
                        otro => panic!("{otro:?}"),
                    }
                }
            };
            tareas.spawn_on(llamada, motor.handle());
        }
        Self { url, empezadas, contestadas, tareas }
    }

    /// The server came back under another address.
    fn mudarse(&self, url: &str) {
        url.clone_into(&mut self.url.lock().unwrap());
    }

    fn empezadas(&self) -> usize {
        self.empezadas.load(Ordering::Relaxed)
    }

    fn contestadas(&self) -> usize {
        self.contestadas.load(Ordering::Relaxed)
    }

    /// Every different answer.
    fn terminar(mut self, motor: &Runtime) -> BTreeSet<String> {
        let todas = async {
            let mut respuestas = BTreeSet::new();
            while let Some(respuesta) = self.tareas.join_next().await {
                respuestas.insert(respuesta.unwrap());
            }
            respuestas
        };
        motor
            .block_on(async { tokio::time::timeout(PACIENCIA, todas).await })
            .expect("every client is answered")
    }
}

fn esperar(lista: impl Fn() -> bool) {
    let inicio = Instant::now();
    while !lista() {
        assert!(inicio.elapsed() < PACIENCIA, "the race stands still");
        std::thread::yield_now();
    }
}

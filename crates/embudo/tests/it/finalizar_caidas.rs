//! `finalizar` while the server is killed at every step of it: one quote, one number, never two mails, and the signal arrives.
//!
//! Short here; `EMBUDO_FINALES=60 ./test -p embudo --test it finalizar_caidas` is the long run.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use embudo_testkit::mailbox::Treatment;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Mailbox, data_uri, jpeg};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::cliente::call;
use crate::gancho::{Gancho, jobs};
use crate::lugar::{Lugar, Servidor};

const PACIENCIA: Duration = Duration::from_secs(60);

embudo_testkit::both_engines!(blocking: a_finalization_killed_anywhere_ends_as_one_quote);

/// When the axe falls.
#[derive(Debug, Clone, Copy)]
enum Momento {
    /// After this part of the time that a whole call takes: anywhere between the first byte and the last delivery.
    Parte(f64),
    /// The mail server has the message and has not said so.
    EnElCorreo,
    /// The receiver has the signal and has not answered.
    EnElReceptor,
}

fn a_finalization_killed_anywhere_ends_as_one_quote(lugar: &Lugar) {
    let rondas = std::env::var("EMBUDO_FINALES").map_or(6, |n| n.parse().unwrap());
    let motor = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let buzon = motor.block_on(Mailbox::arrancar());
    let gancho = Gancho::new(Manner::Ok);
    let ajustes = [
        format!("MESSAGING_WEBHOOK_URL={}", gancho.receptor.url()),
        format!("SMTP_HOST={}", buzon.direccion.ip()),
        format!("SMTP_PORT={}", buzon.direccion.port()),
        "SMTP_TLS=none".to_owned(),
        "EMAIL_FROM=embudo@ejemplo.es".to_owned(),
    ];
    let args: Vec<&str> = ajustes.iter().flat_map(|a| ["--set", a.as_str()]).collect();
    let mut server = lugar.serve_with(&args);

    // The first one is left alone: it says how long a whole call takes.
    let mut obras = vec![Obra::nueva(&server, 0)];
    let inicio = Instant::now();
    let entera = motor.block_on(obras[0].finalizar(&server));
    let dura = inicio.elapsed();
    let entregado = json!({ "ok": true, "emailEnviado": true, "messagingSenal": true });
    assert_eq!(entera.expect("answered")["finalizado"], entregado);

    for ronda in 1..=rondas {
        let momento = match ronda {
            1 => Momento::EnElCorreo,
            2 => Momento::EnElReceptor,
            n => Momento::Parte((n - 2) as f64 / (rondas - 1) as f64),
        };
        let obra = Obra::nueva(&server, ronda);
        let (cartas, senales) = (buzon.messages().len(), gancho.receptor.received().len());
        match momento {
            Momento::EnElCorreo => buzon.treatments([Treatment::CuelgaTrasData]),
            Momento::EnElReceptor => gancho.receptor.manners([Manner::Tarde]),
            Momento::Parte(_) => {}
        }
        let llamada = motor.spawn(obra.finalizar(&server));
        match momento {
            Momento::EnElCorreo => drop(motor.block_on(buzon.await_messages(cartas + 1))),
            Momento::EnElReceptor => drop(gancho.requests(senales + 1)),
            // The moment is the point of it: there is nothing to wait for.
            Momento::Parte(parte) => std::thread::sleep(dura.mul_f64(parte)),
        }
        server.signal("KILL");
        drop(server.end());
        let _ = motor.block_on(llamada);
        server = lugar.serve_with(&args);
        repetir(&motor, &server, &obra);
        obras.push(obra);
    }

    let mut numeros = BTreeSet::new();
    for obra in &obras {
        terminar(lugar, &obra.lead);
        let presupuestos: Vec<Value> =
            serde_json::from_str(&lugar.ok(&["presupuesto", "list", &obra.lead, "--json"])).unwrap();
        assert_eq!(presupuestos.len(), 1, "one quote: {presupuestos:?}");
        assert_eq!(presupuestos[0]["estado"], "emitido");
        numeros.insert(presupuestos[0]["numero"].as_str().unwrap().to_owned());
        let uno = |tipo: &str| {
            let mut todos = jobs(lugar, &["--lead", &obra.lead, "--tipo", tipo]);
            assert_eq!(todos.len(), 1, "one job {tipo}");
            todos.remove(0)
        };
        assert_eq!(uno("presupuesto")["estado"], "hecho");
        let senal = uno("pdf");
        assert_eq!(senal["estado"], "hecho");
        let recibidas = gancho.receptor.received();
        let suyas = recibidas.iter().filter(|r| r.json()["leadId"] == obra.lead.as_str());
        let ids: BTreeSet<&str> = suyas.map(|r| r.cabecera("webhook-id").unwrap()).collect();
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), [senal["id"].as_str().unwrap()]);
        // In doubt a mail is parked: never two, and then perhaps none.
        let cartas = buzon.messages().iter().filter(|c| c.to.contains(&obra.email)).count();
        let estado = uno("correo_cliente")["estado"].clone();
        assert!(cartas == 1 || cartas == 0 && estado == "aparcado", "{cartas} mails, {estado}");
    }
    assert_eq!(numeros.len(), obras.len(), "a number of its own each");
    let ultimo = numeros.last().unwrap().rsplit('-').next().unwrap().parse::<usize>().unwrap();
    assert_eq!(ultimo, obras.len(), "and no gap: {numeros:?}");
    drop(server);
    drop(gancho);
    let _inside = motor.enter();
    drop(buzon);
}

/// A lead whose quote is wanted.
struct Obra {
    lead: String,
    email: String,
    cuerpo: String,
}

impl Obra {
    fn nueva(server: &Servidor<'_>, ronda: usize) -> Self {
        let email = format!("cliente-{ronda}@ejemplo.es");
        let lead = json!({ "nombre": "Ana", "telefono": "612345678", "email": email, "tipoReforma": "bano" });
        let creado = call(server, "POST", "/api/leads", &lead.to_string()).json();
        let foto = json!({ "tipo": "foto", "imagen": data_uri(&jpeg(800, 600)), "momento": "despues" });
        let cuerpo = json!({ "items": [foto], "finalizar": true }).to_string();
        Self { lead: creado["id"].as_str().unwrap().to_owned(), email, cuerpo }
    }

    /// The call, once; `None` if it was not answered with 200.
    fn finalizar(&self, server: &Servidor<'_>) -> impl Future<Output = Option<Value>> + use<> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(30)).build().unwrap();
        let ruta = format!("{}/api/leads/{}/ingesta", server.url, self.lead);
        let peticion = cliente.post(ruta).bearer_auth(&server.key);
        let peticion = peticion.header("Idempotency-Key", "una").body(self.cuerpo.clone());
        async move {
            let respuesta = peticion.send().await.ok().filter(|r| r.status().as_u16() == 200)?;
            respuesta.json().await.ok()
        }
    }
}

/// The workflow lost its answer and calls again under its key until it has one.
fn repetir(motor: &Runtime, server: &Servidor<'_>, obra: &Obra) {
    let inicio = Instant::now();
    while motor.block_on(obra.finalizar(server)).is_none() {
        assert!(inicio.elapsed() < PACIENCIA, "the repeated call is never answered");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Asks for the lead's waiting jobs at once instead of waiting for their hour, until none waits.
fn terminar(lugar: &Lugar, lead: &str) {
    let inicio = Instant::now();
    loop {
        let esperan = jobs(lugar, &["--lead", lead, "--estado", "pendiente"]);
        if esperan.is_empty() {
            return;
        }
        assert!(inicio.elapsed() < PACIENCIA, "stuck: {esperan:?}");
        for job in &esperan {
            // It may be done by now, which the command refuses.
            let _ = lugar.run(&["jobs", "retry", job["id"].as_str().unwrap()]);
        }
    }
}

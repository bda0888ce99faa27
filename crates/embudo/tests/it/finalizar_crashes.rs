//! `finalizar` while the server is killed at each of its steps: one quote, one number, never two mails, and the signal
//! arrives.
//!
//! Short here; `EMBUDO_FINISHES=60 ./test -p embudo --test it finalizar_crashes` is the long run.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use embudo_testkit::mailbox::Treatment;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Mailbox, PATIENCE, data_uri, jpeg};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::client::call;
use crate::hook::{Hook, jobs};
use crate::place::{Place, Server};

embudo_testkit::both_engines!(blocking: a_finalization_killed_anywhere_ends_as_one_quote);

/// When the server is killed.
#[derive(Debug, Clone, Copy)]
enum Momento {
    /// After this part of the time that a whole call takes: any time between the first byte and the last delivery.
    Part(f64),
    /// The mail server has the message and has not confirmed it.
    InTheMail,
    /// The receiver has the signal and has not answered.
    AtTheReceiver,
}

fn a_finalization_killed_anywhere_ends_as_one_quote(place: &Place) {
    let rounds = std::env::var("EMBUDO_FINISHES").map_or(6, |n| n.parse().unwrap());
    let engine = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mailbox = engine.block_on(Mailbox::start());
    let hook = Hook::new(Manner::Ok);
    let settings = [
        format!("MESSAGING_WEBHOOK_URL={}", hook.receiver.url()),
        format!("SMTP_HOST={}", mailbox.address.ip()),
        format!("SMTP_PORT={}", mailbox.address.port()),
        "SMTP_TLS=none".to_owned(),
        "EMAIL_FROM=embudo@ejemplo.es".to_owned(),
    ];
    let args: Vec<&str> = settings.iter().flat_map(|a| ["--set", a.as_str()]).collect();
    let mut server = place.serve_with(&args);

    // The first call is not disturbed: it shows how long a whole call takes.
    let mut works = vec![Work::new(&server, 0)];
    let start = Instant::now();
    let whole = engine.block_on(works[0].finalizar(&server));
    let lasts = start.elapsed();
    let delivered = json!({ "ok": true, "emailEnviado": true, "messagingSenal": true });
    assert_eq!(whole.expect("answered")["finalizado"], delivered);

    for round in 1..=rounds {
        let momento = match round {
            1 => Momento::InTheMail,
            2 => Momento::AtTheReceiver,
            n => Momento::Part((n - 2) as f64 / (rounds - 1) as f64),
        };
        let obra = Work::new(&server, round);
        let (letters, signals) = (mailbox.messages().len(), hook.receiver.received().len());
        match momento {
            Momento::InTheMail => mailbox.treatments([Treatment::HangsAfterData]),
            Momento::AtTheReceiver => hook.receiver.manners([Manner::Late]),
            Momento::Part(_) => {}
        }
        let call = engine.spawn(obra.finalizar(&server));
        match momento {
            Momento::InTheMail => drop(engine.block_on(mailbox.await_messages(letters + 1))),
            Momento::AtTheReceiver => drop(hook.requests(signals + 1)),
            // The kill must come at this time, so there is no event to wait for.
            Momento::Part(part) => std::thread::sleep(lasts.mul_f64(part)),
        }
        server.signal("KILL");
        drop(server.end());
        let _ = engine.block_on(call);
        server = place.serve_with(&args);
        repeat(&engine, &server, &obra);
        works.push(obra);
    }

    let mut numbers = BTreeSet::new();
    for obra in &works {
        finish(place, &obra.lead);
        let presupuestos: Vec<Value> =
            serde_json::from_str(&place.ok(&["presupuesto", "list", &obra.lead, "--json"])).unwrap();
        assert_eq!(presupuestos.len(), 1, "one quote: {presupuestos:?}");
        assert_eq!(presupuestos[0]["estado"], "emitido");
        numbers.insert(presupuestos[0]["numero"].as_str().unwrap().to_owned());
        let one = |kind: &str| {
            let mut all = jobs(place, &["--lead", &obra.lead, "--kind", kind]);
            assert_eq!(all.len(), 1, "one job {kind}");
            all.remove(0)
        };
        assert_eq!(one("presupuesto")["estado"], "hecho");
        let signal = one("pdf");
        assert_eq!(signal["estado"], "hecho");
        let received_ones = hook.receiver.received();
        let own = received_ones.iter().filter(|r| r.json()["leadId"] == obra.lead.as_str());
        let ids: BTreeSet<&str> = own.map(|r| r.header("webhook-id").unwrap()).collect();
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), [signal["id"].as_str().unwrap()]);
        // A mail in doubt is parked: there are never two, but possibly none.
        let letters = mailbox.messages().iter().filter(|c| c.to.contains(&obra.email)).count();
        let state = one("correo_cliente")["estado"].clone();
        assert!(letters == 1 || letters == 0 && state == "aparcado", "{letters} mails, {state}");
    }
    assert_eq!(numbers.len(), works.len(), "a number of its own each");
    let last = numbers.last().unwrap().rsplit('-').next().unwrap().parse::<usize>().unwrap();
    assert_eq!(last, works.len(), "and no gap: {numbers:?}");
    drop(server);
    drop(hook);
    let _inside = engine.enter();
    drop(mailbox);
}

/// A lead for which a quote is requested.
struct Work {
    lead: String,
    email: String,
    body: String,
}

impl Work {
    fn new(server: &Server<'_>, round: usize) -> Self {
        let email = format!("cliente-{round}@ejemplo.es");
        let lead = json!({ "nombre": "Ana", "telefono": "612345678", "email": email, "tipoReforma": "bano" });
        let created = call(server, "POST", "/api/leads", &lead.to_string()).json();
        let foto = json!({ "tipo": "foto", "imagen": data_uri(&jpeg(800, 600)), "momento": "despues" });
        let body = json!({ "items": [foto], "finalizar": true }).to_string();
        Self { lead: created["id"].as_str().unwrap().to_owned(), email, body }
    }

    /// Makes the call once; `None` if it was not answered with 200.
    fn finalizar(&self, server: &Server<'_>) -> impl Future<Output = Option<Value>> + use<> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(30)).build().unwrap();
        let path = format!("{}/api/leads/{}/ingesta", server.url, self.lead);
        let request = cliente.post(path).bearer_auth(&server.key);
        let request = request.header("Idempotency-Key", "una").body(self.body.clone());
        async move {
            let answer = request.send().await.ok().filter(|r| r.status().as_u16() == 200)?;
            answer.json().await.ok()
        }
    }
}

/// The workflow lost its answer and repeats the call under its key until it gets one.
fn repeat(engine: &Runtime, server: &Server<'_>, obra: &Work) {
    let start = Instant::now();
    while engine.block_on(obra.finalizar(server)).is_none() {
        assert!(start.elapsed() < PATIENCE, "the repeated call is never answered");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Makes the lead's waiting jobs due instead of waiting for their time, until none waits.
fn finish(place: &Place, lead: &str) {
    let start = Instant::now();
    loop {
        let wait = jobs(place, &["--lead", lead, "--state", "pendiente"]);
        if wait.is_empty() {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "stuck: {wait:?}");
        for job in &wait {
            // The job may be done by now; then the command refuses it.
            let _ = place.run(&["jobs", "retry", job["id"].as_str().unwrap()]);
        }
    }
}

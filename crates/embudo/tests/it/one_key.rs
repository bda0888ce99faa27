//! One key, sixteen clients at once, and a server that is killed meanwhile: one signal, one mail job, one answer for
//! all.
//!
//! Short here; `EMBUDO_KEYS=100 ./test -p embudo --test it one_key` is the long run.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use embudo_testkit::receiver::Manner;
use embudo_testkit::{Mailbox, PATIENCE};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::hook::{COMPLETE, Hook, jobs, lead};
use crate::place::{Place, Server};

const CLIENTS: usize = 16;

embudo_testkit::both_engines!(blocking: a_key_has_one_effect_and_one_answer_through_a_kill);

/// When the server is killed.
#[derive(Debug, Clone, Copy)]
enum Momento {
    /// This many clients have begun: some of their calls have reached the database.
    Begun(usize),
    /// The receiver has got the webhook and has not answered.
    AtTheReceiver,
    /// The receiver has just answered; the answer may be stored or not.
    Answered,
    /// One client has its answer, the others may not.
    OneResponse,
}

const MOMENTS: [Momento; 6] = [
    Momento::AtTheReceiver,
    Momento::Begun(1),
    Momento::Answered,
    Momento::Begun(CLIENTS),
    Momento::OneResponse,
    Momento::Begun(4),
];

fn a_key_has_one_effect_and_one_answer_through_a_kill(place: &Place) {
    let rounds = std::env::var("EMBUDO_KEYS").map_or(MOMENTS.len(), |n| n.parse().unwrap());
    let engine = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mailbox = engine.block_on(Mailbox::start());
    let hook = Hook::new(Manner::Ok);
    let (host, port) = (mailbox.address.ip().to_string(), mailbox.address.port().to_string());
    let mail = [format!("SMTP_HOST={host}"), format!("SMTP_PORT={port}")];
    let settings = [&hook.perfil, &mail[0], &mail[1], "SMTP_TLS=none", "EMAIL_FROM=embudo@ejemplo.es"];
    let args: Vec<&str> = settings.iter().flat_map(|a| ["--set", a]).collect();
    let mut server = place.serve_with(&args);
    // The leads are made before the company has an address for notices, so that only the calls of the race cause
    // notices.
    let leads: Vec<String> = (0..rounds).map(|_| lead(&server)).collect();
    let empresas: serde_json::Value =
        serde_json::from_str(&place.ok(&["empresa", "list", "--json"])).unwrap();
    let company = empresas[0]["id"].as_str().unwrap();
    place.ok(&["empresa", "set", company, "--notices-to", "avisos@ejemplo.es", "--json"]);

    for (round, lead) in leads.iter().enumerate() {
        let momento = MOMENTS[round % MOMENTS.len()];
        let before = hook.receiver.received().len();
        if matches!(momento, Momento::AtTheReceiver) {
            hook.receiver.manners([Manner::Late]);
        }
        let race = Race::begin(&engine, &server, lead);
        match momento {
            Momento::Begun(how_many) => wait(|| race.begun() >= how_many),
            Momento::AtTheReceiver | Momento::Answered => drop(hook.requests(before + 1)),
            Momento::OneResponse => wait(|| race.answered() >= 1),
        }
        server.signal("KILL");
        drop(server.end());
        server = place.serve_with(&args);
        race.move_away(&server.url);

        let answers = race.finish(&engine);
        assert_eq!(answers.len(), 1, "{momento:?}: {answers:?}");
        assert!(answers.iter().all(|r| r.contains(r#""perfilSenalado":true"#)), "{momento:?}: {answers:?}");
        let of_this = |kind: &str| jobs(place, &["--lead", lead, "--kind", kind]);
        assert_eq!(of_this("perfil").len(), 1, "{momento:?}");
        assert_eq!(of_this("correo_empresa").len(), 1, "{momento:?}");
        let received_ones = hook.receiver.received();
        let own = received_ones[before..].iter().filter(|r| r.json()["leadId"] == lead.as_str());
        let ids: BTreeSet<&str> = own.map(|r| r.header("webhook-id").unwrap()).collect();
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), [of_this("perfil")[0]["id"].as_str().unwrap()]);
    }
    // A notice in doubt is sent again under the same id; two ids for one call would be two notices.
    let notices: BTreeSet<_> =
        mailbox.messages().iter().map(|letter| letter.header("Message-ID").unwrap()).collect();
    assert!(notices.len() <= rounds, "{notices:?}");
    drop(server);
    drop(hook);
    let _inside = engine.enter();
    drop(mailbox);
}

/// Clients that make the same call under the same key until each has its answer.
struct Race {
    url: Arc<Mutex<String>>,
    begun: Arc<AtomicUsize>,
    answered: Arc<AtomicUsize>,
    tasks: JoinSet<String>,
}

impl Race {
    fn begin(engine: &Runtime, server: &Server<'_>, lead: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(20)).build().unwrap();
        let url = Arc::new(Mutex::new(server.url.clone()));
        let (begun, answered) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let mut tasks = JoinSet::new();
        for _ in 0..CLIENTS {
            let (cliente, url, key, lead) =
                (cliente.clone(), url.clone(), server.key.clone(), lead.to_owned());
            let (begun, answered) = (begun.clone(), answered.clone());
            let call = async move {
                begun.fetch_add(1, Ordering::Relaxed);
                loop {
                    let destination = format!("{}/api/leads/{lead}/ingesta", url.lock().unwrap());
                    let request =
                        cliente.post(destination).bearer_auth(&key).header("Idempotency-Key", "una");
                    let Ok(answer) = request.body(COMPLETE).send().await else {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        continue;
                    };
                    match (answer.status().as_u16(), answer.text().await) {
                        (200, Ok(body)) => {
                            answered.fetch_add(1, Ordering::Relaxed);
                            return body;
                        }
                        (200 | 409 | 503, _) => tokio::time::sleep(Duration::from_millis(20)).await,
                        other => panic!("{other:?}"),
                    }
                }
            };
            tasks.spawn_on(call, engine.handle());
        }
        Self { url, begun, answered, tasks }
    }

    /// The server started again at another address.
    fn move_away(&self, url: &str) {
        url.clone_into(&mut self.url.lock().unwrap());
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
    }

    fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }

    /// The set of different answers.
    fn finish(mut self, engine: &Runtime) -> BTreeSet<String> {
        let all = async {
            let mut answers = BTreeSet::new();
            while let Some(answer) = self.tasks.join_next().await {
                answers.insert(answer.unwrap());
            }
            answers
        };
        engine
            .block_on(async { tokio::time::timeout(PATIENCE, all).await })
            .expect("every client is answered")
    }
}

fn wait(list: impl Fn() -> bool) {
    let start = Instant::now();
    while !list() {
        assert!(start.elapsed() < PATIENCE, "the race stands still");
        std::thread::yield_now();
    }
}

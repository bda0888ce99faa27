//! Signals of the real binary: delivered and signed, kept after a kill, finished or given back at a stop.

use crate::client::{InFlight, call};
use crate::hook::{COMPLETE, Hook, await_state, jobs, lead, perfil_completo};
use crate::place::Place;
use embudo_delivery::Secrets;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{data_uri, fake_jpeg};
use std::time::{Duration, Instant};

/// Shorter than the lease of a killed process, so that it must be the restart that frees its jobs.
const SOON: Duration = Duration::from_secs(15);
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

embudo_testkit::both_engines!(blocking: a_signal_is_delivered_signed,
    a_killed_delivery_is_tried_again_at_the_restart,
    sigterm_lets_a_running_delivery_finish,
    sigterm_gives_a_delivery_back_that_outlasts_the_drain,
);

fn a_signal_is_delivered_signed(place: &Place) {
    let hook = Hook::new(Manner::Ok);
    let secret = format!("WEBHOOK_SECRET={SECRET}");
    let server = place.serve_with(&["--set", &hook.perfil, "--set", &secret]);
    server.log.wait_for("signals: perfil, signed; no mail is sent; PUBLIC_URL is not set");
    let (lead, accepted) = perfil_completo(&server);
    assert_eq!(accepted, true);
    let requests = hook.requests(1);
    let request = &requests[0];
    assert_eq!(request.json()["leadId"], lead.as_str());
    let header = |name: &str| request.header(name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(header("user-agent"), concat!("embudo/", env!("CARGO_PKG_VERSION")));
    let timestamp: i64 = header("webhook-timestamp").parse().unwrap();
    let mut signer = Secrets::read(SECRET).unwrap().signer(header("webhook-id"), timestamp);
    signer.update(&request.body);
    assert_eq!(Some(header("webhook-signature")), signer.header().as_deref());
    let (status, _) = server.stop();
    assert!(status.success());
    assert_eq!(jobs(place, &["--state", "hecho"])[0]["id"], header("webhook-id"));
}

fn a_killed_delivery_is_tried_again_at_the_restart(place: &Place) {
    let hook = Hook::new(Manner::Late);
    let server = hook.serve(place);
    let lead = lead(&server);
    // The call waits for the receiver, which never answers, until the server is killed.
    let _waiting = InFlight::send(&server, &format!("/api/leads/{lead}/ingesta"), COMPLETE);
    hook.requests(1);
    server.signal("KILL");
    drop(server.end());

    hook.receiver.always(Manner::Ok);
    let server = hook.serve(place);
    let restarted = Instant::now();
    let requests = hook.requests(2);
    assert!(restarted.elapsed() < SOON, "it took {:?}", restarted.elapsed());
    let id = requests[0].header("webhook-id").unwrap();
    assert_eq!(requests[1].header("webhook-id"), Some(id));
    assert_eq!(requests[1].body, requests[0].body);
    await_state(place, id, "hecho");
    let record = call(&server, "GET", &format!("/api/leads/{lead}"), "").json();
    assert_eq!(record["bucle"]["paso"], "esperando_renders", "{record:#}");
}

fn sigterm_lets_a_running_delivery_finish(place: &Place) {
    let hook = Hook::new(Manner::Late);
    let server = hook.serve(place);
    let lead = lead(&server);
    let waiting = InFlight::send(&server, &format!("/api/leads/{lead}/ingesta"), COMPLETE);
    hook.requests(1);
    server.signal("TERM");
    server.log.wait_for("stopping");
    hook.receiver.release();
    let answer = waiting.answer();
    assert_eq!((answer.status, &answer.json()["perfilSenalado"]), (200, &true.into()), "{}", answer.body);
    assert_eq!(server.end().0.code(), Some(0));
    assert_eq!(jobs(place, &["--state", "hecho"]).len(), 1);
}

fn sigterm_gives_a_delivery_back_that_outlasts_the_drain(place: &Place) {
    let hook = Hook::new(Manner::state(410));
    let server = place.serve_with(&["--set", &hook.perfil, "--set", "DRAIN_S=1"]);
    perfil_completo(&server);
    let id = jobs(place, &[])[0]["id"].as_str().unwrap().to_owned();
    // No request waits for this attempt: only the worker knows about it.
    hook.receiver.always(Manner::Late);
    place.ok(&["jobs", "retry", &id]);
    hook.requests(2);
    let asked = Instant::now();
    server.signal("TERM");
    assert_eq!(server.end().0.code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(60), "DRAIN_S bounds it: {:?}", asked.elapsed());
    let given_back = await_state(place, &id, "pendiente");
    assert_eq!(given_back["entregas"].as_array().unwrap().len(), 1, "the cut attempt counts for nothing");

    hook.receiver.always(Manner::Ok);
    let server = hook.serve(place);
    let restarted = Instant::now();
    let requests = hook.requests(3);
    assert!(restarted.elapsed() < SOON, "it took {:?}", restarted.elapsed());
    assert!(requests.iter().all(|request| request.header("webhook-id") == Some(&id)));
    await_state(place, &id, "hecho");
    assert!(server.stop().0.success());
}

#[test]
fn with_a_public_address_photos_are_links_that_open_whatever_the_key_is() {
    let hook = Hook::new(Manner::Ok);
    let place = Place::sqlite();
    let public = ["--set", &hook.perfil, "--set", "PUBLIC_URL=https://leads.example.com/x/"];
    let server = place.serve_with(&public);
    server.log.wait_for("photos are linked under https://leads.example.com/x");
    let lead = lead(&server);
    let bytes = fake_jpeg(1, 5_000);
    let body = serde_json::json!({
        "items": [{ "tipo": "foto", "imagen": data_uri(&bytes), "zona": "bano" }], "perfilCompleto": true
    });
    let answer = call(&server, "POST", &format!("/api/leads/{lead}/ingesta"), &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    let signal = String::from_utf8(hook.requests(1)[0].body.clone()).unwrap();
    let (_, rest) = signal.split_once("https://leads.example.com/x").expect("a link");
    let path = rest.split('"').next().unwrap().to_owned();
    let opens = |server: &crate::place::Server<'_>| {
        let url = format!("{}{path}", server.url);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let answer = async {
            let answer = client.get(url).send().await.unwrap();
            (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec())
        };
        runtime.block_on(answer)
    };
    assert_eq!(opens(&server), (200, bytes.clone()));
    assert!(server.stop().0.success());
    let server = place.serve_with(&[&public[..], &["--set", "FUNNEL_API_KEY=otra"]].concat());
    assert_eq!(opens(&server), (200, bytes), "a link outlives the key");
}

//! Signals (contract §4): fired with the data that caused them, retried, replaced, watched; driven by a clock that is
//! moved.

use std::time::Duration;

use embudo_app::WithLinks;
use embudo_delivery::Links;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::{JobId, LeadId, ProcessId};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::outbox::{Lease, NewJob, NewPayload};
use embudo_store::outbox_admin::JobFilter;
use embudo_store::{Idempotency, Outcome};
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Receiver, Scene, Server, both_engines, data_uri, fake_jpeg};
use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn ids(receiver: &Receiver) -> Vec<String> {
    receiver.received().iter().map(|r| r.header("webhook-id").unwrap().to_owned()).collect()
}

fn events(record: &Value, kind: &str) -> Vec<(bool, bool)> {
    let all = record["eventos"].as_array().unwrap().iter().filter(|e| e["tipo"] == kind);
    all.map(|e| (e["ok"].as_bool().unwrap(), e["simulado"].as_bool().unwrap())).collect()
}

fn render() -> Value {
    json!({ "tipo": "foto", "imagen": "https://127.0.0.1:1/r.jpg", "momento": "despues" })
}

const DAY: SignedDuration = SignedDuration::from_hours(24);

both_engines!(
    the_profile_signal_carries_exactly_the_fields_of_the_specification,
    messaging_starts_a_conversation_each_time,
    sixteen_racers_with_one_key_fire_one_signal,
    events_come_in_pages_with_the_changes_of_state,
    nothing_configured_is_simulated,
    with_a_public_url_photos_become_links_that_expire,
    the_answer_of_a_call_under_a_key_is_about_the_receiver_alone,
);

async fn the_profile_signal_carries_exactly_the_fields_of_the_specification(e: Scene) {
    let lead = e
        .server
        .lead_with(
            json!({ "provincia": "Madrid", "tipoReforma": "cocina", "m2Suelo": 12.5, "calidadGlobal": "media",
        "estructural": false, "urgencia": "alta", "presupuestoTarget": 1_200_000 }),
        )
        .await;
    let before = data_uri(&fake_jpeg(1, 500));
    let body = json!({ "perfilCompleto": true, "items": [
        { "tipo": "texto", "texto": "Quiero isla" },
        { "tipo": "foto", "imagen": before },
        { "tipo": "foto", "imagen": "https://ejemplo.es/b.jpg", "zona": "bano", "momento": "despues", "orden": 9 },
        { "tipo": "texto", "texto": "Ducha", "zona": "bano" },
    ] });
    let r = e.server.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    assert_eq!(r["perfilSenalado"], true);
    let received = e.receiver.received().remove(0);
    let expected = json!({
        "leadId": lead,
        "cliente": { "nombre": "Ana García", "telefono": "+34612345678", "email": "ana@ejemplo.es", "provincia": "Madrid" },
        "reforma": { "tipo": "cocina", "m2Suelo": 12.5, "calidad": "media", "estructural": false, "urgencia": "alta", "presupuestoTarget": 1_200_000 },
        "empresa": { "tenantId": e.server.empresa.id, "nombre": "Reformas Peña" },
        "zonas": [
            { "zona": "cocina", "notas": ["Quiero isla"], "fotos": { "antes": [before], "despues": [] } },
            { "zona": "bano", "notas": ["Ducha"], "fotos": { "antes": [], "despues": ["https://ejemplo.es/b.jpg"] } },
        ],
    });
    assert_eq!(received.json(), expected);
    assert!(received.header("webhook-timestamp").is_some());
    assert_eq!(received.header("webhook-signature"), None, "no secret, no signature");
    assert!(received.header("user-agent").unwrap().starts_with("embudo/"));
    assert_eq!(events(&e.server.record(&lead).await, "perfil_completo"), [(true, false)]);
}

async fn messaging_starts_a_conversation_each_time(e: Scene) {
    let lead = e.server.lead().await;
    for _ in 0..2 {
        let r = e.server.post_text(&format!("/api/leads/{lead}/mensajeria"), "").await.with(200);
        assert_eq!(r, json!({ "ok": true, "senal": true }));
    }
    let expected = json!({ "leadId": lead, "telefono": "+34612345678", "nombre": "Ana García", "empresa": "Reformas Peña" });
    assert!(e.receiver.received().iter().all(|r| r.json() == expected));
    let ids = ids(&e.receiver);
    assert_ne!(ids[0], ids[1]);
    assert_eq!(events(&e.server.record(&lead).await, "mensajeria"), [(true, false), (true, false)]);
}

async fn sixteen_racers_with_one_key_fire_one_signal(e: Scene) {
    let lead = e.server.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    let body = json!({ "perfilCompleto": true });
    let race = futures_util::future::join_all((0..16).map(|_| e.server.post_keyed(&path, "k", &body))).await;
    for r in race {
        // The first call is not answered before the signal is delivered or has failed; meanwhile a repeated call gets
        // 409.
        if r.status.as_u16() != 409 {
            assert_eq!(r.with(200)["perfilSenalado"], true);
        }
    }
    let r = e.server.post_keyed(&path, "k", &body).await;
    assert_eq!(r.header("idempotency-replayed"), Some("true"));
    assert_eq!(r.with(200)["perfilSenalado"], true);
    assert_eq!(e.receiver.received().len(), 1);
}

async fn events_come_in_pages_with_the_changes_of_state(e: Scene) {
    let lead = e.server.lead().await;
    for n in 0..5 {
        e.clock.advance(SignedDuration::from_secs(1));
        let turno =
            json!({ "rol": "user", "mensaje": "x", "botStep": format!("paso {n}"), "estadoWa": "leido" });
        e.server.post(&format!("/api/leads/{lead}/conversacion"), &turno).await.with(200);
    }
    e.clock.advance(SignedDuration::from_secs(1));
    e.complete_perfil(&lead).await;
    let (mut seen, mut path) = (Vec::new(), format!("/api/leads/{lead}/eventos?limite=4"));
    loop {
        let r = e.server.get(&path).await.with(200);
        seen.extend(r["eventos"].as_array().unwrap().clone());
        let Some(cursor) = r["siguiente"].as_str() else { break };
        path = format!("/api/leads/{lead}/eventos?limite=4&cursor={cursor}");
    }
    assert_eq!(json!(seen), e.server.record(&lead).await["eventos"]);
    assert_eq!(seen.len(), 11);
    assert_eq!(seen.iter().rfind(|v| v["tipo"] == "bot_step").unwrap()["detalle"], "paso 4");
    e.server.get(&format!("/api/leads/{lead}/eventos?cursor=x&limite=0")).await.problem(422);
    e.server.get("/api/leads/0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b/eventos").await.problem(404);
}

/// The process that took the first call is gone, so a repeated call gets its answer from the jobs. The job ended
/// because its renders came back, not because the receiver accepted the signal, so the answer is that it was not
/// accepted.
async fn the_answer_of_a_call_under_a_key_is_about_the_receiver_alone(engine: Engine) {
    let e = Scene::at(engine).await;
    let lead = e.server.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    let body = json!({ "perfilCompleto": true });
    let job = JobId(e.server.app.id());
    let id = LeadId::parse(&lead).unwrap();
    let at = e.server.app.now();
    // The first call as another process would have left it: the job under its lease, the answer provisional.
    let other = Lease { who: ProcessId(e.server.app.id()), lasts: Duration::from_secs(60) };
    let key = Idempotency {
        scope: format!("POST {path}"),
        key: "k".into(),
        cuerpo_sha256: Sha256::digest(body.to_string()).into(),
        outcome: Outcome::Ingested { fotos: 0, notas: 0, perfil_accepted: false, finalizado: None },
        jobs: vec![job],
        creada_en: at,
        expira_en: at + DAY,
    };
    let new = NewJob {
        id: job,
        kind: JobKind::Perfil,
        payload: NewPayload::Perfil,
        lease: Some(other),
        proximo_en: None,
    };
    let command = RecordEvent { lead: id, event: None, jobs: vec![new], at, idempotency: Some(key) };
    e.server.app.store.record_event(command).await.unwrap();
    e.server.post_keyed(&path, "k", &body).await.problem(409);
    // The signal failed and its job waited; then its renders came back.
    e.server.app.store.release(other.who).await.unwrap();
    e.receiver.manners([Manner::state(500)]);
    assert_eq!(e.pass(SignedDuration::ZERO).await, 1);
    e.clock.advance(SignedDuration::from_secs(1));
    e.server.post(&path, &json!({ "items": [render()] })).await.with(200);
    assert_eq!(e.jobs(JobState::Done).await, 1);
    let r = e.server.post_keyed(&path, "k", &body).await;
    assert_eq!(r.header("idempotency-replayed"), Some("true"));
    assert_eq!(r.with(200)["perfilSenalado"], false);
}

async fn nothing_configured_is_simulated(engine: Engine) {
    let s = Server::start(engine).await;
    let lead = s.lead().await;
    let r = s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "perfilCompleto": true })).await.with(200);
    assert_eq!(r["perfilSenalado"], false);
    let r = s.post_text(&format!("/api/leads/{lead}/mensajeria"), "").await.with(200);
    assert_eq!(r["senal"], false);
    let record = s.record(&lead).await;
    assert_eq!(
        (events(&record, "perfil_completo"), events(&record, "mensajeria")),
        (vec![(false, true)], vec![(false, true)])
    );
    assert_eq!(s.app.store.list_jobs(JobFilter::default(), None, 10).await.unwrap(), []);
    assert_eq!(record["bucle"], json!(null), "what was never sent is not waited for");
}

async fn with_a_public_url_photos_become_links_that_expire(engine: Engine) {
    let e = Scene::with(engine, |m| {
        let links = Links::new(b"un secreto de sobra largo");
        m.outbound.links = Some(WithLinks { links, public_url: "https://leads.ejemplo.es".into() });
    })
    .await;
    let lead = e.server.lead().await;
    let bytes = fake_jpeg(5, 2_000);
    let body = json!({ "perfilCompleto": true, "items": [
        { "tipo": "foto", "imagen": data_uri(&bytes) },
        { "tipo": "foto", "imagen": "https://ejemplo.es/b.jpg" },
        { "tipo": "foto", "imagen": "data:image/svg+xml;base64,PHN2Zy8+" },
    ] });
    e.server.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let fotos = e.receiver.received().remove(0).json()["zonas"][0]["fotos"]["antes"].clone();
    assert_eq!(fotos[1], "https://ejemplo.es/b.jpg");
    let path =
        |n: usize| fotos[n].as_str().unwrap().strip_prefix("https://leads.ejemplo.es").unwrap().to_owned();
    let open = async |path: String| e.server.cliente.get(e.server.url(&path)).send().await.unwrap();
    let foto = open(path(0)).await;
    assert_eq!(
        (foto.status().as_u16(), foto.headers()["content-type"].to_str().unwrap()),
        (200, "image/jpeg")
    );
    assert_eq!(foto.bytes().await.unwrap(), bytes);
    let svg = open(path(2)).await;
    assert_eq!(
        svg.headers()["content-type"],
        "application/octet-stream",
        "nothing that could run keeps its type"
    );
    for false_ in
        [path(0) + "x", path(0).replace("caduca=", "caduca=9"), path(0).split('?').next().unwrap().to_owned()]
    {
        assert_eq!(open(false_).await.status().as_u16(), 404);
    }
    e.clock.advance(DAY * 7);
    assert_eq!(open(path(0)).await.status().as_u16(), 404);
}

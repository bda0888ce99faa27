//! Signals (contract §4): fired with the data that caused them, retried, replaced, watched; driven by a clock that is moved.

use std::time::Duration;

use embudo_app::{OutboundMail, WithLinks};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::webhook::Options;
use embudo_delivery::{Links, Mail, Secrets, Webhooks};
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::{JobId, LeadId, ProcessId};
use embudo_store::command::RecordEvent;
use embudo_store::outbox::{JobFilter, Lease, NewJob, NewPayload};
use embudo_store::{Idempotency, Outcome};
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Mailbox, Receiver, Scene, Server, both_engines, data_uri, fake_jpeg};
use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn ids(receptor: &Receiver) -> Vec<String> {
    receptor.received().iter().map(|r| r.header("webhook-id").unwrap().to_owned()).collect()
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
    a_lead_that_lacks_everything_sends_nulls,
    a_failed_signal_is_retried_with_the_same_id_until_it_arrives,
    after_the_last_wait_it_is_dead_visible_and_can_be_replayed,
    gone_ends_it_at_once,
    retry_after_is_honoured,
    a_newer_profile_replaces_one_that_still_waits,
    messaging_starts_a_conversation_each_time,
    a_workflow_may_call_back_before_it_answers,
    a_signal_that_waits_is_not_repeated_once_its_work_came_back,
    the_loop_goes_from_signal_to_renders_to_finalizar,
    sixteen_racers_with_one_key_fire_one_signal,
    events_come_in_pages_with_the_changes_of_state,
    ended_jobs_are_purged_after_their_time,
    nothing_configured_is_simulated,
    with_a_secret_every_attempt_is_signed,
    a_receiver_that_hangs_does_not_hold_the_answer,
    with_a_public_url_photos_become_links_that_expire,
    the_loop_signals_again_as_often_as_wanted_and_never_once_it_moved_on,
    a_dead_receiver_is_not_hammered_and_first_attempts_go_through,
    a_slow_workflow_that_calls_back_runs_once,
    the_answer_of_a_call_under_a_key_is_about_the_receiver_alone,
    what_nobody_is_configured_to_receive_is_held,
    a_signal_that_is_too_long_says_so,
);

async fn the_profile_signal_carries_exactly_the_fields_of_the_specification(e: Scene) {
    let lead =
        e.s.lead_with(
            json!({ "provincia": "Madrid", "tipoReforma": "cocina", "m2Suelo": 12.5, "calidadGlobal": "media",
        "estructural": false, "urgencia": "alta", "presupuestoTarget": 1_200_000 }),
        )
        .await;
    let antes = data_uri(&fake_jpeg(1, 500));
    let body = json!({ "perfilCompleto": true, "items": [
        { "tipo": "texto", "texto": "Quiero isla" },
        { "tipo": "foto", "imagen": antes },
        { "tipo": "foto", "imagen": "https://ejemplo.es/b.jpg", "zona": "bano", "momento": "despues", "orden": 9 },
        { "tipo": "texto", "texto": "Ducha", "zona": "bano" },
    ] });
    let r = e.s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    assert_eq!(r["perfilSenalado"], true);
    let received = e.receiver.received().remove(0);
    let expected = json!({
        "leadId": lead,
        "cliente": { "nombre": "Ana García", "telefono": "+34612345678", "email": "ana@ejemplo.es", "provincia": "Madrid" },
        "reforma": { "tipo": "cocina", "m2Suelo": 12.5, "calidad": "media", "estructural": false, "urgencia": "alta", "presupuestoTarget": 1_200_000 },
        "empresa": { "tenantId": e.s.empresa.id, "nombre": "Reformas Peña" },
        "zonas": [
            { "zona": "cocina", "notas": ["Quiero isla"], "fotos": { "antes": [antes], "despues": [] } },
            { "zona": "bano", "notas": ["Ducha"], "fotos": { "antes": [], "despues": ["https://ejemplo.es/b.jpg"] } },
        ],
    });
    assert_eq!(received.json(), expected);
    assert!(received.header("webhook-timestamp").is_some());
    assert_eq!(received.header("webhook-signature"), None, "no secret, no signature");
    assert!(received.header("user-agent").unwrap().starts_with("embudo/"));
    assert_eq!(events(&e.s.record(&lead).await, "perfil_completo"), [(true, false)]);
}

async fn a_lead_that_lacks_everything_sends_nulls(e: Scene) {
    let lead = e.s.lead().await;
    assert!(e.complete_perfil(&lead).await);
    let body = e.receiver.received().remove(0).json();
    assert_eq!(body["zonas"], json!([]));
    assert_eq!(body["cliente"]["provincia"], json!(null));
    assert!(body["reforma"].as_object().unwrap().values().all(Value::is_null));
}

async fn a_failed_signal_is_retried_with_the_same_id_until_it_arrives(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([
        Manner::state(500),
        Manner::RstAfterBody,
        Manner::redirects(302, "/otro"),
        Manner::Ok,
    ]);
    assert!(!e.complete_perfil(&lead).await);
    assert_eq!(e.pass(SignedDuration::from_secs(4)).await, 0, "not before its time");
    assert_eq!(e.pass(SignedDuration::from_secs(2)).await, 1);
    assert_eq!(
        e.pass(SignedDuration::from_secs(17)).await,
        1,
        "a receiver that is away for a moment costs little"
    );
    assert_eq!(e.pass(SignedDuration::from_secs(67)).await, 1);
    let ids = ids(&e.receiver);
    assert_eq!((ids.len(), ids.iter().all(|id| *id == ids[0])), (4, true));
    assert_eq!(
        events(&e.s.record(&lead).await, "perfil_completo"),
        [(false, false), (false, false), (false, false), (true, false)]
    );
    assert_eq!(e.pass(DAY * 30).await, 0, "it is done");
}

async fn after_the_last_wait_it_is_dead_visible_and_can_be_replayed(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.always(Manner::state(503));
    e.complete_perfil(&lead).await;
    for _ in 0..11 {
        assert_eq!(e.pass(DAY + DAY / 5).await, 1);
    }
    assert_eq!((e.jobs(JobState::Dead).await, e.receiver.received().len()), (1, 12));
    assert_eq!(e.pass(DAY * 10).await, 0);
    let dead = e.s.app.store.list_jobs(JobFilter::default(), None, 1).await.unwrap().remove(0);
    let (_, deliveries) = e.s.app.store.job(dead.id).await.unwrap();
    assert_eq!((deliveries.len(), deliveries[0].status), (12, Some(503)));
    e.receiver.always(Manner::Ok);
    e.s.app.store.retry(dead.id, e.s.app.now()).await.unwrap();
    assert_eq!(e.pass(SignedDuration::ZERO).await, 1);
    assert_eq!(e.jobs(JobState::Done).await, 1);
}

async fn gone_ends_it_at_once(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::state(410)]);
    assert!(!e.complete_perfil(&lead).await);
    assert_eq!(e.jobs(JobState::Dead).await, 1);
}

async fn retry_after_is_honoured(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::retries(429, "120")]);
    e.complete_perfil(&lead).await;
    assert_eq!(e.pass(SignedDuration::from_secs(110)).await, 0);
    assert_eq!(e.pass(SignedDuration::from_secs(11)).await, 1);
}

async fn a_newer_profile_replaces_one_that_still_waits(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::state(500)]);
    e.complete_perfil(&lead).await;
    assert!(e.complete_perfil(&lead).await);
    assert_eq!((e.jobs(JobState::Superseded).await, e.jobs(JobState::Done).await), (1, 1));
    let ids = ids(&e.receiver);
    assert_ne!(ids[0], ids[1], "each signal has its own id");
    assert_eq!(e.pass(DAY).await, 0);
}

async fn messaging_starts_a_conversation_each_time(e: Scene) {
    let lead = e.s.lead().await;
    for _ in 0..2 {
        let r = e.s.post_text(&format!("/api/leads/{lead}/mensajeria"), "").await.with(200);
        assert_eq!(r, json!({ "ok": true, "senal": true }));
    }
    let expected = json!({ "leadId": lead, "telefono": "+34612345678", "nombre": "Ana García", "empresa": "Reformas Peña" });
    assert!(e.receiver.received().iter().all(|r| r.json() == expected));
    let ids = ids(&e.receiver);
    assert_ne!(ids[0], ids[1]);
    assert_eq!(events(&e.s.record(&lead).await, "mensajeria"), [(true, false), (true, false)]);
}

async fn a_workflow_may_call_back_before_it_answers(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::Late]);
    let render =
        json!({ "items": [{ "tipo": "foto", "imagen": "https://ejemplo.es/r.jpg", "momento": "despues" }] });
    let path = format!("/api/leads/{lead}/ingesta");
    let stream = async {
        e.receiver.await_requests(1).await;
        e.clock.advance(SignedDuration::from_secs(1));
        e.s.post(&path, &render).await.with(200);
        e.receiver.release();
    };
    let (signalled, ()) = tokio::join!(e.complete_perfil(&lead), stream);
    assert!(signalled);
    assert_eq!(e.s.record(&lead).await["bucle"]["paso"], "esperando_finalizar", "the render is in already");
}

async fn a_signal_that_waits_is_not_repeated_once_its_work_came_back(e: Scene) {
    for return_to in [json!({ "items": [render()] }), json!({ "finalizar": true })] {
        let lead = e.s.lead().await;
        e.receiver.manners([Manner::state(500)]);
        let antes = e.receiver.received().len();
        assert!(!e.complete_perfil(&lead).await);
        e.clock.advance(SignedDuration::from_secs(1));
        e.s.post(&format!("/api/leads/{lead}/ingesta"), &return_to).await.with(200);
        e.pass(DAY).await;
        let own = e.receiver.received()[antes..].iter().filter(|r| r.json().get("zonas").is_some()).count();
        assert_eq!(own, 1, "it was sent once");
        assert_eq!(events(&e.s.record(&lead).await, "perfil_completo"), [(false, false), (true, false)]);
    }
    assert_eq!(e.jobs(JobState::Pending).await, 0);
}

async fn the_loop_goes_from_signal_to_renders_to_finalizar(e: Scene) {
    let lead = e.s.lead().await;
    assert_eq!(e.s.record(&lead).await["bucle"], json!(null));
    e.complete_perfil(&lead).await;
    let watched_loop = e.s.record(&lead).await["bucle"].clone();
    assert_eq!(
        (&watched_loop["paso"], &watched_loop["vencido"]),
        (&json!("esperando_renders"), &json!(false))
    );
    e.clock.advance(SignedDuration::from_mins(121));
    assert_eq!(e.s.app.housekeeping().watch_loops().await.unwrap(), 1);
    assert_eq!(e.s.app.housekeeping().watch_loops().await.unwrap(), 0, "marked once");
    assert_eq!(e.s.record(&lead).await["bucle"]["vencido"], true);
    assert_eq!(e.pass(SignedDuration::ZERO).await, 0, "nothing is sent again by itself unless wanted");
    let path = format!("/api/leads/{lead}/ingesta");
    let render =
        json!({ "items": [{ "tipo": "foto", "imagen": "https://ejemplo.es/r.jpg", "momento": "despues" }] });
    e.s.post(&path, &render).await.with(200);
    let watched_loop = e.s.record(&lead).await["bucle"].clone();
    assert_eq!(
        (&watched_loop["paso"], &watched_loop["vencido"]),
        (&json!("esperando_finalizar"), &json!(false))
    );
    e.s.post(&path, &json!({ "finalizar": true })).await.with(200);
    assert_eq!(e.s.record(&lead).await["bucle"], json!(null));
    assert_eq!(events(&e.s.record(&lead).await, "bucle_vencido"), [(false, false)]);
}

async fn sixteen_racers_with_one_key_fire_one_signal(e: Scene) {
    let lead = e.s.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    let body = json!({ "perfilCompleto": true });
    let race = futures_util::future::join_all((0..16).map(|_| e.s.post_keyed(&path, "k", &body))).await;
    for r in race {
        // The answer waits for the signal: who comes meanwhile is told to come again.
        if r.status.as_u16() != 409 {
            assert_eq!(r.with(200)["perfilSenalado"], true);
        }
    }
    let r = e.s.post_keyed(&path, "k", &body).await;
    assert_eq!(r.header("idempotency-replayed"), Some("true"));
    assert_eq!(r.with(200)["perfilSenalado"], true);
    assert_eq!(e.receiver.received().len(), 1);
}

async fn events_come_in_pages_with_the_changes_of_state(e: Scene) {
    let lead = e.s.lead().await;
    for n in 0..5 {
        e.clock.advance(SignedDuration::from_secs(1));
        let turno =
            json!({ "rol": "user", "mensaje": "x", "botStep": format!("paso {n}"), "estadoWa": "leido" });
        e.s.post(&format!("/api/leads/{lead}/conversacion"), &turno).await.with(200);
    }
    e.clock.advance(SignedDuration::from_secs(1));
    e.complete_perfil(&lead).await;
    let (mut seen, mut path) = (Vec::new(), format!("/api/leads/{lead}/eventos?limite=4"));
    loop {
        let r = e.s.get(&path).await.with(200);
        seen.extend(r["eventos"].as_array().unwrap().clone());
        let Some(cursor) = r["siguiente"].as_str() else { break };
        path = format!("/api/leads/{lead}/eventos?limite=4&cursor={cursor}");
    }
    assert_eq!(json!(seen), e.s.record(&lead).await["eventos"]);
    assert_eq!(seen.len(), 11);
    assert_eq!(seen.iter().rfind(|v| v["tipo"] == "bot_step").unwrap()["detalle"], "paso 4");
    e.s.get(&format!("/api/leads/{lead}/eventos?cursor=x&limite=0")).await.problem(422);
    e.s.get("/api/leads/0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b/eventos").await.problem(404);
}

async fn ended_jobs_are_purged_after_their_time(e: Scene) {
    let lead = e.s.lead().await;
    e.complete_perfil(&lead).await;
    e.clock.advance(DAY * 29);
    assert_eq!(e.s.app.housekeeping().purge_expired().await.unwrap(), 0);
    e.clock.advance(DAY * 2);
    assert_eq!(e.s.app.housekeeping().purge_expired().await.unwrap(), 1);
    assert_eq!(e.jobs(JobState::Done).await, 0);
    assert_eq!(events(&e.s.record(&lead).await, "perfil_completo"), [(true, false)], "events stay");
}

/// It answers after our time-out, and has called back by then: one run, one quote, one mail.
async fn a_slow_workflow_that_calls_back_runs_once(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let cliente = Mail::new(SmtpSettings::new("127.0.0.1", mailbox.address.port(), Tls::None)).unwrap();
    let mail = OutboundMail { cliente, from: "embudo@ejemplo.es".into(), from_name: None };
    let e = Scene::with(engine, |m| {
        let options = Options { total_timeout: Duration::from_secs(2), ..Options::default() };
        m.outbound.webhooks = Webhooks::new(options).unwrap();
        m.outbound.mail = Some(mail);
    })
    .await;
    let lead = e.s.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    e.receiver.manners([Manner::Late]);
    let stream = async {
        e.receiver.await_requests(1).await;
        e.clock.advance(SignedDuration::from_secs(1));
        e.s.post(&path, &json!({ "items": [render()] })).await.with(200);
        let r = e.s.post(&path, &json!({ "finalizar": true })).await.with(200);
        assert_eq!(r["finalizado"], json!({ "ok": true, "emailEnviado": true, "messagingSenal": true }));
    };
    let (signalled, ()) = tokio::join!(e.complete_perfil(&lead), stream);
    assert!(!signalled, "what the call says is the HTTP answer alone, and there was none");
    e.receiver.release();
    for _ in 0..12 {
        e.pass(DAY).await;
    }
    let runs = e.receiver.received().iter().filter(|r| r.json().get("zonas").is_some()).count();
    let record = e.s.record(&lead).await;
    assert_eq!((runs, record["presupuestos"].as_array().unwrap().len(), mailbox.messages().len()), (1, 1, 1));
    assert_eq!(record["bucle"], json!(null));
    assert_eq!(events(&record, "perfil_completo").last(), Some(&(true, false)), "{record:#}");
    assert_eq!((e.jobs(JobState::Dead).await, e.jobs(JobState::Pending).await), (0, 0));
}

/// The process that knew the answer is gone, and it is told by the jobs: what was done because its work came back was not accepted.
async fn the_answer_of_a_call_under_a_key_is_about_the_receiver_alone(engine: Engine) {
    let e = Scene::at(engine).await;
    let lead = e.s.lead().await;
    let path = format!("/api/leads/{lead}/ingesta");
    let body = json!({ "perfilCompleto": true });
    let job = JobId(e.s.app.id());
    let id = LeadId::parse(&lead).unwrap();
    let at = e.s.app.now();
    // The first call as another process would have left it: the job under its lease, the answer provisional.
    let other = Lease { who: ProcessId(e.s.app.id()), lasts: Duration::from_secs(60) };
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
    e.s.app.store.record_event(command).await.unwrap();
    e.s.post_keyed(&path, "k", &body).await.problem(409);
    // It failed, waited, and its work came back.
    e.s.app.store.release(other.who).await.unwrap();
    e.receiver.manners([Manner::state(500)]);
    assert_eq!(e.pass(SignedDuration::ZERO).await, 1);
    e.clock.advance(SignedDuration::from_secs(1));
    e.s.post(&path, &json!({ "items": [render()] })).await.with(200);
    assert_eq!(e.jobs(JobState::Done).await, 1);
    let r = e.s.post_keyed(&path, "k", &body).await;
    assert_eq!(r.header("idempotency-replayed"), Some("true"));
    assert_eq!(r.with(200)["perfilSenalado"], false);
}

/// A job whose receiver is not configured waits, whatever the time; it costs no attempt and is there when it is.
async fn what_nobody_is_configured_to_receive_is_held(engine: Engine) {
    let e = Scene::with(engine, |m| {
        m.outbound.perfil = None;
        m.outbound.mensajeria = None;
    })
    .await;
    let lead = LeadId::parse(&e.s.lead().await).unwrap();
    // Made by a process that had a receiver.
    let kinds = [JobKind::Perfil, JobKind::Mensajeria, JobKind::ClientMail];
    let jobs = kinds.map(|kind| NewJob {
        id: JobId(e.s.app.id()),
        kind,
        payload: if kind == JobKind::Perfil { NewPayload::Perfil } else { NewPayload::Mensajeria },
        lease: None,
        proximo_en: None,
    });
    let at = e.s.app.now();
    let jobs = RecordEvent { lead, event: None, jobs: jobs.into(), at, idempotency: None };
    e.s.app.store.record_event(jobs).await.unwrap();
    assert_eq!(e.pass(DAY * 30).await, 0);
    let filter = JobFilter { lead: Some(lead), ..JobFilter::default() };
    let all = e.s.app.store.list_jobs(filter, None, 10).await.unwrap();
    assert!(all.iter().all(|t| t.state == JobState::Pending && t.intentos == 0), "{all:?}");
    assert_eq!(e.receiver.received().len(), 0);
}

async fn a_signal_that_is_too_long_says_so(engine: Engine) {
    let e = Scene::at(engine).await;
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::state(500)]);
    let foto = data_uri(&fake_jpeg(1, 13 << 20));
    let body = json!({ "perfilCompleto": true, "items": [{ "tipo": "foto", "imagen": foto }] });
    let r = e.s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    assert_eq!(r["perfilSenalado"], false);
    let record = e.s.record(&lead).await;
    let event =
        record["eventos"].as_array().unwrap().iter().find(|e| e["tipo"] == "perfil_completo").unwrap();
    let job = e.s.app.store.list_jobs(JobFilter::default(), None, 1).await.unwrap().remove(0);
    for said in [event["detalle"].as_str().unwrap(), job.ultimo_error.as_deref().unwrap()] {
        assert!(
            said.contains("contestó 500") && said.contains("17,3 MB") && said.contains("PUBLIC_URL"),
            "{said}"
        );
    }
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

async fn with_a_secret_every_attempt_is_signed(engine: Engine) {
    let secrets = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let e = Scene::with(engine, |m| {
        let options = Options { secrets: Secrets::read(secrets).unwrap(), ..Options::default() };
        m.outbound.webhooks = Webhooks::new(options).unwrap();
    })
    .await;
    let lead = e.s.lead().await;
    assert!(e.complete_perfil(&lead).await);
    let received = e.receiver.received().remove(0);
    let id = received.header("webhook-id").unwrap();
    let second: i64 = received.header("webhook-timestamp").unwrap().parse().unwrap();
    let mut signer = Secrets::read(secrets).unwrap().signer(id, second);
    signer.update(&received.body);
    assert_eq!(received.header("webhook-signature"), signer.header().as_deref());
}

async fn a_receiver_that_hangs_does_not_hold_the_answer(engine: Engine) {
    let e = Scene::with(engine, |m| m.outbound.wait = Duration::from_millis(100)).await;
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::Late]);
    assert!(!e.complete_perfil(&lead).await, "not known in time");
    assert_eq!(e.jobs(JobState::Pending).await, 1, "the attempt goes on");
    e.receiver.release();
    e.s.app.worker().run_jobs().await.unwrap();
    assert_eq!((e.jobs(JobState::Done).await, e.receiver.received().len()), (1, 1));
    assert_eq!(events(&e.s.record(&lead).await, "perfil_completo"), [(true, false)]);
}

async fn with_a_public_url_photos_become_links_that_expire(engine: Engine) {
    let e = Scene::with(engine, |m| {
        let links = Links::new(b"un secreto de sobra largo");
        m.outbound.links = Some(WithLinks { links, public_url: "https://leads.ejemplo.es".into() });
    })
    .await;
    let lead = e.s.lead().await;
    let bytes = fake_jpeg(5, 2_000);
    let body = json!({ "perfilCompleto": true, "items": [
        { "tipo": "foto", "imagen": data_uri(&bytes) },
        { "tipo": "foto", "imagen": "https://ejemplo.es/b.jpg" },
        { "tipo": "foto", "imagen": "data:image/svg+xml;base64,PHN2Zy8+" },
    ] });
    e.s.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let fotos = e.receiver.received().remove(0).json()["zonas"][0]["fotos"]["antes"].clone();
    assert_eq!(fotos[1], "https://ejemplo.es/b.jpg");
    let path =
        |n: usize| fotos[n].as_str().unwrap().strip_prefix("https://leads.ejemplo.es").unwrap().to_owned();
    let open = async |path: String| e.s.cliente.get(e.s.url(&path)).send().await.unwrap();
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

async fn the_loop_signals_again_as_often_as_wanted_and_never_once_it_moved_on(engine: Engine) {
    let e = Scene::with(engine, |m| m.outbound.resignals = 2).await;
    let lead = e.s.lead().await;
    e.complete_perfil(&lead).await;
    for expected_ones in [2, 3, 3] {
        e.clock.advance(SignedDuration::from_hours(3));
        e.s.app.housekeeping().watch_loops().await.unwrap();
        e.pass(SignedDuration::ZERO).await;
        assert_eq!(e.receiver.received().len(), expected_ones);
    }
    let ids = ids(&e.receiver);
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "each its own id");
    let render =
        json!({ "items": [{ "tipo": "foto", "imagen": "https://ejemplo.es/r.jpg", "momento": "despues" }] });
    e.s.post(&format!("/api/leads/{lead}/ingesta"), &render).await.with(200);
    e.clock.advance(SignedDuration::from_hours(3));
    e.s.app.housekeeping().watch_loops().await.unwrap();
    e.pass(SignedDuration::ZERO).await;
    assert_eq!(e.receiver.received().len(), 3, "the renders came");
}

async fn a_dead_receiver_is_not_hammered_and_first_attempts_go_through(engine: Engine) {
    let e = Scene::at(engine).await;
    e.receiver.always(Manner::state(500));
    for _ in 0..8 {
        assert!(!e.complete_perfil(&e.s.lead().await).await);
    }
    assert_eq!(e.receiver.received().len(), 8, "no first attempt is held back");
    e.pass(SignedDuration::from_secs(10)).await;
    assert_eq!(e.receiver.received().len(), 8, "retries wait while the receiver is known to be down");
    e.pass(SignedDuration::from_mins(10)).await;
    assert_eq!(e.receiver.received().len(), 9, "one looks whether it is back");
    e.receiver.always(Manner::Ok);
    e.pass(SignedDuration::from_hours(1)).await;
    assert_eq!(e.jobs(JobState::Done).await, 8);
}

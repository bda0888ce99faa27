//! Signals (contract §4): fired with the data that caused them, retried, replaced, watched; driven by a clock that is moved.

use std::time::Duration;

use embudo_app::{ConEnlaces, CorreoSalida};
use embudo_delivery::correo::{Ajustes, Tls};
use embudo_delivery::webhook::Opciones;
use embudo_delivery::{Correo, Enlaces, Secretos, Webhooks};
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
use embudo_domain::{LeadId, ProcesoId, TrabajoId};
use embudo_store::cola::{Arriendo, CargaNueva, FiltroTrabajos, NuevoTrabajo};
use embudo_store::command::RecordEvento;
use embudo_store::{Idempotencia, Outcome};
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Mailbox, Receiver, Scene, Server, both_engines, data_uri, fake_jpeg};
use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn ids(receptor: &Receiver) -> Vec<String> {
    receptor.received().iter().map(|r| r.cabecera("webhook-id").unwrap().to_owned()).collect()
}

fn eventos(ficha: &Value, tipo: &str) -> Vec<(bool, bool)> {
    let todos = ficha["eventos"].as_array().unwrap().iter().filter(|e| e["tipo"] == tipo);
    todos.map(|e| (e["ok"].as_bool().unwrap(), e["simulado"].as_bool().unwrap())).collect()
}

fn render() -> Value {
    json!({ "tipo": "foto", "imagen": "https://127.0.0.1:1/r.jpg", "momento": "despues" })
}

const DIA: SignedDuration = SignedDuration::from_hours(24);

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
    let cuerpo = json!({ "perfilCompleto": true, "items": [
        { "tipo": "texto", "texto": "Quiero isla" },
        { "tipo": "foto", "imagen": antes },
        { "tipo": "foto", "imagen": "https://ejemplo.es/b.jpg", "zona": "bano", "momento": "despues", "orden": 9 },
        { "tipo": "texto", "texto": "Ducha", "zona": "bano" },
    ] });
    let r = e.s.post(&format!("/api/leads/{lead}/ingesta"), &cuerpo).await.con(200);
    assert_eq!(r["perfilSenalado"], true);
    let recibida = e.receiver.received().remove(0);
    let esperado = json!({
        "leadId": lead,
        "cliente": { "nombre": "Ana García", "telefono": "+34612345678", "email": "ana@ejemplo.es", "provincia": "Madrid" },
        "reforma": { "tipo": "cocina", "m2Suelo": 12.5, "calidad": "media", "estructural": false, "urgencia": "alta", "presupuestoTarget": 1_200_000 },
        "empresa": { "tenantId": e.s.empresa.id, "nombre": "Reformas Peña" },
        "zonas": [
            { "zona": "cocina", "notas": ["Quiero isla"], "fotos": { "antes": [antes], "despues": [] } },
            { "zona": "bano", "notas": ["Ducha"], "fotos": { "antes": [], "despues": ["https://ejemplo.es/b.jpg"] } },
        ],
    });
    assert_eq!(recibida.json(), esperado);
    assert!(recibida.cabecera("webhook-timestamp").is_some());
    assert_eq!(recibida.cabecera("webhook-signature"), None, "no secret, no signature");
    assert!(recibida.cabecera("user-agent").unwrap().starts_with("embudo/"));
    assert_eq!(eventos(&e.s.ficha(&lead).await, "perfil_completo"), [(true, false)]);
}

async fn a_lead_that_lacks_everything_sends_nulls(e: Scene) {
    let lead = e.s.lead().await;
    assert!(e.complete_perfil(&lead).await);
    let cuerpo = e.receiver.received().remove(0).json();
    assert_eq!(cuerpo["zonas"], json!([]));
    assert_eq!(cuerpo["cliente"]["provincia"], json!(null));
    assert!(cuerpo["reforma"].as_object().unwrap().values().all(Value::is_null));
}

async fn a_failed_signal_is_retried_with_the_same_id_until_it_arrives(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([
        Manner::estado(500),
        Manner::RstTrasCuerpo,
        Manner::redirige(302, "/otro"),
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
        eventos(&e.s.ficha(&lead).await, "perfil_completo"),
        [(false, false), (false, false), (false, false), (true, false)]
    );
    assert_eq!(e.pass(DIA * 30).await, 0, "it is done");
}

async fn after_the_last_wait_it_is_dead_visible_and_can_be_replayed(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.siempre(Manner::estado(503));
    e.complete_perfil(&lead).await;
    for _ in 0..11 {
        assert_eq!(e.pass(DIA + DIA / 5).await, 1);
    }
    assert_eq!((e.trabajos(EstadoTrabajo::Muerto).await, e.receiver.received().len()), (1, 12));
    assert_eq!(e.pass(DIA * 10).await, 0);
    let muerto = e.s.app.store.list_trabajos(FiltroTrabajos::default(), None, 1).await.unwrap().remove(0);
    let (_, entregas) = e.s.app.store.trabajo(muerto.id).await.unwrap();
    assert_eq!((entregas.len(), entregas[0].status), (12, Some(503)));
    e.receiver.siempre(Manner::Ok);
    e.s.app.store.retry(muerto.id, e.s.app.ahora()).await.unwrap();
    assert_eq!(e.pass(SignedDuration::ZERO).await, 1);
    assert_eq!(e.trabajos(EstadoTrabajo::Hecho).await, 1);
}

async fn gone_ends_it_at_once(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::estado(410)]);
    assert!(!e.complete_perfil(&lead).await);
    assert_eq!(e.trabajos(EstadoTrabajo::Muerto).await, 1);
}

async fn retry_after_is_honoured(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::reintenta(429, "120")]);
    e.complete_perfil(&lead).await;
    assert_eq!(e.pass(SignedDuration::from_secs(110)).await, 0);
    assert_eq!(e.pass(SignedDuration::from_secs(11)).await, 1);
}

async fn a_newer_profile_replaces_one_that_still_waits(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::estado(500)]);
    e.complete_perfil(&lead).await;
    assert!(e.complete_perfil(&lead).await);
    assert_eq!((e.trabajos(EstadoTrabajo::Sustituido).await, e.trabajos(EstadoTrabajo::Hecho).await), (1, 1));
    let ids = ids(&e.receiver);
    assert_ne!(ids[0], ids[1], "each signal has its own id");
    assert_eq!(e.pass(DIA).await, 0);
}

async fn messaging_starts_a_conversation_each_time(e: Scene) {
    let lead = e.s.lead().await;
    for _ in 0..2 {
        let r = e.s.post_text(&format!("/api/leads/{lead}/mensajeria"), "").await.con(200);
        assert_eq!(r, json!({ "ok": true, "senal": true }));
    }
    let esperado = json!({ "leadId": lead, "telefono": "+34612345678", "nombre": "Ana García", "empresa": "Reformas Peña" });
    assert!(e.receiver.received().iter().all(|r| r.json() == esperado));
    let ids = ids(&e.receiver);
    assert_ne!(ids[0], ids[1]);
    assert_eq!(eventos(&e.s.ficha(&lead).await, "mensajeria"), [(true, false), (true, false)]);
}

async fn a_workflow_may_call_back_before_it_answers(e: Scene) {
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::Tarde]);
    let render =
        json!({ "items": [{ "tipo": "foto", "imagen": "https://ejemplo.es/r.jpg", "momento": "despues" }] });
    let ruta = format!("/api/leads/{lead}/ingesta");
    let flujo = async {
        e.receiver.await_requests(1).await;
        e.reloj.advance(SignedDuration::from_secs(1));
        e.s.post(&ruta, &render).await.con(200);
        e.receiver.soltar();
    };
    let (senalado, ()) = tokio::join!(e.complete_perfil(&lead), flujo);
    assert!(senalado);
    assert_eq!(e.s.ficha(&lead).await["bucle"]["paso"], "esperando_finalizar", "the render is in already");
}

async fn a_signal_that_waits_is_not_repeated_once_its_work_came_back(e: Scene) {
    for vuelta in [json!({ "items": [render()] }), json!({ "finalizar": true })] {
        let lead = e.s.lead().await;
        e.receiver.manners([Manner::estado(500)]);
        let antes = e.receiver.received().len();
        assert!(!e.complete_perfil(&lead).await);
        e.reloj.advance(SignedDuration::from_secs(1));
        e.s.post(&format!("/api/leads/{lead}/ingesta"), &vuelta).await.con(200);
        e.pass(DIA).await;
        let suyas = e.receiver.received()[antes..].iter().filter(|r| r.json().get("zonas").is_some()).count();
        assert_eq!(suyas, 1, "it was sent once");
        assert_eq!(eventos(&e.s.ficha(&lead).await, "perfil_completo"), [(false, false), (true, false)]);
    }
    assert_eq!(e.trabajos(EstadoTrabajo::Pendiente).await, 0);
}

async fn the_loop_goes_from_signal_to_renders_to_finalizar(e: Scene) {
    let lead = e.s.lead().await;
    assert_eq!(e.s.ficha(&lead).await["bucle"], json!(null));
    e.complete_perfil(&lead).await;
    let bucle = e.s.ficha(&lead).await["bucle"].clone();
    assert_eq!((&bucle["paso"], &bucle["vencido"]), (&json!("esperando_renders"), &json!(false)));
    e.reloj.advance(SignedDuration::from_mins(121));
    assert_eq!(e.s.app.housekeeping().watch_loops().await.unwrap(), 1);
    assert_eq!(e.s.app.housekeeping().watch_loops().await.unwrap(), 0, "marked once");
    assert_eq!(e.s.ficha(&lead).await["bucle"]["vencido"], true);
    assert_eq!(e.pass(SignedDuration::ZERO).await, 0, "nothing is sent again by itself unless wanted");
    let ruta = format!("/api/leads/{lead}/ingesta");
    let render =
        json!({ "items": [{ "tipo": "foto", "imagen": "https://ejemplo.es/r.jpg", "momento": "despues" }] });
    e.s.post(&ruta, &render).await.con(200);
    let bucle = e.s.ficha(&lead).await["bucle"].clone();
    assert_eq!((&bucle["paso"], &bucle["vencido"]), (&json!("esperando_finalizar"), &json!(false)));
    e.s.post(&ruta, &json!({ "finalizar": true })).await.con(200);
    assert_eq!(e.s.ficha(&lead).await["bucle"], json!(null));
    assert_eq!(eventos(&e.s.ficha(&lead).await, "bucle_vencido"), [(false, false)]);
}

async fn sixteen_racers_with_one_key_fire_one_signal(e: Scene) {
    let lead = e.s.lead().await;
    let ruta = format!("/api/leads/{lead}/ingesta");
    let cuerpo = json!({ "perfilCompleto": true });
    let carrera = futures_util::future::join_all((0..16).map(|_| e.s.post_keyed(&ruta, "k", &cuerpo))).await;
    for r in carrera {
        // The answer waits for the signal: who comes meanwhile is told to come again.
        if r.status.as_u16() != 409 {
            assert_eq!(r.con(200)["perfilSenalado"], true);
        }
    }
    let r = e.s.post_keyed(&ruta, "k", &cuerpo).await;
    assert_eq!(r.cabecera("idempotency-replayed"), Some("true"));
    assert_eq!(r.con(200)["perfilSenalado"], true);
    assert_eq!(e.receiver.received().len(), 1);
}

async fn events_come_in_pages_with_the_changes_of_state(e: Scene) {
    let lead = e.s.lead().await;
    for n in 0..5 {
        e.reloj.advance(SignedDuration::from_secs(1));
        let turno =
            json!({ "rol": "user", "mensaje": "x", "botStep": format!("paso {n}"), "estadoWa": "leido" });
        e.s.post(&format!("/api/leads/{lead}/conversacion"), &turno).await.con(200);
    }
    e.reloj.advance(SignedDuration::from_secs(1));
    e.complete_perfil(&lead).await;
    let (mut vistos, mut ruta) = (Vec::new(), format!("/api/leads/{lead}/eventos?limite=4"));
    loop {
        let r = e.s.get(&ruta).await.con(200);
        vistos.extend(r["eventos"].as_array().unwrap().clone());
        let Some(cursor) = r["siguiente"].as_str() else { break };
        ruta = format!("/api/leads/{lead}/eventos?limite=4&cursor={cursor}");
    }
    assert_eq!(json!(vistos), e.s.ficha(&lead).await["eventos"]);
    assert_eq!(vistos.len(), 11);
    assert_eq!(vistos.iter().rfind(|v| v["tipo"] == "bot_step").unwrap()["detalle"], "paso 4");
    e.s.get(&format!("/api/leads/{lead}/eventos?cursor=x&limite=0")).await.problema(422);
    e.s.get("/api/leads/0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b/eventos").await.problema(404);
}

async fn ended_jobs_are_purged_after_their_time(e: Scene) {
    let lead = e.s.lead().await;
    e.complete_perfil(&lead).await;
    e.reloj.advance(DIA * 29);
    assert_eq!(e.s.app.housekeeping().purge_expired().await.unwrap(), 0);
    e.reloj.advance(DIA * 2);
    assert_eq!(e.s.app.housekeeping().purge_expired().await.unwrap(), 1);
    assert_eq!(e.trabajos(EstadoTrabajo::Hecho).await, 0);
    assert_eq!(eventos(&e.s.ficha(&lead).await, "perfil_completo"), [(true, false)], "events stay");
}

/// It answers after our time-out, and has called back by then: one run, one quote, one mail.
async fn a_slow_workflow_that_calls_back_runs_once(motor: Engine) {
    let buzon = Mailbox::arrancar().await;
    let cliente = Correo::new(Ajustes::new("127.0.0.1", buzon.direccion.port(), Tls::None)).unwrap();
    let correo = CorreoSalida { cliente, from: "embudo@ejemplo.es".into(), from_name: None };
    let e = Scene::con(motor, |m| {
        let opciones = Opciones { total_timeout: Duration::from_secs(2), ..Opciones::default() };
        m.outbound.webhooks = Webhooks::new(opciones).unwrap();
        m.outbound.correo = Some(correo);
    })
    .await;
    let lead = e.s.lead().await;
    let ruta = format!("/api/leads/{lead}/ingesta");
    e.receiver.manners([Manner::Tarde]);
    let flujo = async {
        e.receiver.await_requests(1).await;
        e.reloj.advance(SignedDuration::from_secs(1));
        e.s.post(&ruta, &json!({ "items": [render()] })).await.con(200);
        let r = e.s.post(&ruta, &json!({ "finalizar": true })).await.con(200);
        assert_eq!(r["finalizado"], json!({ "ok": true, "emailEnviado": true, "messagingSenal": true }));
    };
    let (senalado, ()) = tokio::join!(e.complete_perfil(&lead), flujo);
    assert!(!senalado, "what the call says is the HTTP answer alone, and there was none");
    e.receiver.soltar();
    for _ in 0..12 {
        e.pass(DIA).await;
    }
    let runs = e.receiver.received().iter().filter(|r| r.json().get("zonas").is_some()).count();
    let ficha = e.s.ficha(&lead).await;
    assert_eq!((runs, ficha["presupuestos"].as_array().unwrap().len(), buzon.messages().len()), (1, 1, 1));
    assert_eq!(ficha["bucle"], json!(null));
    assert_eq!(eventos(&ficha, "perfil_completo").last(), Some(&(true, false)), "{ficha:#}");
    assert_eq!((e.trabajos(EstadoTrabajo::Muerto).await, e.trabajos(EstadoTrabajo::Pendiente).await), (0, 0));
}

/// The process that knew the answer is gone, and it is told by the jobs: what was done because its work came back was not accepted.
async fn the_answer_of_a_call_under_a_key_is_about_the_receiver_alone(motor: Engine) {
    let e = Scene::en(motor).await;
    let lead = e.s.lead().await;
    let ruta = format!("/api/leads/{lead}/ingesta");
    let cuerpo = json!({ "perfilCompleto": true });
    let trabajo = TrabajoId(e.s.app.id());
    let id = LeadId::parse(&lead).unwrap();
    let en = e.s.app.ahora();
    // The first call as another process would have left it: the job under its lease, the answer provisional.
    let otro = Arriendo { quien: ProcesoId(e.s.app.id()), dura: Duration::from_secs(60) };
    let clave = Idempotencia {
        ambito: format!("POST {ruta}"),
        clave: "k".into(),
        cuerpo_sha256: Sha256::digest(cuerpo.to_string()).into(),
        outcome: Outcome::Ingested { fotos: 0, notas: 0, perfil_accepted: false, finalizado: None },
        trabajos: vec![trabajo],
        creada_en: en,
        expira_en: en + DIA,
    };
    let nuevo = NuevoTrabajo {
        id: trabajo,
        tipo: TipoTrabajo::Perfil,
        carga: CargaNueva::Perfil,
        arriendo: Some(otro),
        proximo_en: None,
    };
    let command =
        RecordEvento { lead: id, evento: None, trabajos: vec![nuevo], en, idempotencia: Some(clave) };
    e.s.app.store.record_evento(command).await.unwrap();
    e.s.post_keyed(&ruta, "k", &cuerpo).await.problema(409);
    // It failed, waited, and its work came back.
    e.s.app.store.release(otro.quien).await.unwrap();
    e.receiver.manners([Manner::estado(500)]);
    assert_eq!(e.pass(SignedDuration::ZERO).await, 1);
    e.reloj.advance(SignedDuration::from_secs(1));
    e.s.post(&ruta, &json!({ "items": [render()] })).await.con(200);
    assert_eq!(e.trabajos(EstadoTrabajo::Hecho).await, 1);
    let r = e.s.post_keyed(&ruta, "k", &cuerpo).await;
    assert_eq!(r.cabecera("idempotency-replayed"), Some("true"));
    assert_eq!(r.con(200)["perfilSenalado"], false);
}

/// A job whose receiver is not configured waits, whatever the time; it costs no attempt and is there when it is.
async fn what_nobody_is_configured_to_receive_is_held(motor: Engine) {
    let e = Scene::con(motor, |m| {
        m.outbound.perfil = None;
        m.outbound.mensajeria = None;
    })
    .await;
    let lead = LeadId::parse(&e.s.lead().await).unwrap();
    // Made by a process that had a receiver.
    let tipos = [TipoTrabajo::Perfil, TipoTrabajo::Mensajeria, TipoTrabajo::CorreoCliente];
    let trabajos = tipos.map(|tipo| NuevoTrabajo {
        id: TrabajoId(e.s.app.id()),
        tipo,
        carga: if tipo == TipoTrabajo::Perfil { CargaNueva::Perfil } else { CargaNueva::Mensajeria },
        arriendo: None,
        proximo_en: None,
    });
    let en = e.s.app.ahora();
    let trabajos = RecordEvento { lead, evento: None, trabajos: trabajos.into(), en, idempotencia: None };
    e.s.app.store.record_evento(trabajos).await.unwrap();
    assert_eq!(e.pass(DIA * 30).await, 0);
    let filtro = FiltroTrabajos { lead: Some(lead), ..FiltroTrabajos::default() };
    let todos = e.s.app.store.list_trabajos(filtro, None, 10).await.unwrap();
    assert!(todos.iter().all(|t| t.estado == EstadoTrabajo::Pendiente && t.intentos == 0), "{todos:?}");
    assert_eq!(e.receiver.received().len(), 0);
}

async fn a_signal_that_is_too_long_says_so(motor: Engine) {
    let e = Scene::en(motor).await;
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::estado(500)]);
    let foto = data_uri(&fake_jpeg(1, 13 << 20));
    let cuerpo = json!({ "perfilCompleto": true, "items": [{ "tipo": "foto", "imagen": foto }] });
    let r = e.s.post(&format!("/api/leads/{lead}/ingesta"), &cuerpo).await.con(200);
    assert_eq!(r["perfilSenalado"], false);
    let ficha = e.s.ficha(&lead).await;
    let evento =
        ficha["eventos"].as_array().unwrap().iter().find(|e| e["tipo"] == "perfil_completo").unwrap();
    let trabajo = e.s.app.store.list_trabajos(FiltroTrabajos::default(), None, 1).await.unwrap().remove(0);
    for dicho in [evento["detalle"].as_str().unwrap(), trabajo.ultimo_error.as_deref().unwrap()] {
        assert!(
            dicho.contains("contestó 500") && dicho.contains("17,3 MB") && dicho.contains("PUBLIC_URL"),
            "{dicho}"
        );
    }
}

async fn nothing_configured_is_simulated(motor: Engine) {
    let s = Server::arrancar(motor).await;
    let lead = s.lead().await;
    let r = s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "perfilCompleto": true })).await.con(200);
    assert_eq!(r["perfilSenalado"], false);
    let r = s.post_text(&format!("/api/leads/{lead}/mensajeria"), "").await.con(200);
    assert_eq!(r["senal"], false);
    let ficha = s.ficha(&lead).await;
    assert_eq!(
        (eventos(&ficha, "perfil_completo"), eventos(&ficha, "mensajeria")),
        (vec![(false, true)], vec![(false, true)])
    );
    assert_eq!(s.app.store.list_trabajos(FiltroTrabajos::default(), None, 10).await.unwrap(), []);
    assert_eq!(ficha["bucle"], json!(null), "what was never sent is not waited for");
}

async fn with_a_secret_every_attempt_is_signed(motor: Engine) {
    let secretos = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let e = Scene::con(motor, |m| {
        let opciones = Opciones { secretos: Secretos::leer(secretos).unwrap(), ..Opciones::default() };
        m.outbound.webhooks = Webhooks::new(opciones).unwrap();
    })
    .await;
    let lead = e.s.lead().await;
    assert!(e.complete_perfil(&lead).await);
    let recibida = e.receiver.received().remove(0);
    let id = recibida.cabecera("webhook-id").unwrap();
    let segundo: i64 = recibida.cabecera("webhook-timestamp").unwrap().parse().unwrap();
    let mut firmante = Secretos::leer(secretos).unwrap().firmante(id, segundo);
    firmante.update(&recibida.cuerpo);
    assert_eq!(recibida.cabecera("webhook-signature"), firmante.cabecera().as_deref());
}

async fn a_receiver_that_hangs_does_not_hold_the_answer(motor: Engine) {
    let e = Scene::con(motor, |m| m.outbound.espera = Duration::from_millis(100)).await;
    let lead = e.s.lead().await;
    e.receiver.manners([Manner::Tarde]);
    assert!(!e.complete_perfil(&lead).await, "not known in time");
    assert_eq!(e.trabajos(EstadoTrabajo::Pendiente).await, 1, "the attempt goes on");
    e.receiver.soltar();
    e.s.app.worker().run_jobs().await.unwrap();
    assert_eq!((e.trabajos(EstadoTrabajo::Hecho).await, e.receiver.received().len()), (1, 1));
    assert_eq!(eventos(&e.s.ficha(&lead).await, "perfil_completo"), [(true, false)]);
}

async fn with_a_public_url_photos_become_links_that_expire(motor: Engine) {
    let e = Scene::con(motor, |m| {
        let enlaces = Enlaces::new(b"un secreto de sobra largo");
        m.outbound.enlaces = Some(ConEnlaces { enlaces, public_url: "https://leads.ejemplo.es".into() });
    })
    .await;
    let lead = e.s.lead().await;
    let bytes = fake_jpeg(5, 2_000);
    let cuerpo = json!({ "perfilCompleto": true, "items": [
        { "tipo": "foto", "imagen": data_uri(&bytes) },
        { "tipo": "foto", "imagen": "https://ejemplo.es/b.jpg" },
        { "tipo": "foto", "imagen": "data:image/svg+xml;base64,PHN2Zy8+" },
    ] });
    e.s.post(&format!("/api/leads/{lead}/ingesta"), &cuerpo).await.con(200);
    let fotos = e.receiver.received().remove(0).json()["zonas"][0]["fotos"]["antes"].clone();
    assert_eq!(fotos[1], "https://ejemplo.es/b.jpg");
    let ruta =
        |n: usize| fotos[n].as_str().unwrap().strip_prefix("https://leads.ejemplo.es").unwrap().to_owned();
    let abrir = async |ruta: String| e.s.cliente.get(e.s.url(&ruta)).send().await.unwrap();
    let foto = abrir(ruta(0)).await;
    assert_eq!(
        (foto.status().as_u16(), foto.headers()["content-type"].to_str().unwrap()),
        (200, "image/jpeg")
    );
    assert_eq!(foto.bytes().await.unwrap(), bytes);
    let svg = abrir(ruta(2)).await;
    assert_eq!(
        svg.headers()["content-type"],
        "application/octet-stream",
        "nothing that could run keeps its type"
    );
    for falsa in
        [ruta(0) + "x", ruta(0).replace("caduca=", "caduca=9"), ruta(0).split('?').next().unwrap().to_owned()]
    {
        assert_eq!(abrir(falsa).await.status().as_u16(), 404);
    }
    e.reloj.advance(DIA * 7);
    assert_eq!(abrir(ruta(0)).await.status().as_u16(), 404);
}

async fn the_loop_signals_again_as_often_as_wanted_and_never_once_it_moved_on(motor: Engine) {
    let e = Scene::con(motor, |m| m.outbound.resenales = 2).await;
    let lead = e.s.lead().await;
    e.complete_perfil(&lead).await;
    for esperadas in [2, 3, 3] {
        e.reloj.advance(SignedDuration::from_hours(3));
        e.s.app.housekeeping().watch_loops().await.unwrap();
        e.pass(SignedDuration::ZERO).await;
        assert_eq!(e.receiver.received().len(), esperadas);
    }
    let ids = ids(&e.receiver);
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "each its own id");
    let render =
        json!({ "items": [{ "tipo": "foto", "imagen": "https://ejemplo.es/r.jpg", "momento": "despues" }] });
    e.s.post(&format!("/api/leads/{lead}/ingesta"), &render).await.con(200);
    e.reloj.advance(SignedDuration::from_hours(3));
    e.s.app.housekeeping().watch_loops().await.unwrap();
    e.pass(SignedDuration::ZERO).await;
    assert_eq!(e.receiver.received().len(), 3, "the renders came");
}

async fn a_dead_receiver_is_not_hammered_and_first_attempts_go_through(motor: Engine) {
    let e = Scene::en(motor).await;
    e.receiver.siempre(Manner::estado(500));
    for _ in 0..8 {
        assert!(!e.complete_perfil(&e.s.lead().await).await);
    }
    assert_eq!(e.receiver.received().len(), 8, "no first attempt is held back");
    e.pass(SignedDuration::from_secs(10)).await;
    assert_eq!(e.receiver.received().len(), 8, "retries wait while the receiver is known to be down");
    e.pass(SignedDuration::from_mins(10)).await;
    assert_eq!(e.receiver.received().len(), 9, "one looks whether it is back");
    e.receiver.siempre(Manner::Ok);
    e.pass(SignedDuration::from_hours(1)).await;
    assert_eq!(e.trabajos(EstadoTrabajo::Hecho).await, 8);
}

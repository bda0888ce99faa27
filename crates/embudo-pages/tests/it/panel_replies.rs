//! A person answers a client from the lead's page: by mail, by messaging through the company's workflow, or with their
//! own WhatsApp.

use embudo_app::{Actor, OutboundMail, Reach};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::webhook::Options;
use embudo_delivery::{Mail, Secrets, Webhooks};
use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::next_action::ActionKind;
use embudo_domain::rights::ErasureReason;
use embudo_domain::role::Role;
use embudo_store::audit::AuditFilter;
use embudo_testkit::mailbox::Treatment;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Mailbox, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::panel_envios::{newest, state};
use crate::person::{Browser, PanelPage, add};

both_engines!(
    a_reply_by_mail_goes_out_and_shows_its_state,
    a_reply_by_messaging_is_signed_and_confirmed_by_its_turn,
    a_reply_expires_with_the_window,
    a_paused_reply_expires_too,
    without_a_workflow_whatsapp_is_offered,
    a_form_sent_twice_sends_once,
    what_cannot_be_sent_comes_back_with_its_text,
    who_only_reads_sees_no_box,
    a_conversation_is_taken_over_and_given_back,
    a_reply_goes_with_its_person,
);

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Whether a workflow receives the replies.
#[derive(Clone, Copy, PartialEq)]
enum Workflow {
    Connected,
    Absent,
}

/// A server with mail, and with or without a workflow that sends replies. Luisa may write to clients.
async fn office(engine: Engine, workflow: Workflow) -> (Scene, Mailbox) {
    let mailbox = Mailbox::start().await;
    let (host, port) = (mailbox.address.ip().to_string(), mailbox.address.port());
    let scene = Scene::with(engine, |m| {
        let cliente = Mail::new(SmtpSettings::new(host, port, Tls::None)).unwrap();
        m.outbound.mail =
            Some(OutboundMail { client: cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        m.outbound.reply = m.outbound.perfil.clone().filter(|_| workflow == Workflow::Connected);
        let options = Options { secrets: Secrets::read(SECRET).unwrap(), ..Options::default() };
        m.outbound.webhooks = Webhooks::new(options).unwrap();
    })
    .await;
    add(&scene, "luisa@ejemplo.es", Some(Role::Comercial), None).await;
    (scene, mailbox)
}

/// A lead that has just written.
async fn asking(scene: &Scene) -> String {
    let lead = scene.server.lead().await;
    let turn = json!({ "rol": "user", "mensaje": "¿Cabe un plato de ducha?" });
    scene.server.post(&format!("/api/leads/{lead}/conversacion"), &turn).await.with(200);
    lead
}

async fn answer(who: &Browser<'_>, lead: &str, canal: &str, text: &str) -> embudo_testkit::Answered {
    let once = Uuid::now_v7().to_string();
    let fields = [("vez", once.as_str()), ("canal", canal), ("respuesta", text)];
    who.post(&format!("/panel/leads/{lead}/mensajes"), &fields).await
}

async fn page(who: &Browser<'_>, lead: &str) -> String {
    who.get(&format!("/panel/leads/{lead}")).await.panel(200)
}

/// Whether the client is waiting for an answer.
async fn has_to_answer(scene: &Scene, lead: &str) -> bool {
    let lead = LeadId::parse(lead).unwrap();
    let next = scene.server.app.store.outlook(vec![lead]).await.unwrap().at(scene.server.app.now());
    next.is_some_and(|action| action.kind == ActionKind::Answer)
}

async fn logged(scene: &Scene, action: AuditAction) -> Vec<Option<String>> {
    let log = scene.server.app.store.audit_log(AuditFilter::default(), None, 100).await.unwrap();
    log.into_iter().filter(|entry| entry.action == action).map(|entry| entry.after).collect()
}

async fn a_reply_by_mail_goes_out_and_shows_its_state(engine: Engine) {
    let (scene, mailbox) = office(engine, Workflow::Connected).await;
    let luisa = Browser::signed(&scene, "luisa@ejemplo.es").await;
    let lead = asking(&scene).await;
    assert!(has_to_answer(&scene, &lead).await);
    let shown = page(&luisa, &lead).await;
    assert!(shown.contains("Si contesta, llega al buzón embudo@ejemplo.es."), "{shown}");
    let text = "Sí, cabe.\n\nTe llamo <mañana>.";
    answer(&luisa, &lead, "correo", text).await.to(&format!("/panel/leads/{lead}?hecho=respuesta#responder"));
    assert!(!has_to_answer(&scene, &lead).await, "it is on its way");
    assert!(page(&luisa, &lead).await.contains("pendiente"));
    mailbox.treatments([Treatment::Rcpt("451 4.3.0 luego")]);
    scene.pass(SignedDuration::ZERO).await;
    scene.pass(SignedDuration::from_secs(10)).await;
    let message = mailbox.await_messages(1).await.remove(0);
    assert_eq!(message.subject(), "Sobre tu reforma: mensaje de Reformas Peña");
    assert!(message.header("Reply-To").is_none_or(|to| to.contains("embudo@ejemplo.es")));
    let plain = message.part("text/plain").unwrap();
    assert!(plain.contains("Te llamo <mañana>.") && plain.contains("Ana García"), "{plain}");
    let html = message.part("text/html").unwrap();
    assert!(html.contains("Te llamo &lt;mañana&gt;."), "{html}");
    let shown = page(&luisa, &lead).await;
    assert!(shown.contains("Ana García, por correo") && shown.contains("enviado"), "{shown}");
    assert_eq!(logged(&scene, AuditAction::LeadReplied).await, [Some("correo".to_owned())]);
    // A mail that was refused for good does not count as an answer.
    let other = asking(&scene).await;
    mailbox.treatments([Treatment::Rcpt("550 5.1.1 no existe")]);
    answer(&luisa, &other, "correo", "Hola").await;
    scene.pass(SignedDuration::ZERO).await;
    assert_eq!(newest(&scene, JobKind::ReplyMail).await.state, JobState::Dead);
    assert!(page(&luisa, &other).await.contains("no se pudo enviar"));
    assert!(has_to_answer(&scene, &other).await);
}

async fn a_reply_by_messaging_is_signed_and_confirmed_by_its_turn(engine: Engine) {
    let (scene, _mailbox) = office(engine, Workflow::Connected).await;
    let luisa = Browser::signed(&scene, "luisa@ejemplo.es").await;
    let lead = asking(&scene).await;
    scene.receiver.manners([Manner::state(503)]);
    answer(&luisa, &lead, "mensajeria", "Sí, cabe.").await;
    scene.pass(SignedDuration::ZERO).await;
    scene.pass(SignedDuration::from_secs(6)).await;
    let received = scene.receiver.await_requests(2).await;
    let body = received[1].json();
    let id = body["mensajeId"].as_str().unwrap().to_owned();
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_eq!(received[1].header("webhook-id"), Some(id.as_str()));
    let at = received[1].header("webhook-timestamp").unwrap().parse().unwrap();
    let mut signer = Secrets::read(SECRET).unwrap().signer(&id, at);
    signer.update(&received[1].body);
    assert_eq!(received[1].header("webhook-signature"), signer.header().as_deref());
    let record = scene.server.record(&lead).await;
    let caduca = body["caduca"].as_str().unwrap().to_owned();
    assert!(caduca.parse::<jiff::Timestamp>().is_ok() && caduca.ends_with('Z'), "{caduca}");
    let expected = json!({
        "mensajeId": id, "leadId": lead, "telefono": record["telefonoE164"], "nombre": record["nombre"],
        "empresa": "Reformas Peña", "texto": "Sí, cabe.", "autor": "Ana García", "caduca": caduca,
    });
    assert_eq!(body, expected);
    assert_eq!(record["atendidoPor"]["nombre"], "Ana García");
    assert!(page(&luisa, &lead).await.contains("aún no lo ha confirmado"));
    scene.clock.advance(SignedDuration::from_mins(11));
    let late = page(&luisa, &lead).await;
    assert!(late.contains("El mensaje salió, pero tu automatización no lo ha confirmado"), "{late}");
    assert!(!has_to_answer(&scene, &lead).await);
    let turn = json!({ "rol": "assistant", "mensaje": "Sí, cabe." });
    let path = format!("/api/leads/{lead}/conversacion");
    scene.server.post_keyed(&path, &id, &turn).await.with(200);
    scene.server.post_keyed(&path, &id, &turn).await.with(200);
    let shown = page(&luisa, &lead).await;
    assert!(
        !shown.contains("no lo ha confirmado") && shown.contains("Ana García, por mensajería"),
        "{shown}"
    );
    assert_eq!(shown.matches("Sí, cabe.").count(), 1, "the turn is the reply");
    let record = scene.server.record(&lead).await;
    assert_eq!(record["conversacion"].as_array().unwrap().len(), 2, "the bot reads both turns");
    let shown = outbox_of_a_manager(&scene).await;
    assert!(shown.contains("Respuesta por mensajería"), "{shown}");
}

/// The outbox as a manager sees it.
async fn outbox_of_a_manager(scene: &Scene) -> String {
    add(scene, "marta@ejemplo.es", Some(Role::Gestor), None).await;
    let marta = Browser::signed(scene, "marta@ejemplo.es").await;
    let job = newest(scene, JobKind::Reply).await;
    let detail = marta.get(&format!("/panel/envios/{}", job.id)).await.panel(200);
    assert!(detail.contains("mensajeId") && detail.contains("webhook-id"), "{detail}");
    marta.get("/panel/envios").await.panel(200)
}

async fn a_reply_expires_with_the_window(engine: Engine) {
    let (scene, _mailbox) = office(engine, Workflow::Connected).await;
    let lead = asking(&scene).await;
    scene.clock.advance(SignedDuration::from_hours(22));
    let luisa = Browser::signed(&scene, "luisa@ejemplo.es").await;
    scene.receiver.always(Manner::state(500));
    answer(&luisa, &lead, "mensajeria", "Sí, cabe.").await;
    for _ in 0..12 {
        scene.pass(SignedDuration::from_mins(15)).await;
    }
    let job = newest(&scene, JobKind::Reply).await;
    assert_eq!(job.state, JobState::Expired);
    let attempts = scene.receiver.received().len();
    scene.pass(SignedDuration::from_hours(48)).await;
    assert_eq!(scene.receiver.received().len(), attempts, "it is not tried for days");
    let luisa = Browser::signed(&scene, "luisa@ejemplo.es").await;
    let shown = page(&luisa, &lead).await;
    assert!(shown.contains("caducado: no salió a tiempo"), "{shown}");
    assert!(shown.contains("Cerrada: han pasado más de 24 horas"), "{shown}");
    assert!(has_to_answer(&scene, &lead).await, "nobody answered");
    // The box refuses the reply because the messaging window is closed, and keeps the text.
    let back = answer(&luisa, &lead, "mensajeria", "¿Sigues ahí?").await.panel(422);
    assert!(back.contains("Ya no se puede por mensajería") && back.contains("¿Sigues ahí?"), "{back}");
}

async fn a_paused_reply_expires_too(engine: Engine) {
    let (scene, _mailbox) = office(engine, Workflow::Connected).await;
    add(&scene, "marta@ejemplo.es", Some(Role::Gestor), None).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let lead = asking(&scene).await;
    let pause = [("destino", "respuesta"), ("accion", "pausar")];
    marta.post("/panel/envios/destinos", &pause).await.to("/panel/envios?hecho=pausa");
    answer(&marta, &lead, "mensajeria", "Sí, cabe.").await;
    scene.pass(SignedDuration::from_mins(5)).await;
    assert_eq!(scene.receiver.received().len(), 0, "it is held");
    scene.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(scene.server.app.housekeeping().expire_replies().await.unwrap(), 1);
    let job = newest(&scene, JobKind::Reply).await;
    assert_eq!(state(&scene, &job).await, JobState::Expired);
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let resume = [("destino", "respuesta"), ("accion", "reanudar")];
    marta.post("/panel/envios/destinos", &resume).await;
    scene.pass(SignedDuration::from_mins(5)).await;
    assert_eq!(scene.receiver.received().len(), 0);
    assert!(has_to_answer(&scene, &lead).await);
}

async fn without_a_workflow_whatsapp_is_offered(engine: Engine) {
    let (scene, _mailbox) = office(engine, Workflow::Absent).await;
    let luisa = Browser::signed(&scene, "luisa@ejemplo.es").await;
    let lead = asking(&scene).await;
    let shown = page(&luisa, &lead).await;
    assert!(
        shown.contains(r#"value="whatsapp" checked"#) && !shown.contains(r#"value="mensajeria""#),
        "{shown}"
    );
    let to = answer(&luisa, &lead, "whatsapp", "Sí & no").await;
    to.to(&format!("/panel/leads/{lead}?hecho=respuesta-preparada#responder"));
    let shown = page(&luisa, &lead).await;
    let digits = scene.server.record(&lead).await["telefonoE164"].as_str().unwrap()[1..].to_owned();
    assert!(shown.contains(&format!("https://wa.me/{digits}?text=S%C3%AD%20%26%20no")), "{shown}");
    assert!(has_to_answer(&scene, &lead).await, "nobody sent it yet");
    let prepared = scene.server.app.store.prepared_replies(LeadId::parse(&lead).unwrap()).await.unwrap();
    let mark = format!("/panel/leads/{lead}/mensajes/{}/enviado", prepared[0].id);
    luisa
        .post(&mark, &[("hecho", "si")])
        .await
        .to(&format!("/panel/leads/{lead}?hecho=respuesta-enviada#responder"));
    assert!(!has_to_answer(&scene, &lead).await);
    let shown = page(&luisa, &lead).await;
    assert!(shown.contains("apuntado como enviado") && !shown.contains("Preparado para WhatsApp"), "{shown}");
    assert_eq!(scene.receiver.received().len(), 0);
}

async fn a_form_sent_twice_sends_once(engine: Engine) {
    let (scene, mailbox) = office(engine, Workflow::Connected).await;
    let luisa = Browser::signed(&scene, "luisa@ejemplo.es").await;
    let lead = asking(&scene).await;
    let once = Uuid::now_v7().to_string();
    let fields = [("vez", once.as_str()), ("canal", "correo"), ("respuesta", "Hola")];
    let path = format!("/panel/leads/{lead}/mensajes");
    let two = tokio::join!(luisa.post(&path, &fields), luisa.post(&path, &fields));
    assert_eq!((two.0.status.as_u16(), two.1.status.as_u16()), (303, 303));
    luisa.post(&path, &fields).await.to(&format!("/panel/leads/{lead}?hecho=respuesta-repetida#responder"));
    scene.pass(SignedDuration::ZERO).await;
    scene.pass(SignedDuration::from_mins(1)).await;
    assert_eq!(mailbox.messages().len(), 1);
    assert_eq!(scene.server.app.store.replies_of(LeadId::parse(&lead).unwrap()).await.unwrap().len(), 1);
}

async fn what_cannot_be_sent_comes_back_with_its_text(engine: Engine) {
    let (scene, _mailbox) = office(engine, Workflow::Connected).await;
    let luisa = Browser::signed(&scene, "luisa@ejemplo.es").await;
    let lead = scene.server.lead().await;
    let shown = page(&luisa, &lead).await;
    assert!(shown.contains("Cerrada: el cliente aún no ha escrito."), "{shown}");
    assert!(shown.contains(r#"value="correo" checked"#), "mail is what is left: {shown}");
    for (canal, text, mistake) in [
        ("correo", "  ", "Escribe el mensaje."),
        ("correo", &"a".repeat(4_001), "Es demasiado largo"),
        ("mensajeria", "Hola", "Ya no se puede por mensajería"),
        ("paloma", "Hola", "Elige por dónde se envía."),
    ] {
        let back = answer(&luisa, &lead, canal, text).await.panel(422);
        assert!(back.contains(mistake), "{mistake}: {back}");
    }
    let path = format!("/panel/leads/{lead}/mensajes");
    luisa.post(&path, &[("canal", "correo"), ("respuesta", "Hola")]).await.panel(422);
    let nobody = format!("/panel/leads/{lead}/mensajes/{}/enviado", Uuid::now_v7());
    assert_eq!(luisa.post(&nobody, &[]).await.status.as_u16(), 303, "nothing is marked");
    assert!(scene.server.app.store.replies_of(LeadId::parse(&lead).unwrap()).await.unwrap().is_empty());
}

async fn who_only_reads_sees_no_box(engine: Engine) {
    let (scene, _mailbox) = office(engine, Workflow::Connected).await;
    add(&scene, "lector@ejemplo.es", Some(Role::Lectura), None).await;
    let reader = Browser::signed(&scene, "lector@ejemplo.es").await;
    let lead = asking(&scene).await;
    let shown = page(&reader, &lead).await;
    assert!(shown.contains("Atiende el asistente") && !shown.contains("/mensajes\""), "{shown}");
    assert_eq!(answer(&reader, &lead, "correo", "Hola").await.status.as_u16(), 403);
    let over = format!("/panel/leads/{lead}/atender");
    assert_eq!(reader.post(&over, &[("que", "tomar"), ("visto", "")]).await.status.as_u16(), 403);
}

async fn a_conversation_is_taken_over_and_given_back(engine: Engine) {
    let (scene, _mailbox) = office(engine, Workflow::Connected).await;
    let marta = add(&scene, "marta@ejemplo.es", Some(Role::Gestor), None).await;
    let [luisa, other] = [
        Browser::signed(&scene, "luisa@ejemplo.es").await,
        Browser::signed(&scene, "marta@ejemplo.es").await,
    ];
    let lead = asking(&scene).await;
    let attended = async || scene.server.record(&lead).await["atendidoPor"].clone();
    assert_eq!(attended().await, Value::Null);
    let path = format!("/panel/leads/{lead}/atender");
    let done = |said: &str| format!("/panel/leads/{lead}?hecho={said}#responder");
    luisa.post(&path, &[("que", "tomar"), ("visto", "")]).await.to(&done("atiendes"));
    assert_eq!(attended().await["nombre"], "Ana García");
    assert!(page(&luisa, &lead).await.contains("Atiendes tú"));
    let stale = other.post(&path, &[("que", "tomar"), ("visto", "")]).await.panel(409);
    assert!(stale.contains("Alguien ha cambiado mientras tanto"), "{stale}");
    let luisa_id = scene
        .server
        .app
        .store
        .attention(LeadId::parse(&lead).unwrap(), scene.server.app.now())
        .await
        .unwrap();
    let seen = luisa_id.unwrap().who.to_string();
    other.post(&path, &[("que", "tomar"), ("visto", &seen)]).await.to(&done("atiendes"));
    other.post(&path, &[("que", "devolver"), ("visto", &marta.id.to_string())]).await.to(&done("devuelto"));
    assert_eq!(attended().await, Value::Null);
    luisa.post(&path, &[("que", "tomar"), ("visto", "")]).await.to(&done("atiendes"));
    scene.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(attended().await, Value::Null, "a day later the bot answers");
    assert_eq!(logged(&scene, AuditAction::LeadTakenOver).await.len(), 3);
    assert_eq!(logged(&scene, AuditAction::LeadGivenBack).await.len(), 1);
}

async fn a_reply_goes_with_its_person(engine: Engine) {
    let (scene, mailbox) = office(engine, Workflow::Connected).await;
    let luisa = Browser::signed(&scene, "luisa@ejemplo.es").await;
    let lead = asking(&scene).await;
    answer(&luisa, &lead, "correo", "Ximena Quetzal").await;
    let id = LeadId::parse(&lead).unwrap();
    let app = scene.server.app.clone();
    app.rights().erase(id, Reach::Alone, ErasureReason::Asked, &Actor::command()).await.unwrap();
    assert!(app.store.replies_of(id).await.unwrap().is_empty());
    scene.pass(SignedDuration::from_mins(5)).await;
    assert_eq!(mailbox.messages().len(), 0, "nothing is left to be sent");
}

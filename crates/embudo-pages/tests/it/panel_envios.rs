//! The outbox in the panel: who may see it, what it shows, and its actions.

use embudo_app::OutboundMail;
use embudo_delivery::Mail;
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_domain::audit::AuditAction;
use embudo_domain::job::{Job, JobKind, JobState};
use embudo_domain::role::Role;
use embudo_store::audit::AuditFilter;
use embudo_store::outbox_admin::JobFilter;
use embudo_testkit::mailbox::Treatment;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Mailbox, Scene, both_engines, data_uri, jpeg};
use jiff::SignedDuration;
use serde_json::json;

use crate::person::{Browser, PanelPage, add, another_company};

both_engines!(
    managers_see_their_own_companys_outbox,
    a_list_tells_what_stands_where_and_nothing_personal,
    filters_and_pages_find_their_own,
    what_strangers_answer_is_text,
    attempts_are_told_with_headers_and_a_short_body,
    what_failed_is_sent_again_or_discarded,
    what_was_done_is_repeated_by_a_job_of_its_own,
    a_parked_mail_is_a_persons_decision,
    the_rail_tells_of_what_needs_a_person,
);

/// A server whose mails go to a mailbox, with the manager `marta@ejemplo.es`.
pub async fn office(engine: Engine) -> (Scene, Mailbox) {
    let mailbox = Mailbox::start().await;
    let (host, port) = (mailbox.address.ip().to_string(), mailbox.address.port());
    let scene = Scene::with(engine, |m| {
        let client = Mail::new(SmtpSettings::new(host, port, Tls::None)).unwrap();
        m.outbound.mail = Some(OutboundMail { client, from: "embudo@ejemplo.es".into(), from_name: None });
    })
    .await;
    add(&scene, "marta@ejemplo.es", Some(Role::Gestor), None).await;
    (scene, mailbox)
}

/// The newest job of a kind.
pub async fn newest(scene: &Scene, kind: JobKind) -> Job {
    let filter = JobFilter { kind: Some(kind), ..JobFilter::default() };
    scene.server.app.store.list_jobs(filter, None, 1).await.unwrap().remove(0)
}

pub async fn state(scene: &Scene, job: &Job) -> JobState {
    scene.server.app.store.job(job.id).await.unwrap().0.state
}

/// The actions in the audit log, newest first, without those before `JobRetried` in the enum (such as sign-ins).
pub async fn done(scene: &Scene) -> Vec<AuditAction> {
    let log = scene.server.app.store.audit_log(AuditFilter::default(), None, 100).await.unwrap();
    log.into_iter().map(|entry| entry.action).filter(|a| *a as u8 >= AuditAction::JobRetried as u8).collect()
}

/// A signal that its receiver refused for good.
async fn dead_signal(scene: &Scene, lead: &str) -> Job {
    scene.receiver.manners([Manner::state(410)]);
    scene.complete_perfil(lead).await;
    newest(scene, JobKind::Perfil).await
}

async fn managers_see_their_own_companys_outbox(engine: Engine) {
    let (scene, _mailbox) = office(engine).await;
    let other = another_company(&scene).await;
    let job = dead_signal(&scene, &scene.server.lead().await).await;
    let page = format!("/panel/envios/{}", job.id);
    let nobody = Browser::new(&scene);
    nobody.get("/panel/envios").await.to("/panel/entrar?a=%2Fpanel%2Fenvios");
    for role in [Role::Lectura, Role::Comercial] {
        let email = format!("{role}@ejemplo.es");
        add(&scene, &email, Some(role), None).await;
        let low = Browser::signed(&scene, &email).await;
        for path in ["/panel/envios", &page] {
            assert_eq!(low.get(path).await.status.as_u16(), 403);
        }
        for action in ["reintentar", "descartar", "dar-por-enviado", "repetir"] {
            assert_eq!(low.post(&format!("{page}/{action}"), &[]).await.status.as_u16(), 403);
        }
        let pause = [("destino", "perfil"), ("accion", "pausar")];
        assert_eq!(low.post("/panel/envios/destinos", &pause).await.status.as_u16(), 403);
    }
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let foreign = Browser::signed(&scene, "ajena@ejemplo.es").await;
    let list = foreign.get("/panel/envios").await.panel(200);
    assert!(list.contains("Aún no ha salido nada") && !list.contains("Ana García</a>"));
    assert_eq!(foreign.get(&page).await.status.as_u16(), 404);
    for action in ["reintentar", "descartar", "dar-por-enviado", "repetir"] {
        assert_eq!(foreign.post(&format!("{page}/{action}"), &[]).await.status.as_u16(), 404);
    }
    let own = Browser::signed(&scene, "marta@ejemplo.es").await;
    assert!(own.get("/panel/envios").await.panel(200).contains("Ana García</a>"));
    own.get(&page).await.panel(200);
    for path in ["/panel/envios/nada", "/panel/envios/0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b"] {
        assert_eq!(own.get(path).await.status.as_u16(), 404);
    }
    assert_eq!((state(&scene, &job).await, done(&scene).await), (JobState::Dead, vec![]));
}

async fn a_list_tells_what_stands_where_and_nothing_personal(engine: Engine) {
    let (scene, mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    assert!(marta.get("/panel/envios").await.panel(200).contains("Aún no ha salido nada"));
    let lead = scene.server.lead().await;
    dead_signal(&scene, &lead).await;
    mailbox.treatments([Treatment::Rcpt("550 <ana@ejemplo.es>: no such user")]);
    scene.receiver.manners([Manner::state(503)]);
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let list = marta.get("/panel/envios").await.panel(200);
    for words in [
        "Señal de perfil",
        "Presupuesto por mensajería",
        "Correo al cliente",
        "Preparación del presupuesto",
        "Reintentando",
        "Sin entregar",
        "El receptor no quiere más avisos (410).",
        "El receptor contestó 503.",
        "1 intento · siguiente en 5 s",
        "«dirección»",
        &format!(r#"href="/panel/leads/{lead}""#),
    ] {
        assert!(list.contains(words), "{words} in {list}");
    }
    for personal in ["ana@ejemplo.es", "612345678", "612 34", "pdfBase64", "data:image"] {
        assert!(!list.contains(personal), "{personal}");
    }
}

async fn filters_and_pages_find_their_own(engine: Engine) {
    let (scene, _mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let lead = scene.server.lead().await;
    dead_signal(&scene, &lead).await;
    for _ in 0..52 {
        scene.server.post_text(&format!("/api/leads/{lead}/mensajeria"), "").await.with(200);
        scene.clock.advance(SignedDuration::from_secs(1));
    }
    let rows = |page: &str| page.matches("envio-titulo").count();
    let first = marta.get("/panel/envios?tipo=mensajeria").await.panel(200);
    assert_eq!(rows(&first), 50);
    let at = first.find("/panel/envios?tipo=mensajeria&#38;desde=").unwrap();
    let next = first[at..].split('"').next().unwrap().replace("&#38;", "&");
    assert_eq!(rows(&marta.get(&next).await.panel(200)), 2);
    let dead = marta.get("/panel/envios?estado=muerto").await.panel(200);
    assert!(rows(&dead) == 1 && dead.contains(r#"Hechos <span class="pestana-cifra">52</span>"#), "{dead}");
    let none = marta.get("/panel/envios?estado=muerto&tipo=pdf").await.panel(200);
    assert!(rows(&none) == 0 && none.contains("Aquí no hay ninguno"));
    let odd = marta.get("/panel/envios?estado=%3Cscript%3E&tipo=x&desde=1-2").await.panel(200);
    assert_eq!(rows(&odd), 50);
}

async fn what_strangers_answer_is_text(engine: Engine) {
    let (scene, mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let evil = "<script>alert(1)</script><img src=x onerror=alert(2)>";
    let lead = scene.server.lead_with(json!({ "nombre": evil })).await;
    let body = format!("</code></pre>{evil}{}", "é".repeat(90_000));
    let answer = Manner::Responds { status: 500, headers: vec![], body: body.into_bytes() };
    scene.receiver.always(answer);
    mailbox.treatments([Treatment::Rcpt("450 <script>alert(3)</script>")]);
    scene.complete_perfil(&lead).await;
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let mut pages = vec![marta.get("/panel/envios").await.panel(200)];
    for kind in [JobKind::Perfil, JobKind::Pdf, JobKind::ClientMail] {
        let job = newest(&scene, kind).await;
        let page = marta.get(&format!("/panel/envios/{}", job.id)).await.panel(200);
        assert!(page.len() < 60_000, "{}", page.len());
        pages.push(page);
    }
    for page in pages {
        for live in ["<script>alert", "<img src=x", "</code></pre><script"] {
            assert!(!page.contains(live), "{live} in {page}");
        }
        assert!(page.contains("&#60;script&#62;alert("), "{page}");
    }
}

async fn attempts_are_told_with_headers_and_a_short_body(engine: Engine) {
    let (scene, _mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let lead = scene.server.lead().await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&jpeg(40, 30)), "zona": "bano" });
    let body = json!({ "items": [foto], "perfilCompleto": true });
    scene.receiver.manners([Manner::body("gracias")]);
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &body).await.with(200);
    let sent = scene.receiver.received().remove(0);
    let perfil = newest(&scene, JobKind::Perfil).await;
    let page = marta.get(&format!("/panel/envios/{}", perfil.id)).await.panel(200);
    for header in ["webhook-id", "webhook-timestamp", "content-type"] {
        let line = format!("{header}: {}", sent.header(header).unwrap());
        assert!(page.contains(&line), "{line} in {page}");
    }
    for words in ["«foto de", "&#34;leadId&#34;: ", "gracias", "200 aceptado", "127.0.0.1", "612345678"] {
        assert!(page.contains(words), "{words} in {page}");
    }
    assert!(!page.contains("base64,") && !page.contains("/gancho"));
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let pdf = newest(&scene, JobKind::Pdf).await;
    let page = marta.get(&format!("/panel/envios/{}", pdf.id)).await.panel(200);
    assert!(
        page.contains("&#34;pdfBase64&#34;: &#34;«PDF de ") && page.contains("presupuesto 2026-0001"),
        "{page}"
    );
    let mail = newest(&scene, JobKind::ClientMail).await;
    let page = marta.get(&format!("/panel/envios/{}", mail.id)).await.panel(200);
    for words in ["ana@ejemplo.es", "Tu presupuesto de", "presupuesto-2026-0001.pdf (", "250 aceptado"] {
        assert!(page.contains(words), "{words} in {page}");
    }
    let quote = newest(&scene, JobKind::Presupuesto).await;
    let page = marta.get(&format!("/panel/envios/{}", quote.id)).await.panel(200);
    assert!(page.contains("Nada sale de aquí") && !page.contains("Repetir el envío"));
    let path = format!("/panel/envios/{}/repetir", quote.id);
    marta.post(&path, &[]).await.to(&format!("/panel/envios/{}?hecho=tarde", quote.id));
}

async fn what_failed_is_sent_again_or_discarded(engine: Engine) {
    let (scene, _mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let lead = scene.server.lead().await;
    let job = dead_signal(&scene, &lead).await;
    let path = format!("/panel/envios/{}", job.id);
    let page = marta.get(&path).await.panel(200);
    assert!(page.contains("Enviar otra vez") && page.contains("El receptor ha dicho que no quiere más."));
    marta.post(&format!("{path}/descartar"), &[]).await.to(&format!("{path}?hecho=descartado"));
    assert_eq!(state(&scene, &job).await, JobState::Discarded);
    assert!(marta.get(&path).await.panel(200).contains("Enviar de todos modos"));
    marta.post(&format!("{path}/reintentar"), &[]).await.to(&format!("{path}?hecho=reintento"));
    assert_eq!(scene.pass(SignedDuration::ZERO).await, 1);
    assert_eq!((state(&scene, &job).await, scene.receiver.received().len()), (JobState::Done, 2));
    // A page that was loaded before the change has no effect.
    for action in ["reintentar", "descartar", "dar-por-enviado"] {
        marta.post(&format!("{path}/{action}"), &[]).await.to(&format!("{path}?hecho=tarde"));
    }
    assert_eq!(state(&scene, &job).await, JobState::Done);
    assert_eq!(done(&scene).await, [AuditAction::JobRetried, AuditAction::JobDiscarded]);
    // A job that waits for its next attempt is sent at once.
    scene.receiver.manners([Manner::state(500)]);
    scene.complete_perfil(&lead).await;
    let waiting = newest(&scene, JobKind::Perfil).await;
    let path = format!("/panel/envios/{}", waiting.id);
    assert!(marta.get(&path).await.panel(200).contains("Enviar ahora"));
    marta.post(&format!("{path}/reintentar"), &[]).await.to(&format!("{path}?hecho=reintento"));
    scene.pass(SignedDuration::ZERO).await;
    assert_eq!(state(&scene, &waiting).await, JobState::Done);
}

async fn what_was_done_is_repeated_by_a_job_of_its_own(engine: Engine) {
    let (scene, _mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let lead = scene.server.lead().await;
    scene.complete_perfil(&lead).await;
    let old = newest(&scene, JobKind::Perfil).await;
    let path = format!("/panel/envios/{}", old.id);
    assert!(marta.get(&path).await.panel(200).contains("Repetir el envío"));
    scene.clock.advance(SignedDuration::from_secs(60));
    let answer = marta.post(&format!("{path}/repetir"), &[]).await;
    let new = newest(&scene, JobKind::Perfil).await;
    answer.to(&format!("/panel/envios/{}?hecho=repetido", new.id));
    assert_eq!((new.repeats, &new.payload), (Some(old.id), &old.payload));
    scene.pass(SignedDuration::ZERO).await;
    let sent = scene.receiver.received();
    assert_eq!((sent.len(), &sent[0].body), (2, &sent[1].body));
    assert_eq!(sent[1].header("webhook-id"), Some(new.id.to_string().as_str()));
    let page = marta.get(&path).await.panel(200);
    assert!(page.contains(&format!("/panel/envios/{}", new.id)) && page.contains("Hay otro más nuevo"));
    assert!(!page.contains("Repetir el envío"));
    let page = marta.get(&format!("/panel/envios/{}", new.id)).await.panel(200);
    assert!(page.contains(&path) && page.contains("un envío anterior"));
    marta.post(&format!("{path}/repetir"), &[]).await.to(&format!("{path}?hecho=tarde"));
    assert_eq!(done(&scene).await, [AuditAction::JobRepeated]);
}

async fn a_parked_mail_is_a_persons_decision(engine: Engine) {
    let (scene, mailbox) = office(engine).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let park = async || {
        mailbox.treatments([Treatment::AcceptsAndCloses]);
        let lead = scene.server.lead().await;
        scene
            .server
            .post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true }))
            .await
            .with(200);
        newest(&scene, JobKind::ClientMail).await
    };
    let job = park().await;
    assert_eq!(state(&scene, &job).await, JobState::Parked);
    let path = format!("/panel/envios/{}", job.id);
    let page = marta.get(&path).await.panel(200);
    for words in ["Nadie sabe si el servidor lo aceptó", "Enviar otra vez", "Darlo por enviado"] {
        assert!(page.contains(words), "{words} in {page}");
    }
    marta.post(&format!("{path}/dar-por-enviado"), &[]).await.to(&format!("{path}?hecho=enviado"));
    assert_eq!((state(&scene, &job).await, mailbox.messages().len()), (JobState::Done, 1));
    scene.clock.advance(SignedDuration::from_secs(60));
    let job = park().await;
    let path = format!("/panel/envios/{}", job.id);
    marta.post(&format!("{path}/reintentar"), &[]).await.to(&format!("{path}?hecho=reintento"));
    scene.pass(SignedDuration::ZERO).await;
    assert_eq!((state(&scene, &job).await, mailbox.messages().len()), (JobState::Done, 3));
    assert_eq!(done(&scene).await, [AuditAction::JobRetried, AuditAction::JobTakenAsSent]);
}

async fn the_rail_tells_of_what_needs_a_person(engine: Engine) {
    let (scene, _mailbox) = office(engine).await;
    add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    let marta = Browser::signed(&scene, "marta@ejemplo.es").await;
    let luis = Browser::signed(&scene, "luis@ejemplo.es").await;
    assert!(!marta.get("/panel/cuenta").await.panel(200).contains("chapa"));
    dead_signal(&scene, &scene.server.lead().await).await;
    let badge = r#"<span class="chapa">1<span class="oculto"> por resolver</span></span>"#;
    assert!(marta.get("/panel/cuenta").await.panel(200).contains(badge));
    assert!(!luis.get("/panel/cuenta").await.panel(200).contains("chapa"));
}

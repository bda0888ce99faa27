//! The connections of a company: API keys, receivers of its signals, the sender of its mails; and samples for all of
//! them.

use embudo_app::OutboundMail;
use embudo_delivery::fetch::{Fetcher, Rules};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::{Mail, Secrets};
use embudo_domain::audit::AuditAction;
use embudo_domain::job::{Destination, JobKind, JobState};
use embudo_domain::role::Role;
use embudo_store::outbox_admin::JobFilter;
use embudo_testkit::receiver::{Manner, Received};
use embudo_testkit::{Engine, Mailbox, PATIENCE, Receiver, Scene, both_engines};
use serde_json::json;

use crate::panel_empresa::{log, manager};
use crate::person::{Browser, PASSWORD, PanelPage as _, add, another_company};
use crate::visitor::hidden;

both_engines!(
    a_key_is_shown_once_works_and_is_revoked,
    own_receivers_take_the_companys_signals_signed_with_its_own_secret,
    events_are_written_for_the_company_that_receives_them,
    addresses_that_are_not_public_are_refused_when_saved_and_when_sent,
    two_people_on_one_address_are_told,
    a_sample_is_of_nobody_and_shows_what_came_back,
    mails_to_clients_are_from_the_company,
    a_test_mail_goes_to_oneself_alone,
);

const PAGE: &str = "/panel/empresa/conexiones";

/// A server whose operator allows it to send to this machine.
async fn open_to_itself(engine: Engine) -> Scene {
    Scene::with(engine, |m| {
        m.outbound.fetches = Fetcher::new(Rules::with(vec!["127.0.0.1".parse().unwrap()])).unwrap();
    })
    .await
}

/// A server whose operator allows it to send to this receiver.
async fn open_to(engine: Engine, own: &Receiver) -> Scene {
    let place = own.address.to_string();
    Scene::with(engine, |m| {
        m.outbound.fetches = Fetcher::new(Rules::with(vec![place.parse().unwrap()])).unwrap();
    })
    .await
}

fn own_url(own: &Receiver) -> String {
    format!("http://{}/gancho?secreto=geheim", own.address)
}

async fn save(browser: &Browser<'_>, fields: &[(&str, &str)]) -> embudo_testkit::Answered {
    let version = hidden(&browser.get(PAGE).await.panel(200), "version");
    let mut all = vec![("version", version.as_str())];
    all.extend(fields);
    browser.post(PAGE, &all).await
}

async fn a_key_is_shown_once_works_and_is_revoked(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let claves = format!("{PAGE}/claves");
    for bad in ["", &"a".repeat(61)] {
        let page = browser.post(&claves, &[("clave_nombre", bad)]).await.panel(422);
        assert!(page.contains("clave_nombre-error"), "{page}");
    }
    for wrong in ["", "no es esta"] {
        let page = browser.post(&claves, &[("clave_nombre", "n8n"), ("clave", wrong)]).await.panel(422);
        assert!(page.contains("clave-error") && page.contains("value=\"n8n\""), "{page}");
    }
    assert!(scene.server.app.store.company_keys(scene.server.empresa.id).await.unwrap().is_empty());
    let page = browser.post(&claves, &[("clave_nombre", "n8n <b>"), ("clave", PASSWORD)]).await.panel(200);
    let key = page.split("value=\"emb_").nth(1).unwrap().split('"').next().unwrap();
    let key = format!("emb_{key}");
    assert!(page.contains("No se vuelve a mostrar") && !page.contains("<b>"), "{page}");
    let page = browser.get(PAGE).await.panel(200);
    assert!(page.contains(&key[..12]) && !page.contains(&key) && page.contains("Todavía no"), "{page}");

    let ask = async || {
        let request = scene.server.cliente.get(scene.server.url("/api/leads")).bearer_auth(&key);
        scene.server.send(request).await.status.as_u16()
    };
    assert_eq!(ask().await, 200);
    let used = async {
        while scene.server.app.store.company_keys(scene.server.empresa.id).await.unwrap()[0]
            .usada_en
            .is_none()
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, used).await.expect("written down");
    let shown = browser.get(PAGE).await.panel(200);
    assert!(shown.contains("Último uso: ahora mismo, desde 127.0.0.1"), "{shown}");
    let other = another_company(&scene).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let stranger = Browser::signed(&scene, "ajena@ejemplo.es").await;
    let id = hidden(&page, "clave");
    let revocar = format!("{claves}/revocar");
    assert_eq!(stranger.post(&revocar, &[("clave", &id)]).await.status.as_u16(), 404);
    assert!(!stranger.get(PAGE).await.panel(200).contains(&key[..12]));
    browser.post(&revocar, &[("clave", &id)]).await.to(&format!("{PAGE}?hecho=revocada"));
    assert_eq!(ask().await, 401);
    assert_eq!(browser.post(&revocar, &[("clave", &id)]).await.status.as_u16(), 404);
    assert!(browser.get(PAGE).await.panel(200).contains("Revocada"));
    let (made, ended) =
        (log(&scene, AuditAction::KeyCreated).await, log(&scene, AuditAction::KeyRevoked).await);
    assert_eq!((made.len(), ended.len()), (1, 1));
    assert!(made[0].object.as_deref().unwrap().contains("emb_") && !format!("{made:?}").contains(&key));
}

async fn own_receivers_take_the_companys_signals_signed_with_its_own_secret(engine: Engine) {
    let own = Receiver::start().await;
    let scene = open_to(engine, &own).await;
    let browser = manager(&scene).await;
    let url = own_url(&own);
    save(&browser, &[("perfil", &url)]).await.to(&format!("{PAGE}?hecho=direcciones"));
    let page = browser.get(PAGE).await.panel(200);
    assert!(page.contains("127.0.0.1") && !page.contains("geheim") && page.contains(">Propio<"), "{page}");
    let shown = browser.post(&format!("{PAGE}/secreto"), &[]).await.panel(200);
    let secret = shown.split("value=\"whsec_").nth(1).unwrap().split('"').next().unwrap();
    let secret = format!("whsec_{secret}");

    // This company's signals go to its own receiver, another company's to the receiver of the server.
    let other = another_company(&scene).await;
    let (lead, foreign) =
        (scene.server.lead().await, scene.server.lead_with(json!({ "tenantId": other.id })).await);
    assert!(scene.complete_perfil(&lead).await && scene.complete_perfil(&foreign).await);
    let (here, there) = (own.received(), scene.receiver.received());
    assert_eq!((here.len(), there.len()), (1, 1));
    assert_eq!(
        (here[0].json()["leadId"].as_str(), there[0].json()["leadId"].as_str()),
        (Some(&*lead), Some(&*foreign))
    );
    assert_eq!(here[0].path, "/gancho?secreto=geheim");
    let sign = |secret: &str, received: &Received| {
        let at = received.header("webhook-timestamp").unwrap().parse().unwrap();
        let mut signer = Secrets::read(secret).unwrap().signer(received.header("webhook-id").unwrap(), at);
        signer.update(&received.body);
        signer.header()
    };
    assert_eq!(here[0].header("webhook-signature").map(str::to_owned), sign(&secret, &here[0]));

    // For one day the previous secret signs in addition to the new one.
    browser.post(&format!("{PAGE}/secreto"), &[]).await.panel(200);
    scene.complete_perfil(&lead).await;
    let again = &own.received()[1];
    let both = again.header("webhook-signature").unwrap().to_owned();
    assert_eq!(both.split(' ').count(), 2);
    assert_eq!(both.split(' ').nth(1).map(str::to_owned), sign(&secret, again));

    // The outbox shows the host, and a pause still applies.
    let envios = browser.get("/panel/envios").await.panel(200);
    assert!(envios.contains("127.0.0.1") && !envios.contains("geheim"), "{envios}");
    browser.post("/panel/envios/destinos", &[("destino", "perfil"), ("accion", "pausar")]).await;
    assert!(!scene.complete_perfil(&lead).await);
    assert_eq!(own.received().len(), 2);
    browser.post("/panel/envios/destinos", &[("destino", "perfil"), ("accion", "reanudar")]).await;
    scene.server.app.worker().run_jobs().await.unwrap();
    assert_eq!(own.received().len(), 3);

    save(&browser, &[("quitar-perfil", "si")]).await.to(&format!("{PAGE}?hecho=direcciones"));
    scene.complete_perfil(&lead).await;
    assert_eq!((own.received().len(), scene.receiver.received().len()), (3, 2));
    let lines = log(&scene, AuditAction::ConnectionsChanged).await;
    assert_eq!(lines.len(), 2);
    assert!(format!("{lines:?}").contains("127.0.0.1") && !format!("{lines:?}").contains("geheim"));
    assert_eq!(log(&scene, AuditAction::WebhookSecretRenewed).await.len(), 2);
    assert!(!format!("{:?}", log(&scene, AuditAction::WebhookSecretRenewed).await).contains(&secret));
}

async fn events_are_written_for_the_company_that_receives_them(engine: Engine) {
    let own = Receiver::start().await;
    let scene = open_to(engine, &own).await;
    let browser = manager(&scene).await;
    let made = async || {
        let filter = JobFilter { kind: Some(JobKind::Event), ..JobFilter::default() };
        scene.server.app.store.list_jobs(filter, None, 10).await.unwrap().len()
    };
    scene.server.lead().await;
    assert_eq!(made().await, 0);
    save(&browser, &[("eventos", &own_url(&own))]).await.to(&format!("{PAGE}?hecho=direcciones"));
    let other = another_company(&scene).await;
    // Leads of the default company, with and without its id. A signal for another company is not even stored.
    let mut leads = vec![scene.server.lead().await];
    leads.push(scene.server.lead_with(json!({ "tenantId": scene.server.empresa.id })).await);
    scene.server.lead_with(json!({ "tenantId": other.id })).await;
    assert_eq!(made().await, 2);
    scene.server.app.worker().run_jobs().await.unwrap();
    let mut told: Vec<_> = own.received().iter().map(Received::json).collect();
    told.sort_by_key(|event| event["leadId"].to_string());
    leads.sort();
    for (event, lead) in told.iter().zip(&leads) {
        assert_eq!((&event["tipo"], &event["leadId"]), (&json!("lead.creado"), &json!(lead)));
        assert_eq!(event["tenant"], json!(scene.server.empresa.id));
    }
    assert_eq!(told.len(), 2);
    let page = browser.post(&format!("{PAGE}/muestra"), &[("destino", "eventos")]).await.panel(200);
    assert!(page.contains("200"), "{page}");
    assert_eq!(own.received()[2].json()["muestra"], json!(true));
    let envios = browser.get("/panel/envios").await.panel(200);
    assert!(envios.contains("Evento") && !envios.contains("geheim"), "{envios}");
    save(&browser, &[("quitar-eventos", "si")]).await.to(&format!("{PAGE}?hecho=direcciones"));
    scene.server.lead().await;
    assert_eq!(made().await, 2);
}

async fn addresses_that_are_not_public_are_refused_when_saved_and_when_sent(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    for bad in [
        "http://127.0.0.1/x",
        "https://127.0.0.1/x",
        "https://10.1.2.3/x",
        "https://[::1]/x",
        "https://169.254.169.254/latest",
        "http://8.8.8.8/x",
        "https://8.8.8.8:8443/x",
        "https://u:p@8.8.8.8/x",
        "ftp://8.8.8.8/x",
        "nada",
        &format!("https://8.8.8.8/{}", "a".repeat(2_000)),
    ] {
        let page = save(&browser, &[("perfil", bad)]).await.panel(422);
        assert!(page.contains("perfil-error"), "{bad}: {page}");
    }
    let own = scene.server.app.store.settings(scene.server.empresa.id).await.unwrap().connections;
    assert_eq!(own.own(Destination::Perfil), None);
    // A name that pointed elsewhere when it was saved. It is checked again before the delivery, and nothing is sent.
    let mut settings = scene.server.app.store.settings(scene.server.empresa.id).await.unwrap();
    settings.connections.set(Destination::Perfil, Some(own_url(&scene.receiver)));
    scene.server.app.store.save_settings(scene.server.empresa.id, settings).await.unwrap();
    assert!(!scene.complete_perfil(&scene.server.lead().await).await);
    assert_eq!(scene.receiver.received().len(), 0);
    assert_eq!(scene.jobs(JobState::Pending).await, 1);
    let page = browser.post(&format!("{PAGE}/muestra"), &[("destino", "perfil")]).await.panel(200);
    assert!(page.contains("No se envía a esa dirección"), "{page}");
    assert_eq!(scene.receiver.received().len(), 0);
}

async fn two_people_on_one_address_are_told(engine: Engine) {
    let scene = open_to_itself(engine).await;
    let browser = manager(&scene).await;
    let old = hidden(&browser.get(PAGE).await.panel(200), "version");
    save(&browser, &[("perfil", "http://127.0.0.1/a"), ("pdf", "http://127.0.0.1/b")])
        .await
        .to(&format!("{PAGE}?hecho=direcciones"));
    let late = [("version", old.as_str()), ("perfil", "http://127.0.0.1/c")];
    let page = browser.post(PAGE, &late).await.panel(409);
    assert!(page.contains("Ahora va a 127.0.0.1") && page.contains("http://127.0.0.1/c"), "{page}");
    let own = scene.server.app.store.settings(scene.server.empresa.id).await.unwrap().connections;
    assert_eq!(own.own(Destination::Perfil), Some("http://127.0.0.1/a"));
    // Another person's change of another field is kept.
    let other = [("version", old.as_str()), ("mensajeria", "http://127.0.0.1/d")];
    browser.post(PAGE, &other).await.to(&format!("{PAGE}?hecho=direcciones"));
    let own = scene.server.app.store.settings(scene.server.empresa.id).await.unwrap().connections;
    assert_eq!(
        (own.own_signals().as_str(), own.own(Destination::Pdf)),
        ("perfil mensajeria pdf", Some("http://127.0.0.1/b"))
    );
    // The checklist counts the company's own connections.
    assert!(
        browser.get("/panel/empresa").await.panel(200).contains("Tu automatización recibe las tres señales.")
    );
}

async fn a_sample_is_of_nobody_and_shows_what_came_back(engine: Engine) {
    let own = Receiver::start().await;
    let scene = open_to(engine, &own).await;
    let browser = manager(&scene).await;
    save(&browser, &[("mensajeria", &own_url(&own))]).await.to(&format!("{PAGE}?hecho=direcciones"));
    own.manners([Manner::body(format!("<script>alert(1)</script>{}", "x".repeat(5_000)))]);
    let muestra = format!("{PAGE}/muestra");
    let page = browser.post(&muestra, &[("destino", "mensajeria")]).await.panel(200);
    assert!(page.contains("&#60;script&#62;") || page.contains("&lt;script&gt;"), "{page}");
    assert!(page.contains(" ms") && page.contains("200") && !page.contains(&"x".repeat(2_001)), "{page}");
    let body = own.received()[0].json();
    assert_eq!(
        (body["muestra"].as_bool(), body["leadId"].as_str()),
        (Some(true), Some("00000000-0000-0000-0000-000000000000"))
    );
    for to in ["perfil", "pdf"] {
        browser.post(&muestra, &[("destino", to)]).await.panel(200);
    }
    let samples = scene.receiver.received();
    assert!(samples.iter().all(|sample| sample.json()["muestra"] == json!(true)) && samples.len() == 2);
    assert!(samples[1].json()["pdfBase64"].as_str().unwrap().starts_with("JVBERi0"));
    own.manners([Manner::state(500)]);
    let page = browser.post(&muestra, &[("destino", "mensajeria")]).await.panel(200);
    assert!(page.contains("500") && page.contains("aviso-mal"), "{page}");
    assert_eq!(log(&scene, AuditAction::SampleSent).await.len(), 4);
    assert_eq!(scene.jobs(JobState::Pending).await + scene.jobs(JobState::Done).await, 0);
    browser.post(&muestra, &[("destino", "correo")]).await.to(PAGE);
    browser.post(&muestra, &[]).await.to(PAGE);
    for _ in 0..20 {
        if browser.post(&muestra, &[("destino", "pdf")]).await.status.as_u16() == 429 {
            return;
        }
    }
    panic!("samples are counted");
}

async fn mailed(engine: Engine, mailbox: &Mailbox) -> Scene {
    Scene::with(engine, |m| {
        let smtp = SmtpSettings::new(mailbox.address.ip().to_string(), mailbox.address.port(), Tls::None);
        let (cliente, from) = (Mail::new(smtp).unwrap(), "embudo@ejemplo.es".to_owned());
        m.outbound.mail = Some(OutboundMail { client: cliente, from, from_name: None });
    })
    .await
}

async fn mails_to_clients_are_from_the_company(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = mailed(engine, &mailbox).await;
    let browser = manager(&scene).await;
    let correo = format!("{PAGE}/correo");
    let fields = [("remitente", "Reformas Peña"), ("desde", "hola@pena.es"), ("responder", "ana@pena.es")];
    let version =
        |page: &str| page.split("/conexiones/correo\"").nth(1).map(|form| hidden(form, "version")).unwrap();
    let old = version(&browser.get(PAGE).await.panel(200));
    for bad in [("desde", "x"), ("responder", "a@b"), ("remitente", &"a".repeat(81))] {
        let page = browser.post(&correo, &[("version", &old), bad]).await.panel(422);
        assert!(page.contains(&format!("{}-error", bad.0)), "{page}");
    }
    let mut all = vec![("version", old.as_str())];
    all.extend(fields);
    browser.post(&correo, &all).await.to(&format!("{PAGE}?hecho=remitente"));
    let late = [("version", old.as_str()), ("desde", "otra@pena.es")];
    let page = browser.post(&correo, &late).await.panel(409);
    assert!(page.contains("Ahora pone</strong> <bdi>hola@pena.es</bdi>"), "{page}");

    let lead = scene.server.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await;
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let mail = mailbox.await_messages(1).await.remove(0);
    assert_eq!(mail.from, "embudo@ejemplo.es", "the envelope stays");
    assert!(mail.header("From").unwrap().contains("<hola@pena.es>"));
    assert_eq!(mail.header("Sender").as_deref(), Some("embudo@ejemplo.es"));
    assert_eq!(mail.header("Reply-To").as_deref(), Some("ana@pena.es"));
    assert_eq!(log(&scene, AuditAction::ConnectionsChanged).await.len(), 1);
    // The lead's history says which data of the company were missing in the quote.
    let record = scene.server.record(&lead).await;
    assert!(record.to_string().contains("salió sin el NIF ni la dirección de la empresa"), "{record}");
}

async fn a_test_mail_goes_to_oneself_alone(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = mailed(engine, &mailbox).await;
    let browser = manager(&scene).await;
    let prueba = format!("{PAGE}/correo/prueba");
    let page = browser.post(&prueba, &[("para", "otra@ejemplo.es")]).await.panel(200);
    assert!(page.contains("marta@ejemplo.es") && page.contains("250"), "{page}");
    let mail = mailbox.messages().remove(0);
    assert_eq!(mail.to, ["marta@ejemplo.es"]);
    assert!(mail.header("From").unwrap().contains("embudo@ejemplo.es"));
    assert_eq!(log(&scene, AuditAction::TestMailSent).await.len(), 1);
    for _ in 0..20 {
        if browser.post(&prueba, &[]).await.status.as_u16() == 429 {
            return;
        }
    }
    panic!("test mails are counted");
}

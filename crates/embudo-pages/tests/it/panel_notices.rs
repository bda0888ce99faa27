//! Notices by mail: who chooses which notices, and where their links lead.

use embudo_app::{OutboundMail, WithLinks};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::{Links, Mail};
use embudo_domain::notice::{NoticeTopic, Topics};
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Mailbox, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::person::{Browser, PASSWORD, PanelPage, add, another_company};
use crate::visitor::hidden;

both_engines!(
    people_choose_what_they_hear,
    a_manager_sets_what_the_companys_address_gets,
    a_stale_form_shows_both_versions,
    the_link_of_a_notice_leads_to_the_lead,
);

const ACCOUNT: &str = "/panel/cuenta/avisos";
const COMPANY: &str = "/panel/empresa/avisos";
const URL: &str = "https://obras.es";

async fn mailed(engine: Engine, mailbox: &Mailbox) -> Scene {
    Scene::with(engine, |m| {
        let smtp = SmtpSettings::new(mailbox.address.ip().to_string(), mailbox.address.port(), Tls::None);
        let cliente = Mail::new(smtp).unwrap();
        m.outbound.mail =
            Some(OutboundMail { client: cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        m.outbound.links = Some(WithLinks { links: Links::new(b"secreto"), public_url: URL.into() });
    })
    .await
}

/// Whether a checkbox of a page is ticked.
fn is_ticked(page: &str, name: &str) -> bool {
    let box_ = page.split(&format!("name=\"{name}\"")).nth(1).expect("the box is there");
    box_.split('>').next().unwrap().contains("checked")
}

async fn people_choose_what_they_hear(engine: Engine) {
    let scene = Scene::at(engine).await;
    let other = another_company(&scene).await;
    let user = add(&scene, "ana@ejemplo.es", Some(Role::Lectura), None).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let page = browser.get("/panel/cuenta").await.panel(200);
    for topic in NoticeTopic::ALL {
        assert!(!is_ticked(&page, &format!("aviso-{topic}")), "nobody is written to who did not ask for it");
    }
    assert!(page.contains("no tiene correo") && !page.contains(COMPANY), "{page}");
    let fields =
        [("empresa", "reformas-pena"), ("aviso-leads", "si"), ("aviso-x", "si"), ("solo-asignados", "si")];
    browser.post(ACCOUNT, &fields).await.to("/panel/cuenta?hecho=avisos");
    let page = browser.get("/panel/cuenta?hecho=avisos").await.panel(200);
    assert!(is_ticked(&page, "aviso-leads") && is_ticked(&page, "solo-asignados"), "{page}");
    assert!(!is_ticked(&page, "aviso-problemas") && page.contains("Avisos guardados."), "{page}");
    // A form without changes creates no entry in the log.
    browser.post(ACCOUNT, &fields).await.to("/panel/cuenta?hecho=avisos");
    for slug in [other.slug.as_str(), "", "nada"] {
        browser.post(ACCOUNT, &[("empresa", slug), ("aviso-leads", "si")]).await.panel(404);
    }
    let kept = scene.server.app.store.choices_of(user.id).await.unwrap();
    assert_eq!(
        (kept.len(), kept[0].empresa, kept[0].choice.only_assigned),
        (1, scene.server.empresa.id, true)
    );
    assert_eq!(kept[0].choice.topics, Topics::from(NoticeTopic::Arrivals));

    add(&scene, "jefa@ejemplo.es", Some(Role::Administrador), None).await;
    let admin = Browser::signed(&scene, "jefa@ejemplo.es").await;
    let log = admin.get("/panel/registro").await.panel(200);
    assert_eq!(log.matches("Eligió sus avisos").count(), 1, "{log}");
    assert!(log.contains("Leads y formularios; solo de sus leads"), "{log}");
    // An administrator belongs to every company.
    let page = admin.get("/panel/cuenta").await.panel(200);
    assert!(page.contains("value=\"banos-sol\"") && page.contains("value=\"reformas-pena\""), "{page}");
    admin
        .post(ACCOUNT, &[("empresa", "banos-sol"), ("aviso-problemas", "si")])
        .await
        .to("/panel/cuenta?hecho=avisos");
    assert_eq!(scene.server.app.store.recipients(other.id).await.unwrap().len(), 1);
}

async fn a_manager_sets_what_the_companys_address_gets(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = mailed(engine, &mailbox).await;
    let user = add(&scene, "ana@ejemplo.es", Some(Role::Gestor), None).await;
    add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    assert_eq!(Browser::signed(&scene, "luis@ejemplo.es").await.get(COMPANY).await.status.as_u16(), 403);
    assert!(browser.get("/panel/cuenta").await.panel(200).contains(COMPANY));
    let page = browser.get(COMPANY).await.panel(200);
    assert!(page.contains("nadie recibe avisos") && is_ticked(&page, "aviso-leads"), "{page}");
    assert_eq!(page.matches(">Ninguno<").count(), 2, "who is there, and has chosen nothing: {page}");
    let send = async |page: &str, email: &str, topics: &[&str]| {
        let (correo, avisos) = (hidden(page, "antes-correo"), hidden(page, "antes-avisos"));
        let mut fields =
            vec![("correo", email), ("antes-correo", correo.as_str()), ("antes-avisos", avisos.as_str())];
        fields.extend(topics.iter().map(|topic| (*topic, "si")));
        browser.post(COMPANY, &fields).await
    };
    let wrong = send(&page, "no es un correo", &["aviso-leads"]).await.panel(422);
    assert!(wrong.contains("correo-error") && wrong.contains("value=\"no es un correo\""), "{wrong}");
    assert!(is_ticked(&wrong, "aviso-leads") && !is_ticked(&wrong, "aviso-problemas"), "{wrong}");
    browser.post(COMPANY, &[("correo", "x@y.es")]).await.panel(422);
    send(&page, "obra@ejemplo.es", &["aviso-leads", "aviso-problemas"])
        .await
        .to("/panel/empresa/avisos?hecho");
    let page = browser.get(COMPANY).await.panel(200);
    assert!(page.contains("value=\"obra@ejemplo.es\"") && !page.contains("nadie recibe"), "{page}");
    assert!(is_ticked(&page, "aviso-leads") && !is_ticked(&page, "aviso-perfiles"), "{page}");
    let choice = [("empresa", "reformas-pena"), ("aviso-perfiles", "si")];
    browser.post(ACCOUNT, &choice).await.to("/panel/cuenta?hecho=avisos");
    assert!(browser.get(COMPANY).await.panel(200).contains("Perfiles completos</p>"));

    let lead = scene.server.lead().await;
    scene.complete_perfil(&lead).await;
    scene.pass(SignedDuration::ZERO).await;
    let mut got: Vec<_> = mailbox.messages().iter().map(|m| (m.to[0].clone(), m.subject())).collect();
    got.sort();
    assert_eq!(
        got.iter().map(|(to, _)| to.as_str()).collect::<Vec<_>>(),
        [user.email.typed.as_str(), "obra@ejemplo.es"]
    );
    assert!(got[0].1.starts_with("Perfil completo") && got[1].1.starts_with("Nuevo lead"), "{got:?}");
    // Without a tick no mail is sent to the company's address.
    send(&page, "obra@ejemplo.es", &[]).await.to("/panel/empresa/avisos?hecho");
    scene.server.lead().await;
    assert_eq!(scene.pass(SignedDuration::ZERO).await, 0);
    add(&scene, "jefa@ejemplo.es", Some(Role::Administrador), None).await;
    let log = Browser::signed(&scene, "jefa@ejemplo.es").await.get("/panel/registro").await.panel(200);
    assert_eq!(log.matches("Cambió los avisos de la empresa").count(), 2, "{log}");
}

async fn a_stale_form_shows_both_versions(engine: Engine) {
    let scene = Scene::at(engine).await;
    add(&scene, "ana@ejemplo.es", Some(Role::Gestor), None).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let page = browser.get(COMPANY).await.panel(200);
    let avisos = hidden(&page, "antes-avisos");
    let send = async |correo: &str, antes: &str, avisos: &str| {
        let fields =
            [("correo", correo), ("antes-correo", antes), ("antes-avisos", avisos), ("aviso-leads", "si")];
        browser.post(COMPANY, &fields).await
    };
    send("primera@ejemplo.es", "", &avisos).await.to("/panel/empresa/avisos?hecho");
    let stale = send("segunda@ejemplo.es", "", &avisos).await.panel(409);
    assert!(
        stale.contains("value=\"segunda@ejemplo.es\"") && stale.contains("primera@ejemplo.es: Leads"),
        "{stale}"
    );
    let empresas = scene.server.app.store.list_empresas().await.unwrap();
    assert_eq!(empresas[0].email_avisos.as_deref(), Some("primera@ejemplo.es"));
    // A person who has seen both versions may save their own.
    let (antes, avisos) = (hidden(&stale, "antes-correo"), hidden(&stale, "antes-avisos"));
    send("segunda@ejemplo.es", &antes, &avisos).await.to("/panel/empresa/avisos?hecho");
}

async fn the_link_of_a_notice_leads_to_the_lead(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let scene = mailed(engine, &mailbox).await;
    let other = another_company(&scene).await;
    add(&scene, "ana@ejemplo.es", Some(Role::Comercial), None).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    browser
        .post(ACCOUNT, &[("empresa", "reformas-pena"), ("aviso-leads", "si")])
        .await
        .to("/panel/cuenta?hecho=avisos");
    scene.server.lead_with(json!({ "nombre": "Berta Soler" })).await;
    scene.pass(SignedDuration::ZERO).await;
    let text = mailbox.messages()[0].part("text/plain").unwrap();
    let path = text.split(URL).nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    assert!(path.starts_with("/panel/leads/"), "the first link is the lead's page: {text}");

    let elsewhere = Browser::new(&scene);
    let encoded: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
    elsewhere.get(&path).await.to(&format!("/panel/entrar?a={encoded}"));
    let page = elsewhere.get(&format!("/panel/entrar?a={encoded}")).await.panel(200);
    let asked = hidden(&page, "a");
    let fields = [("correo", "ana@ejemplo.es"), ("clave", PASSWORD), ("a", asked.as_str())];
    elsewhere.post("/panel/entrar", &fields).await.to(&path);
    assert!(elsewhere.get(&path).await.panel(200).contains("Berta Soler"));
    Browser::signed(&scene, "ajena@ejemplo.es").await.get(&path).await.panel(404);
}

//! Notices on devices: the installable page, its service worker, and where people turn notices on and off.

use embudo_domain::notice::{NoticeTopic, Topics};
use embudo_domain::role::Role;
use embudo_testkit::{Engine, PushBrowser, PushService, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::Value;

use crate::person::{Browser, PanelPage, add, another_company};

both_engines!(
    the_panel_can_be_installed,
    a_device_is_switched_on_and_off,
    what_no_browser_says_is_refused,
    who_signs_out_is_not_told_any_more,
);

const DEVICES: &str = "/panel/cuenta/dispositivos";

async fn scene(engine: Engine, service: &PushService) -> Scene {
    Scene::with(engine, |m| m.outbound.fetches = service.guard()).await
}

/// Turns notices on for a device, as the page's module does.
async fn switch_on(browser: &Browser<'_>, device: &PushBrowser) -> embudo_testkit::Answered {
    let [endpoint, p256dh, auth] = device.subscription();
    browser.post(DEVICES, &[("endpoint", &endpoint), ("p256dh", &p256dh), ("auth", &auth)]).await
}

async fn the_panel_can_be_installed(engine: Engine) {
    let scene = Scene::at(engine).await;
    add(&scene, "ana@ejemplo.es", Some(Role::Lectura), None).await;
    let stranger = Browser::new(&scene);
    let answer = stranger.get("/panel/manifest.webmanifest").await;
    assert_eq!(answer.header("content-type"), Some("application/manifest+json"));
    let manifest: Value = answer.with(200);
    assert_eq!(manifest["short_name"], "Reformas Peña");
    assert_eq!((&manifest["start_url"], &manifest["scope"]), (&"/panel".into(), &"/panel".into()));
    for icon in manifest["icons"].as_array().unwrap() {
        let answer = stranger.get(icon["src"].as_str().unwrap()).await;
        assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, icon["type"].as_str()));
    }
    let worker = stranger.get("/panel/sw.js").await;
    assert_eq!(worker.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(worker.header("cache-control"), Some("no-cache"));
    assert!(worker.text.contains("/recursos/") && !worker.text.contains("\"ICONO\""), "{}", worker.text);
    assert!(
        !worker.text.contains("\"fetch\"") && !worker.text.contains("caches"),
        "it keeps no private page"
    );
    for page in [
        stranger.get("/panel/entrar").await,
        Browser::signed(&scene, "ana@ejemplo.es").await.get("/panel/cuenta").await,
    ] {
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("manifest-src 'self'; worker-src 'self'"), "{policy}");
        assert!(page.text.contains("<link rel=\"manifest\" href=\"/panel/manifest.webmanifest\">"));
    }
}

async fn a_device_is_switched_on_and_off(engine: Engine) {
    let service = PushService::start().await;
    let scene = scene(engine, &service).await;
    let user = add(&scene, "ana@ejemplo.es", Some(Role::Comercial), None).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let page = browser.get("/panel/cuenta").await.panel(200);
    let key = scene.server.app.access().push_key().await.unwrap();
    assert!(
        page.contains(&format!("data-avisos=\"{key}\"")) && page.contains("pantalla de inicio"),
        "{page}"
    );
    assert!(
        page.contains("hace falta un navegador con JavaScript"),
        "without scripts it says what is missing"
    );
    assert!(!page.contains("movil-leads"), "nothing to choose yet");
    let phone = service.browser("movil");
    switch_on(&browser, &phone).await.to("/panel/cuenta?hecho=dispositivo#dispositivos");
    let page = browser.get("/panel/cuenta?hecho=dispositivo").await.panel(200);
    assert!(page.contains("Avisos activados en este dispositivo."), "{page}");
    let [endpoint, p256dh, auth] = phone.subscription();
    assert!(page.contains(&format!("data-dispositivo=\"{p256dh}\"")), "{page}");
    assert!(!page.contains(&endpoint) && !page.contains(&auth), "who knows these could be the browser");
    let choice = async || scene.server.app.store.choices_of(user.id).await.unwrap()[0].choice;
    assert_eq!((choice().await.on_devices, choice().await.topics), (Topics::FOR_DEVICES, Topics::NONE));

    let fields = [("empresa", "reformas-pena"), ("movil-respuestas", "si"), ("movil-nada", "si")];
    browser
        .post("/panel/cuenta/dispositivos/avisos", &fields)
        .await
        .to("/panel/cuenta?hecho=avisos#dispositivos");
    assert_eq!(choice().await.on_devices, Topics::from(NoticeTopic::Answers));
    browser
        .post("/panel/cuenta/avisos", &[("empresa", "reformas-pena"), ("aviso-perfiles", "si")])
        .await
        .to("/panel/cuenta?hecho=avisos");
    assert_eq!(choice().await.on_devices, Topics::from(NoticeTopic::Answers), "mails are chosen apart");
    assert_eq!(choice().await.topics, Topics::from(NoticeTopic::Perfil));
    let other = another_company(&scene).await;
    let foreign = [("empresa", other.slug.as_str()), ("movil-leads", "si")];
    browser.post("/panel/cuenta/dispositivos/avisos", &foreign).await.panel(404);

    add(&scene, "luis@ejemplo.es", Some(Role::Administrador), None).await;
    let admin = Browser::signed(&scene, "luis@ejemplo.es").await;
    let id = scene.server.app.store.devices_of(user.id).await.unwrap()[0].id.to_string();
    let remove = "/panel/cuenta/dispositivos/quitar";
    admin.post(remove, &[("dispositivo", &id)]).await.panel(404);
    browser.post(remove, &[("dispositivo", "nada")]).await.panel(404);
    browser
        .post(remove, &[("dispositivo", &id)])
        .await
        .to("/panel/cuenta?hecho=sin-dispositivo#dispositivos");
    assert!(scene.server.app.store.devices_of(user.id).await.unwrap().is_empty());
    let log = admin.get("/panel/registro").await.panel(200);
    assert!(
        log.contains("Activó los avisos en un dispositivo")
            && log.contains("Quitó los avisos de un dispositivo")
    );
    assert!(!log.contains(&endpoint), "{log}");
}

async fn what_no_browser_says_is_refused(engine: Engine) {
    let service = PushService::start().await;
    let scene = scene(engine, &service).await;
    let user = add(&scene, "ana@ejemplo.es", Some(Role::Lectura), None).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let [endpoint, p256dh, auth] = service.browser("movil").subscription();
    let long = format!("https://push.example/{}", "a".repeat(2_000));
    for (endpoint, p256dh, auth, told) in [
        ("http://127.0.0.1/", p256dh.as_str(), auth.as_str(), "dirección de avisos que no sirve"),
        (&long, &p256dh, &auth, "dirección de avisos que no sirve"),
        (&endpoint, "AAAA", &auth, "clave de avisos que no sirve"),
        (&endpoint, &p256dh, "", "clave de avisos que no sirve"),
        ("https://127.0.0.1/privado", &p256dh, &auth, "No podemos enviar avisos a este navegador"),
        ("https://[::1]/privado", &p256dh, &auth, "No podemos enviar avisos a este navegador"),
        ("https://169.254.169.254/latest", &p256dh, &auth, "No podemos enviar avisos a este navegador"),
    ] {
        let fields = [("endpoint", endpoint), ("p256dh", p256dh), ("auth", auth)];
        let page = browser.post(DEVICES, &fields).await.panel(422);
        assert!(page.contains(told), "{endpoint}: {page}");
    }
    assert!(scene.server.app.store.devices_of(user.id).await.unwrap().is_empty());
    assert!(service.receiver.received().is_empty());
}

async fn who_signs_out_is_not_told_any_more(engine: Engine) {
    let service = PushService::start().await;
    let scene = scene(engine, &service).await;
    let user = add(&scene, "ana@ejemplo.es", Some(Role::Comercial), None).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let (phone, laptop) = (service.browser("movil"), service.browser("mesa"));
    switch_on(&browser, &phone).await;
    let other = Browser::signed(&scene, "ana@ejemplo.es").await;
    switch_on(&other, &laptop).await;
    browser.post("/panel/salir", &[]).await;
    assert_eq!(scene.server.app.store.devices_of(user.id).await.unwrap().len(), 1);
    scene.server.lead().await;
    scene.pass(SignedDuration::ZERO).await;
    assert!(service.last_for(&phone).is_none());
    let told = service.last_for(&laptop).expect("the other device is told");
    assert_eq!(laptop.read(&told)["titulo"], "Nuevo lead");
}

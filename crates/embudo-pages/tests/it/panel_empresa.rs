//! The company's pages: the set-up, the company's data, its form, its connections.

use embudo_app::{OutboundMail, WithLinks};
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::{Links, Mail};
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::brand::Brand;
use embudo_domain::empresa::Empresa;
use embudo_domain::role::Role;
use embudo_store::audit::AuditFilter;
use embudo_store::empresas::{EmpresaPatch, StoredTarifa};
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::person::{Browser, PanelPage as _, add, another_company};
use crate::visitor::{Page as _, Visitor, hidden};

both_engines!(
    the_checklist_follows_what_is_done,
    only_administrators_see_lines_for_the_server,
    an_empty_inbox_leads_to_the_set_up,
    company_data_are_edited_by_their_rules,
    a_stale_form_shows_both_versions,
    what_people_type_stays_text,
    the_form_has_an_address_a_code_and_its_webs,
    the_forms_address_is_changed_and_the_old_one_leads_to_it,
    connections_show_hosts_and_no_secrets,
    a_company_is_its_own,
);

pub async fn manager(scene: &Scene) -> Browser<'_> {
    add(scene, "marta@ejemplo.es", Some(Role::Gestor), None).await;
    Browser::signed(scene, "marta@ejemplo.es").await
}

pub async fn log(scene: &Scene, action: AuditAction) -> Vec<AuditEntry> {
    let all = scene.server.app.store.audit_log(AuditFilter::default(), None, 100).await.unwrap();
    all.into_iter().filter(|entry| entry.action == action).collect()
}

async fn company(scene: &Scene) -> (Empresa, Brand) {
    let empresa = scene.server.app.store.empresa_by_slug(None).await.unwrap().unwrap();
    let brand = scene.server.app.store.brand(empresa.id).await.unwrap().brand;
    (empresa, brand)
}

/// A server with a public address and with mail.
async fn complete(engine: Engine) -> Scene {
    Scene::with(engine, |m| {
        let cliente = Mail::new(SmtpSettings::new("smtp.ejemplo.es", 587, Tls::None)).unwrap();
        m.outbound.mail =
            Some(OutboundMail { client: cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        let links = Links::new(b"un secreto que nadie adivina jamas");
        m.outbound.links = Some(WithLinks { links, public_url: "https://leads.pena.es".into() });
    })
    .await
}

fn tasks(page: &str) -> Vec<(String, bool)> {
    let parts = page.split("<li class=\"tarjeta tarea").skip(1);
    let task = |part: &str| {
        let word = part.split("id=\"").nth(1).unwrap().split('"').next().unwrap();
        (word.to_owned(), part.contains("#hecho\"></use></svg>Hecho</span>"))
    };
    parts.map(task).collect()
}

async fn the_checklist_follows_what_is_done(engine: Engine) {
    let scene = complete(engine).await;
    let (app, empresa) = (&scene.server.app, scene.server.empresa.id);
    let browser = manager(&scene).await;
    let left = async || {
        let page = browser.get("/panel/empresa").await.panel(200);
        let left = tasks(&page).into_iter().filter(|(_, is_done)| !is_done).map(|(word, _)| word);
        (left.collect::<Vec<_>>(), page)
    };
    let (words, page) = left().await;
    assert_eq!(words, ["datos", "marca", "tarifa", "correo", "formulario"]);
    for told in [
        "<strong>0 de 5</strong>",
        "salen sin NIF",
        "La tarifa de serie",
        "https://leads.pena.es/f/reformas-pena",
    ] {
        assert!(page.contains(told), "{told} in {page}");
    }
    let brand = Brand {
        nif: Some("B12345678".into()),
        address: Some("Calle Mayor 1".into()),
        telefono: Some("910 000 000".into()),
        email: Some("hola@pena.es".into()),
        ..Brand::default()
    };
    app.store.save_brand(empresa, brand).await.unwrap();
    app.store.save_logo(empresa, Some(vec![1])).await.unwrap();
    let text = embudo_domain::tarifa::Tarifa::por_defecto().write();
    let tarifa = StoredTarifa { version: "mia-1".into(), since: app.today(), text, creada_en: app.now() };
    app.store.save_tarifa(empresa, tarifa).await.unwrap();
    assert_eq!(left().await.0, ["correo", "formulario"]);
    let patch = EmpresaPatch {
        email_avisos: Some("avisos@pena.es".into()),
        notices: Some(true),
        ..Default::default()
    };
    app.store.update_empresa(empresa, patch).await.unwrap();
    scene.server.lead_with(json!({ "canalOrigen": "formulario_web" })).await;
    while app.housekeeping().project_touched().await.unwrap() > 0 {}
    let (words, page) = left().await;
    assert_eq!(words, [] as [&str; 0], "{page}");
    assert!(page.contains("Todo listo") && page.contains("Tu tarifa, versión"), "{page}");
}

async fn only_administrators_see_lines_for_the_server(engine: Engine) {
    let scene = Scene::with(engine, |m| m.outbound.perfil = None).await;
    let browser = manager(&scene).await;
    for path in ["/panel/empresa", "/panel/empresa/conexiones"] {
        let page = browser.get(path).await.panel(200);
        assert!(page.contains("pídeselo a quien administra el panel"), "{page}");
        assert!(!page.contains("PERFIL_WEBHOOK_URL") && !page.contains("SMTP_HOST"), "{page}");
        assert!(!page.contains("embudo tarifa"), "{page}");
    }
    add(&scene, "ana@ejemplo.es", Some(Role::Administrador), None).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let page = admin.get("/panel/empresa").await.panel(200);
    for line in ["PERFIL_WEBHOOK_URL=https://", "SMTP_HOST=smtp.", "EMAIL_FROM=", "PUBLIC_URL=https://"] {
        assert!(page.contains(line), "{line} in {page}");
    }
    assert!(!page.contains("MESSAGING_WEBHOOK_URL="), "what is set is not asked for");
    assert!(admin.get("/panel/empresa/conexiones").await.panel(200).contains("PERFIL_WEBHOOK_URL=https://"));
}

async fn an_empty_inbox_leads_to_the_set_up(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let page = browser.get("/panel/leads").await.panel(200);
    assert!(page.contains("href=\"/panel/empresa\"") && page.contains("Puesta en marcha: 0 de 5"), "{page}");
    add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    let seller = Browser::signed(&scene, "luis@ejemplo.es").await;
    assert!(!seller.get("/panel/leads").await.panel(200).contains("Puesta en marcha"));
    scene.server.lead().await;
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
    assert!(!browser.get("/panel/leads").await.panel(200).contains("Puesta en marcha"));
}

async fn company_data_are_edited_by_their_rules(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let path = "/panel/empresa/datos";
    let version = hidden(&browser.get(path).await.panel(200), "version");
    let long = "ñ".repeat(300);
    let page = browser
        .post(
            path,
            &[
                ("version", version.as_str()),
                ("nombre", ""),
                ("nif", "x"),
                ("direccion", long.as_str()),
                ("telefono", "llámame"),
                ("email", "hola"),
                ("web", "javascript:alert(1)"),
            ],
        )
        .await;
    assert_eq!(page.status.as_u16(), 422);
    for told in [
        "Escribe el nombre de la empresa",
        "No parece un NIF",
        "Caben 200 letras",
        "No parece un teléfono",
        "No parece un correo",
        "No parece una web",
        "aria-invalid=\"true\"",
    ] {
        assert!(page.text.contains(told), "{told} in {}", page.text);
    }
    assert_eq!(company(&scene).await, (scene.server.empresa.clone(), Brand::default()), "nothing was saved");

    let fields = [
        ("version", version.as_str()),
        ("nombre", " Reformas  Peña e Hijos "),
        ("razonSocial", "Peña e Hijos, S.L."),
        ("nif", "b12345678"),
        ("direccion", "Calle Mayor 1, 28013 Madrid"),
        ("telefono", "910 000 000"),
        ("email", "hola@pena.es"),
        ("web", "www.pena.es"),
    ];
    browser.post(path, &fields).await.to("/panel/empresa/datos?hecho");
    // A tax number with a wrong check character is saved, and the page shows a hint.
    let hinted = browser.get(path).await;
    assert!(hinted.text.contains("Con esas cifras sería B12345674."), "{}", hinted.text);
    let (empresa, brand) = company(&scene).await;
    assert_eq!((empresa.nombre.as_str(), empresa.slug.as_str()), ("Reformas Peña e Hijos", "reformas-pena"));
    assert_eq!((brand.nif.as_deref(), brand.web.as_deref()), (Some("B12345678"), Some("www.pena.es")));
    let log = log(&scene, AuditAction::EmpresaChanged).await;
    assert_eq!((log.len(), log[0].empresa), (1, Some(scene.server.empresa.id)));
    assert!(
        log[0].before.as_deref().unwrap().starts_with("nombre: Reformas Peña; razonSocial: —"),
        "{log:?}"
    );
    assert!(log[0].after.as_deref().unwrap().contains("nif: B12345678"), "{log:?}");
    let page = browser.get("/panel/empresa/datos?hecho").await.panel(200);
    assert!(page.contains("Guardado") && page.contains("Reformas Peña e Hijos"), "{page}");

    let version = hidden(&page, "version");
    browser.post(path, &[("version", version.as_str()), ("web", "")]).await.to("/panel/empresa/datos?hecho");
    let (_, brand) = company(&scene).await;
    assert_eq!((brand.web, brand.nif.as_deref()), (None, Some("B12345678")), "what was not sent stays");
    let flood = "x".repeat(70_000);
    assert_eq!(browser.post(path, &[("nombre", flood.as_str())]).await.status.as_u16(), 413);
}

async fn a_stale_form_shows_both_versions(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let path = "/panel/empresa/datos";
    let version = hidden(&browser.get(path).await.panel(200), "version");
    let other =
        Brand { nif: Some("A11111111".into()), telefono: Some("911 111 111".into()), ..Brand::default() };
    scene.server.app.store.save_brand(scene.server.empresa.id, other.clone()).await.unwrap();
    let typed = [
        ("version", version.as_str()),
        ("nif", "B22222222"),
        ("direccion", "Calle Mayor 1"),
        ("telefono", ""),
    ];
    let page = browser.post(path, &typed).await.panel(409);
    for told in ["compara las dos versiones", "A11111111", "B22222222", "911 111 111", "Calle Mayor 1"] {
        assert!(page.contains(told), "{told} in {page}");
    }
    assert_eq!(page.matches("class=\"choque\"").count(), 1, "what was left alone is no quarrel");
    assert_eq!(company(&scene).await.1, other);
    // The page showed both values, so sending it again is the person's decision.
    let version = hidden(&page, "version");
    let decided = [
        ("version", version.as_str()),
        ("nif", "B22222222"),
        ("direccion", "Calle Mayor 1"),
        ("telefono", "911 111 111"),
    ];
    browser.post(path, &decided).await.to("/panel/empresa/datos?hecho");
    let now = company(&scene).await.1;
    assert_eq!((now.nif.as_deref(), now.telefono.as_deref()), (Some("B22222222"), Some("911 111 111")));
}

async fn what_people_type_stays_text(engine: Engine) {
    const EVIL: &str = "\"><script>alert(1)</script><b x='";
    let scene = Scene::with(engine, |m| m.web.logins = many()).await;
    let evil = || Some(EVIL.to_owned());
    let brand = Brand {
        nif: evil(),
        razon_social: evil(),
        address: evil(),
        telefono: Some(format!("910 {EVIL}")),
        email: evil(),
        web: evil(),
        greeting: evil(),
        mensajeria: evil(),
        origins: vec![EVIL.into()],
        ..Brand::default()
    };
    let id = scene.server.empresa.id;
    scene.server.app.store.save_brand(id, brand).await.unwrap();
    let patch = EmpresaPatch { nombre: evil(), ..Default::default() };
    scene.server.app.store.update_empresa(id, patch).await.unwrap();
    let browser = manager(&scene).await;
    for path in ["", "/datos", "/marca", "/textos", "/formulario", "/conexiones"] {
        let page = browser.get(&format!("/panel/empresa{path}")).await.panel(200);
        assert!(!page.contains("<script>alert") && !page.contains("<b x="), "{path}: {page}");
    }
    for (path, name) in
        [("datos", "nombre"), ("datos", "nif"), ("marca", "codigo"), ("formulario", "origenes")]
    {
        let answer = browser.post(&format!("/panel/empresa/{path}"), &[("version", "x"), (name, EVIL)]).await;
        assert!(!answer.text.contains("<script>alert") && !answer.text.contains("<b x="), "{}", answer.text);
    }
    let odd = browser.get("/panel/empresa/marca?color=%22%3E%3Cscript%3E").await.panel(422);
    assert!(!odd.contains("\"><script>"), "{odd}");
    let sheet = browser.get("/panel/empresa/marca/muestra.css?color=red}*{display:none").await;
    assert!(sheet.text.starts_with(".muestra-dia{--brand:#1f5f5b;") && !sheet.text.contains("display"));
}

pub fn many() -> embudo_pages::LoginQuota {
    embudo_pages::LoginQuota { per_account: 10_000, per_address: 10_000 }
}

async fn the_form_has_an_address_a_code_and_its_webs(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = manager(&scene).await;
    let path = "/panel/empresa/formulario";
    let page = browser.get(path).await.panel(200);
    let address = scene.server.url("/f/reformas-pena");
    assert!(page.contains(&format!("value=\"{address}\"")), "the host that the person came by: {page}");
    assert!(
        page.contains("no sabe cuál es su dirección pública") && page.contains("&#60;iframe src="),
        "{page}"
    );
    assert!(page.contains("Aún no ha llegado ningún lead"), "{page}");
    for (ending, kind, start) in [("svg", "image/svg+xml", "<svg"), ("png", "image/png", "\u{fffd}PNG")] {
        let shown = browser.get(&format!("{path}/qr.{ending}")).await;
        assert_eq!((shown.status.as_u16(), shown.header("content-type")), (200, Some(kind)));
        assert!(shown.text.starts_with(start) && shown.header("content-disposition").is_none());
        let kept = browser.get(&format!("{path}/qr.{ending}?bajar")).await;
        let name = format!("attachment; filename=\"formulario-reformas-pena.{ending}\"");
        assert_eq!(kept.header("content-disposition"), Some(name.as_str()));
    }

    // The page has several forms, each with its own version.
    let version_of =
        |page: &str| hidden(page.split("action=\"/panel/empresa/formulario\"").nth(1).unwrap(), "version");
    let version = version_of(&page);
    let webs =
        [("version", version.as_str()), ("origenes", "https://WWW.pena.es/\r\n\r\nhttp://localhost:8080")];
    browser.post(path, &webs).await.to("/panel/empresa/formulario?hecho");
    assert_eq!(company(&scene).await.1.origins, ["https://www.pena.es", "http://localhost:8080"]);
    let csp =
        scene.server.cliente.get(&address).send().await.unwrap().headers()["content-security-policy"].clone();
    assert!(csp.to_str().unwrap().ends_with("frame-ancestors https://www.pena.es http://localhost:8080"));
    let version = version_of(&browser.get(path).await.panel(200));
    for wrong in ["www.pena.es", "https://pena.es/contacto", "*", "https://a.es; script-src *"] {
        let page = browser.post(path, &[("version", version.as_str()), ("origenes", wrong)]).await.panel(422);
        assert!(page.contains("Escribe cada web entera"), "{page}");
    }
    let stale =
        browser.post(path, &[("version", "antigua"), ("origenes", "https://otra.es")]).await.panel(409);
    assert!(stale.contains("https://www.pena.es") && stale.contains("https://otra.es"), "{stale}");
    assert_eq!(company(&scene).await.1.origins.len(), 2);
    browser
        .post(path, &[("version", version.as_str()), ("origenes", "")])
        .await
        .to("/panel/empresa/formulario?hecho");
    assert_eq!(company(&scene).await.1.origins, [] as [&str; 0]);
}

async fn the_forms_address_is_changed_and_the_old_one_leads_to_it(engine: Engine) {
    let n = Visitor::at(engine).await;
    let scene = &n.scene;
    another_company(scene).await;
    let browser = manager(scene).await;
    let (page, save) = ("/panel/empresa/formulario", "/panel/empresa/formulario/direccion");
    let base = n.signup().await;
    let version = hidden(&browser.get(page).await.panel(200), "version");
    let change =
        async |slug: &str| browser.post(save, &[("version", version.as_str()), ("slug", slug)]).await;
    let refused = change("¡!").await.panel(422);
    assert!(refused.contains("Escribe entre 1 y 64 letras o números."), "{refused}");
    let refused = change("banos-sol").await.panel(422);
    assert!(refused.contains("Otra empresa usa o ha usado este nombre"), "{refused}");
    change("Reformas Peña e Hijos").await.to("/panel/empresa/formulario?direccion");
    assert_eq!(company(scene).await.0.slug, "reformas-pena-e-hijos");
    let shown = browser.get(page).await.panel(200);
    assert!(shown.contains("/f/reformas-pena-e-hijos\""), "{shown}");
    let log = log(scene, AuditAction::SlugChanged).await.remove(0);
    let told = (log.before.as_deref(), log.after.as_deref());
    assert_eq!(told, (Some("/f/reformas-pena"), Some("/f/reformas-pena-e-hijos")));

    // Old links redirect to the new address with their query, and an open form can still be sent.
    let old = n.get("/f/reformas-pena?utm_source=furgoneta").await;
    assert_eq!((old.status.as_u16(), old.header("cache-control")), (308, Some("no-store")));
    assert_eq!(old.header("location"), Some("/f/reformas-pena-e-hijos?utm_source=furgoneta"));
    let rest = base.strip_prefix("/f/reformas-pena").unwrap();
    let moved = n.post(&format!("{base}/calidad"), &[("calidad", "media")]).await;
    let place = moved.header("location").unwrap();
    assert_eq!(
        (moved.status.as_u16(), place),
        (308, format!("/f/reformas-pena-e-hijos{rest}/calidad").as_str())
    );
    n.post(place, &[("calidad", "media")]).await.redirect();
    assert!(n.record(&base).await.lead.perfil.calidad_global.is_some());
    assert_eq!(n.get("/f/reformas-pena/marca.css").await.status.as_u16(), 308);
    assert_eq!(n.get("/f/nadie").await.status.as_u16(), 404);
    let forged = format!("/f/reformas-pena/{}/calidad", "A".repeat(60));
    assert_eq!(n.get(&forged).await.status.as_u16(), 404, "a forged pass stays one");
}

async fn connections_show_hosts_and_no_secrets(engine: Engine) {
    let scene = Scene::with(engine, |m| {
        let cliente = Mail::new(SmtpSettings::new("smtp.ejemplo.es", 587, Tls::None)).unwrap();
        m.outbound.mail =
            Some(OutboundMail { client: cliente, from: "embudo@ejemplo.es".into(), from_name: None });
        m.outbound.pdf = Some(
            "https://u:clavesecreta@flujos.ejemplo.es/webhook/tokensecreto?k=otrosecreto".parse().unwrap(),
        );
        m.outbound.mensajeria = None;
    })
    .await;
    let browser = manager(&scene).await;
    let page = browser.get("/panel/empresa/conexiones").await.panel(200);
    for told in ["smtp.ejemplo.es", "embudo@ejemplo.es", "flujos.ejemplo.es", "127.0.0.1", "Sin configurar"] {
        assert!(page.contains(told), "{told} in {page}");
    }
    for secret in ["clavesecreta", "tokensecreto", "otrosecreto", "/webhook/"] {
        assert!(!page.contains(secret), "{secret} in {page}");
    }
    assert_eq!(page.matches("Ninguno entre los últimos envíos").count(), 6, "{page}");
    scene.complete_perfil(&scene.server.lead().await).await;
    scene.clock.advance(SignedDuration::from_mins(20));
    let page = browser.get("/panel/empresa/conexiones").await.panel(200);
    assert!(page.contains("/panel/envios/") && page.contains("hace 20 min"), "{page}");
}

async fn a_company_is_its_own(engine: Engine) {
    let scene = Scene::at(engine).await;
    let other = another_company(&scene).await;
    add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let foreign = Browser::signed(&scene, "ajena@ejemplo.es").await;
    let version = hidden(&foreign.get("/panel/empresa/datos").await.panel(200), "version");
    let fields = [("version", version.as_str()), ("nif", "B99999999"), ("empresa", "reformas-pena")];
    foreign.post("/panel/empresa/datos", &fields).await.to("/panel/empresa/datos?hecho");
    assert_eq!(company(&scene).await.1.nif, None);
    assert_eq!(scene.server.app.store.brand(other.id).await.unwrap().brand.nif.as_deref(), Some("B99999999"));
    for role in [Role::Lectura, Role::Comercial] {
        let email = format!("{role}@ejemplo.es");
        add(&scene, &email, Some(role), None).await;
        let low = Browser::signed(&scene, &email).await;
        assert_eq!(low.post("/panel/empresa/datos", &[("nif", "B99999999")]).await.status.as_u16(), 403);
    }
}

//! A stream ends with its session and with the person's rights. Requests that a page sends by itself do not prolong the
//! session.

use std::time::Duration;

use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::role::{Membership, Role};
use embudo_store::users::UserPatch;
use embudo_testkit::{Engine, PATIENCE, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::panel_account::with_totp;
use crate::panel_quotes::{a_draft, seller};
use crate::person::{Browser, PASSWORD, PanelPage as _, a_visita, add, another_company, panel};

both_engines!(
    a_person_who_is_sent_away_hears_no_more,
    a_person_who_leaves_a_company_hears_no_more_of_it,
    a_session_that_ends_ends_its_streams,
    whatever_ends_a_session_ends_its_streams,
    a_silent_stream_looks_by_itself,
    rights_are_looked_at_though_events_keep_coming,
    a_page_that_refreshes_itself_keeps_no_session_open,
    an_autosave_keeps_the_session_open,
    a_worker_on_site_hears_of_their_own_leads,
);

/// An open stream, with everything that it sent.
struct Heard {
    response: reqwest::Response,
    text: String,
}

impl Heard {
    async fn open(browser: &Browser<'_>) -> Self {
        let mut heard = Self { response: browser.open("/panel/vivo").await, text: String::new() };
        heard.until("event: hola").await;
        heard
    }

    async fn until(&mut self, text: &str) {
        let reading = async {
            while !self.text.contains(text) {
                let chunk = self.response.chunk().await.unwrap().expect("it goes on");
                self.text += std::str::from_utf8(&chunk).unwrap();
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("told in time");
    }

    /// Everything that the stream sent until it ended. The timeout is shorter than the interval after which an idle
    /// stream checks its session.
    async fn end(mut self) -> String {
        let reading = async {
            while let Some(chunk) = self.response.chunk().await.unwrap() {
                self.text += std::str::from_utf8(&chunk).unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(10), reading).await.expect("it ends");
        self.text
    }
}

/// Creates a lead and reports it to the streams.
async fn announced_lead(scene: &Scene) -> String {
    let id = scene.server.lead_with(json!({ "nombre": "Eva" })).await;
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
    id
}

async fn a_person_who_is_sent_away_hears_no_more(engine: Engine) {
    let scene = panel(engine).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Lectura), None).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let stream = Heard::open(&Browser::signed(&scene, "luis@ejemplo.es").await).await;
    let path = format!("/panel/usuarios/{}", luis.id);
    admin.post(&path, &[("clave", PASSWORD)]).await.to(&format!("{path}?hecho"));
    stream.end().await;
}

async fn a_person_who_leaves_a_company_hears_no_more_of_it(engine: Engine) {
    let scene = panel(engine).await;
    another_company(&scene).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Lectura), None).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let browser = Browser::signed(&scene, "luis@ejemplo.es").await;
    let (stream, mut own) = (Heard::open(&browser).await, Heard::open(&admin).await);
    let path = format!("/panel/usuarios/{}", luis.id);
    let fields = [("activo", "si"), ("rol-banos-sol", "gestor"), ("clave", PASSWORD)];
    admin.post(&path, &fields).await.to(&format!("{path}?hecho"));
    let former = announced_lead(&scene).await;
    own.until(&former).await;
    let none = [("activo", "si"), ("clave", PASSWORD)];
    admin.post(&path, &none).await.to(&format!("{path}?hecho"));
    let heard = stream.end().await;
    assert!(!heard.contains(&former), "{heard}");
}

async fn a_session_that_ends_ends_its_streams(engine: Engine) {
    let scene = panel(engine).await;
    let one = Browser::signed(&scene, "ana@ejemplo.es").await;
    let two = Browser::signed(&scene, "ana@ejemplo.es").await;
    let (mut own, other) = (Heard::open(&one).await, Heard::open(&two).await);
    one.post("/panel/cuenta/sesiones", &[]).await.to("/panel/cuenta?hecho=sesiones");
    other.end().await;
    let lead = announced_lead(&scene).await;
    own.until(&lead).await;
    one.post("/panel/salir", &[]).await;
    own.end().await;
}

/// Passwords and second factors end sessions too.
async fn whatever_ends_a_session_ends_its_streams(engine: Engine) {
    const OTHER: &str = "tejado lluvia piano 37";
    let scene = panel(engine).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Gestor), None).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let own = Browser::signed(&scene, "luis@ejemplo.es").await;
    let stream = async |password: &str, code: Option<&str>| {
        let browser = Browser::new(&scene);
        browser.sign_in("luis@ejemplo.es", password).await;
        if let Some(code) = code {
            browser.post("/panel/entrar/codigo", &[("codigo", code)]).await.to("/panel");
        }
        Heard::open(&browser).await
    };

    let plain = stream(PASSWORD, None).await;
    let (_, codes) = with_totp(&scene, &own).await;
    plain.end().await;
    let coded = stream(PASSWORD, Some(&codes[0])).await;
    own.post("/panel/cuenta/segundo-factor/quitar", &[("clave", PASSWORD)]).await;
    coded.end().await;

    let (_, codes) = with_totp(&scene, &own).await;
    let coded = stream(PASSWORD, Some(&codes[0])).await;
    let path = format!("/panel/usuarios/{}", luis.id);
    let taken = [
        ("activo", "si"),
        ("rol-reformas-pena", "gestor"),
        ("sin-segundo-factor", "si"),
        ("clave", PASSWORD),
    ];
    admin.post(&path, &taken).await.to(&format!("{path}?hecho"));
    coded.end().await;

    let plain = stream(PASSWORD, None).await;
    let link = scene.server.app.access().invite(&luis, &embudo_app::Actor::command()).await.unwrap();
    let chosen = [("pase", link.split('=').nth(1).unwrap()), ("clave", OTHER)];
    Browser::new(&scene).post("/panel/recuperar/nueva", &chosen).await.to("/panel/entrar?aviso=clave");
    plain.end().await;

    let plain = stream(OTHER, None).await;
    own.sign_in("luis@ejemplo.es", OTHER).await.to("/panel");
    own.post("/panel/cuenta/clave", &[("actual", OTHER), ("clave", PASSWORD)])
        .await
        .to("/panel/cuenta?hecho=clave");
    plain.end().await;

    let plain = stream(PASSWORD, None).await;
    let given = scene.server.app.access().give_password(luis.id, OTHER, &embudo_app::Actor::command()).await;
    given.unwrap();
    plain.end().await;
}

/// Another process removes a person. It does not report this to the streams here, and nothing else happens.
async fn a_silent_stream_looks_by_itself(engine: Engine) {
    let scene = panel(engine).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Lectura), None).await;
    let stream = Heard::open(&Browser::signed(&scene, "luis@ejemplo.es").await).await;
    let gone = UserPatch { is_active: Some(false), ..UserPatch::default() };
    let audit = scene.server.app.access().audit(&embudo_app::Actor::command(), AuditAction::UserChanged);
    scene.server.app.store.update_user(luis.id, gone, audit).await.unwrap();
    // A report about a lead makes the stream notice that its next check is almost due.
    scene.clock.advance(SignedDuration::from_millis(14_900));
    announced_lead(&scene).await;
    stream.end().await;
}

/// Another process removes a person while leads keep changing. It does not report this to the streams here.
async fn rights_are_looked_at_though_events_keep_coming(engine: Engine) {
    let scene = panel(engine).await;
    let other = another_company(&scene).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Lectura), None).await;
    let mut stream = Heard::open(&Browser::signed(&scene, "luis@ejemplo.es").await).await;
    let write = async |patch: UserPatch| {
        let audit = scene.server.app.access().audit(&embudo_app::Actor::command(), AuditAction::UserChanged);
        scene.server.app.store.update_user(luis.id, patch, audit).await.unwrap();
    };
    let elsewhere = vec![Membership { empresa: other.id, role: Role::Lectura }];
    write(UserPatch { memberships: Some(elsewhere), ..UserPatch::default() }).await;
    let early = announced_lead(&scene).await;
    stream.until(&early).await;
    scene.clock.advance(SignedDuration::from_secs(15));
    let late = announced_lead(&scene).await;
    write(UserPatch { is_active: Some(false), ..UserPatch::default() }).await;
    scene.clock.advance(SignedDuration::from_secs(15));
    announced_lead(&scene).await;
    let heard = stream.end().await;
    assert!(!heard.contains(&late), "{heard}");
}

async fn a_page_that_refreshes_itself_keeps_no_session_open(engine: Engine) {
    let scene = panel(engine).await;
    let browser = Browser::signed(&scene, "ana@ejemplo.es").await;
    let by_itself =
        async |name: &str, value: &str| browser.send(browser.ask("/panel/leads").header(name, value)).await;
    let pass = |minutes| scene.clock.advance(SignedDuration::from_mins(minutes));
    pass(20);
    by_itself("embudo-sola", "si").await.panel(200);
    by_itself("sec-fetch-dest", "image").await.panel(200);
    drop(Heard::open(&browser).await);
    pass(10);
    browser.get("/panel/leads").await.to("/panel/entrar?a=%2Fpanel%2Fleads");

    // The inbox uses the module that all live pages share.
    let inbox = asset(&Browser::signed(&scene, "ana@ejemplo.es").await).await;
    assert!(browser.get(&inbox).await.text.contains("./vivo.js"));
    let module = browser.get(&inbox.replace("inbox.js", "vivo.js")).await.text;
    assert!(module.contains("\"Embudo-Sola\""), "the inbox marks what it asks for by itself");
}

/// The address of the inbox's module.
async fn asset(browser: &Browser<'_>) -> String {
    let page = browser.get("/panel/leads").await.panel(200);
    let end = page.find("inbox.js").unwrap();
    let start = page[..end].rfind('"').unwrap() + 1;
    page[start..].split('"').next().unwrap().to_owned()
}

async fn an_autosave_keeps_the_session_open(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    for _ in 0..3 {
        scene.clock.advance(SignedDuration::from_mins(20));
        let revision = scene.server.app.store.draft_of(lead).await.unwrap().unwrap().revision.to_string();
        let fields = [("revision", revision.as_str()), ("accion", "auto")];
        let request = browser.form(&place, &fields).header("sec-fetch-site", "same-origin");
        let saved =
            browser.send(request.header("accept", "application/json").header("embudo-sola", "si")).await;
        assert_eq!(saved.status.as_u16(), 200, "{}", saved.text);
    }
    browser.get("/panel/leads").await.panel(200);
}

async fn a_worker_on_site_hears_of_their_own_leads(engine: Engine) {
    let scene = panel(engine).await;
    let paco = add(&scene, "paco@ejemplo.es", Some(Role::Obra), None).await;
    let own = announced_lead(&scene).await;
    a_visita(&scene, LeadId::parse(&own).unwrap(), vec![paco.id]).await;
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
    let mut stream = Heard::open(&Browser::signed(&scene, "paco@ejemplo.es").await).await;
    let other = announced_lead(&scene).await;
    let turno = json!({ "rol": "user", "mensaje": "Hola" });
    scene.server.post(&format!("/api/leads/{own}/conversacion"), &turno).await.with(200);
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
    stream.until(&own).await;
    assert!(!stream.text.contains(&other), "{}", stream.text);
}

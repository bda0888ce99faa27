//! The decisions about a lead on its page: its assigned person, the next action, archived or not, read or not.

use embudo_app::{Actor, NewPerson};
use embudo_domain::LeadId;
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::contact::Email;
use embudo_domain::role::{Membership, Role};
use embudo_domain::user::User;
use embudo_store::audit::AuditFilter;
use embudo_store::desk::LeadDesk;
use embudo_store::inbox::Viewer;
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::person::{Browser, PASSWORD, PanelPage as _, add, another_company};
use crate::visitor::hidden;

both_engines!(
    a_lead_is_given_to_somebody_and_a_stale_choice_shows_both,
    the_next_action_is_set_overdue_and_removed,
    an_archived_lead_says_so_and_still_takes_calls,
    archiving_is_undone_from_the_page,
    looking_is_reading_but_fetching_ahead_is_not,
);

/// A person with this name.
pub async fn person(scene: &Scene, nombre: &str, role: Role) -> User {
    let person = NewPerson {
        nombre: nombre.into(),
        email: Email::parse(&format!("{}@ejemplo.es", nombre.to_lowercase())).unwrap(),
        is_admin: false,
        memberships: vec![Membership { empresa: scene.server.empresa.id, role }],
        password: Some(PASSWORD.into()),
    };
    scene.server.app.access().create_person(person, &Actor::command()).await.unwrap()
}

pub async fn signed<'s>(scene: &'s Scene, nombre: &str) -> Browser<'s> {
    Browser::signed(scene, &format!("{}@ejemplo.es", nombre.to_lowercase())).await
}

pub async fn log(scene: &Scene, action: AuditAction) -> Vec<AuditEntry> {
    let all = scene.server.app.store.audit_log(AuditFilter::default(), None, 100).await.unwrap();
    all.into_iter().filter(|entry| entry.action == action).collect()
}

pub async fn desk(scene: &Scene, lead: &str) -> LeadDesk {
    let viewer =
        Viewer { who: embudo_domain::UserId(scene.server.app.id()), empresas: vec![scene.server.empresa.id] };
    scene.server.app.store.desk(&viewer, LeadId::parse(lead).unwrap()).await.unwrap()
}

/// The version in the form that is posted to this part of a lead's address.
fn version(page: &str, part: &str) -> String {
    hidden(page.split(&format!("/{part}\">")).nth(1).expect("the form"), "version")
}

/// The next action in the head of the page.
pub fn to_do(page: &str) -> &str {
    let after = page.split("class=\"lead-siguiente\"").nth(1).expect("the next action");
    after.split("</div>").next().unwrap_or_default()
}

async fn a_lead_is_given_to_somebody_and_a_stale_choice_shows_both(engine: Engine) {
    let scene = Scene::at(engine).await;
    let (luis, eva) =
        (person(&scene, "Luis", Role::Comercial).await, person(&scene, "Eva", Role::Gestor).await);
    let vera = person(&scene, "Vera", Role::Lectura).await;
    let other = another_company(&scene).await;
    let foreign = add(&scene, "ajena@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let id = scene.server.lead().await;
    let (page, place) = (format!("/panel/leads/{id}"), format!("/panel/leads/{id}/asignar"));
    let browser = signed(&scene, "Luis").await;
    let seen = browser.get(&page).await.panel(200);
    assert!(seen.contains(&format!("value=\"{}\"", eva.id)), "{seen}");
    for nobody in [&vera, &foreign] {
        let who = nobody.id.to_string();
        assert!(!seen.contains(&who), "{} works with no leads here", nobody.nombre);
        browser.post(&place, &[("persona", &who)]).await.panel(422);
    }
    let (first, own, hers) = (version(&seen, "asignar"), luis.id.to_string(), eva.id.to_string());
    let mine = [("version", first.as_str()), ("persona", own.as_str())];
    browser.post(&place, &mine).await.to(&format!("{page}?hecho=asignado#gestion"));
    // Pressing twice counts once.
    browser.post(&place, &mine).await.to(&format!("{page}#gestion"));
    let entries = log(&scene, AuditAction::LeadsAssigned).await;
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].before.as_deref(), entries[0].after.as_deref()), (Some("Nadie"), Some("Luis")));
    assert_eq!(entries[0].object.as_deref(), Some(id.as_str()));

    let late = [("version", first.as_str()), ("persona", hers.as_str())];
    let both = signed(&scene, "Eva").await.post(&place, &late).await.panel(409);
    assert!(
        both.contains("Ahora lo lleva</strong> <bdi>Luis") && both.contains("Tú elegiste</strong> <bdi>Eva")
    );
    assert_eq!(desk(&scene, &id).await.assigned, Some(luis.id), "nothing is overwritten");
    let again = version(&both, "asignar");
    let knowing = [("version", again.as_str()), ("persona", hers.as_str())];
    browser.post(&place, &knowing).await.to(&format!("{page}?hecho=asignado#gestion"));
    assert_eq!(desk(&scene, &id).await.assigned, Some(eva.id));
    browser.post(&place, &[("persona", "nadie")]).await.panel(400);
}

async fn the_next_action_is_set_overdue_and_removed(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let id = scene.server.lead().await;
    let (page, place) = (format!("/panel/leads/{id}"), format!("/panel/leads/{id}/accion"));
    let browser = signed(&scene, "Luis").await;
    let seen = browser.get(&page).await.panel(200);
    let next = to_do(&seen);
    assert!(!next.contains("Vencida") && next.contains(">Contactar</bdi>"), "{seen}");
    let soon = scene.server.app.now() + SignedDuration::from_mins(10);
    let there = jiff::tz::TimeZone::get("Europe/Madrid").unwrap().to_datetime(soon);
    let cuando = there.strftime("%Y-%m-%dT%H:%M").to_string();
    let first = version(&seen, "accion");
    for (when, text) in [
        ("", "medir"),
        ("mañana", "medir"),
        ("2020-01-01T10:00", "medir"),
        ("9999-01-01T10:00", "medir"),
        (cuando.as_str(), ""),
    ] {
        let wrong = [("version", first.as_str()), ("cuando", when), ("texto", text)];
        browser.post(&place, &wrong).await.panel(422);
    }
    let long = "m".repeat(201);
    browser.post(&place, &[("cuando", &cuando), ("texto", &long)]).await.panel(422);
    let plan = [("version", first.as_str()), ("cuando", cuando.as_str()), ("texto", "Medir el baño")];
    browser.post(&place, &plan).await.to(&format!("{page}?hecho=accion#gestion"));
    browser.post(&place, &plan).await.to(&format!("{page}#gestion"));
    let seen = browser.get(&page).await.panel(200);
    assert!(to_do(&seen).contains(">Medir el baño</bdi>") && to_do(&seen).contains("Próxima"), "{seen}");
    assert!(seen.contains(&format!("{}:{:02}", there.hour(), there.minute())), "the hour of Madrid: {seen}");

    let late = [("version", first.as_str()), ("cuando", cuando.as_str()), ("texto", "Llamar a su hermana")];
    let both = browser.post(&place, &late).await.panel(409);
    assert!(both.contains("Ahora pone</strong> <bdi>Medir el baño, "), "{both}");
    assert!(both.contains("Tú escribiste</strong> <bdi>Llamar a su hermana, "), "{both}");
    let stale = browser.post(&place, &[("version", first.as_str()), ("quitar", "si")]).await;
    stale.panel(409);

    scene.clock.advance(SignedDuration::from_mins(15));
    let seen = browser.get(&page).await.panel(200);
    assert!(to_do(&seen).contains(">Medir el baño</bdi>") && to_do(&seen).contains("Vencida"), "{seen}");
    let now = version(&seen, "accion");
    // The text of an overdue plan may be changed, and the plan may be removed.
    let words = [("version", now.as_str()), ("cuando", cuando.as_str()), ("texto", "Medir ya")];
    browser.post(&place, &words).await.to(&format!("{page}?hecho=accion#gestion"));
    let now = version(&browser.get(&page).await.panel(200), "accion");
    for _ in 0..2 {
        let answer = browser.post(&place, &[("version", now.as_str()), ("quitar", "si")]).await;
        assert_eq!(answer.status.as_u16(), 303);
    }
    assert_eq!(desk(&scene, &id).await.action, None);
    let entries = log(&scene, AuditAction::LeadPlanned).await;
    assert_eq!(entries.len(), 3, "set, changed, removed");
    assert!(entries[0].before.as_deref().is_some_and(|told| told.starts_with("Medir ya, ")));
    assert_eq!(entries[0].after, None);
    assert!(!browser.get(&page).await.panel(200).contains("Vencida"));
}

async fn an_archived_lead_says_so_and_still_takes_calls(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let id = scene.server.lead().await;
    let page = format!("/panel/leads/{id}");
    let browser = signed(&scene, "Luis").await;
    let wrong = browser.post(&format!("{page}/archivar"), &[]).await.panel(422);
    assert!(wrong.contains("Elige por qué se archiva."), "{wrong}");
    let lote = scene.server.app.now().as_microsecond();
    for with in [format!("&lote={lote}"), String::new()] {
        let archived = browser.post(&format!("{page}/archivar"), &[("motivo", "Fuera de zona")]).await;
        archived.to(&format!("{page}?hecho=archivado{with}#gestion"));
    }
    let seen = browser.get(&page).await.panel(200);
    for shown in ["Perdido", "Fuera de zona", "<bdi>Luis, ", "Reabrir"] {
        assert!(seen.contains(shown), "{shown}: {seen}");
    }
    assert!(!seen.contains("/archivar\""), "{seen}");
    let turno = json!({ "rol": "user", "mensaje": "Sigo aquí" });
    scene.server.post(&format!("/api/leads/{id}/conversacion"), &turno).await.with(200);
    assert!(browser.get(&page).await.panel(200).contains("Sigo aquí"));
    for _ in 0..2 {
        let opened = browser.post(&format!("{page}/reabrir"), &[]).await;
        opened.to(&format!("{page}?hecho=reabierto#gestion"));
    }
    scene.clock.advance(SignedDuration::from_secs(1));
    let seen = browser.get(&page).await.panel(200);
    let next = to_do(&seen);
    assert!(seen.contains("En conversación") && next.contains(">Responder</bdi>"), "{seen}");
    assert!(next.contains("Próxima"), "{next}");
    let (archived, reopened) =
        (log(&scene, AuditAction::LeadsArchived).await, log(&scene, AuditAction::LeadsReopened).await);
    assert_eq!((archived.len(), reopened.len()), (1, 1));
    let told = (archived[0].before.as_deref(), archived[0].after.as_deref());
    assert_eq!(told, (Some("Nuevo"), Some("Fuera de zona")));
    assert_eq!(reopened[0].before.as_deref(), Some("Fuera de zona"));
}

/// Archiving can be undone right after it, exactly: the lead gets back its etapa and also the moment since when it had
/// that etapa.
async fn archiving_is_undone_from_the_page(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    person(&scene, "Eva", Role::Comercial).await;
    let id = scene.server.lead().await;
    let page = format!("/panel/leads/{id}");
    let before = desk(&scene, &id).await;
    scene.clock.advance(SignedDuration::from_hours(5));
    let (luis, eva) = (signed(&scene, "Luis").await, signed(&scene, "Eva").await);
    let archived = luis.post(&format!("{page}/archivar"), &[("motivo", "Precio")]).await;
    let place = archived.header("location").unwrap().split('#').next().unwrap().to_owned();
    let seen = luis.get(&place).await.panel(200);
    assert!(seen.contains("Lead archivado.") && seen.contains(">Deshacer<"), "{seen}");
    let lote = hidden(&seen, "lote");
    let back = format!("{page}/reabrir");
    eva.post(&back, &[("lote", &lote)]).await.to(&format!("{page}?hecho=sin-deshacer#gestion"));
    luis.post(&back, &[("lote", &lote)]).await.to(&format!("{page}?hecho=desarchivado#gestion"));
    assert_eq!(desk(&scene, &id).await, before);
    let entries = log(&scene, AuditAction::LeadsUnarchived).await;
    assert_eq!((entries.len(), entries[0].object.as_deref()), (1, Some(id.as_str())));
    assert_eq!((entries[0].before.as_deref(), entries[0].who.as_str()), (Some("Precio"), "Luis"));
    let again = luis.get(&place).await.panel(200);
    assert!(!again.contains(">Deshacer<"), "{again}");
    luis.post(&back, &[("lote", &lote)]).await.to(&format!("{page}?hecho=sin-deshacer#gestion"));
}

async fn looking_is_reading_but_fetching_ahead_is_not(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    person(&scene, "Vera", Role::Lectura).await;
    let id = scene.server.lead().await;
    let turno = json!({ "rol": "user", "mensaje": "Hola" });
    scene.server.post(&format!("/api/leads/{id}/conversacion"), &turno).await.with(200);
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
    scene.clock.advance(SignedDuration::from_secs(1));
    let page = format!("/panel/leads/{id}");
    let (luis, vera) = (signed(&scene, "Luis").await, signed(&scene, "Vera").await);
    let news = async |browser: &Browser<'_>| {
        let list = browser.get("/panel/leads").await.panel(200);
        hidden_count(&list)
    };
    let client = reqwest::Client::new();
    for (name, value) in
        [("sec-purpose", "prefetch"), ("sec-purpose", "prefetch;prerender"), ("purpose", "prefetch")]
    {
        let ahead = vera.send(client.get(scene.server.url(&page)).header(name, value)).await;
        assert_eq!(ahead.status.as_u16(), 200);
    }
    assert_eq!((news(&luis).await, news(&vera).await), (1, 1));
    vera.get(&page).await.panel(200);
    assert_eq!((news(&luis).await, news(&vera).await), (1, 0), "each for themselves");
    vera.post(&format!("{page}/no-leido"), &[]).await.to("/panel/leads?hecho=noleidos-1");
    assert_eq!(news(&vera).await, 1);
    let list = vera.get("/panel/leads?hecho=noleidos-1").await.panel(200);
    assert!(list.contains("1 lead marcado como no leído."), "{list}");
}

/// The number of leads with news, read from the title of the list.
fn hidden_count(list: &str) -> usize {
    let title = list.split("<title>").nth(1).unwrap();
    match title.strip_prefix('(') {
        Some(rest) => rest.split(')').next().unwrap().parse().unwrap(),
        None => 0,
    }
}

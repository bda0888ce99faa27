//! Facts of a lead edited in the panel: the rules of the API, two people at once, and the audit log.

use embudo_domain::LeadId;
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::lead::Lead;
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_domain::role::Role;
use embudo_store::audit::AuditFilter;
use embudo_testkit::{Engine, Scene, both_engines};
use serde_json::json;

use crate::person::{Browser, PanelPage as _, add};
use crate::visitor::hidden;

both_engines!(
    facts_that_decide_the_tax_are_changed_and_cleared,
    facts_are_changed_and_cleared,
    mistakes_stand_beside_their_fields,
    a_stale_form_shows_both_versions,
    what_others_changed_elsewhere_stays,
);

async fn seller(scene: &Scene) -> Browser<'_> {
    add(scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    Browser::signed(scene, "luis@ejemplo.es").await
}

async fn lead(scene: &Scene, id: &str) -> Lead {
    scene.server.app.store.lead(LeadId::parse(id).unwrap()).await.unwrap()
}

async fn log(scene: &Scene, action: AuditAction) -> Vec<AuditEntry> {
    let all = scene.server.app.store.audit_log(AuditFilter::default(), None, 100).await.unwrap();
    all.into_iter().filter(|entry| entry.action == action).collect()
}

/// The version in the form of a group.
fn version(page: &str, group: &str) -> String {
    let form = page.split(&format!("name=\"grupo\" value=\"{group}\"")).nth(1).expect("the group's form");
    hidden(form, "version")
}

async fn facts_that_decide_the_tax_are_changed_and_cleared(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let id = scene.server.lead_with(json!({ "dosAnos": true })).await;
    let (page, place) = (format!("/panel/leads/{id}"), format!("/panel/leads/{id}/datos"));
    let made_from = version(&browser.get(&page).await.panel(200), "vivienda");
    let fields = [
        ("grupo", "vivienda"),
        ("version", made_from.as_str()),
        ("esVivienda", "no"),
        ("contratante", "empresa"),
        ("dosAnos", ""),
        ("banos", "2"),
        ("planta", "-1"),
        ("ascensor", ""),
    ];
    browser.post(&place, &fields).await.to(&format!("{page}?hecho=datos#vivienda"));
    let obra = lead(&scene, &id).await.obra;
    assert_eq!(
        (obra.es_vivienda, obra.dos_anos, obra.banos, obra.planta),
        (Some(false), None, Some(2), Some(-1))
    );
    let entry = &log(&scene, AuditAction::LeadChanged).await[0];
    let after = entry.after.as_deref().unwrap();
    assert!(after.contains("esVivienda: no") && after.contains("dosAnos: —"), "{after}");
    let other =
        [("grupo", "vivienda"), ("version", made_from.as_str()), ("esVivienda", "si"), ("dosAnos", "si")];
    let stale = browser.post(&place, &other).await.panel(409);
    assert!(stale.contains("name=\"grupo\" value=\"vivienda\""));
    let made_from = version(&browser.get(&page).await.panel(200), "vivienda");
    let wrong = [("grupo", "vivienda"), ("version", made_from.as_str()), ("banos", "dos"), ("planta", "300")];
    let shown = browser.post(&place, &wrong).await.panel(422);
    assert!(shown.contains("Escribe un número entero") && shown.contains("Debe estar entre"), "{shown}");
}

async fn facts_are_changed_and_cleared(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let id = scene.server.lead_with(json!({ "m2Suelo": 5.5, "estilo": "nórdico", "urgencia": "baja" })).await;
    let (page, place) = (format!("/panel/leads/{id}"), format!("/panel/leads/{id}/datos"));
    let seen = browser.get(&page).await.panel(200);
    let obra = version(&seen, "obra");
    let fields = [
        ("grupo", "obra"),
        ("version", obra.as_str()),
        ("tipoReforma", "cocina"),
        ("m2Suelo", "12,25"),
        ("calidadGlobal", "premium"),
        ("estructural", "no"),
        ("estilo", ""),
        ("tasteText", "Madera\r\nclara"),
    ];
    browser.post(&place, &fields).await.to(&format!("{page}?hecho=datos#obra"));
    let perfil = lead(&scene, &id).await.perfil;
    assert_eq!((perfil.m2_suelo, perfil.calidad_global), (Some(12.25), Some(Calidad::Premium)));
    assert_eq!((perfil.estructural, perfil.estilo), (Some(false), None));
    assert_eq!(perfil.taste_text.as_deref(), Some("Madera\nclara"));
    assert_eq!(perfil.urgencia, Some(Urgencia::Baja), "another group");

    let version_seen = version(&seen, "dinero");
    let fields = [
        ("grupo", "dinero"),
        ("version", version_seen.as_str()),
        ("presupuestoTarget", "6.500,50 €"),
        ("viable", "si"),
    ];
    browser.post(&place, &fields).await.to(&format!("{page}?hecho=datos#dinero"));
    let perfil = lead(&scene, &id).await.perfil;
    assert_eq!((perfil.presupuesto_target_cents, perfil.viable), (Some(650_050), Some(true)));

    let contacto = version(&seen, "contacto");
    let fields = [
        ("grupo", "contacto"),
        ("version", contacto.as_str()),
        ("nombre", "Ana Gómez"),
        ("telefono", "699 11 22 33"),
    ];
    browser.post(&place, &fields).await.to(&format!("{page}?hecho=datos#contacto"));
    let now = lead(&scene, &id).await;
    assert_eq!((now.nombre.as_str(), now.telefono_e164.as_str()), ("Ana Gómez", "+34699112233"));

    let log = log(&scene, AuditAction::LeadChanged).await;
    assert_eq!(log.len(), 3);
    assert!(
        log.iter().all(|entry| entry.who == "Ana García" && entry.object.as_deref() == Some(id.as_str()))
    );
    assert!(log[2].before.as_deref().is_some_and(|text| text.contains("m2Suelo: 5.5")), "{log:?}");
    assert!(log[2].after.as_deref().is_some_and(|text| text.contains("m2Suelo: 12.25")), "{log:?}");
    let found = scene.server.get("/api/leads?texto=gomez").await.with(200);
    assert!(found.to_string().contains(&id), "{found}");
}

async fn mistakes_stand_beside_their_fields(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let id = scene.server.lead().await;
    let place = format!("/panel/leads/{id}/datos");
    let before = lead(&scene, &id).await;
    let page = browser.get(&format!("/panel/leads/{id}")).await.panel(200);
    let contacto = version(&page, "contacto");
    let fields = [
        ("grupo", "contacto"),
        ("version", contacto.as_str()),
        ("nombre", ""),
        ("telefono", "12"),
        ("email", "no"),
    ];
    let page = browser.post(&place, &fields).await.panel(422);
    for shown in [
        "id=\"nombre-error\"",
        "id=\"telefono-error\"",
        "No es un teléfono posible",
        "No parece un correo",
        "value=\"12\"",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let obra = version(&page, "obra");
    let fields =
        [("grupo", "obra"), ("version", obra.as_str()), ("m2Suelo", "muchos"), ("tipoReforma", "nave")];
    let page = browser.post(&place, &fields).await.panel(422);
    assert!(page.contains("id=\"m2Suelo-error\"") && page.contains("value=\"muchos\""), "{page}");
    assert_eq!(lead(&scene, &id).await, before);
    assert!(log(&scene, AuditAction::LeadChanged).await.is_empty());
    browser.post(&place, &[("grupo", "nada")]).await.panel(422);
}

async fn a_stale_form_shows_both_versions(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let id = scene.server.lead_with(json!({ "urgencia": "baja", "provincia": "Madrid" })).await;
    let (page, place) = (format!("/panel/leads/{id}"), format!("/panel/leads/{id}/datos"));
    let seen = browser.get(&page).await.panel(200);
    let contacto = version(&seen, "contacto");
    let mine = [
        ("grupo", "contacto"),
        ("version", contacto.as_str()),
        ("nombre", "Mía Suya"),
        ("provincia", "Toledo"),
    ];
    let theirs = [("grupo", "contacto"), ("version", contacto.as_str()), ("provincia", "Cuenca")];
    browser.post(&place, &theirs).await.to(&format!("{page}?hecho=datos#contacto"));

    let stale = browser.post(&place, &mine).await.panel(409);
    assert!(stale.contains("Ahora pone</strong> <bdi>Cuenca</bdi>"), "{stale}");
    assert!(stale.contains("Tú escribiste</strong> <bdi>Toledo</bdi>"), "{stale}");
    assert!(stale.contains("value=\"Mía Suya\""), "what was typed is kept: {stale}");
    let now = lead(&scene, &id).await;
    assert_eq!((now.provincia.as_deref(), now.nombre.as_str()), (Some("Cuenca"), "Ana García"));

    // A person who has seen both versions may decide.
    let again = version(&stale, "contacto");
    let mine =
        [("grupo", "contacto"), ("version", again.as_str()), ("nombre", "Mía Suya"), ("provincia", "Toledo")];
    browser.post(&place, &mine).await.to(&format!("{page}?hecho=datos#contacto"));
    assert_eq!(lead(&scene, &id).await.provincia.as_deref(), Some("Toledo"));
    assert_eq!(log(&scene, AuditAction::LeadChanged).await.len(), 2);
}

async fn what_others_changed_elsewhere_stays(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let id = scene.server.lead_with(json!({ "estilo": "nórdico", "m2Suelo": 5 })).await;
    let seen = browser.get(&format!("/panel/leads/{id}")).await.panel(200);
    // A bot writes while the form is open.
    scene.server.post(&format!("/api/leads/{id}/perfil"), &json!({ "estilo": "rústico" })).await.with(200);
    let obra = version(&seen, "obra");
    let fields = [("grupo", "obra"), ("version", obra.as_str()), ("estilo", "nórdico"), ("m2Suelo", "7")];
    let place = format!("/panel/leads/{id}/datos");
    browser.post(&place, &fields).await.to(&format!("/panel/leads/{id}?hecho=datos#obra"));
    let perfil = lead(&scene, &id).await.perfil;
    assert_eq!((perfil.estilo.as_deref(), perfil.m2_suelo), (Some("rústico"), Some(7.0)));
}

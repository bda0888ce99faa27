//! After a quote was accepted: when the work begins, and how far it has come, as people say.

use embudo_app::Pass;
use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::etapa::{Etapa, Progress};
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Scene, both_engines};
use serde_json::json;

use crate::panel_lead_desk::{desk, log, person, signed};
use crate::person::{Browser, PanelPage as _};
use crate::visitor::hidden;

both_engines!(accepted_work_begins_goes_on_and_ends,);

async fn accepted_work_begins_goes_on_and_ends(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    person(&scene, "Eva", Role::Lectura).await;
    let known =
        json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    let lead = scene.s.lead_with(known).await;
    let (page, place) = (format!("/panel/leads/{lead}"), format!("/panel/leads/{lead}/obra"));
    let browser = signed(&scene, "Luis").await;
    let early = browser.post(&place, &[("progreso", "en_obra")]).await.panel(422);
    assert!(early.contains("Aún no hay un presupuesto aceptado"), "{early}");
    assert!(!browser.get(&page).await.panel(200).contains("Cómo va la obra"));

    scene.s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let quote = scene.s.app.store.presupuestos(LeadId::parse(&lead).unwrap()).await.unwrap().remove(0);
    let pass = scene.s.app.outbound.passes.write(Pass::Presupuesto(quote.id), None);
    let client = Browser::new(&scene);
    let accepted = client.post(&format!("/p/{pass}/aceptar"), &[("acepto", "si"), ("declaro", "si")]).await;
    assert_eq!(accepted.status.as_u16(), 303, "{}", accepted.text);

    let version = |page: &str| hidden(page.split("/obra\">").nth(1).expect("the form"), "version");
    let seen = browser.get(&page).await.panel(200);
    assert!(seen.contains("Cómo va la obra") && seen.contains("Sin fecha"), "{seen}");
    let first = version(&seen);
    for bad in ["ayer", "2026-02-30", "1999-01-01", "9999-12-31", "-009999-01-01"] {
        let wrong = [("version", first.as_str()), ("inicio", bad), ("progreso", "en_obra")];
        browser.post(&place, &wrong).await.panel(422);
    }
    let unknown = browser.post(&place, &[("version", &first), ("progreso", "perdido")]).await;
    assert!(unknown.status.is_client_error(), "{}", unknown.text);
    let begun = [("version", first.as_str()), ("inicio", "2026-12-01"), ("progreso", "en_obra")];
    browser.post(&place, &begun).await.to(&format!("{page}?hecho=obra#gestion"));
    browser.post(&place, &begun).await.to(&format!("{page}#gestion"));
    let at = desk(&scene, &lead).await;
    assert_eq!((at.etapa, at.work.progress), (Etapa::EnObra, Some(Progress::EnObra)));
    let seen = browser.get(&page).await.panel(200);
    assert!(seen.contains("En obra") && seen.contains("1 de diciembre de 2026"), "{seen}");
    for list in ["/panel/leads?etapa=en_obra", "/panel/leads?vista=tablero"] {
        let list = browser.get(list).await.panel(200);
        assert!(list.contains("En obra") && list.contains(&lead), "{list}");
    }

    let late = [("version", first.as_str()), ("inicio", ""), ("progreso", "terminado")];
    let both = browser.post(&place, &late).await.panel(409);
    assert!(both.contains("En obra, inicio el 1 de diciembre de 2026</bdi>"), "{both}");
    assert!(both.contains("Terminada</bdi>"), "{both}");
    let now = version(&seen);
    let done = [("version", now.as_str()), ("inicio", "2026-12-01"), ("progreso", "terminado")];
    browser.post(&place, &done).await.to(&format!("{page}?hecho=obra#gestion"));
    assert_eq!(desk(&scene, &lead).await.etapa, Etapa::Terminado);
    let now = version(&browser.get(&page).await.panel(200));
    browser.post(&place, &[("version", &now)]).await.to(&format!("{page}?hecho=obra#gestion"));
    assert_eq!(desk(&scene, &lead).await.etapa, Etapa::Aceptado, "taken back");
    let entries = log(&scene, AuditAction::LeadWork).await;
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0].before.as_deref(), Some("Terminada, inicio el 1 de diciembre de 2026"));
    assert_eq!(entries[0].after.as_deref(), Some("Aceptada, sin empezar"));
    let reader = signed(&scene, "Eva").await;
    assert!(!reader.get(&page).await.panel(200).contains("/obra\">"));
    assert_eq!(reader.post(&place, &begun).await.status.as_u16(), 403);
}

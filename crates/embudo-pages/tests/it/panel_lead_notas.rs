//! Internal notes on a lead's page: they stay inside the company, and only some people may remove them.

use embudo_domain::audit::AuditAction;
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::panel_lead_desk::{log, person, signed};
use crate::person::PanelPage as _;
use crate::visitor::hidden;

both_engines!(internal_notes_stay_inside, notes_are_removed_by_their_author_and_by_who_leads);

async fn internal_notes_stay_inside(engine: Engine) {
    const EVIL: &str = "\"><script>alert(1)</script><img src=x onerror=alert(1)>";
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    let id = scene.server.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await;
    let (page, place) = (format!("/panel/leads/{id}"), format!("/panel/leads/{id}/notas"));
    let browser = signed(&scene, "Luis").await;
    let once = hidden(&browser.get(&page).await.panel(200), "vez");
    browser.post(&place, &[("nota", "sin número")]).await.panel(422);
    browser.post(&place, &[("vez", &once), ("nota", "  ")]).await.panel(422);
    let long = "n".repeat(8_001);
    let kept = browser.post(&place, &[("vez", &once), ("nota", &long)]).await.panel(422);
    assert!(kept.contains(&long), "what was typed is not lost");
    let text = format!("secreto de casa {EVIL}");
    for _ in 0..2 {
        browser
            .post(&place, &[("vez", &once), ("nota", &text)])
            .await
            .to(&format!("{page}?hecho=nota#notas"));
    }
    // Another text from the same page is another note.
    browser
        .post(&place, &[("vez", &once), ("nota", "la segunda")])
        .await
        .to(&format!("{page}?hecho=nota#notas"));
    assert_eq!(log(&scene, AuditAction::NotaWritten).await.len(), 2);
    let seen = browser.get(&page).await.panel(200);
    assert!(seen.contains("Nota interna de Luis") && seen.contains("solo la empresa"), "{seen}");
    assert_eq!(seen.matches("secreto de casa").count(), 1, "in its place: {seen}");
    assert!(!seen.contains("<img src=x"), "{seen}");
    let only = browser.get(&format!("{page}?ver=internas")).await.panel(200);
    assert!(only.contains("secreto de casa") && only.contains("la segunda"), "{only}");
    let chat = browser.get(&format!("{page}?ver=conversacion")).await.panel(200);
    assert_eq!(chat.matches("secreto de casa").count(), 0, "{chat}");

    // The quote and the profile signal contain everything that is sent outside.
    scene.complete_perfil(&id).await;
    scene
        .server
        .post(&format!("/api/leads/{id}/ingesta"), &json!({ "finalizar": true, "items": [] }))
        .await
        .with(200);
    let api = [
        scene.server.record(&id).await.to_string(),
        scene.server.get(&format!("/api/leads/{id}/eventos")).await.with(200).to_string(),
        scene.server.get("/api/leads").await.with(200).to_string(),
    ];
    let sent: Vec<String> = scene
        .receiver
        .received()
        .iter()
        .map(|call| String::from_utf8_lossy(&call.body).into_owned())
        .collect();
    assert!(!sent.is_empty());
    for text in api.iter().chain(&sent) {
        assert!(!text.contains("secreto de casa") && !text.contains("la segunda"), "{text}");
    }
}

async fn notes_are_removed_by_their_author_and_by_who_leads(engine: Engine) {
    let scene = Scene::at(engine).await;
    for (nombre, role) in
        [("Luis", Role::Comercial), ("Bea", Role::Comercial), ("Eva", Role::Gestor), ("Vera", Role::Lectura)]
    {
        person(&scene, nombre, role).await;
    }
    let id = scene.server.lead().await;
    let page = format!("/panel/leads/{id}");
    let luis = signed(&scene, "Luis").await;
    for text in ["una", "otra"] {
        let once = hidden(&luis.get(&page).await.panel(200), "vez");
        luis.post(&format!("{page}/notas"), &[("vez", &once), ("nota", text)]).await;
        scene.clock.advance(SignedDuration::from_secs(1));
    }
    let removals = |seen: &str| {
        let mut found: Vec<String> = seen
            .split("action=\"")
            .filter_map(|part| part.split('"').next())
            .filter(|place| place.ends_with("/quitar"))
            .map(str::to_owned)
            .collect();
        found.dedup();
        found.truncate(2);
        found
    };
    let own = removals(&luis.get(&page).await.panel(200));
    assert_eq!(own.len(), 2);
    for (nombre, shown) in [("Bea", 0), ("Vera", 0), ("Eva", 2)] {
        let browser = signed(&scene, nombre).await;
        assert_eq!(removals(&browser.get(&page).await.panel(200)).len(), shown, "{nombre}");
        if shown == 0 {
            browser.post(&own[0], &[]).await.panel(403);
        }
    }
    luis.post(&own[0], &[]).await.to(&format!("{page}?hecho=nota-quitada#notas"));
    luis.post(&own[0], &[]).await.to(&format!("{page}?hecho=nota-quitada#notas"));
    let eva = signed(&scene, "Eva").await;
    eva.post(&own[1], &[]).await.to(&format!("{page}?hecho=nota-quitada#notas"));
    let entries = log(&scene, AuditAction::NotaRemoved).await;
    assert_eq!(entries.len(), 2);
    assert!(entries.iter().all(|entry| entry.before.is_some() && entry.after.is_none()));
    let seen = eva.get(&page).await.panel(200);
    assert!(!seen.contains("Nota interna de"), "{seen}");
}

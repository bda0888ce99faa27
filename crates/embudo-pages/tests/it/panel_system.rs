//! `/panel/sistema`: the state of the installation.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::role::Role;
use embudo_pages::{Backups, BlobPlace, Check, CheckResult, InstallationState, Logged};
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Scene, both_engines};
use jiff::{SignedDuration, Timestamp};

use crate::person::{Browser, PanelPage, add, panel};

both_engines!(administrators_see_how_the_installation_is, without_a_program_it_shows_what_storage_knows,);

fn state(now: Timestamp) -> InstallationState {
    InstallationState {
        version: "9.8.7",
        engine: "SQLite",
        blobs: BlobPlace::Folder,
        started: now - SignedDuration::from_hours(5),
        backups: Backups::On {
            last: Some(now - SignedDuration::from_hours(3)),
            every: Duration::from_secs(24 * 3600),
        },
        checks: vec![Check {
            name: "jobs",
            result: CheckResult::Failed,
            detail: "1 dead".to_owned(),
            mend: Some("see <embudo jobs list>".to_owned()),
        }],
        logged: vec![Logged {
            at: now,
            is_error: true,
            target: "embudo_app".to_owned(),
            text: "storage <failed>".to_owned(),
        }],
    }
}

async fn administrators_see_how_the_installation_is(engine: Engine) {
    let scene = Scene::with(engine, |m| {
        let now = m.clock.now();
        m.web.installation = Some(Arc::new(move || Box::pin(async move { state(now) })));
    })
    .await;
    add(&scene, "ana@ejemplo.es", Some(Role::Administrador), None).await;
    add(&scene, "marta@ejemplo.es", Some(Role::Gestor), None).await;
    scene.receiver.manners([Manner::state(410)]);
    scene.complete_perfil(&scene.server.lead().await).await;

    let page = Browser::signed(&scene, "ana@ejemplo.es").await.get("/panel/sistema").await.panel(200);
    for told in [
        "Embudo 9.8.7",
        "SQLite, ",
        "en una carpeta de este servidor",
        "hace 5 h",
        "al día",
        "hace 3 h",
        ">falla</span>",
        "see &#60;embudo jobs list&#62;",
        "storage &#60;failed&#62;",
        "<dt>Sin entregar</dt><dd><span class=\"ficha ficha-mal\">1</span>",
        "0 pendientes · 1 sin entregar",
    ] {
        assert!(page.contains(told), "{told} is missing in {page}");
    }
    assert!(page.contains("href=\"/panel/sistema\" aria-current=\"page\""), "the rail leads there");
    let manager = Browser::signed(&scene, "marta@ejemplo.es").await;
    manager.get("/panel/sistema").await.panel(403);
    assert!(!manager.get("/panel/leads").await.panel(200).contains("/panel/sistema"));
}

async fn without_a_program_it_shows_what_storage_knows(engine: Engine) {
    let scene = panel(engine).await;
    let page = Browser::signed(&scene, "ana@ejemplo.es").await.get("/panel/sistema").await.panel(200);
    assert!(page.contains("<dt>Base de datos</dt>") && page.contains("ninguno espera"), "{page}");
    assert!(!page.contains("Comprobaciones"), "{page}");
}

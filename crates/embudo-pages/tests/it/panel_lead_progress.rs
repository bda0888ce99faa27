//! After a quote was accepted: the first day of the work and its progress, as recorded by people.

use embudo_domain::LeadId;
use embudo_domain::audit::AuditAction;
use embudo_domain::etapa::{Etapa, Progress};
use embudo_domain::role::Role;
use embudo_testkit::{Engine, Scene, both_engines};
use serde_json::json;

use crate::panel_lead_desk::{desk, log, person, signed};
use crate::panel_quotes::{a_draft, save, seller, sent, with_identity};
use crate::person::{Browser, PanelPage as _};
use crate::visitor::hidden;

both_engines!(accepted_work_begins_goes_on_and_ends, planning_begins_with_the_quotes_programme,);

async fn accepted_work_begins_goes_on_and_ends(engine: Engine) {
    let scene = Scene::at(engine).await;
    person(&scene, "Luis", Role::Comercial).await;
    person(&scene, "Eva", Role::Lectura).await;
    let known =
        json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    let lead = scene.server.lead_with(known).await;
    let (page, place) = (format!("/panel/leads/{lead}"), format!("/panel/leads/{lead}/obra"));
    let browser = signed(&scene, "Luis").await;
    let early = browser.post(&place, &[("progreso", "en_obra")]).await.panel(422);
    assert!(early.contains("Aún no hay un presupuesto aceptado"), "{early}");
    assert!(!browser.get(&page).await.panel(200).contains("Cómo va la obra"));

    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let quote = scene.server.app.store.presupuestos(LeadId::parse(&lead).unwrap()).await.unwrap().remove(0);
    let quote_page = scene.server.app.quotes().page_path(quote.id);
    let client = Browser::new(&scene);
    let accepted =
        client.post(&format!("{quote_page}/aceptar"), &[("acepto", "si"), ("declaro", "si")]).await;
    assert_eq!(accepted.status.as_u16(), 303, "{}", accepted.text);

    let version = |page: &str| hidden(page.split("/obra\">").nth(1).expect("the form"), "version");
    let seen = browser.get(&page).await.panel(200);
    assert!(seen.contains("Cómo va la obra") && seen.contains("Sin fecha"), "{seen}");
    assert!(!seen.contains("Según el presupuesto aceptado"), "it says nothing of it: {seen}");
    let first = version(&seen);
    for bad in ["ayer", "2026-02-30", "1999-01-01", "9999-12-31", "-009999-01-01"] {
        let wrong = [("version", first.as_str()), ("inicio", bad), ("progreso", "en_obra")];
        browser.post(&place, &wrong).await.panel(422);
    }
    for bad in ["0", "731", "muchos", "-1"] {
        let wrong = [("version", first.as_str()), ("inicio", "2026-12-01"), ("dias", bad)];
        assert!(browser.post(&place, &wrong).await.panel(422).contains("de 1 a 730"));
    }
    let unknown = browser.post(&place, &[("version", &first), ("progreso", "perdido")]).await;
    assert!(unknown.status.is_client_error(), "{}", unknown.text);
    let begun =
        [("version", first.as_str()), ("inicio", "2026-12-01"), ("dias", "21"), ("progreso", "en_obra")];
    browser.post(&place, &begun).await.to(&format!("{page}?hecho=obra#gestion"));
    browser.post(&place, &begun).await.to(&format!("{page}#gestion"));
    let at = desk(&scene, &lead).await;
    assert_eq!((at.etapa, at.work.progress), (Etapa::EnObra, Some(Progress::EnObra)));
    let seen = browser.get(&page).await.panel(200);
    assert!(seen.contains("1 de diciembre de 2026, hasta el 21 de diciembre de 2026"), "{seen}");
    for list in ["/panel/leads?etapa=en_obra", "/panel/leads?vista=tablero"] {
        let list = browser.get(list).await.panel(200);
        assert!(list.contains("En obra") && list.contains(&lead), "{list}");
    }

    let late = [("version", first.as_str()), ("inicio", ""), ("progreso", "terminado")];
    let both = browser.post(&place, &late).await.panel(409);
    assert!(both.contains("En obra, inicio el 1 de diciembre de 2026, 21 días</bdi>"), "{both}");
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
    work_is_in_the_calendar(&browser, &lead, &place).await;
    let reader = signed(&scene, "Eva").await;
    assert!(!reader.get(&page).await.panel(200).contains("/obra\">"));
    assert_eq!(reader.post(&place, &begun).await.status.as_u16(), 403);
}

/// The work is shown as bars in a month and a week, and as a row in the list. A person's own works are those that
/// the person is in charge of.
async fn work_is_in_the_calendar(browser: &Browser<'_>, lead: &str, place: &str) {
    let page = format!("/panel/leads/{lead}");
    let version = hidden(browser.get(&page).await.panel(200).split("/obra\">").nth(1).unwrap(), "version");
    let fields = [("version", version.as_str()), ("inicio", "2026-12-03"), ("dias", "9")];
    browser.post(place, &fields).await.to(&format!("{page}?hecho=obra#gestion"));
    let bars = async |view: &str| {
        let shown = browser.get(&format!("/panel/visitas?vista={view}")).await.panel(200);
        let bars = shown.split("class=\"obra ").skip(1).filter(|bar| bar.contains(&page));
        bars.map(|bar| bar.split('"').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // From a Thursday to the Friday of the next week.
    assert_eq!(bars("mes&dia=2026-12-01").await, ["dura-4 obra-sigue", "dura-5 obra-viene"]);
    assert_eq!(bars("semana&dia=2026-12-08").await, ["dura-5 obra-viene"]);
    assert_eq!(bars("semana&dia=2026-12-14").await, Vec::<String>::new());
    assert_eq!(bars("lista&dia=2026-12-11").await, ["dura-1"]);
    let list = browser.get("/panel/visitas?vista=lista&dia=2026-12-01").await.panel(200);
    assert!(list.contains("jue 3 dic – vie 11 dic") && list.contains(">Aceptado<"), "{list}");
    assert_eq!(bars("mes&dia=2026-12-01&de=yo").await, Vec::<String>::new(), "nobody is in charge");
}

/// The form starts with the values of the accepted quote.
async fn planning_begins_with_the_quotes_programme(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let (lead, place) = a_draft(&scene, &browser).await;
    let fields = [
        ("terminos.inicio", "2027-01-11"),
        ("terminos.duracion", "De dos a tres semanas"),
        ("accion", "guardar"),
    ];
    save(&scene, &browser, lead, &place, &fields).await.to(&format!("{place}?hecho=guardado"));
    let quote = sent(&scene, &browser, lead, &place).await;
    scene.server.app.worker().run_jobs().await.unwrap();
    let quote_page = scene.server.app.quotes().page_path(quote.id);
    let accepted = Browser::new(&scene)
        .post(&format!("{quote_page}/aceptar"), &[("acepto", "si"), ("declaro", "si")])
        .await;
    assert_eq!(accepted.status.as_u16(), 303, "{}", accepted.text);
    let seen = browser.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(seen.contains("Según el presupuesto aceptado") && seen.contains("Sin fecha"), "{seen}");
    let form = seen.split("/obra\">").nth(1).unwrap();
    for (name, value) in [("inicio", "2027-01-11"), ("dias", "21")] {
        let field = form.split(&format!("name=\"{name}\"")).nth(1).unwrap().split('>').next().unwrap();
        assert!(field.contains(&format!("value=\"{value}\"")), "{name}: {field}");
    }
}

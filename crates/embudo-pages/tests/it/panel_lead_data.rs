//! A lead's postal address, and leads that a person creates with only a telephone or an e-mail address.

use embudo_domain::LeadId;
use embudo_domain::event::EventKind;
use embudo_testkit::{Engine, Scene, both_engines};
use serde_json::json;

use crate::panel_quotes::{seller, with_identity};
use crate::person::{Browser, PanelPage as _};
use crate::visitor::hidden;

both_engines!(
    a_telephone_or_an_e_mail_is_enough,
    what_has_no_address_is_not_sent,
    an_address_is_kept_searched_and_used,
    provinces_are_a_list_that_keeps_what_was_written,
);

/// Creates a lead in the panel and returns its id.
async fn by_hand(browser: &Browser<'_>, fields: &[(&str, &str)]) -> String {
    let once = hidden(&browser.get("/panel/leads/nuevo").await.panel(200), "vez");
    let sent = [fields, &[("vez", once.as_str())]].concat();
    let answer = browser.post("/panel/leads/nuevo", &sent).await;
    let place = answer.header("location").unwrap_or_else(|| panic!("{}", answer.text)).to_owned();
    place.trim_start_matches("/panel/leads/").split('?').next().unwrap().to_owned()
}

async fn projected(scene: &Scene) {
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
}

async fn a_telephone_or_an_e_mail_is_enough(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let once = hidden(&browser.get("/panel/leads/nuevo").await.panel(200), "vez");
    let none = browser.post("/panel/leads/nuevo", &[("vez", &once), ("nombre", "Eva")]).await.panel(422);
    assert!(none.contains("con uno de los dos basta") && none.contains("href=\"#telefono\""), "{none}");
    let eva = by_hand(&browser, &[("nombre", "Eva Sol"), ("email", "eva@ejemplo.es")]).await;
    let leo = by_hand(&browser, &[("nombre", "Leo Sol"), ("telefono", "633 11 22 33")]).await;
    let other = by_hand(&browser, &[("nombre", "Ada Sol"), ("telefono", "633 44 55 66")]).await;
    let record = scene.server.record(&eva).await;
    assert_eq!((&record["telefono"], &record["telefonoE164"]), (&json!(null), &json!(null)));
    assert_eq!(record["email"], "eva@ejemplo.es");
    let record = scene.server.record(&leo).await;
    assert_eq!((&record["email"], &record["telefonoE164"]), (&json!(null), &json!("+34633112233")));
    assert_eq!(record["posibleDuplicado"], false, "two that lack an e-mail are not one person: {record}");
    for id in [&eva, &leo, &other] {
        let page = browser.get(&format!("/panel/leads/{id}")).await.panel(200);
        assert!(page.contains("Sin teléfono") || page.contains("Sin correo"), "{page}");
        assert!(!page.contains("href=\"tel:\"") && !page.contains("mailto:?"), "{page}");
    }
    // Missing data are filled in later, by the API or in the panel. The last way to reach the person cannot be removed.
    let patched = scene.server.request(reqwest::Method::PATCH, &format!("/api/leads/{eva}"));
    let patched = scene.server.send(patched.body(json!({ "telefono": "633 77 88 99" }).to_string())).await;
    assert_eq!(patched.status.as_u16(), 200, "{}", patched.text);
    assert_eq!(scene.server.record(&eva).await["telefonoE164"], "+34633778899");
    let page = browser.get(&format!("/panel/leads/{leo}")).await.panel(200);
    let version = hidden(page.split("value=\"contacto\"").nth(1).unwrap(), "version");
    let base = [("grupo", "contacto"), ("version", version.as_str()), ("nombre", "Leo Sol")];
    let empty = [&base[..], &[("telefono", ""), ("email", "")]].concat();
    let told = browser.post(&format!("/panel/leads/{leo}/datos"), &empty).await.panel(422);
    assert!(told.contains("con uno de los dos basta"), "{told}");
    let moved = [&base[..], &[("telefono", ""), ("email", "leo@ejemplo.es")]].concat();
    assert_eq!(browser.post(&format!("/panel/leads/{leo}/datos"), &moved).await.status.as_u16(), 303);
    let record = scene.server.record(&leo).await;
    assert_eq!((&record["telefono"], &record["email"]), (&json!(null), &json!("leo@ejemplo.es")));
    // The API still requires all three fields.
    let short = scene.server.post("/api/leads", &json!({ "nombre": "X", "email": "x@ejemplo.es" })).await;
    assert_eq!(short.status.as_u16(), 422);
}

async fn what_has_no_address_is_not_sent(engine: Engine) {
    let scene = Scene::at(engine).await;
    with_identity(&scene).await;
    let browser = seller(&scene).await;
    let eva = by_hand(&browser, &[("nombre", "Eva Sol"), ("email", "eva@ejemplo.es")]).await;
    let started = scene.server.post(&format!("/api/leads/{eva}/mensajeria"), &json!({})).await;
    assert_eq!((started.status.as_u16(), started.text.contains("\"senal\":false")), (200, true));
    let ended = scene.server.post(&format!("/api/leads/{eva}/ingesta"), &json!({ "finalizar": true })).await;
    assert_eq!(ended.status.as_u16(), 200, "{}", ended.text);
    scene.server.app.worker().run_jobs().await.unwrap();
    let record = scene.server.app.store.record(LeadId::parse(&eva).unwrap()).await.unwrap();
    for kind in [EventKind::Mensajeria, EventKind::Pdf] {
        let event = record.events.iter().find(|event| event.kind == kind).expect("it is told");
        assert_eq!((event.ok, event.simulated), (false, false));
        assert_eq!(event.detail.as_deref(), Some("el lead no tiene teléfono"));
    }
    let quote = &record.presupuestos[0];
    assert!(quote.pdf.is_some() && quote.deliveries.iter().all(|d| d.channel.as_str() == "email"));
    let page = Browser::new(&scene).get(&scene.server.app.quotes().page_path(quote.id)).await.text;
    assert!(!page.contains("Preguntar por") && !page.contains("al <span class=\"cifra\"></span>"), "{page}");
}

async fn an_address_is_kept_searched_and_used(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let fields = [
        ("nombre", "Eva Sol"),
        ("telefono", "633 11 22 33"),
        ("direccion", "Calle Almendro 14"),
        ("provincia", "Madrid"),
        ("tipoReforma", "bano"),
    ];
    let eva = by_hand(&browser, &fields).await;
    let record = scene.server.record(&eva).await;
    assert_eq!(record["direccion"], "Calle Almendro 14", "{record}");
    projected(&scene).await;
    let found = browser.get("/panel/leads?q=almendro").await.panel(200);
    assert!(found.contains("Eva Sol"), "{found}");
    // A new visit and a new quote start with the address.
    let visit = browser.get(&format!("/panel/leads/{eva}/visitas")).await.panel(200);
    assert!(visit.contains("value=\"Calle Almendro 14, Madrid\""), "{visit}");
    let opened = browser.post(&format!("/panel/leads/{eva}/presupuestos"), &[("desde", "ultimo")]).await;
    let draft = browser.get(opened.header("location").unwrap()).await.panel(200);
    assert!(draft.contains("Calle Almendro 14, Madrid"), "{draft}");
    // The API creates and corrects the address, and limits its length.
    let other = scene.server.lead_with(json!({ "direccion": "Plaza Nueva 1" })).await;
    assert_eq!(scene.server.record(&other).await["direccion"], "Plaza Nueva 1");
    let long = json!({ "direccion": "x".repeat(251) }).to_string();
    let patch = |body: String| {
        let request = scene.server.request(reqwest::Method::PATCH, &format!("/api/leads/{other}"));
        scene.server.send(request.body(body))
    };
    assert_eq!(patch(long).await.status.as_u16(), 422);
    assert_eq!(patch(json!({ "direccion": "Plaza Vieja 2" }).to_string()).await.status.as_u16(), 200);
    let record = scene.server.record(&other).await;
    assert_eq!(
        (&record["direccion"], &record["obra"]["direccion"]),
        (&json!("Plaza Vieja 2"), &json!("Plaza Vieja 2"))
    );
}

async fn provinces_are_a_list_that_keeps_what_was_written(engine: Engine) {
    let scene = Scene::at(engine).await;
    let browser = seller(&scene).await;
    let form = browser.get("/panel/leads/nuevo").await.panel(200);
    let list = form.split("id=\"provincia\"").nth(1).unwrap().split("</select>").next().unwrap();
    assert_eq!(list.matches("<option").count(), 53, "{list}");
    let lead = scene.server.lead_with(json!({ "provincia": "cerca de Toledo" })).await;
    let page = browser.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(page.contains("<option value=\"cerca de Toledo\" selected>"), "{page}");
}

//! A floor area that the client only estimated is not binding: the quote is approximate and says why, until a person
//! has measured or confirmed the area.

use embudo_domain::LeadId;
use embudo_domain::presupuesto::{Character, Draft};
use embudo_testkit::{Engine, Scene, both_engines};
use serde_json::json;

use crate::panel_quotes::{save, seller, with_identity};
use crate::person::{Browser, PanelPage as _};
use crate::visitor::Visitor;

both_engines!(
    metres_of_the_form_are_an_estimate,
    metres_of_the_api_are_known,
    a_person_makes_it_binding_with_one_tick,
    a_person_who_measured_says_so,
);

const WHY: &str = "Los m² son una estimación del cliente:";

/// A lead of the form that answered all questions that decide the price.
async fn of_form(visitor: &Visitor) -> LeadId {
    let base = visitor.signup().await;
    let lead = visitor.lead(&base);
    let known = json!({ "calidadGlobal": "media" });
    visitor.server().post(&format!("/api/leads/{lead}/perfil"), &known).await.with(200);
    let request = visitor.server().request(reqwest::Method::PATCH, &format!("/api/leads/{lead}"));
    visitor.server().send(request.body(json!({ "provincia": "Madrid" }).to_string())).await.with(200);
    lead
}

async fn draft(scene: &Scene, browser: &Browser<'_>, lead: LeadId) -> String {
    let opened = browser.post(&format!("/panel/leads/{lead}/presupuestos"), &[("desde", "ultimo")]).await;
    assert!(scene.server.app.store.draft_of(lead).await.unwrap().is_some());
    opened.header("location").unwrap().split('?').next().unwrap().to_owned()
}

async fn character(scene: &Scene, lead: LeadId) -> Character {
    let record = scene.server.app.store.record(lead).await.unwrap();
    let stored = scene.server.app.store.draft_of(lead).await.unwrap().unwrap();
    let sheet = Draft::read(stored.json.as_bytes()).unwrap();
    scene.server.app.quotes().preview(&record, &sheet).await.unwrap().unwrap().character()
}

async fn metres_of_the_form_are_an_estimate(engine: Engine) {
    let visitor = Visitor::at(engine).await;
    let lead = of_form(&visitor).await;
    let scene = &visitor.scene;
    let browser = seller(scene).await;
    let place = draft(scene, &browser, lead).await;
    assert_eq!(character(scene, lead).await, Character::Orientative);
    let page = browser.get(&place).await.panel(200);
    assert!(page.contains(WHY) && page.contains("orientativo"), "{page}");
    // The range follows from the estimated area, and is not the range of any bathroom.
    let record = scene.server.app.store.record(lead).await.unwrap();
    let stored = scene.server.app.store.draft_of(lead).await.unwrap().unwrap();
    let sheet = Draft::read(stored.json.as_bytes()).unwrap();
    let document = scene.server.app.quotes().preview(&record, &sheet).await.unwrap().unwrap();
    let (range, total) = (document.shown_range().expect("a range"), document.impuesto.total);
    assert!(range.minimum < total && total < range.maximum);
    assert!(range.maximum.0 < total.0 * 13 / 10 && range.minimum.0 > total.0 * 7 / 10, "{range:?} {total}");
}

async fn metres_of_the_api_are_known(engine: Engine) {
    let visitor = Visitor::at(engine).await;
    let scene = &visitor.scene;
    let browser = seller(scene).await;
    let known =
        json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    let lead = LeadId::parse(&scene.server.lead_with(known).await).unwrap();
    draft(scene, &browser, lead).await;
    assert_eq!(character(scene, lead).await, Character::Binding);
    // The workflow asked the client again: the same area is no estimate any more.
    let lead = of_form(&visitor).await;
    draft(scene, &browser, lead).await;
    assert_eq!(character(scene, lead).await, Character::Orientative);
    scene.server.post(&format!("/api/leads/{lead}/perfil"), &json!({ "m2Suelo": 5 })).await.with(200);
    let stored = scene.server.app.store.draft_of(lead).await.unwrap().unwrap();
    let place = format!("/panel/presupuestos/{}", stored.id);
    browser.post(&format!("{place}/recalcular"), &[("revision", &stored.revision.to_string())]).await;
    assert_eq!(character(scene, lead).await, Character::Binding);
}

async fn a_person_makes_it_binding_with_one_tick(engine: Engine) {
    let visitor = Visitor::at(engine).await;
    let scene = &visitor.scene;
    with_identity(scene).await;
    let browser = seller(scene).await;
    for (tick, expected) in [(None, Character::Orientative), (Some("si"), Character::Binding)] {
        let lead = of_form(&visitor).await;
        let place = draft(scene, &browser, lead).await;
        let page = browser.get(&format!("{place}/enviar")).await.panel(200);
        assert!(page.contains("He comprobado las medidas: enviar como vinculante"), "{page}");
        let revision = scene.server.app.store.draft_of(lead).await.unwrap().unwrap().revision.to_string();
        let mut fields = vec![("revision", revision.as_str())];
        fields.extend(tick.map(|tick| ("vinculante", tick)));
        browser.post(&format!("{place}/enviar"), &fields).await.to(&format!("{place}?hecho=enviado"));
        let quote = scene.server.app.store.presupuestos(lead).await.unwrap().remove(0);
        assert_eq!(quote.document.character(), expected);
        let said = quote.document.pricing.assumptions.iter().any(|a| a.text.starts_with(WHY));
        assert_eq!((said, quote.document.shown_range().is_some()), (tick.is_none(), tick.is_none()));
    }
}

async fn a_person_who_measured_says_so(engine: Engine) {
    let visitor = Visitor::at(engine).await;
    let scene = &visitor.scene;
    let browser = seller(scene).await;
    // Confirmed in the editor.
    let lead = of_form(&visitor).await;
    let place = draft(scene, &browser, lead).await;
    save(
        scene,
        &browser,
        lead,
        &place,
        &[("estancia.1.m2", "6"), ("estancia.1.medidos", "no"), ("accion", "guardar")],
    )
    .await;
    assert_eq!(character(scene, lead).await, Character::Orientative, "another number is no measurement");
    save(scene, &browser, lead, &place, &[("estancia.1.medidos", "si"), ("accion", "guardar")]).await;
    assert_eq!(character(scene, lead).await, Character::Binding);
    // Confirmed on the lead's page: the draft follows.
    let lead = of_form(&visitor).await;
    let facts = |lead: LeadId| async move { scene.server.app.store.record(lead).await.unwrap().lead };
    let before = facts(lead).await;
    assert!(before.obra.is_estimate(before.perfil.m2_suelo));
    let mut edited = embudo_domain::facts::Facts::of(&before);
    edited.obra.m2_estimado = None;
    let actor = embudo_app::Actor { user: None, who: "Ana".into(), ip: None };
    scene.server.app.leads().edit(&before, edited, &actor).await.unwrap();
    draft(scene, &browser, lead).await;
    assert_eq!(character(scene, lead).await, Character::Binding);
}

//! Approximate quotes cannot be accepted. The client can ask for a visit once, and the company is notified.

use std::time::Duration;

use embudo_app::{Actor, Conflicts, NewVisita, OutboundMail, Pass, Tell};
use embudo_delivery::Mail;
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_domain::LeadId;
use embudo_domain::presupuesto::{Character, Presupuesto, PresupuestoState};
use embudo_domain::role::Role;
use embudo_domain::visita::{Visita, VisitaState};
use embudo_store::empresas::EmpresaPatch;
use embudo_testkit::{Engine, Mailbox, Scene, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::person::{Browser, PanelPage as _, add};

both_engines!(
    an_orientative_quote_is_visited_and_never_accepted,
    a_binding_quote_needs_no_visit,
    the_hour_of_a_visit_is_chosen_from_the_quotes_page,
    a_quotes_pass_opens_visits_of_its_own_lead_only,
);

async fn a_quote(scene: &Scene, known: serde_json::Value) -> (String, Presupuesto, String) {
    let lead = scene.server.lead_with(known).await;
    scene.server.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    // A busy machine may take longer to draw the quote than the call waits.
    let drawn = async {
        loop {
            let quote =
                scene.server.app.store.presupuestos(LeadId::parse(&lead).unwrap()).await.unwrap().remove(0);
            if quote.pdf.is_some() {
                return quote;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let quote = tokio::time::timeout(Duration::from_secs(60), drawn).await.expect("drawn");
    let page = format!("/p/{}", scene.server.app.outbound.passes.write(Pass::Presupuesto(quote.id), None));
    (lead, quote, page)
}

async fn an_orientative_quote_is_visited_and_never_accepted(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let (host, port) = (mailbox.address.ip().to_string(), mailbox.address.port());
    let scene = Scene::with(engine, |setup| {
        let cliente = Mail::new(SmtpSettings::new(host, port, Tls::None)).unwrap();
        setup.outbound.mail =
            Some(OutboundMail { client: cliente, from: "embudo@ejemplo.es".into(), from_name: None });
    })
    .await;
    let patch = EmpresaPatch { email_avisos: Some("obra@ejemplo.es".into()), ..EmpresaPatch::default() };
    scene.server.app.store.update_empresa(scene.server.empresa.id, patch).await.unwrap();
    add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await;
    let seller = Browser::signed(&scene, "luis@ejemplo.es").await;
    let client = Browser::new(&scene);
    let (lead, quote, page) = a_quote(&scene, json!({ "tipoReforma": "bano", "provincia": "Madrid" })).await;
    assert_eq!(quote.document.character(), Character::Orientative);
    let read = async || scene.server.app.store.presupuesto(quote.id).await.unwrap();

    let html = client.get(&page).await.text;
    assert!(html.contains("Pedir visita</button>") && html.contains("Es orientativo"), "{html}");
    assert!(!html.contains("/aceptar\"") && html.contains("/rechazar\""));
    for form in [&[("acepto", "si"), ("declaro", "si")][..], &[], &[("opcion", "x"), ("total", "y")]] {
        let refused = client.post(&format!("{page}/aceptar"), form).await;
        assert_eq!(refused.status.as_u16(), 409);
        assert!(refused.text.contains("es orientativo y aún no se puede aceptar"), "{}", refused.text);
    }
    assert_eq!(read().await.state, PresupuestoState::Emitido);

    let long = client.post(&format!("{page}/visita"), &[("nota", &"a".repeat(501))]).await;
    assert_eq!(long.status.as_u16(), 422);
    assert!(long.text.contains(&"a".repeat(501)), "what was typed is not lost");
    for nota in ["Por las <tardes>", "otra cosa"] {
        let asked = client.post(&format!("{page}/visita"), &[("nota", nota)]).await;
        assert_eq!(asked.status.as_u16(), 303, "{}", asked.text);
    }
    let note = read().await.visit.unwrap().note;
    assert_eq!(note.as_deref(), Some("Por las <tardes>"), "the second press only says so");
    let html = client.get(&page).await.text;
    assert!(html.contains("Visita pedida") && html.contains("Ya nos has pedido la visita"), "{html}");
    assert!(!html.contains("Pedir visita</button>") && html.contains("/rechazar\""));

    scene.server.app.worker().run_jobs().await.unwrap();
    let mails = mailbox.messages();
    let notices: Vec<_> = mails.iter().filter(|m| m.subject().starts_with("Pide una visita")).collect();
    assert_eq!(notices.len(), 1);
    assert!(notices[0].part("text/plain").unwrap().contains("«Por las <tardes>»"));
    assert!(!notices[0].part("text/html").unwrap().contains("<tardes>"));
    let own = seller.get(&format!("/panel/leads/{lead}")).await.panel(200);
    assert!(own.contains("Visita pedida") && own.contains("Por las &#60;tardes&#62;"), "{own}");
    assert!(own.contains("Pide una visita"), "it stands in the history");
    while scene.server.app.housekeeping().project_touched().await.unwrap() > 0 {}
    let list = seller.get("/panel/leads").await.panel(200);
    assert!(list.contains("Visita pedida"), "{list}");
    let sealed = seller.get(&format!("/panel/presupuestos/{}", quote.id)).await.panel(200);
    assert!(sealed.contains("Visita pedida") && sealed.contains("Por las &#60;tardes&#62;"), "{sealed}");
    let events = scene.server.record(&lead).await;
    let events = events["eventos"].as_array().unwrap().iter().filter(|e| e["tipo"] == "visita_pedida");
    assert_eq!(events.count(), 1);

    // A client who declined may change their mind later.
    scene.clock.advance(SignedDuration::from_mins(1));
    assert_eq!(client.post(&format!("{page}/rechazar"), &[]).await.status.as_u16(), 303);
    assert!(client.get(&page).await.text.contains("puedes pedirnos una visita"));
    scene.clock.advance(SignedDuration::from_mins(1));
    assert_eq!(client.post(&format!("{page}/visita"), &[]).await.status.as_u16(), 303);
    assert!(client.get(&page).await.text.contains("Visita pedida"));
    scene.clock.advance(SignedDuration::from_hours(40 * 24));
    let late = client.post(&format!("{page}/visita"), &[]).await;
    assert_eq!(late.status.as_u16(), 303, "it was asked for before it ended: the press only says so");
    let events = scene.server.record(&lead).await;
    let events = events["eventos"].as_array().unwrap().iter().filter(|e| e["tipo"] == "visita_pedida");
    assert_eq!(events.count(), 2, "nothing is written");
}

async fn a_binding_quote_needs_no_visit(engine: Engine) {
    let scene = Scene::at(engine).await;
    let client = Browser::new(&scene);
    let known =
        json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    let (_, quote, page) = a_quote(&scene, known).await;
    assert_eq!(quote.document.character(), Character::Binding);
    assert!(!client.get(&page).await.text.contains("Pedir visita"));
    let refused = client.post(&format!("{page}/visita"), &[("nota", "mañana")]).await;
    assert_eq!(refused.status.as_u16(), 409);
    assert!(refused.text.contains("no hace falta una visita"), "{}", refused.text);
    assert_eq!(scene.server.app.store.presupuesto(quote.id).await.unwrap().visit, None);
}

/// Proposes a visit at hours that begin this number of hours from now.
async fn proposed(scene: &Scene, lead: &str, person: embudo_domain::UserId, hours: &[i64]) -> Visita {
    let (app, now) = (&scene.server.app, scene.server.app.now());
    let new = NewVisita {
        lead: LeadId::parse(lead).unwrap(),
        empresa: scene.server.empresa.id,
        minutes: 60,
        address: String::new(),
        people: vec![person],
        notes: String::new(),
    };
    let slots: Vec<_> = hours.iter().map(|hour| now + SignedDuration::from_hours(*hour)).collect();
    let visita = app.visits().prepare(new).propose(&slots, now).unwrap();
    let kept = app.visits().keep(None, visita, Conflicts::Override, Tell::People, &Actor::command()).await;
    match kept.unwrap() {
        embudo_store::visits::VisitaChange::Saved(visita) => visita,
        other => panic!("{other:?}"),
    }
}

async fn the_hour_of_a_visit_is_chosen_from_the_quotes_page(engine: Engine) {
    const CHOOSE: &str = "Elegir hora para la visita</a>";
    const CHANGE: &str = "Tu visita: ver o cambiar</a>";
    let scene = Scene::at(engine).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await.id;
    let client = Browser::new(&scene);
    // After the request, the quote says that somebody will call, until there are hours to choose from.
    let (lead, _, page) = a_quote(&scene, json!({ "tipoReforma": "bano", "provincia": "Madrid" })).await;
    assert_eq!(client.post(&format!("{page}/visita"), &[]).await.status.as_u16(), 303);
    let html = client.get(&page).await.text;
    assert!(html.contains("Te llamamos para fijar el día") && !html.contains("href=\"/v/"), "{html}");
    let visita = proposed(&scene, &lead, luis, &[2, 47, 71]).await;
    scene.clock.advance(SignedDuration::from_hours(2));
    let path = scene.server.app.visits().page_path(&visita);
    let html = client.get(&page).await.text;
    assert!(html.contains(CHOOSE) && html.contains(&format!("href=\"{path}\"")), "{html}");
    assert!(!html.contains("Te llamamos") && html.contains("Visita pedida"), "{html}");
    let chosen = client.get(&path).await.text;
    assert_eq!(chosen.matches("name=\"hora\"").count(), 2, "one has begun: {chosen}");
    let hour = visita.slots[1].as_second().to_string();
    client.post(&format!("{path}/elegir"), &[("hora", &hour)]).await.to(&format!("{path}?hecho=elegida"));
    let html = client.get(&page).await.text;
    assert!(
        html.contains(CHANGE) && html.contains("Vamos a verte el lunes 16 de noviembre de 2026"),
        "{html}"
    );
    // A visit in the past is no longer shown.
    scene.clock.advance(SignedDuration::from_hours(49));
    let html = client.get(&page).await.text;
    assert!(!html.contains("href=\"/v/") && html.contains("Te llamamos para fijar el día"), "{html}");

    // An accepted quote, and one that waits for its answer, show the visit in a separate banner.
    let known =
        json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media", "provincia": "Madrid" });
    let (lead, quote, page) = a_quote(&scene, known).await;
    let none = proposed(&scene, &lead, luis, &[2]).await;
    assert!(client.get(&page).await.text.contains(CHOOSE));
    scene.clock.advance(SignedDuration::from_hours(2));
    let html = client.get(&page).await.text;
    assert!(!html.contains("href=\"/v/"), "nothing is left to choose: {html}");
    let visita = proposed(&scene, &lead, luis, &[48]).await;
    assert_ne!(visita.id, none.id);
    let html = client.get(&page).await.text;
    assert!(html.contains(CHOOSE) && html.contains("Te hemos propuesto unas horas"), "{html}");
    assert!(html.contains("/aceptar\""), "it can still be answered");
    let form = [("acepto", "si"), ("declaro", "si")];
    let taken = client.post(&format!("{page}/aceptar"), &form).await;
    assert_eq!(taken.status.as_u16(), 303, "{}", taken.text);
    assert_eq!(scene.server.app.store.presupuesto(quote.id).await.unwrap().state, PresupuestoState::Aceptado);
    let html = client.get(&page).await.text;
    assert!(html.contains("Presupuesto aceptado") && html.contains(CHOOSE), "{html}");
    assert!(!html.contains("Te llamamos") && !html.contains("Te hemos propuesto unas horas"), "{html}");
    let gone = visita.clone().cancel(None, scene.server.app.now()).unwrap();
    assert_eq!(gone.state, VisitaState::Cancelada);
    let app = &scene.server.app;
    app.visits().keep(Some(&visita), gone, Conflicts::Heed, Tell::People, &Actor::command()).await.unwrap();
    let html = client.get(&page).await.text;
    assert!(!html.contains("href=\"/v/") && html.contains("Te llamamos para fijar la visita"), "{html}");
}

/// The staff united two leads as one person. That does not prove that the holder of one lead's link is that person.
async fn a_quotes_pass_opens_visits_of_its_own_lead_only(engine: Engine) {
    let scene = Scene::at(engine).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Comercial), None).await.id;
    let client = Browser::new(&scene);
    let (lead, _, page) = a_quote(&scene, json!({ "tipoReforma": "bano", "provincia": "Madrid" })).await;
    let other = scene.server.lead_with(json!({ "nombre": "Otra Persona" })).await;
    let visita = proposed(&scene, &other, luis, &[48]).await;
    let staff = Browser::signed(&scene, "luis@ejemplo.es").await;
    let united =
        staff.post(&format!("/panel/leads/{lead}/unir"), &[("con", &other), ("principal", &lead)]).await;
    united.to(&format!("/panel/leads/{lead}?hecho=unido#gestion"));
    let html = client.get(&page).await.text;
    assert!(!html.contains("href=\"/v/"), "{html}");
    let own = proposed(&scene, &lead, luis, &[71]).await;
    let html = client.get(&page).await.text;
    assert!(html.contains(&scene.server.app.visits().page_path(&own)), "{html}");
    assert!(!html.contains(&scene.server.app.visits().page_path(&visita)), "{html}");
}

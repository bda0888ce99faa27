//! `GET /api/leads/:id/visita` (contract §3).

use embudo_app::{Actor, Conflicts, NewPerson, NewVisita, Tell};
use embudo_domain::contact::Email;
use embudo_domain::role::{Membership, Role};
use embudo_domain::user::User;
use embudo_domain::visita::Visita;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::visits::VisitaChange;
use embudo_testkit::{Engine, Scene, Server, both_engines};
use serde_json::{Value, json};

use crate::NOBODY;

both_engines!(hours_are_those_that_are_left, without_a_visit_hours_are_when_somebody_can_go);

/// Somebody of the company who goes on visits.
pub async fn person(s: &Server, name: &str) -> User {
    let person = NewPerson {
        nombre: name.into(),
        email: Email::parse(&format!("{name}@ejemplo.es")).unwrap(),
        is_admin: false,
        memberships: vec![Membership { empresa: s.empresa.id, role: Role::Comercial }],
        password: None,
    };
    s.app.access().create_person(person, &Actor::command()).await.unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn keep(s: &Server, before: Option<&Visita>, after: Visita) -> Visita {
    let kept = s.app.visits().keep(before, after, Conflicts::Override, Tell::People, &Actor::command()).await;
    match kept.unwrap() {
        VisitaChange::Saved(visita) => visita,
        other => panic!("{other:?}"),
    }
}

async fn offer(s: &Server, lead: &str) -> Value {
    s.get(&format!("/api/leads/{lead}/visita")).await.with(200)
}

async fn hours_are_those_that_are_left(engine: Engine) {
    let scene = Scene::at(engine).await;
    let s = &scene.server;
    let luis = person(s, "Luis").await;
    let lead = s.lead().await;
    let prepare = |notes: &str| {
        s.app.visits().prepare(NewVisita {
            lead: LeadId::parse(&lead).unwrap(),
            empresa: s.empresa.id,
            minutes: 90,
            address: "Calle Mayor 1".into(),
            people: vec![luis.id],
            notes: notes.into(),
        })
    };
    let hours = [at("2026-11-17T10:00:00Z"), at("2026-11-18T10:00:00Z")];
    let proposed = keep(s, None, prepare("CANARIO").propose(&hours, s.app.now()).unwrap()).await;
    let shown = offer(s, &lead).await;
    assert_eq!(shown["huecos"], json!(["2026-11-17T10:00:00Z", "2026-11-18T10:00:00Z"]));
    assert_eq!(shown["horaLocal"][0], "martes 17 de noviembre de 2026, a las 11:00");
    assert_eq!(shown["minutos"], 90);
    let visit = &shown["visita"];
    assert_eq!((&visit["estado"], &visit["inicio"]), (&json!("propuesta"), &Value::Null));
    assert!(visit["pagina"].as_str().unwrap().starts_with("/v/"));
    assert!(!shown.to_string().contains("CANARIO"), "what is noted about it is the company's");

    let picked = proposed.clone().pick(hours[0], s.app.now()).unwrap();
    keep(s, Some(&proposed), picked).await;
    let shown = offer(s, &lead).await;
    assert_eq!(shown["visita"]["inicio"], "2026-11-17T10:00:00Z");
    let free = shown["huecos"].as_array().unwrap();
    assert!(
        !free.is_empty() && free.len() <= 12 && !free.contains(&json!("2026-11-17T10:00:00Z")),
        "{shown}"
    );
    // It is too late for the client to move the visit: no hours are offered.
    scene.clock.advance(jiff::SignedDuration::from_hours(71));
    assert_eq!(offer(s, &lead).await["huecos"], json!([]));
}

async fn without_a_visit_hours_are_when_somebody_can_go(engine: Engine) {
    let scene = Scene::at(engine).await;
    let s = &scene.server;
    let lead = s.lead().await;
    let shown = offer(s, &lead).await;
    assert_eq!((&shown["visita"], &shown["huecos"]), (&Value::Null, &json!([])), "nobody goes on visits yet");
    person(s, "Luis").await;
    person(s, "Eva").await;
    let shown = offer(s, &lead).await;
    let free: Vec<&str> =
        shown["huecos"].as_array().unwrap().iter().map(|hour| hour.as_str().unwrap()).collect();
    assert_eq!(free.len(), 12, "{shown}");
    assert!(free.is_sorted() && free[0] >= "2026-11-15T10:30:00Z", "a day ahead at least: {shown}");
    s.get(&format!("/api/leads/{NOBODY}/visita")).await.problem(404);
}

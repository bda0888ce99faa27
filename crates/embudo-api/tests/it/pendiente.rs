//! `GET /api/pendiente` (contract §3).

use embudo_testkit::{Engine, Scene, Server, both_engines};
use jiff::SignedDuration;
use serde_json::{Value, json};

both_engines!(what_is_due_today_comes_first);

async fn pending(s: &Server, query: &str) -> Value {
    while s.app.housekeeping().project_touched().await.unwrap() > 0 {}
    s.get(&format!("/api/pendiente{query}")).await.with(200)
}

fn leads(page: &Value) -> Vec<&str> {
    page["pendientes"].as_array().unwrap().iter().map(|row| row["leadId"].as_str().unwrap()).collect()
}

async fn what_is_due_today_comes_first(engine: Engine) {
    let scene = Scene::at(engine).await;
    let s = &scene.server;
    assert_eq!(pending(s, "").await["pendientes"], json!([]));
    let soon = s.lead_with(json!({ "nombre": "Ana", "telefono": "611000001" })).await;
    let urgent = s.lead_with(json!({ "nombre": "Eva", "telefono": "611000002", "urgencia": "alta" })).await;
    let answered = s.lead_with(json!({ "nombre": "Leo", "telefono": "611000003" })).await;
    let turn = json!({ "rol": "assistant", "mensaje": "Hola" });
    s.post(&format!("/api/leads/{answered}/conversacion"), &turn).await.with(200);

    let page = pending(s, "").await;
    assert_eq!(leads(&page), [&urgent, &soon], "who was answered needs nobody: {page}");
    let first = &page["pendientes"][0];
    assert_eq!(
        (&first["accion"], &first["vencida"], &first["nombre"]),
        (&json!("contactar"), &json!(true), &json!("Eva"))
    );
    assert_eq!(first["empresa"]["tenantId"], json!(s.empresa.id));
    assert_eq!(page["pendientes"][1]["vencida"], false, "within a quarter of an hour");
    assert_eq!(page["hasta"], "2026-11-14T23:00:00Z", "midnight in Madrid");
    assert_eq!((&page["hayMas"], &page["visitas"]), (&json!(false), &json!([])));
    let one = pending(s, "?limite=1").await;
    assert_eq!((leads(&one), &one["hayMas"]), (vec![urgent.as_str()], &json!(true)));
    scene.clock.advance(SignedDuration::from_mins(20));
    assert_eq!(pending(s, "").await["pendientes"][1]["vencida"], true);

    let own = format!("?tenantId={}", s.empresa.id);
    assert_eq!(leads(&pending(s, &own).await).len(), 2);
    assert!(leads(&pending(s, &format!("?tenantId={}", crate::NOBODY)).await).is_empty());
    for (query, field) in [("?limite=0", "limite"), ("?limite=201", "limite"), ("?tenantId=x", "tenantId")] {
        let errors = s.get(&format!("/api/pendiente{query}")).await.errors();
        assert_eq!(errors, [(field.to_owned(), "formato".to_owned())], "{query}");
    }
}

//! `POST /api/leads/:id/mensajeria` (contract §3).

use embudo_testkit::{Server, both_engines};
use serde_json::json;

both_engines!(the_body_may_be_empty_and_each_call_is_recorded,);

async fn the_body_may_be_empty_and_each_call_is_recorded(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/mensajeria");
    for body in ["", "{}", r#"{"x":1}"#] {
        let r = s.post_text(&path, body).await.with(200);
        assert_eq!(r, json!({ "ok": true, "senal": false }));
    }
    s.post_text(&path, "[]").await.problem(422);
    let record = s.record(&lead).await;
    let events = record["eventos"].as_array().unwrap();
    assert_eq!(events.len(), 3);
    assert!(events.iter().all(|e| e["tipo"] == "mensajeria" && e["simulado"] == true));
}

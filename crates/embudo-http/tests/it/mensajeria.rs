//! `POST /api/leads/:id/mensajeria` (contract §3).

use embudo_testkit::{Server, both_engines};
use serde_json::json;

both_engines!(the_body_may_be_empty_and_each_call_is_recorded,);

async fn the_body_may_be_empty_and_each_call_is_recorded(s: Server) {
    let lead = s.lead().await;
    let ruta = format!("/api/leads/{lead}/mensajeria");
    for cuerpo in ["", "{}", r#"{"x":1}"#] {
        let r = s.post_text(&ruta, cuerpo).await.con(200);
        assert_eq!(r, json!({ "ok": true, "senal": false }));
    }
    s.post_text(&ruta, "[]").await.problema(422);
    let ficha = s.ficha(&lead).await;
    let eventos = ficha["eventos"].as_array().unwrap();
    assert_eq!(eventos.len(), 3);
    assert!(eventos.iter().all(|e| e["tipo"] == "mensajeria" && e["simulado"] == true));
}

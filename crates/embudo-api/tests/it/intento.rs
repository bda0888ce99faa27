//! `POST /api/leads/:id/intento` (contract §2.5).

use embudo_testkit::{Server, both_engines};
use serde_json::json;

both_engines!(
    an_attempt_is_recorded_with_its_defaults,
    every_field_comes_back,
    the_same_number_twice_is_two_rows,
    bounds_and_words_are_enforced_all_at_once,
);

async fn an_attempt_is_recorded_with_its_defaults(s: Server) {
    let lead = s.lead().await;
    let r = s
        .post(&format!("/api/leads/{lead}/intento"), &json!({ "canal": "llamada", "numeroIntento": 1 }))
        .await;
    let r = r.with(200);
    let stored = s.record(&lead).await["intentos"][0].clone();
    assert_eq!((&r["ok"], &r["id"]), (&json!(true), &stored["id"]));
    assert_eq!(
        (&stored["completado"], &stored["resultado"], &stored["metadata"]),
        (&json!(false), &json!(null), &json!(null))
    );
}

async fn every_field_comes_back(s: Server) {
    let lead = s.lead().await;
    let intento = json!({
        "canal": "messaging", "numeroIntento": 9_007_199_254_740_991_i64, "resultado": "error_tecnico", "completado": true,
        "duracionSeg": 0, "notas": "", "metadata": { "id": "c-1", "n": 1.50 },
    });
    s.post(&format!("/api/leads/{lead}/intento"), &intento).await.with(200);
    let stored = s.record(&lead).await["intentos"][0].clone();
    for (field, value) in intento.as_object().unwrap() {
        assert_eq!(&stored[field], value);
    }
}

async fn the_same_number_twice_is_two_rows(s: Server) {
    let lead = s.lead().await;
    for _ in 0..2 {
        let intento = json!({ "canal": "formulario", "numeroIntento": 1 });
        s.post(&format!("/api/leads/{lead}/intento"), &intento).await.with(200);
    }
    let record = s.record(&lead).await;
    let intentos = record["intentos"].as_array().unwrap();
    assert_eq!(intentos.len(), 2);
    assert_ne!(intentos[0]["id"], intentos[1]["id"]);
}

async fn bounds_and_words_are_enforced_all_at_once(s: Server) {
    let lead = s.lead().await;
    let bad = json!({ "canal": "fax", "numeroIntento": 0, "resultado": "bien", "completado": "no", "duracionSeg": -1, "metadata": [] });
    let r = s.post(&format!("/api/leads/{lead}/intento"), &bad).await;
    let fields: Vec<_> = r.errors().into_iter().map(|(field, _)| field).collect();
    assert_eq!(
        fields,
        ["/canal", "/numeroIntento", "/resultado", "/completado", "/duracionSeg", "/metadata"]
    );
    let r = s.post(&format!("/api/leads/{lead}/intento"), &json!({ "notas": "x" })).await;
    let fields: Vec<_> = r.errors().into_iter().map(|(field, _)| field).collect();
    assert_eq!(fields, ["/canal", "/numeroIntento"]);
    assert_eq!(s.record(&lead).await["intentos"], json!([]));
}

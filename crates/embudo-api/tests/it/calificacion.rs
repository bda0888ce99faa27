//! `POST /api/leads/:id/calificacion` (contract §2.4).

use embudo_testkit::{Server, both_engines};
use serde_json::json;

both_engines!(
    the_upsert_keeps_the_fields_that_a_later_call_leaves_out,
    criterios_come_back_as_they_were_sent,
    criterios_must_be_an_object,
    a_body_with_no_known_field_is_the_empty_body,
    levels_are_exact_words,
);

async fn the_upsert_keeps_the_fields_that_a_later_call_leaves_out(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/calificacion");
    assert_eq!(s.record(&lead).await["calificacion"], json!(null));
    let r = s.post(&path, &json!({ "score": 70, "nivel": "B", "notasAgente": "duda" })).await.with(200);
    assert_eq!(r, json!({ "ok": true }));
    s.post(&path, &json!({ "score": 85, "criterios": { "plazo": "1 mes" } })).await.with(200);
    let expected =
        json!({ "score": 85, "nivel": "B", "criterios": { "plazo": "1 mes" }, "notasAgente": "duda" });
    assert_eq!(s.record(&lead).await["calificacion"], expected);
}

async fn criterios_come_back_as_they_were_sent(s: Server) {
    let lead = s.lead().await;
    let raw = r#"{"z":1.0,"a":1e2,"m":0.10000000000000000000001,"grande":123456789012345678901234567890,"a":[null,{}],"ñ":"\u00e1"}"#;
    let r =
        s.post_text(&format!("/api/leads/{lead}/calificacion"), format!(r#"{{"criterios":{raw}}}"#)).await;
    r.with(200);
    let record = s.get(&format!("/api/leads/{lead}")).await.text;
    assert!(record.contains(raw), "{record}");
}

async fn criterios_must_be_an_object(s: Server) {
    let lead = s.lead().await;
    for bad in ["[]", "\"x\"", "1", "true"] {
        let r = s
            .post_text(&format!("/api/leads/{lead}/calificacion"), format!(r#"{{"criterios":{bad}}}"#))
            .await;
        assert_eq!(r.errors(), [("/criterios".to_owned(), "tipo".to_owned())]);
    }
}

async fn a_body_with_no_known_field_is_the_empty_body(s: Server) {
    let lead = s.lead().await;
    for body in [json!({}), json!({ "puntos": 3 })] {
        let r = s.post(&format!("/api/leads/{lead}/calificacion"), &body).await;
        assert_eq!(r.errors(), [(String::new(), "cuerpo_vacio".to_owned())]);
    }
    assert_eq!(s.record(&lead).await["calificacion"], json!(null));
}

async fn levels_are_exact_words(s: Server) {
    let lead = s.lead().await;
    for nivel in ["a", "E", "", "AB"] {
        let r = s.post(&format!("/api/leads/{lead}/calificacion"), &json!({ "nivel": nivel })).await;
        assert_eq!(r.errors(), [("/nivel".to_owned(), "valor".to_owned())]);
    }
}

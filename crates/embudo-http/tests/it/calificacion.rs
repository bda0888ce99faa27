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
    let ruta = format!("/api/leads/{lead}/calificacion");
    assert_eq!(s.ficha(&lead).await["calificacion"], json!(null));
    let r = s.post(&ruta, &json!({ "score": 70, "nivel": "B", "notasAgente": "duda" })).await.con(200);
    assert_eq!(r, json!({ "ok": true }));
    s.post(&ruta, &json!({ "score": 85, "criterios": { "plazo": "1 mes" } })).await.con(200);
    let esperado =
        json!({ "score": 85, "nivel": "B", "criterios": { "plazo": "1 mes" }, "notasAgente": "duda" });
    assert_eq!(s.ficha(&lead).await["calificacion"], esperado);
}

async fn criterios_come_back_as_they_were_sent(s: Server) {
    let lead = s.lead().await;
    let crudo = r#"{"z":1.0,"a":1e2,"m":0.10000000000000000000001,"grande":123456789012345678901234567890,"a":[null,{}],"ñ":"\u00e1"}"#;
    let r =
        s.post_text(&format!("/api/leads/{lead}/calificacion"), format!(r#"{{"criterios":{crudo}}}"#)).await;
    r.con(200);
    let ficha = s.get(&format!("/api/leads/{lead}")).await.texto;
    assert!(ficha.contains(crudo), "{ficha}");
}

async fn criterios_must_be_an_object(s: Server) {
    let lead = s.lead().await;
    for malo in ["[]", "\"x\"", "1", "true"] {
        let r = s
            .post_text(&format!("/api/leads/{lead}/calificacion"), format!(r#"{{"criterios":{malo}}}"#))
            .await;
        assert_eq!(r.errores(), [("/criterios".to_owned(), "tipo".to_owned())]);
    }
}

async fn a_body_with_no_known_field_is_the_empty_body(s: Server) {
    let lead = s.lead().await;
    for cuerpo in [json!({}), json!({ "puntos": 3 })] {
        let r = s.post(&format!("/api/leads/{lead}/calificacion"), &cuerpo).await;
        assert_eq!(r.errores(), [(String::new(), "cuerpo_vacio".to_owned())]);
    }
    assert_eq!(s.ficha(&lead).await["calificacion"], json!(null));
}

async fn levels_are_exact_words(s: Server) {
    let lead = s.lead().await;
    for nivel in ["a", "E", "", "AB"] {
        let r = s.post(&format!("/api/leads/{lead}/calificacion"), &json!({ "nivel": nivel })).await;
        assert_eq!(r.errores(), [("/nivel".to_owned(), "valor".to_owned())]);
    }
}

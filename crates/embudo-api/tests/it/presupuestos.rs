//! `GET /api/leads/:id/presupuestos` (contract §3).

use embudo_testkit::{Server, both_engines};
use serde_json::{Value, json};

use crate::NOBODY;

both_engines!(a_quote_is_read_as_its_client_reads_it);

async fn a_quote_is_read_as_its_client_reads_it(s: Server) {
    let lead = s.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media" })).await;
    let path = format!("/api/leads/{lead}/presupuestos");
    assert_eq!(s.get(&path).await.with(200), json!({ "presupuestos": [] }));
    s.post(&format!("/api/leads/{lead}/ingesta"), &json!({ "finalizar": true })).await.with(200);
    let listed = s.get(&path).await.with(200);
    let quote = &listed["presupuestos"][0];
    let summary = &s.record(&lead).await["presupuestos"][0];
    for field in ["numero", "estado", "totalCents", "emitido", "validoHasta", "pagina"] {
        assert_eq!(quote[field], summary[field], "{field}");
    }
    let chapters = quote["capitulos"].as_array().unwrap();
    let sum = |list: &[Value], field: &str| list.iter().map(|row| row[field].as_i64().unwrap()).sum::<i64>();
    for chapter in chapters {
        let lines = chapter["partidas"].as_array().unwrap();
        assert_eq!(json!(sum(lines, "importeCents")), chapter["totalCents"], "{chapter}");
    }
    assert_eq!(json!(sum(chapters, "totalCents")), quote["baseCents"]);
    let total = quote["baseCents"].as_i64().unwrap() + quote["cuotaCents"].as_i64().unwrap();
    assert_eq!(json!(total), quote["totalCents"]);
    assert!(quote["impuesto"].as_str().unwrap().starts_with("IVA "), "{quote}");
    s.get(&format!("/api/leads/{NOBODY}/presupuestos")).await.problem(404);
}

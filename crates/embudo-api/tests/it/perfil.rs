//! `POST /api/leads/:id/perfil` (contract §2.3).

use embudo_testkit::{Server, both_engines};
use serde_json::{Value, json};

fn every_field() -> Value {
    json!({
        "botStep": "pide_fotos", "estadoWa": "entregado", "canalOrigen": "messaging", "viable": false, "espacio": "arriba",
        "rangoM2": "4-6", "estilo": "nórdico", "presupuestoDeclarado": "unos 6.000", "fotosSolicitadasAt": "2026-11-14T10:30:00Z",
        "tipoReforma": "bano", "m2Suelo": 5.25, "calidadGlobal": "premium", "urgencia": "baja", "presupuestoTarget": 650_000,
        "tasteText": "Madera", "estructural": true,
    })
}

both_engines!(
    every_field_is_written_and_listed_in_the_order_of_the_specification,
    only_the_fields_sent_are_written,
    a_body_with_no_known_field_is_the_empty_body,
    instants_are_kept_as_utc_and_need_a_zone,
    m2_is_any_number_above_zero,
);

/// The profile, in the order of the specification.
pub const FIELDS: [&str; 16] = [
    "botStep",
    "estadoWa",
    "canalOrigen",
    "viable",
    "espacio",
    "rangoM2",
    "estilo",
    "presupuestoDeclarado",
    "fotosSolicitadasAt",
    "tipoReforma",
    "m2Suelo",
    "calidadGlobal",
    "urgencia",
    "presupuestoTarget",
    "tasteText",
    "estructural",
];

async fn every_field_is_written_and_listed_in_the_order_of_the_specification(s: Server) {
    let lead = s.lead().await;
    let r = s.post(&format!("/api/leads/{lead}/perfil"), &every_field()).await.with(200);
    assert_eq!(r, json!({ "ok": true, "actualizado": FIELDS }));
    let record = s.record(&lead).await;
    for (field, value) in every_field().as_object().unwrap() {
        assert_eq!(&record[field], value, "{field}");
    }
}

async fn only_the_fields_sent_are_written(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/perfil");
    s.post(&path, &every_field()).await.with(200);
    for (field, value) in [
        ("viable", json!(true)),
        ("urgencia", json!("alta")),
        ("presupuestoTarget", json!(0)),
        ("botStep", json!("")),
    ] {
        let r = s.post(&path, &json!({ field: value, "otro": 1 })).await.with(200);
        assert_eq!(r["actualizado"], json!([field]));
    }
    let record = s.record(&lead).await;
    let mut expected = every_field();
    expected["viable"] = json!(true);
    expected["urgencia"] = json!("alta");
    expected["presupuestoTarget"] = json!(0);
    expected["botStep"] = json!("");
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&record[field], value, "{field}");
    }
}

async fn a_body_with_no_known_field_is_the_empty_body(s: Server) {
    let lead = s.lead().await;
    for body in ["{}", r#"{"nombre":"Eva"}"#, r#"{"mensaje":"x","items":[]}"#] {
        let r = s.post_text(&format!("/api/leads/{lead}/perfil"), body).await;
        assert_eq!(r.errors(), [(String::new(), "cuerpo_vacio".to_owned())]);
    }
}

async fn instants_are_kept_as_utc_and_need_a_zone(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/perfil");
    for (sent, read) in [
        ("2026-11-14T10:30:00+01:00", "2026-11-14T09:30:00Z"),
        ("2026-11-14T10:30:00.123456Z", "2026-11-14T10:30:00.123456Z"),
        ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z"),
    ] {
        s.post(&path, &json!({ "fotosSolicitadasAt": sent })).await.with(200);
        assert_eq!(s.record(&lead).await["fotosSolicitadasAt"], read);
    }
    for bad in ["2026-11-14", "2026-11-14T10:30:00", "2026-02-30T10:30:00Z", "ayer", ""] {
        let r = s.post(&path, &json!({ "fotosSolicitadasAt": bad })).await;
        assert_eq!(r.errors(), [("/fotosSolicitadasAt".to_owned(), "formato".to_owned())], "{bad}");
    }
}

async fn m2_is_any_number_above_zero(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/perfil");
    for m2 in ["0.1", "5e-324", "1e308", "12"] {
        s.post_text(&path, format!(r#"{{"m2Suelo":{m2}}}"#)).await.with(200);
        assert_eq!(s.record(&lead).await["m2Suelo"].as_f64(), m2.parse().ok());
    }
    for m2 in ["0", "-0.0", "-3"] {
        let r = s.post_text(&path, format!(r#"{{"m2Suelo":{m2}}}"#)).await;
        assert_eq!(r.errors(), [("/m2Suelo".to_owned(), "rango".to_owned())], "{m2}");
    }
}

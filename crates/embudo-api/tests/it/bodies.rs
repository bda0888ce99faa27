//! Contract §1: what a body may be.

use embudo_testkit::{Engine, Server, Setup, both_engines};
use reqwest::Method;
use serde_json::json;

use crate::with_body;

fn pair(field: &str, code: &str) -> (String, String) {
    (field.into(), code.into())
}

both_engines!(
    content_type_is_no_gate,
    a_bom_is_accepted,
    what_is_not_json_is_422,
    nesting_up_to_127_levels_is_fine_also_in_free_objects,
    a_body_must_be_an_object,
    unknown_keys_are_ignored_and_of_duplicates_the_last_wins,
    an_explicit_null_is_never_absent,
    integers_may_be_written_as_numbers_write_integers,
    u0000_anywhere_is_422,
    a_422_lists_every_mistake_and_echoes_no_value,
);

async fn content_type_is_no_gate(s: Server) {
    let path = format!("/api/leads/{}/perfil", s.lead().await);
    for kind in ["application/json", "text/plain", "application/x-www-form-urlencoded", "x"] {
        let request = s.request(Method::POST, &path).header("Content-Type", kind);
        s.send(request.body(r#"{"viable":true}"#)).await.with(200);
    }
    s.post_text(&path, r#"{"viable":true}"#).await.with(200);
}

async fn a_bom_is_accepted(s: Server) {
    let path = format!("/api/leads/{}/perfil", s.lead().await);
    s.post_text(&path, "\u{feff}{\"viable\":true}").await.with(200);
}

async fn what_is_not_json_is_422(s: Server) {
    let lead = s.lead().await;
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(127), "]".repeat(127));
    let bad_ones: Vec<Vec<u8>> = [
        "",
        "{",
        "{]",
        "hola",
        r#"{"viable":tru}"#,
        r#"{"viable":true} x"#,
        r#"{"viable":true}{}"#,
        "{\"viable\":NaN}",
        r#"{"m2Suelo":Infinity}"#,
        r#"{"m2Suelo":1e400}"#,
        r#"{"m2Suelo":01}"#,
        r#"{'viable':true}"#,
        r#"{"viable":true,}"#,
        r#"{"estilo":"\ud800"}"#,
        r#"{"estilo":"\udc00"}"#,
        r#"{"nada":"\ud800"}"#,
        r#"{"criterios":{"a":"\ud800"}}"#,
        "{\"estilo\":\"a\nb\"}",
        &deep,
    ]
    .iter()
    .map(|t| t.as_bytes().to_vec())
    .chain([
        b"{\"estilo\":\"\xff\"}".to_vec(),
        b"{\"nada\":\"\xc3\x28\"}".to_vec(),
        b"\xff\xfe{\x00}\x00".to_vec(),
    ])
    .collect();
    for point in ["perfil", "calificacion", "conversacion", "intento", "ingesta"] {
        for bad in &bad_ones {
            let r = s.post_text(&format!("/api/leads/{lead}/{point}"), bad.clone()).await;
            assert_eq!(r.errors()[0].0, "", "{}", String::from_utf8_lossy(bad));
        }
    }
}

async fn nesting_up_to_127_levels_is_fine_also_in_free_objects(s: Server) {
    let lead = s.lead().await;
    // The body is one level and `criterios` the next, so 125 lists are left.
    let nested = |n: usize| format!(r#"{{"criterios":{{"x":{}{}}}}}"#, "[".repeat(n), "]".repeat(n));
    let path = format!("/api/leads/{lead}/calificacion");
    s.post_text(&path, nested(125)).await.with(200);
    s.post_text(&path, nested(126)).await.problem(422);
    s.post_text(&path, nested(100_000)).await.problem(422);
    let foreign = |n: usize| format!(r#"{{"score":1,"x":{}{}}}"#, "[".repeat(n), "]".repeat(n));
    s.post_text(&path, foreign(126)).await.with(200);
    s.post_text(&path, foreign(127)).await.problem(422);
}

async fn a_body_must_be_an_object(s: Server) {
    let lead = s.lead().await;
    for (point, _) in with_body() {
        for body in ["[]", "null", "true", "1", "\"x\"", r#"[{"viable":true}]"#] {
            let r = s.post_text(&format!("/api/leads/{lead}/{point}"), body).await;
            assert_eq!(r.errors(), [pair("", "tipo")], "{point} {body}");
        }
    }
}

async fn unknown_keys_are_ignored_and_of_duplicates_the_last_wins(s: Server) {
    let lead = s.lead().await;
    let body = r#"{"__proto__":{"a":1},"constructor":[],"otro":null,"urgencia":"nada","urgencia":"alta","urgencia":"baja"}"#;
    let r = s.post_text(&format!("/api/leads/{lead}/perfil"), body).await.with(200);
    assert_eq!(r["actualizado"], json!(["urgencia"]));
    assert_eq!(s.record(&lead).await["urgencia"], "baja");
    let r = s.post_text(&format!("/api/leads/{lead}/perfil"), r#"{"urgencia":"alta","urgencia":7}"#).await;
    assert_eq!(r.errors(), [pair("/urgencia", "tipo")]);
}

async fn an_explicit_null_is_never_absent(s: Server) {
    let lead = s.lead().await;
    for field in ["botStep", "estadoWa", "viable", "fotosSolicitadasAt", "m2Suelo", "presupuestoTarget"] {
        let r =
            s.post(&format!("/api/leads/{lead}/perfil"), &json!({ "urgencia": "alta", field: null })).await;
        assert_eq!(r.errors(), [pair(&format!("/{field}"), "nulo")]);
    }
    for (point, field) in [
        ("calificacion", "criterios"),
        ("intento", "metadata"),
        ("ingesta", "items"),
        ("ingesta", "finalizar"),
    ] {
        let mut body = with_body().into_iter().find(|(p, _)| *p == point).unwrap().1;
        body[field] = json!(null);
        let r = s.post(&format!("/api/leads/{lead}/{point}"), &body).await;
        assert_eq!(r.errors(), [pair(&format!("/{field}"), "nulo")]);
    }
}

async fn integers_may_be_written_as_numbers_write_integers(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/calificacion");
    for (literal, score) in
        [("5", 5), ("5.0", 5), ("5e0", 5), ("50e-1", 5), ("0.5e1", 5), ("0", 0), ("-0", 0), ("100", 100)]
    {
        s.post_text(&path, format!(r#"{{"score":{literal}}}"#)).await.with(200);
        assert_eq!(s.record(&lead).await["calificacion"]["score"], score, "{literal}");
    }
    for (literal, code) in [
        ("5.5", "tipo"),
        ("\"5\"", "tipo"),
        ("true", "tipo"),
        ("[5]", "tipo"),
        ("-1", "rango"),
        ("101", "rango"),
    ] {
        let r = s.post_text(&path, format!(r#"{{"score":{literal}}}"#)).await;
        assert_eq!(r.errors(), [pair("/score", code)], "{literal}");
    }
    let path = format!("/api/leads/{lead}/perfil");
    s.post_text(&path, r#"{"presupuestoTarget":9007199254740991}"#).await.with(200);
    assert_eq!(s.record(&lead).await["presupuestoTarget"], 9_007_199_254_740_991_i64);
    for literal in ["9007199254740992", "9007199254740993", "1e300", "99999999999999999999999999"] {
        let r = s.post_text(&path, format!(r#"{{"presupuestoTarget":{literal}}}"#)).await;
        assert_eq!(r.errors(), [pair("/presupuestoTarget", "rango")], "{literal}");
    }
}

async fn u0000_anywhere_is_422(s: Server) {
    let lead = s.lead().await;
    let cases = [
        ("perfil", r#"{"estilo":"a\u0000b"}"#, "/estilo"),
        ("perfil", r#"{"viable":true,"x":"\u0000"}"#, ""),
        ("perfil", r#"{"viable":true,"x\u0000":1}"#, ""),
        ("perfil", r#"{"viable":true,"x":[{"y":"\u0000"}]}"#, ""),
        ("calificacion", r#"{"criterios":{"a":["\u0000"]}}"#, "/criterios"),
        ("calificacion", r#"{"criterios":{"a\u0000":1}}"#, "/criterios"),
        ("conversacion", r#"{"rol":"user","mensaje":"\u0000"}"#, "/mensaje"),
        ("intento", r#"{"canal":"llamada","numeroIntento":1,"metadata":{"a":{"b":"\u0000"}}}"#, "/metadata"),
        ("ingesta", r#"{"items":[{"tipo":"texto","texto":"a\u0000"}]}"#, "/items/0/texto"),
    ];
    for (point, body, field) in cases {
        let r = s.post_text(&format!("/api/leads/{lead}/{point}"), body).await;
        assert_eq!(r.errors(), [pair(field, "caracter_nulo")], "{body}");
    }
}

async fn a_422_lists_every_mistake_and_echoes_no_value(s: Server) {
    let lead = s.lead().await;
    let body = json!({
        "botStep": 1, "estadoWa": "SECRETO", "viable": "SECRETO", "m2Suelo": 0, "tipoReforma": "SECRETO",
        "presupuestoTarget": -1, "fotosSolicitadasAt": "SECRETO",
    });
    let r = s.post(&format!("/api/leads/{lead}/perfil"), &body).await;
    assert!(!r.text.contains("SECRETO"), "{}", r.text);
    let expected = [
        ("/botStep", "tipo"),
        ("/estadoWa", "valor"),
        ("/viable", "tipo"),
        ("/fotosSolicitadasAt", "formato"),
        ("/tipoReforma", "valor"),
        ("/m2Suelo", "rango"),
        ("/presupuestoTarget", "rango"),
    ];
    assert_eq!(r.errors(), expected.map(|(field, code)| pair(field, code)));
}

#[tokio::test]
async fn the_size_limits_are_settings_and_a_declared_size_is_refused_unread() {
    let mut setup = Setup::at(Engine::Sqlite);
    setup.settings.max_bot_bytes = 1_000;
    setup.settings.max_ingesta_bytes = 2_000;
    let s = setup.start().await;
    let lead = s.lead().await;
    let just = format!(r#"{{"estilo":"{}"}}"#, "x".repeat(1_000 - 13));
    assert_eq!(just.len(), 1_000);
    s.post_text(&format!("/api/leads/{lead}/perfil"), just.clone()).await.with(200);
    s.post_text(&format!("/api/leads/{lead}/perfil"), format!("{just} ")).await.problem(413);
    s.post_text(&format!("/api/leads/{lead}/ingesta"), " ".repeat(2_001)).await.problem(413);
    // A body without a declared length is refused as soon as it exceeds the limit.
    let chunks = futures_util::stream::iter((0..50).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1_000])));
    let r = s.post_text(&format!("/api/leads/{lead}/ingesta"), reqwest::Body::wrap_stream(chunks)).await;
    r.problem(413);
}

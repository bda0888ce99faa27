//! Contract §1: what a body may be.

use embudo_testkit::{Engine, Server, Setup, both_engines};
use reqwest::Method;
use serde_json::json;

use crate::con_cuerpo;

fn par(campo: &str, codigo: &str) -> (String, String) {
    (campo.into(), codigo.into())
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
    let ruta = format!("/api/leads/{}/perfil", s.lead().await);
    for tipo in ["application/json", "text/plain", "application/x-www-form-urlencoded", "x"] {
        let peticion = s.peticion(Method::POST, &ruta).header("Content-Type", tipo);
        s.enviar(peticion.body(r#"{"viable":true}"#)).await.con(200);
    }
    s.post_text(&ruta, r#"{"viable":true}"#).await.con(200);
}

async fn a_bom_is_accepted(s: Server) {
    let ruta = format!("/api/leads/{}/perfil", s.lead().await);
    s.post_text(&ruta, "\u{feff}{\"viable\":true}").await.con(200);
}

async fn what_is_not_json_is_422(s: Server) {
    let lead = s.lead().await;
    let profundo = format!(r#"{{"x":{}{}}}"#, "[".repeat(127), "]".repeat(127));
    let malos: Vec<Vec<u8>> = [
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
        &profundo,
    ]
    .iter()
    .map(|t| t.as_bytes().to_vec())
    .chain([
        b"{\"estilo\":\"\xff\"}".to_vec(),
        b"{\"nada\":\"\xc3\x28\"}".to_vec(),
        b"\xff\xfe{\x00}\x00".to_vec(),
    ])
    .collect();
    for punto in ["perfil", "calificacion", "conversacion", "intento", "ingesta"] {
        for malo in &malos {
            let r = s.post_text(&format!("/api/leads/{lead}/{punto}"), malo.clone()).await;
            assert_eq!(r.errores()[0].0, "", "{}", String::from_utf8_lossy(malo));
        }
    }
}

async fn nesting_up_to_127_levels_is_fine_also_in_free_objects(s: Server) {
    let lead = s.lead().await;
    // The body is one level and `criterios` the next, so 125 lists are left.
    let anidado = |n: usize| format!(r#"{{"criterios":{{"x":{}{}}}}}"#, "[".repeat(n), "]".repeat(n));
    let ruta = format!("/api/leads/{lead}/calificacion");
    s.post_text(&ruta, anidado(125)).await.con(200);
    s.post_text(&ruta, anidado(126)).await.problema(422);
    s.post_text(&ruta, anidado(100_000)).await.problema(422);
    let ajeno = |n: usize| format!(r#"{{"score":1,"x":{}{}}}"#, "[".repeat(n), "]".repeat(n));
    s.post_text(&ruta, ajeno(126)).await.con(200);
    s.post_text(&ruta, ajeno(127)).await.problema(422);
}

async fn a_body_must_be_an_object(s: Server) {
    let lead = s.lead().await;
    for (punto, _) in con_cuerpo() {
        for cuerpo in ["[]", "null", "true", "1", "\"x\"", r#"[{"viable":true}]"#] {
            let r = s.post_text(&format!("/api/leads/{lead}/{punto}"), cuerpo).await;
            assert_eq!(r.errores(), [par("", "tipo")], "{punto} {cuerpo}");
        }
    }
}

async fn unknown_keys_are_ignored_and_of_duplicates_the_last_wins(s: Server) {
    let lead = s.lead().await;
    let cuerpo = r#"{"__proto__":{"a":1},"constructor":[],"otro":null,"urgencia":"nada","urgencia":"alta","urgencia":"baja"}"#;
    let r = s.post_text(&format!("/api/leads/{lead}/perfil"), cuerpo).await.con(200);
    assert_eq!(r["actualizado"], json!(["urgencia"]));
    assert_eq!(s.ficha(&lead).await["urgencia"], "baja");
    let r = s.post_text(&format!("/api/leads/{lead}/perfil"), r#"{"urgencia":"alta","urgencia":7}"#).await;
    assert_eq!(r.errores(), [par("/urgencia", "tipo")]);
}

async fn an_explicit_null_is_never_absent(s: Server) {
    let lead = s.lead().await;
    for campo in ["botStep", "estadoWa", "viable", "fotosSolicitadasAt", "m2Suelo", "presupuestoTarget"] {
        let r =
            s.post(&format!("/api/leads/{lead}/perfil"), &json!({ "urgencia": "alta", campo: null })).await;
        assert_eq!(r.errores(), [par(&format!("/{campo}"), "nulo")]);
    }
    for (punto, campo) in [
        ("calificacion", "criterios"),
        ("intento", "metadata"),
        ("ingesta", "items"),
        ("ingesta", "finalizar"),
    ] {
        let mut cuerpo = con_cuerpo().into_iter().find(|(p, _)| *p == punto).unwrap().1;
        cuerpo[campo] = json!(null);
        let r = s.post(&format!("/api/leads/{lead}/{punto}"), &cuerpo).await;
        assert_eq!(r.errores(), [par(&format!("/{campo}"), "nulo")]);
    }
}

async fn integers_may_be_written_as_numbers_write_integers(s: Server) {
    let lead = s.lead().await;
    let ruta = format!("/api/leads/{lead}/calificacion");
    for (literal, score) in
        [("5", 5), ("5.0", 5), ("5e0", 5), ("50e-1", 5), ("0.5e1", 5), ("0", 0), ("-0", 0), ("100", 100)]
    {
        s.post_text(&ruta, format!(r#"{{"score":{literal}}}"#)).await.con(200);
        assert_eq!(s.ficha(&lead).await["calificacion"]["score"], score, "{literal}");
    }
    for (literal, codigo) in [
        ("5.5", "tipo"),
        ("\"5\"", "tipo"),
        ("true", "tipo"),
        ("[5]", "tipo"),
        ("-1", "rango"),
        ("101", "rango"),
    ] {
        let r = s.post_text(&ruta, format!(r#"{{"score":{literal}}}"#)).await;
        assert_eq!(r.errores(), [par("/score", codigo)], "{literal}");
    }
    let ruta = format!("/api/leads/{lead}/perfil");
    s.post_text(&ruta, r#"{"presupuestoTarget":9007199254740991}"#).await.con(200);
    assert_eq!(s.ficha(&lead).await["presupuestoTarget"], 9_007_199_254_740_991_i64);
    for literal in ["9007199254740992", "9007199254740993", "1e300", "99999999999999999999999999"] {
        let r = s.post_text(&ruta, format!(r#"{{"presupuestoTarget":{literal}}}"#)).await;
        assert_eq!(r.errores(), [par("/presupuestoTarget", "rango")], "{literal}");
    }
}

async fn u0000_anywhere_is_422(s: Server) {
    let lead = s.lead().await;
    let casos = [
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
    for (punto, cuerpo, campo) in casos {
        let r = s.post_text(&format!("/api/leads/{lead}/{punto}"), cuerpo).await;
        assert_eq!(r.errores(), [par(campo, "caracter_nulo")], "{cuerpo}");
    }
}

async fn a_422_lists_every_mistake_and_echoes_no_value(s: Server) {
    let lead = s.lead().await;
    let cuerpo = json!({
        "botStep": 1, "estadoWa": "SECRETO", "viable": "SECRETO", "m2Suelo": 0, "tipoReforma": "SECRETO",
        "presupuestoTarget": -1, "fotosSolicitadasAt": "SECRETO",
    });
    let r = s.post(&format!("/api/leads/{lead}/perfil"), &cuerpo).await;
    assert!(!r.texto.contains("SECRETO"), "{}", r.texto);
    let esperado = [
        ("/botStep", "tipo"),
        ("/estadoWa", "valor"),
        ("/viable", "tipo"),
        ("/fotosSolicitadasAt", "formato"),
        ("/tipoReforma", "valor"),
        ("/m2Suelo", "rango"),
        ("/presupuestoTarget", "rango"),
    ];
    assert_eq!(r.errores(), esperado.map(|(campo, codigo)| par(campo, codigo)));
}

#[tokio::test]
async fn the_size_limits_are_settings_and_a_declared_size_is_refused_unread() {
    let mut montaje = Setup::en(Engine::Sqlite);
    montaje.ajustes.max_bot_bytes = 1_000;
    montaje.ajustes.max_ingesta_bytes = 2_000;
    let s = montaje.arrancar().await;
    let lead = s.lead().await;
    let justo = format!(r#"{{"estilo":"{}"}}"#, "x".repeat(1_000 - 13));
    assert_eq!(justo.len(), 1_000);
    s.post_text(&format!("/api/leads/{lead}/perfil"), justo.clone()).await.con(200);
    s.post_text(&format!("/api/leads/{lead}/perfil"), format!("{justo} ")).await.problema(413);
    s.post_text(&format!("/api/leads/{lead}/ingesta"), " ".repeat(2_001)).await.problema(413);
    // Without a declared length the body is cut at the limit.
    let trozos = futures_util::stream::iter((0..50).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1_000])));
    let r = s.post_text(&format!("/api/leads/{lead}/ingesta"), reqwest::Body::wrap_stream(trozos)).await;
    r.problema(413);
}

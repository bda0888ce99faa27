//! Contract §2.6: `Idempotency-Key`.

use std::sync::Arc;

use embudo_testkit::{Engine, ManualClock, Server, Setup, both_engines, data_uri, fake_jpeg};
use serde_json::{Value, json};

use crate::{NADIE, con_cuerpo};

both_engines!(
    the_same_key_and_body_gives_the_first_answer_and_does_nothing,
    a_lead_is_created_once_and_its_location_comes_again,
    the_same_key_with_another_body_is_422,
    the_scope_of_a_key_is_method_and_full_path,
    only_2xx_answers_are_kept,
    sixteen_racers_with_one_key_have_one_effect,
    without_a_key_nothing_is_deduplicated,
    a_key_may_be_any_printable_ascii_of_255,
    a_key_is_free_again_after_seven_days_and_purged,
);

async fn the_same_key_and_body_gives_the_first_answer_and_does_nothing(s: Server) {
    let lead = s.lead().await;
    for (punto, cuerpo) in con_cuerpo() {
        let ruta = format!("/api/leads/{lead}/{punto}");
        let primera = s.post_keyed(&ruta, "k-1", &cuerpo).await;
        assert_eq!(primera.cabecera("idempotency-replayed"), None);
        let segunda = s.post_keyed(&ruta, "k-1", &cuerpo).await;
        assert_eq!(segunda.cabecera("idempotency-replayed"), Some("true"), "{punto}");
        assert_eq!((segunda.status, &segunda.texto), (primera.status, &primera.texto));
    }
    let ficha = s.ficha(&lead).await;
    for lista in ["notas", "conversacion", "intentos", "eventos"] {
        assert_eq!(ficha[lista].as_array().unwrap().len(), 1, "{lista}");
    }
}

async fn a_lead_is_created_once_and_its_location_comes_again(s: Server) {
    let cuerpo = json!({ "nombre": "Ana", "telefono": "612345678", "email": "a@b.es" });
    let primera = s.post_keyed("/api/leads", "alta", &cuerpo).await;
    let segunda = s.post_keyed("/api/leads", "alta", &cuerpo).await;
    assert_eq!(segunda.status.as_u16(), 201);
    assert_eq!(segunda.cabecera("location"), primera.cabecera("location"));
    assert_eq!(s.get("/api/leads").await.con(200)["leads"].as_array().unwrap().len(), 1);
}

async fn the_same_key_with_another_body_is_422(s: Server) {
    let ruta = format!("/api/leads/{}/conversacion", s.lead().await);
    s.post_keyed(&ruta, "k", &json!({ "rol": "user", "mensaje": "uno" })).await.con(200);
    let r = s.post_keyed(&ruta, "k", &json!({ "rol": "user", "mensaje": "dos" })).await;
    assert_eq!(r.errores(), [(String::new(), "clave_reutilizada".to_owned())]);
}

async fn the_scope_of_a_key_is_method_and_full_path(s: Server) {
    let (una, otra) = (s.lead().await, s.lead().await);
    for lead in [&una, &otra] {
        for (punto, cuerpo) in con_cuerpo() {
            let r = s.post_keyed(&format!("/api/leads/{lead}/{punto}"), "misma", &cuerpo).await;
            assert_eq!(r.cabecera("idempotency-replayed"), None);
            r.con(200);
        }
    }
}

async fn only_2xx_answers_are_kept(s: Server) {
    let lead = s.lead().await;
    let ruta = format!("/api/leads/{lead}/perfil");
    s.post_keyed(&ruta, "k", &json!({ "viable": "x" })).await.problema(422);
    s.post_keyed(&ruta, "k", &json!({ "viable": true })).await.con(200);
    let ruta = format!("/api/leads/{NADIE}/perfil");
    s.post_keyed(&ruta, "k", &json!({ "viable": true })).await.problema(404);
    s.post_keyed(&ruta, "k", &json!({ "viable": false })).await.problema(404);
}

async fn sixteen_racers_with_one_key_have_one_effect(s: Server) {
    let lead = s.lead().await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 3_000)) });
    let casos = [
        ("conversacion", json!({ "rol": "user", "mensaje": "Hola" })),
        ("ingesta", json!({ "items": [foto, { "tipo": "texto", "texto": "x" }], "perfilCompleto": true })),
    ];
    for (punto, cuerpo) in &casos {
        let ruta = format!("/api/leads/{lead}/{punto}");
        let carrera = (0..16).map(|_| s.post_keyed(&ruta, "carrera", cuerpo));
        let mut nuevas = 0;
        let mut textos = Vec::new();
        for r in futures_util::future::join_all(carrera).await {
            if r.status.as_u16() == 409 {
                continue;
            }
            nuevas += usize::from(r.cabecera("idempotency-replayed").is_none());
            textos.push(r.con(200));
        }
        textos.dedup();
        assert_eq!((nuevas, textos.len()), (1, 1), "{punto}");
    }
    let ficha = s.ficha(&lead).await;
    let cuantos = |lista: &str| ficha[lista].as_array().unwrap().len();
    assert_eq!(
        (cuantos("conversacion"), cuantos("fotos"), cuantos("notas"), cuantos("eventos")),
        (1, 1, 1, 1)
    );
}

async fn without_a_key_nothing_is_deduplicated(s: Server) {
    let lead = s.lead().await;
    for _ in 0..2 {
        s.post(&format!("/api/leads/{lead}/conversacion"), &json!({ "rol": "user", "mensaje": "x" }))
            .await
            .con(200);
    }
    assert_eq!(s.ficha(&lead).await["conversacion"].as_array().unwrap().len(), 2);
}

async fn a_key_may_be_any_printable_ascii_of_255(s: Server) {
    let ruta = format!("/api/leads/{}/perfil", s.lead().await);
    let todos: String = ('!'..='~').collect();
    for clave in ["x", &todos, "con espacios dentro", &"k".repeat(255)] {
        s.post_keyed(&ruta, clave, &json!({ "viable": true })).await.con(200);
        let r = s.post_keyed(&ruta, clave, &json!({ "viable": true })).await;
        assert_eq!(r.cabecera("idempotency-replayed"), Some("true"));
    }
}

async fn a_key_is_free_again_after_seven_days_and_purged(motor: Engine) {
    let reloj = Arc::new(ManualClock::default());
    let mut montaje = Setup::en(motor);
    montaje.reloj = reloj.clone();
    let s: Server = montaje.arrancar().await;
    let ruta = format!("/api/leads/{}/conversacion", s.lead().await);
    let turno = |n: u8| -> Value { json!({ "rol": "user", "mensaje": format!("{n}") }) };
    s.post_keyed(&ruta, "k", &turno(1)).await.con(200);
    reloj.advance(jiff::SignedDuration::from_hours(7 * 24 - 1));
    s.post_keyed(&ruta, "k", &turno(2)).await.problema(422);
    assert_eq!(s.app.housekeeping().purge_expired().await.unwrap(), 0);
    reloj.advance(jiff::SignedDuration::from_hours(1));
    s.post_keyed(&ruta, "k", &turno(2)).await.con(200);
    s.post_keyed(&ruta, "otra", &turno(3)).await.con(200);
    reloj.advance(jiff::SignedDuration::from_hours(8 * 24));
    assert_eq!(s.app.housekeeping().purge_expired().await.unwrap(), 2);
}

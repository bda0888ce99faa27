//! Contract §2.6: `Idempotency-Key`.

use std::sync::Arc;

use embudo_testkit::{Engine, ManualClock, Server, Setup, both_engines, data_uri, fake_jpeg};
use serde_json::{Value, json};

use crate::{NOBODY, with_body};

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
    for (point, body) in with_body() {
        let path = format!("/api/leads/{lead}/{point}");
        let first = s.post_keyed(&path, "k-1", &body).await;
        assert_eq!(first.header("idempotency-replayed"), None);
        let second = s.post_keyed(&path, "k-1", &body).await;
        assert_eq!(second.header("idempotency-replayed"), Some("true"), "{point}");
        assert_eq!((second.status, &second.text), (first.status, &first.text));
    }
    let record = s.record(&lead).await;
    for list in ["notas", "conversacion", "intentos", "eventos"] {
        assert_eq!(record[list].as_array().unwrap().len(), 1, "{list}");
    }
}

async fn a_lead_is_created_once_and_its_location_comes_again(s: Server) {
    let body = json!({ "nombre": "Ana", "telefono": "612345678", "email": "a@b.es" });
    let first = s.post_keyed("/api/leads", "alta", &body).await;
    let second = s.post_keyed("/api/leads", "alta", &body).await;
    assert_eq!(second.status.as_u16(), 201);
    assert_eq!(second.header("location"), first.header("location"));
    assert_eq!(s.get("/api/leads").await.with(200)["leads"].as_array().unwrap().len(), 1);
}

async fn the_same_key_with_another_body_is_422(s: Server) {
    let path = format!("/api/leads/{}/conversacion", s.lead().await);
    s.post_keyed(&path, "k", &json!({ "rol": "user", "mensaje": "uno" })).await.with(200);
    let r = s.post_keyed(&path, "k", &json!({ "rol": "user", "mensaje": "dos" })).await;
    assert_eq!(r.errors(), [(String::new(), "clave_reutilizada".to_owned())]);
}

async fn the_scope_of_a_key_is_method_and_full_path(s: Server) {
    let (a, another) = (s.lead().await, s.lead().await);
    for lead in [&a, &another] {
        for (point, body) in with_body() {
            let r = s.post_keyed(&format!("/api/leads/{lead}/{point}"), "misma", &body).await;
            assert_eq!(r.header("idempotency-replayed"), None);
            r.with(200);
        }
    }
}

async fn only_2xx_answers_are_kept(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}/perfil");
    s.post_keyed(&path, "k", &json!({ "viable": "x" })).await.problem(422);
    s.post_keyed(&path, "k", &json!({ "viable": true })).await.with(200);
    let path = format!("/api/leads/{NOBODY}/perfil");
    s.post_keyed(&path, "k", &json!({ "viable": true })).await.problem(404);
    s.post_keyed(&path, "k", &json!({ "viable": false })).await.problem(404);
}

async fn sixteen_racers_with_one_key_have_one_effect(s: Server) {
    let lead = s.lead().await;
    let foto = json!({ "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 3_000)) });
    let cases = [
        ("conversacion", json!({ "rol": "user", "mensaje": "Hola" })),
        ("ingesta", json!({ "items": [foto, { "tipo": "texto", "texto": "x" }], "perfilCompleto": true })),
    ];
    for (point, body) in &cases {
        let path = format!("/api/leads/{lead}/{point}");
        let race = (0..16).map(|_| s.post_keyed(&path, "carrera", body));
        let mut new_ones = 0;
        let mut texts = Vec::new();
        for r in futures_util::future::join_all(race).await {
            if r.status.as_u16() == 409 {
                continue;
            }
            new_ones += usize::from(r.header("idempotency-replayed").is_none());
            texts.push(r.with(200));
        }
        texts.dedup();
        assert_eq!((new_ones, texts.len()), (1, 1), "{point}");
    }
    let record = s.record(&lead).await;
    let how_many = |list: &str| record[list].as_array().unwrap().len();
    assert_eq!(
        (how_many("conversacion"), how_many("fotos"), how_many("notas"), how_many("eventos")),
        (1, 1, 1, 1)
    );
}

async fn without_a_key_nothing_is_deduplicated(s: Server) {
    let lead = s.lead().await;
    for _ in 0..2 {
        s.post(&format!("/api/leads/{lead}/conversacion"), &json!({ "rol": "user", "mensaje": "x" }))
            .await
            .with(200);
    }
    assert_eq!(s.record(&lead).await["conversacion"].as_array().unwrap().len(), 2);
}

async fn a_key_may_be_any_printable_ascii_of_255(s: Server) {
    let path = format!("/api/leads/{}/perfil", s.lead().await);
    let all: String = ('!'..='~').collect();
    for key in ["x", &all, "con espacios dentro", &"k".repeat(255)] {
        s.post_keyed(&path, key, &json!({ "viable": true })).await.with(200);
        let r = s.post_keyed(&path, key, &json!({ "viable": true })).await;
        assert_eq!(r.header("idempotency-replayed"), Some("true"));
    }
}

async fn a_key_is_free_again_after_seven_days_and_purged(engine: Engine) {
    let clock = Arc::new(ManualClock::default());
    let mut setup = Setup::at(engine);
    setup.clock = clock.clone();
    let s: Server = setup.start().await;
    let path = format!("/api/leads/{}/conversacion", s.lead().await);
    let turno = |n: u8| -> Value { json!({ "rol": "user", "mensaje": format!("{n}") }) };
    s.post_keyed(&path, "k", &turno(1)).await.with(200);
    clock.advance(jiff::SignedDuration::from_hours(7 * 24 - 1));
    s.post_keyed(&path, "k", &turno(2)).await.problem(422);
    assert_eq!(s.app.housekeeping().purge_expired().await.unwrap(), 0);
    clock.advance(jiff::SignedDuration::from_hours(1));
    s.post_keyed(&path, "k", &turno(2)).await.with(200);
    s.post_keyed(&path, "otra", &turno(3)).await.with(200);
    clock.advance(jiff::SignedDuration::from_hours(8 * 24));
    assert_eq!(s.app.housekeeping().purge_expired().await.unwrap(), 2);
}

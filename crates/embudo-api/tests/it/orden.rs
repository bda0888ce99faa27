//! Contract §1: the order in which a call is refused.

use embudo_testkit::{KEY, Server, both_engines};
use reqwest::Method;

use crate::{NOBODY, with_body};

both_engines!(
    unknown_path_and_wrong_method_come_before_the_key,
    a_wrong_key_with_a_broken_body_and_an_unknown_lead_is_401,
    a_malformed_idempotency_key_comes_before_the_body,
    an_encoded_body_is_415_before_it_is_parsed,
    a_body_over_the_limit_is_413_before_it_is_parsed,
    a_broken_body_for_an_unknown_lead_is_422,
    a_right_body_for_an_unknown_lead_is_404,
    a_lead_id_counts_in_any_case,
    every_refusal_names_its_request,
);

async fn unknown_path_and_wrong_method_come_before_the_key(s: Server) {
    for path in ["/nada", "/api/nada", "/api/leads/", &format!("/api/leads/{NOBODY}/nada")] {
        let r = s.send(s.cliente.post(s.url(path))).await;
        r.problem(404);
    }
    let r = s.send(s.cliente.put(s.url(&format!("/api/leads/{NOBODY}/perfil")))).await;
    assert_eq!(r.header("allow"), Some("POST"));
    r.problem(405);
    let r = s.send(s.cliente.delete(s.url("/api/leads"))).await;
    let allow = r.header("allow").unwrap().to_owned();
    assert!(allow.contains("GET") && allow.contains("POST"), "{allow}");
    r.problem(405);
}

async fn a_wrong_key_with_a_broken_body_and_an_unknown_lead_is_401(s: Server) {
    for (point, _) in with_body() {
        let path = s.url(&format!("/api/leads/{NOBODY}/{point}"));
        let r =
            s.send(s.cliente.post(path).bearer_auth("otra").header("Idempotency-Key", "").body("{")).await;
        assert_eq!(r.header("www-authenticate"), Some("Bearer"));
        r.problem(401);
    }
}

async fn a_malformed_idempotency_key_comes_before_the_body(s: Server) {
    let length = "x".repeat(256);
    for key in ["", "ñ", length.as_str()] {
        let request = s.request(Method::POST, &format!("/api/leads/{NOBODY}/perfil"));
        let request = request.header("Content-Encoding", "gzip").body("{");
        s.send(request.header("Idempotency-Key", key.as_bytes())).await.problem(400);
    }
    let two = s.request(Method::POST, &format!("/api/leads/{NOBODY}/perfil")).body("{");
    s.send(two.header("Idempotency-Key", "a").header("Idempotency-Key", "b")).await.problem(400);
}

async fn an_encoded_body_is_415_before_it_is_parsed(s: Server) {
    for encoding in ["gzip", "br", "identity, gzip"] {
        let request = s.request(Method::POST, &format!("/api/leads/{NOBODY}/perfil"));
        s.send(request.header("Content-Encoding", encoding).body("{")).await.problem(415);
    }
    let lead = s.lead().await;
    let request = s.request(Method::POST, &format!("/api/leads/{lead}/perfil"));
    s.send(request.header("Content-Encoding", "identity").body(r#"{"viable":true}"#)).await.with(200);
}

async fn a_body_over_the_limit_is_413_before_it_is_parsed(s: Server) {
    let big = "x".repeat(8 * 1024 * 1024 + 1);
    let r = s.post_text(&format!("/api/leads/{NOBODY}/conversacion"), big).await;
    r.problem(413);
}

async fn a_broken_body_for_an_unknown_lead_is_422(s: Server) {
    for (point, _) in with_body() {
        for id in [NOBODY, "no-es-un-uuid"] {
            s.post_text(&format!("/api/leads/{id}/{point}"), "{").await.problem(422);
        }
    }
}

async fn a_right_body_for_an_unknown_lead_is_404(s: Server) {
    for (point, body) in with_body() {
        for id in [NOBODY, "no-es-un-uuid", "%FF", &NOBODY.replace('-', "")] {
            s.post(&format!("/api/leads/{id}/{point}"), &body).await.problem(404);
        }
    }
    for id in [NOBODY, "x", "%00"] {
        s.get(&format!("/api/leads/{id}")).await.problem(404);
        s.get(&format!("/api/leads/{id}/fotos/{NOBODY}")).await.problem(404);
    }
}

async fn a_lead_id_counts_in_any_case(s: Server) {
    let lead = s.lead().await.to_uppercase();
    for (point, body) in with_body() {
        s.post(&format!("/api/leads/{lead}/{point}"), &body).await.with(200);
    }
}

async fn every_refusal_names_its_request(s: Server) {
    let r = s.post_text(&format!("/api/leads/{NOBODY}/perfil"), "{").await;
    let id = r.header("x-request-id").unwrap().to_owned();
    assert!(r.problem(422)["instance"].as_str().unwrap().contains(&id));
    let r = s.send(s.cliente.post(s.url("/nada")).bearer_auth(KEY)).await;
    let id = r.header("x-request-id").unwrap().to_owned();
    assert!(r.problem(404)["instance"].as_str().unwrap().contains(&id));
}

//! Contract §1: the order in which a call is refused.

use embudo_testkit::{KEY, Server, both_engines};
use reqwest::Method;

use crate::{NADIE, con_cuerpo};

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
    for ruta in ["/nada", "/api/nada", "/api/leads/", &format!("/api/leads/{NADIE}/nada")] {
        let r = s.enviar(s.cliente.post(s.url(ruta))).await;
        r.problema(404);
    }
    let r = s.enviar(s.cliente.put(s.url(&format!("/api/leads/{NADIE}/perfil")))).await;
    assert_eq!(r.cabecera("allow"), Some("POST"));
    r.problema(405);
    let r = s.enviar(s.cliente.delete(s.url("/api/leads"))).await;
    let allow = r.cabecera("allow").unwrap().to_owned();
    assert!(allow.contains("GET") && allow.contains("POST"), "{allow}");
    r.problema(405);
}

async fn a_wrong_key_with_a_broken_body_and_an_unknown_lead_is_401(s: Server) {
    for (punto, _) in con_cuerpo() {
        let ruta = s.url(&format!("/api/leads/{NADIE}/{punto}"));
        let r =
            s.enviar(s.cliente.post(ruta).bearer_auth("otra").header("Idempotency-Key", "").body("{")).await;
        assert_eq!(r.cabecera("www-authenticate"), Some("Bearer"));
        r.problema(401);
    }
}

async fn a_malformed_idempotency_key_comes_before_the_body(s: Server) {
    let largo = "x".repeat(256);
    for clave in ["", "ñ", largo.as_str()] {
        let peticion = s.peticion(Method::POST, &format!("/api/leads/{NADIE}/perfil"));
        let peticion = peticion.header("Content-Encoding", "gzip").body("{");
        s.enviar(peticion.header("Idempotency-Key", clave.as_bytes())).await.problema(400);
    }
    let dos = s.peticion(Method::POST, &format!("/api/leads/{NADIE}/perfil")).body("{");
    s.enviar(dos.header("Idempotency-Key", "a").header("Idempotency-Key", "b")).await.problema(400);
}

async fn an_encoded_body_is_415_before_it_is_parsed(s: Server) {
    for codificacion in ["gzip", "br", "identity, gzip"] {
        let peticion = s.peticion(Method::POST, &format!("/api/leads/{NADIE}/perfil"));
        s.enviar(peticion.header("Content-Encoding", codificacion).body("{")).await.problema(415);
    }
    let lead = s.lead().await;
    let peticion = s.peticion(Method::POST, &format!("/api/leads/{lead}/perfil"));
    s.enviar(peticion.header("Content-Encoding", "identity").body(r#"{"viable":true}"#)).await.con(200);
}

async fn a_body_over_the_limit_is_413_before_it_is_parsed(s: Server) {
    let grande = "x".repeat(8 * 1024 * 1024 + 1);
    let r = s.post_text(&format!("/api/leads/{NADIE}/conversacion"), grande).await;
    r.problema(413);
}

async fn a_broken_body_for_an_unknown_lead_is_422(s: Server) {
    for (punto, _) in con_cuerpo() {
        for id in [NADIE, "no-es-un-uuid"] {
            s.post_text(&format!("/api/leads/{id}/{punto}"), "{").await.problema(422);
        }
    }
}

async fn a_right_body_for_an_unknown_lead_is_404(s: Server) {
    for (punto, cuerpo) in con_cuerpo() {
        for id in [NADIE, "no-es-un-uuid", "%FF", &NADIE.replace('-', "")] {
            s.post(&format!("/api/leads/{id}/{punto}"), &cuerpo).await.problema(404);
        }
    }
    for id in [NADIE, "x", "%00"] {
        s.get(&format!("/api/leads/{id}")).await.problema(404);
        s.get(&format!("/api/leads/{id}/fotos/{NADIE}")).await.problema(404);
    }
}

async fn a_lead_id_counts_in_any_case(s: Server) {
    let lead = s.lead().await.to_uppercase();
    for (punto, cuerpo) in con_cuerpo() {
        s.post(&format!("/api/leads/{lead}/{punto}"), &cuerpo).await.con(200);
    }
}

async fn every_refusal_names_its_request(s: Server) {
    let r = s.post_text(&format!("/api/leads/{NADIE}/perfil"), "{").await;
    let id = r.cabecera("x-request-id").unwrap().to_owned();
    assert!(r.problema(422)["instance"].as_str().unwrap().contains(&id));
    let r = s.enviar(s.cliente.post(s.url("/nada")).bearer_auth(KEY)).await;
    let id = r.cabecera("x-request-id").unwrap().to_owned();
    assert!(r.problema(404)["instance"].as_str().unwrap().contains(&id));
}

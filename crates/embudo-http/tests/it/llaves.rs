//! Contract §1: the key at the door.

use embudo_door::ApiKeys;
use embudo_testkit::{Engine, KEY, Server, Setup, both_engines};
use reqwest::Method;

use crate::{NADIE, con_cuerpo};

both_engines!(
    every_endpoint_under_api_wants_the_key,
    the_scheme_counts_in_any_case,
    anything_but_the_whole_key_is_401,
    two_authorization_headers_are_401,
);

async fn every_endpoint_under_api_wants_the_key(s: Server) {
    let mut rutas: Vec<(Method, String)> = con_cuerpo()
        .into_iter()
        .map(|(punto, _)| (Method::POST, format!("/api/leads/{NADIE}/{punto}")))
        .collect();
    rutas.push((Method::POST, "/api/leads".into()));
    rutas.push((Method::GET, "/api/leads".into()));
    rutas.push((Method::GET, format!("/api/leads/{NADIE}")));
    rutas.push((Method::PATCH, format!("/api/leads/{NADIE}")));
    rutas.push((Method::GET, format!("/api/leads/{NADIE}/fotos/{NADIE}")));
    rutas.push((Method::DELETE, format!("/api/leads/{NADIE}/fotos/{NADIE}")));
    for (metodo, ruta) in rutas {
        let r = s.enviar(s.cliente.request(metodo.clone(), s.url(&ruta))).await;
        assert_eq!(r.status.as_u16(), 401, "{metodo} {ruta}");
    }
}

async fn the_scheme_counts_in_any_case(s: Server) {
    for esquema in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        let peticion = s.cliente.get(s.url("/api/leads")).header("Authorization", format!("{esquema} {KEY}"));
        s.enviar(peticion).await.con(200);
    }
}

async fn anything_but_the_whole_key_is_401(s: Server) {
    let prefijo = &KEY[..KEY.len() - 1];
    let casos = [
        String::new(),
        "Bearer".into(),
        "Bearer ".into(),
        format!("Basic {KEY}"),
        KEY.into(),
        format!("Bearer {prefijo}"),
        format!("Bearer {KEY}x"),
        format!("Bearer {}", KEY.to_uppercase()),
    ];
    for caso in casos {
        let r = s.enviar(s.cliente.get(s.url("/api/leads")).header("Authorization", caso.clone())).await;
        assert_eq!(r.cabecera("www-authenticate"), Some("Bearer"), "{caso}");
        r.problema(401);
    }
}

async fn two_authorization_headers_are_401(s: Server) {
    let valor = format!("Bearer {KEY}");
    let peticion = s.cliente.get(s.url("/api/leads"));
    let r = s.enviar(peticion.header("Authorization", &valor).header("Authorization", &valor)).await;
    r.problema(401);
}

async fn en_rotacion() -> Server {
    let mut montaje = Setup::en(Engine::Sqlite);
    montaje.ajustes.llaves = ApiKeys::new("nueva", Some("vieja")).unwrap();
    montaje.arrancar().await
}

#[tokio::test]
async fn the_previous_key_is_accepted_while_a_key_is_rotated() {
    let s = en_rotacion().await;
    for (clave, status) in [("nueva", 200), ("vieja", 200), ("nueva vieja", 401), ("otra", 401)] {
        let r = s.enviar(s.cliente.get(s.url("/api/leads")).bearer_auth(clave)).await;
        assert_eq!(r.status.as_u16(), status, "{clave}");
    }
}

#[tokio::test]
async fn beyond_a_thousand_wrong_keys_a_minute_an_address_gets_429_and_a_right_key_still_passes() {
    let s = Server::arrancar(Engine::Sqlite).await;
    let mut limitadas = 0;
    for n in 0..1_010 {
        let r = s.enviar(s.cliente.get(s.url("/api/leads")).bearer_auth(format!("mala-{n}"))).await;
        match r.status.as_u16() {
            401 => assert!(n < 1_000, "the limit holds from the 1,001st on"),
            _ => {
                assert!(r.cabecera("retry-after").is_some() && r.cabecera("ratelimit").is_some());
                r.problema(429);
                limitadas += 1;
            }
        }
    }
    assert_eq!(limitadas, 10);
    s.get("/api/leads").await.con(200);
}

#[tokio::test]
async fn a_right_key_can_be_limited_by_a_setting() {
    let mut montaje = Setup::en(Engine::Sqlite);
    montaje.ajustes.limite_llave = Some(3);
    let s = montaje.arrancar().await;
    for _ in 0..3 {
        s.get("/api/leads").await.con(200);
    }
    s.get("/api/leads").await.problema(429);
}

//! Contract §1: the key at the door.

use embudo_server::ApiKeys;
use embudo_testkit::{Engine, KEY, Server, Setup, both_engines};
use reqwest::Method;

use crate::{NOBODY, with_body};

both_engines!(
    every_endpoint_under_api_wants_the_key,
    the_scheme_counts_in_any_case,
    anything_but_the_whole_key_is_401,
    two_authorization_headers_are_401,
);

async fn every_endpoint_under_api_wants_the_key(s: Server) {
    let mut routes: Vec<(Method, String)> = with_body()
        .into_iter()
        .map(|(point, _)| (Method::POST, format!("/api/leads/{NOBODY}/{point}")))
        .collect();
    routes.push((Method::POST, "/api/leads".into()));
    routes.push((Method::GET, "/api/leads".into()));
    routes.push((Method::GET, format!("/api/leads/{NOBODY}")));
    routes.push((Method::PATCH, format!("/api/leads/{NOBODY}")));
    routes.push((Method::GET, format!("/api/leads/{NOBODY}/fotos/{NOBODY}")));
    routes.push((Method::DELETE, format!("/api/leads/{NOBODY}/fotos/{NOBODY}")));
    for (method, path) in routes {
        let r = s.send(s.cliente.request(method.clone(), s.url(&path))).await;
        assert_eq!(r.status.as_u16(), 401, "{method} {path}");
    }
}

async fn the_scheme_counts_in_any_case(s: Server) {
    for schema in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        let request = s.cliente.get(s.url("/api/leads")).header("Authorization", format!("{schema} {KEY}"));
        s.send(request).await.with(200);
    }
}

async fn anything_but_the_whole_key_is_401(s: Server) {
    let prefix = &KEY[..KEY.len() - 1];
    let cases = [
        String::new(),
        "Bearer".into(),
        "Bearer ".into(),
        format!("Basic {KEY}"),
        KEY.into(),
        format!("Bearer {prefix}"),
        format!("Bearer {KEY}x"),
        format!("Bearer {}", KEY.to_uppercase()),
    ];
    for case in cases {
        let r = s.send(s.cliente.get(s.url("/api/leads")).header("Authorization", case.clone())).await;
        assert_eq!(r.header("www-authenticate"), Some("Bearer"), "{case}");
        r.problem(401);
    }
}

async fn two_authorization_headers_are_401(s: Server) {
    let value = format!("Bearer {KEY}");
    let request = s.cliente.get(s.url("/api/leads"));
    let r = s.send(request.header("Authorization", &value).header("Authorization", &value)).await;
    r.problem(401);
}

async fn in_rotation() -> Server {
    let mut setup = Setup::at(Engine::Sqlite);
    setup.settings.keys = ApiKeys::new("nueva", Some("vieja")).unwrap();
    setup.start().await
}

#[tokio::test]
async fn the_previous_key_is_accepted_while_a_key_is_rotated() {
    let s = in_rotation().await;
    for (key, status) in [("nueva", 200), ("vieja", 200), ("nueva vieja", 401), ("otra", 401)] {
        let r = s.send(s.cliente.get(s.url("/api/leads")).bearer_auth(key)).await;
        assert_eq!(r.status.as_u16(), status, "{key}");
    }
}

#[tokio::test]
async fn beyond_the_limit_of_wrong_keys_an_address_gets_429_and_a_right_key_still_passes() {
    let s = Setup { wrong_keys: Some(20), ..Setup::at(Engine::Sqlite) }.start().await;
    for n in 0..25 {
        let r = s.send(s.cliente.get(s.url("/api/leads")).bearer_auth(format!("mala-{n}"))).await;
        if n < 20 {
            r.problem(401);
        } else {
            assert!(r.header("retry-after").is_some() && r.header("ratelimit").is_some());
            r.problem(429);
        }
    }
    s.get("/api/leads").await.with(200);
}

#[tokio::test]
async fn a_right_key_can_be_limited_by_a_setting() {
    let mut setup = Setup::at(Engine::Sqlite);
    setup.settings.limit_key = Some(3);
    let s = setup.start().await;
    for _ in 0..3 {
        s.get("/api/leads").await.with(200);
    }
    s.get("/api/leads").await.problem(429);
}

//! What the log contains, at any level.

use crate::client::{call, call_at};
use crate::hook::Hook;
use crate::place::Place;
use embudo_testkit::receiver::Manner;

embudo_testkit::both_engines!(blocking: nothing_personal_is_logged_at_any_level);

fn nothing_personal_is_logged_at_any_level(place: &Place) {
    let hook = Hook::new(Manner::Ok);
    let server =
        place.serve_with(&["--set", &hook.perfil, "--set", "LOG=trace,tokio_postgres=trace,h2=trace"]);
    let ana = r#"{"nombre":"Canario Nombre","telefono":"612345678","email":"canario@ejemplo.es","provincia":"Canarilandia"}"#;
    let created = call(&server, "POST", "/api/leads", ana);
    assert_eq!(created.status, 201);
    let lead = format!("/api/leads/{}", created.json()["id"].as_str().unwrap());
    let turno = r#"{"rol":"user","mensaje":"canario-mensaje"}"#;
    assert_eq!(call(&server, "POST", &format!("{lead}/conversacion"), turno).status, 200);
    let items = r#"{"items":[{"tipo":"texto","texto":"canario-nota"}],"perfilCompleto":true}"#;
    assert_eq!(call(&server, "POST", &format!("{lead}/ingesta"), items).status, 200);
    assert_eq!(hook.requests(1).len(), 1);
    assert_eq!(call(&server, "GET", &lead, "").status, 200);
    assert_eq!(call(&server, "GET", "/api/leads?texto=canario-busca", "").status, 200);
    for (path, head) in [
        ("/f/mi-empresa/canario-pase/fotos", "cookie: canario-galleta\r\n"),
        ("/p/canario-pase", "x-forwarded-for: 203.0.113.77\r\n"),
        ("/api/leads", "authorization: Bearer canario-clave\r\n"),
    ] {
        assert!(call_at(server.address(), "GET", path, head, "").status >= 400, "{path}");
    }
    let (key, log) = (server.key.clone(), server.log.clone());
    assert!(server.stop().0.success());

    let text = log.text();
    assert!(text.contains("access"), "our own lines are there");
    let lower = text.to_lowercase();
    for canary in ["canari", "612345678", "203.0.113.77", &key.to_lowercase()] {
        assert!(!lower.contains(canary), "«{canary}» was logged: {}", line_with(&lower, canary));
    }
}

fn line_with<'a>(text: &'a str, canary: &str) -> &'a str {
    text.lines().find(|line| line.contains(canary)).unwrap_or_default()
}

//! The API: each key at every address, and values that look like a key but are not valid.

use embudo_domain::role::Role;
use embudo_testkit::{Answered, KEY};
use reqwest::Method;
use serde_json::{Value, json};

use super::answers::{short, what};
use super::map::{Door, Route};
use super::world::{Company, World, email};
use crate::person::{Browser, COOKIE};

/// A body that the endpoint accepts.
fn body(path: &str, empresa: &Company) -> Value {
    let last = path.rsplit('/').next().unwrap_or_default();
    match last {
        "leads" => {
            json!({ "nombre": "Eva", "telefono": "611222333", "email": "eva@ejemplo.es", "tenantId": empresa.empresa.id })
        }
        "{id}" => json!({ "provincia": "Madrid" }),
        "ingesta" => json!({ "items": [{ "tipo": "texto", "texto": "hola" }] }),
        "conversacion" => json!({ "rol": "user", "mensaje": "Hola" }),
        "perfil" => json!({ "viable": true }),
        "calificacion" => json!({ "score": 50 }),
        "intento" => json!({ "canal": "llamada", "numeroIntento": 1 }),
        "mensajeria" => json!({}),
        "mcp" => json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "verLead", "arguments": { "id": empresa.things[0].lead },
        } }),
        _ => panic!("{path}: say in walk/api.rs what body it takes"),
    }
}

/// The credentials of a caller.
#[derive(Clone, Copy)]
enum Shows<'a> {
    Nothing,
    Key(&'a str),
    Cookie(&'a str),
}

async fn call(world: &World, route: &Route, path: &str, shows: Shows<'_>) -> Answered {
    let method = Method::from_bytes(route.method.to_uppercase().as_bytes()).unwrap();
    let mut request = world.scene.server.cliente.request(method, world.scene.server.url(path));
    request = match shows {
        Shows::Nothing => request,
        Shows::Key(key) => request.bearer_auth(key),
        Shows::Cookie(token) => request.header("cookie", format!("{COOKIE}={token}")),
    };
    if route.path == "/mcp" {
        request = request.header("accept", "application/json, text/event-stream");
        request = request.header("content-type", "application/json");
    }
    if matches!(route.method, "post" | "patch") {
        request = request.body(body(route.path, &world.a).to_string());
    }
    world.scene.server.send(request).await
}

/// A company's key opens only the company's own leads, the server's key opens all leads, and nothing else opens any.
/// Requests with another company's key change nothing.
pub async fn opens_with_a_key_only(world: &World, routes: &[Route]) {
    let (a, b) = (&world.a, &world.b);
    let token = Browser::signed(&world.scene, &email(Role::Gestor, "a")).await.token().unwrap();
    let before = world.rows_of(a).await;
    for route in routes.iter().filter(|route| route.is_api()) {
        let path = a.fill(route.path, &a.things[0], "x");
        let foreign_key = match (route.door, route.method, route.path) {
            (Door::ServerKey, ..) => 401,
            // The list contains only the caller's own leads. A new lead with another company's id is an invalid value.
            (_, "get", "/api/leads" | "/api/pendiente") => 200,
            // The tool's result says that the lead does not exist.
            (_, _, "/mcp") => 200,
            (_, "post", "/api/leads") => 422,
            _ => 404,
        };
        let mut callers = vec![
            ("nobody".to_owned(), Shows::Nothing, 401),
            ("a wrong key".to_owned(), Shows::Key("clave-equivocada"), 401),
            ("a person's session".to_owned(), Shows::Cookie(&token), 401),
            ("another company's key".to_owned(), Shows::Key(&b.key), foreign_key),
        ];
        let passes = a.things[0].passes.iter();
        callers.extend(passes.map(|(pass, text)| (format!("{pass:?}"), Shows::Key(text), 401)));
        for (who, shows, status) in callers {
            let what = what(route, &path, &who);
            let answer = call(world, route, &path, shows).await;
            world.found.is_healthy(route, &what, &answer);
            world.found.expect(answer.status.as_u16() == status, || format!("{what}: {}", short(&answer)));
            world.found.shows_nothing_of(a, &what, &path, &answer);
        }
    }
    world.is_unchanged(&before, &world.rows_of(a).await, "a foreign key");

    for route in routes.iter().filter(|route| route.is_api()) {
        let path = a.fill(route.path, &a.things[1], "x");
        for (who, key) in [("the server's key", KEY), ("the company's key", a.key.as_str())] {
            let what = what(route, &path, who);
            let answer = call(world, route, &path, Shows::Key(key)).await;
            world.found.is_healthy(route, &what, &answer);
            let is_right = match (answer.status.as_u16(), key == KEY) {
                (status, false) if route.door == Door::ServerKey => status == 401,
                // The request with the server's key has already deleted the photo.
                (404, false) if route.method == "delete" => true,
                (status, _) => status < 300,
            };
            world.found.expect(is_right, || format!("{what}: {}", short(&answer)));
        }
    }
}

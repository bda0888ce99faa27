//! `embudo mcp`: a running server's tools on standard input and output.

use crate::client::{call, call_as};
use crate::place::Place;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

/// Sends these messages to `embudo mcp`, each after the answer to the one before; returns the answers.
fn talk(mut command: Command, messages: &[Value]) -> Vec<Value> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines();
    let mut answers = Vec::new();
    for message in messages {
        writeln!(input, "{message}").unwrap();
        if message.get("id").is_some() {
            let line = lines.next().expect("it answers").unwrap();
            answers.push(serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}")));
        }
    }
    drop(input);
    assert!(lines.next().is_none(), "nothing but answers is written");
    assert!(child.wait().unwrap().success());
    answers
}

fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn session(tool: &str, arguments: &Value) -> Vec<Value> {
    let client = json!({ "name": "prueba", "version": "1" });
    let begin = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    vec![
        request(1, "initialize", &begin),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        request(2, "tools/list", &json!({})),
        request(3, "tools/call", &json!({ "name": tool, "arguments": arguments })),
    ]
}

#[test]
fn a_running_servers_tools_are_offered_on_stdio() {
    let place = Place::sqlite();
    let server = place.serve();
    let made = call(
        &server,
        "POST",
        "/api/leads",
        r#"{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es"}"#,
    );
    let lead = made.json()["id"].as_str().unwrap().to_owned();
    // As on another machine: address and key are given.
    let (url, key) = (server.url.clone(), server.key.clone());
    let far = || {
        let mut command = Place::sqlite().command(&["mcp", "--url", &url]);
        command.current_dir(std::env::temp_dir()).env("EMBUDO_API_KEY", &key);
        command
    };
    let turn = json!({ "id": lead, "rol": "user", "mensaje": "Hola" });
    let answers = talk(far(), &session("conversacion", &turn));
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "embudo");
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "verPendiente"), "{tools:?}");
    assert_eq!(answers[2]["result"]["isError"], false, "{}", answers[2]);
    let record = call(&server, "GET", &format!("/api/leads/{lead}"), "").json();
    assert_eq!(record["conversacion"][0]["mensaje"], "Hola");
    // As on the server's own machine: address and key come from the settings and the data folder.
    let near = place.command(&["mcp", "--bind", server.address()]);
    let answers = talk(near, &session("verLead", &json!({ "id": lead })));
    assert!(answers[2]["result"]["content"][0]["text"].as_str().unwrap().contains("Hola"), "{}", answers[2]);

    let wrong = json!({ "id": lead, "rol": "nadie" });
    let refused = talk(far(), &session("conversacion", &wrong));
    let text = refused[2]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(refused[2]["result"]["isError"] == true && text.contains("/rol (valor)"), "{text}");
    let mut stranger = far();
    stranger.env("EMBUDO_API_KEY", "otra");
    let refused = talk(stranger, &session("verLead", &json!({ "id": lead })));
    let text = refused[2]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("401 "), "{text}");
    server.stop();
    let gone = talk(far(), &session("verLead", &json!({ "id": lead })));
    let text = gone[2]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("No se llega al servidor"), "{text}");
}

#[test]
fn a_key_is_not_sent_to_an_address_that_somebody_named() {
    let place = Place::sqlite().env("FUNNEL_API_KEY", "clave del servidor");
    let told = place.fails(&["mcp", "--url", "http://127.0.0.1:9"]);
    assert!(told.contains("EMBUDO_API_KEY"), "{told}");
    let place = Place::sqlite();
    assert!(place.fails(&["mcp"]).contains("EMBUDO_API_KEY"));
    assert!(!place.path("data").exists(), "nothing is made");
    let place = place.env("EMBUDO_API_KEY", "x");
    for wrong in ["leads.example.com", "ftp://leads.example.com", "http://h/?a=b"] {
        assert!(place.fails(&["mcp", "--url", wrong]).contains("is not an address"), "{wrong}");
    }
}

/// The hosts of `/mcp` come from the settings.
#[test]
fn the_public_host_and_others_that_are_named_are_answered_under() {
    let place = Place::sqlite()
        .env("PUBLIC_URL", "https://leads.ejemplo.es")
        .env("MCP_HOSTS", "embudo:8080, interno")
        .env("FUNNEL_API_KEY", "clave de prueba con sitio de sobra");
    let server = place.serve();
    let body = request(1, "tools/list", &json!({})).to_string();
    for (host, status) in [
        ("leads.ejemplo.es", 200),
        ("embudo:8080", 200),
        ("embudo:81", 403),
        ("interno:81", 200),
        ("localhost", 200),
        ("otro.es", 403),
    ] {
        let head = "connection: close\r\nauthorization: Bearer clave de prueba con sitio de sobra\r\n\
             accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";
        let answer = call_as(host, server.address(), "POST", "/mcp", head, &body);
        assert_eq!(answer.status, status, "{host}: {}", answer.body);
    }
    let wrong = Place::sqlite().env("MCP_HOSTS", "a@b").serve_fails();
    assert!(wrong.contains("MCP_HOSTS") && wrong.contains("«a@b» is not a host"), "{wrong}");
}

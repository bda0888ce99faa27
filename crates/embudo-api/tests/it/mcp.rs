//! `/mcp`: the API as tools, with the API's keys, limits and refusals.

use embudo_app::{Actor, Conflicts, NewVisita, Tell};
use embudo_domain::LeadId;
use embudo_store::desk::HandAction;
use embudo_store::inbox::Viewer;
use embudo_testkit::{Answered, Engine, KEY, Scene, Server, Setup, both_engines};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::NOBODY;
use crate::company_keys::{another_company, key_of};
use crate::visita::person;

both_engines!(
    a_bot_leads_a_whole_conversation_through_tools,
    a_key_of_a_company_sees_its_company_alone,
    what_the_company_keeps_to_itself_is_in_no_tool,
    any_process_answers_any_message,
);

/// A message to `/mcp` as clients send it, to be completed by the caller.
fn message(s: &Server, key: &str, body: &Value) -> RequestBuilder {
    let request = s.cliente.post(s.url("/mcp")).bearer_auth(key).body(body.to_string());
    request
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2025-06-18")
}

fn calling(tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

async fn send(s: &Server, key: &str, body: &Value) -> Answered {
    s.send(message(s, key, body)).await
}

/// Calls a tool; returns whether it was refused, and the text of the answer.
async fn call(s: &Server, key: &str, tool: &str, arguments: Value) -> (bool, String) {
    let answer = send(s, key, &calling(tool, &arguments)).await;
    assert_eq!(answer.header("mcp-session-id"), None, "nobody has a session");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let answer = answer.with(200);
    assert_eq!(answer["id"], 7, "{answer}");
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}"));
    (result["isError"] == true, text.to_owned())
}

/// What a tool answers when all is well.
async fn done(s: &Server, tool: &str, arguments: Value) -> Value {
    let (is_error, text) = call(s, KEY, tool, arguments).await;
    assert!(!is_error, "{tool}: {text}");
    serde_json::from_str(&text).unwrap()
}

async fn a_bot_leads_a_whole_conversation_through_tools(s: Server) {
    let lead = s.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5, "telefono": "612 34 56 78" })).await;
    let client = json!({ "name": "prueba", "version": "1" });
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client } });
    let begun = send(&s, KEY, &begin).await.with(200);
    assert_eq!(begun["result"]["serverInfo"]["name"], "embudo");
    assert_eq!(begun["result"]["protocolVersion"], "2025-06-18");
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(send(&s, KEY, &ready).await.status.as_u16(), 202);
    let list = send(&s, KEY, &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })).await.with(200);
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!(
        tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(),
        embudo_mcp::NAMES
    );
    let turn = tools.iter().find(|tool| tool["name"] == "conversacion").unwrap();
    assert_eq!(turn["inputSchema"]["required"], json!(["id", "rol", "mensaje"]));
    assert_eq!(turn["inputSchema"]["properties"]["rol"]["enum"], json!(["user", "assistant", "system"]));

    // The bot knows a telephone number, and finds the lead by it.
    let found = done(&s, "listarLeads", json!({ "telefono": "+34 612 345 678", "limite": 5 })).await;
    assert_eq!(found["leads"][0]["id"], lead.as_str());
    let turn =
        |rol: &str, text: &str| json!({ "id": lead, "rol": rol, "mensaje": text, "botStep": "metros" });
    done(&s, "conversacion", turn("user", "Quiero reformar el baño")).await;
    done(&s, "conversacion", turn("assistant", "¿Cuántos metros tiene?")).await;
    let keyed = json!({ "id": lead, "rol": "user", "mensaje": "Seis", "idempotencyKey": "wa-1" });
    let first = done(&s, "conversacion", keyed.clone()).await;
    assert_eq!(done(&s, "conversacion", keyed).await, first, "the same message once");
    let updated = done(&s, "perfil", json!({ "id": lead, "m2Suelo": 6, "calidadGlobal": "media" })).await;
    assert_eq!(updated["actualizado"], json!(["m2Suelo", "calidadGlobal"]));
    let criteria = json!({ "zeta": 1, "alfa": [2.5] });
    done(&s, "calificacion", json!({ "id": lead, "score": 82, "nivel": "A", "criterios": criteria })).await;
    done(&s, "intento", json!({ "id": lead, "canal": "llamada", "numeroIntento": 1 })).await;
    let items = json!([{ "tipo": "texto", "texto": "Plato de ducha", "zona": "bano" }]);
    let ended = done(&s, "ingesta", json!({ "id": lead, "items": items, "finalizar": true })).await;
    assert_eq!((&ended["notas"], &ended["finalizado"]["ok"]), (&json!(1), &json!(true)));
    let quotes = done(&s, "listarPresupuestos", json!({ "id": lead })).await;
    let record = done(&s, "verLead", json!({ "id": lead })).await;
    assert_eq!(quotes["presupuestos"][0]["totalCents"], record["presupuestos"][0]["totalCents"]);
    assert_eq!(record["conversacion"].as_array().unwrap().len(), 3);
    assert_eq!((&record["m2Suelo"], &record["calificacion"]["criterios"]), (&json!(6), &criteria));
    assert_eq!(record, s.record(&lead).await, "a tool answers what the API does");
    assert_eq!(done(&s, "verVisita", json!({ "id": lead })).await["visita"], Value::Null);
    assert!(done(&s, "verPendiente", json!({})).await["pendientes"].is_array());

    // The model gets the refusal of the API, with the place of each mistake.
    let (is_error, text) = call(&s, KEY, "conversacion", json!({ "id": lead, "rol": "nadie" })).await;
    assert!(is_error && text.starts_with("422 ") && text.contains("\n/rol (valor): "), "{text}");
    assert!(text.contains("\n/mensaje (requerido): ") && !text.contains("nadie"), "{text}");
    let (is_error, text) = call(&s, KEY, "verLead", json!({ "id": NOBODY })).await;
    assert!(is_error && text.contains("404 ") && text.contains("El lead no existe."), "{text}");
}

async fn a_key_of_a_company_sees_its_company_alone(s: Server) {
    let lead = s.lead_with(json!({ "urgencia": "alta" })).await;
    while s.app.housekeeping().project_touched().await.unwrap() > 0 {}
    let (own, foreign) = (key_of(&s, s.empresa.id).await, key_of(&s, another_company(&s).await.id).await);
    let before = s.record(&lead).await;
    for name in embudo_mcp::NAMES {
        let arguments = match name {
            "verPendiente" | "listarLeads" => json!({}),
            "conversacion" => json!({ "id": lead, "rol": "user", "mensaje": "Hola" }),
            "perfil" => json!({ "id": lead, "viable": true }),
            "calificacion" => json!({ "id": lead, "score": 1 }),
            "intento" => json!({ "id": lead, "canal": "llamada", "numeroIntento": 1 }),
            "ingesta" => json!({ "id": lead, "items": [{ "tipo": "texto", "texto": "x" }] }),
            _ => json!({ "id": lead }),
        };
        let (is_error, text) = call(&s, &foreign, name, arguments.clone()).await;
        assert!(!text.contains(&lead) && !text.contains("Ana García"), "{name}: {text}");
        let is_list = matches!(name, "verPendiente" | "listarLeads");
        assert_eq!(is_error, !is_list, "{name}: {text}");
        assert!(is_list || text.contains("404 "), "{name}: {text}");
    }
    assert_eq!(s.record(&lead).await, before, "nothing was written");
    for name in ["verPendiente", "listarLeads"] {
        let (_, text) = call(&s, &own, name, json!({})).await;
        assert!(text.contains(&lead), "{name}: {text}");
        let (_, text) = call(&s, &foreign, name, json!({ "tenantId": s.empresa.id })).await;
        assert!(!text.contains(&lead), "{name}: {text}");
    }
}

async fn what_the_company_keeps_to_itself_is_in_no_tool(engine: Engine) {
    let scene = Scene::at(engine).await;
    let s = &scene.server;
    let lead = s.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await;
    let id = LeadId::parse(&lead).unwrap();
    done(s, "ingesta", json!({ "id": lead, "finalizar": true })).await;
    let luis = person(s, "Luis").await;
    let viewer = Viewer { who: luis.id, empresas: vec![s.empresa.id] };
    let known = s.app.store.record(id).await.unwrap().lead;
    let nota = "CANARIO-NOTA".to_owned();
    s.app.desk().add_nota(&viewer, &known, s.app.id(), nota, &Actor::command()).await.unwrap();
    let desk = s.app.store.desk(&viewer, id).await.unwrap();
    let action = HandAction { due: s.app.now(), text: "CANARIO-PLAN".into() };
    s.app.desk().plan(&viewer, &desk, Some(action), &Actor::command()).await.unwrap();
    let visit = s.app.visits().prepare(NewVisita {
        lead: id,
        empresa: s.empresa.id,
        minutes: 60,
        address: "Calle Mayor 1".into(),
        people: vec![luis.id],
        notes: "CANARIO-VISITA".into(),
    });
    let visit = visit.agree("2026-11-14T18:00:00Z".parse().unwrap(), s.app.now()).unwrap();
    let kept = s.app.visits().keep(None, visit, Conflicts::Override, Tell::People, &Actor::command()).await;
    kept.unwrap();
    while s.app.housekeeping().project_touched().await.unwrap() > 0 {}
    let mut read = Vec::new();
    for (tool, arguments) in [
        ("verPendiente", json!({})),
        ("listarLeads", json!({})),
        ("verLead", json!({ "id": lead })),
        ("listarPresupuestos", json!({ "id": lead })),
        ("verVisita", json!({ "id": lead })),
    ] {
        let (is_error, text) = call(s, KEY, tool, arguments).await;
        assert!(!is_error && !text.contains("CANARIO"), "{tool}: {text}");
        for word in ["\"coste", "\"margen", "\"material", "\"manoObra"] {
            assert!(!text.contains(word), "{tool} shows {word}: {text}");
        }
        read.push(text);
    }
    assert!(
        read[0].contains(r#""accion":"manual""#) && read[0].contains("2026-11-14T18:00:00Z"),
        "{}",
        read[0]
    );
    assert!(read[4].contains(r#""estado":"confirmada""#), "{}", read[4]);
}

/// No message depends on an earlier one: each may reach another process.
async fn any_process_answers_any_message(engine: Engine) {
    let one = Setup::at(engine).start().await;
    let other = Setup::at(engine).start_beside(&one).await;
    let lead = one.lead().await;
    for (n, s) in [&one, &other, &one, &other].into_iter().enumerate() {
        let arguments = json!({ "id": lead, "rol": "user", "mensaje": n.to_string() });
        let (is_error, text) = call(s, KEY, "conversacion", arguments).await;
        assert!(!is_error, "{text}");
    }
    assert_eq!(one.record(&lead).await["conversacion"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn strangers_are_refused_at_the_door() {
    let s = Server::start(Engine::Sqlite).await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for key in ["otra", "", &format!("emb_{:064x}", 7)] {
        let answer = send(&s, key, &list).await;
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        answer.problem(401);
    }
    s.send(s.cliente.post(s.url("/mcp")).body(list.to_string())).await.problem(401);
    // Another host name for this address: what a web page in somebody's browser would send after DNS rebinding.
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example"] {
        assert_eq!(s.send(message(&s, KEY, &list).header("host", host)).await.status.as_u16(), 403, "{host}");
    }
    for origin in ["https://evil.example", "null", "http://127.0.0.1"] {
        let answer = s.send(message(&s, KEY, &list).header("origin", origin)).await;
        assert_eq!(answer.status.as_u16(), 403, "{origin}");
    }
    for host in ["localhost", "localhost:8080", "127.0.0.1:1"] {
        assert_eq!(s.send(message(&s, KEY, &list).header("host", host)).await.status.as_u16(), 200, "{host}");
    }
    for method in [reqwest::Method::GET, reqwest::Method::DELETE] {
        s.send(s.request(method, "/mcp")).await.problem(405);
    }
}

#[tokio::test]
async fn other_hosts_are_those_that_the_operator_names() {
    let mut setup = Setup::at(Engine::Sqlite);
    setup.settings.mcp_hosts = vec!["leads.ejemplo.es".into()];
    let s = setup.start().await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for (host, status) in [("leads.ejemplo.es", 200), ("leads.ejemplo.es:443", 200), ("localhost", 403)] {
        let answer = s.send(message(&s, KEY, &list).header("host", host)).await;
        assert_eq!(answer.status.as_u16(), status, "{host}");
    }
}

#[tokio::test]
async fn messages_are_bounded_and_nonsense_is_refused() {
    let mut setup = Setup::at(Engine::Sqlite);
    setup.settings.max_bot_bytes = 64 * 1024;
    let s = setup.start().await;
    let lead = s.lead().await;
    let long = json!({ "id": lead, "rol": "user", "mensaje": "x".repeat(70_000) });
    send(&s, KEY, &calling("conversacion", &long)).await.problem(413);
    let fits = json!({ "id": lead, "rol": "user", "mensaje": "x".repeat(60_000) });
    assert!(!call(&s, KEY, "conversacion", fits).await.0);
    for text in ["", "{", "[]", "null", "\"x\"", r#"{"jsonrpc":"2.0"}"#, &"[".repeat(60_000)] {
        let request = message(&s, KEY, &Value::Null).body(text.to_owned());
        let status = s.send(request).await.status.as_u16();
        assert!((400..500).contains(&status), "{status}: {text:.20}");
    }
    // The body is small, but it parses to a tree of many values.
    let bomb = json!({ "id": lead, "x": vec![json!([]); 20_001] });
    send(&s, KEY, &calling("verLead", &bomb)).await.problem(413);
    let encoded = message(&s, KEY, &Value::Null).header("content-encoding", "gzip");
    s.send(encoded).await.problem(415);
    // A name that the client sends is neither repeated in the answer nor used as a path.
    for name in ["CANARIO", "borrarFoto", "healthz"] {
        let answer = send(&s, KEY, &calling(name, &json!({}))).await;
        assert!(answer.status.is_success() && !answer.text.contains(name), "{}", answer.text);
        assert!(answer.json()["error"].is_object(), "{}", answer.text);
    }
    let unknown = send(&s, KEY, &json!({ "jsonrpc": "2.0", "id": 1, "method": "CANARIO" })).await;
    assert!(!unknown.text.contains("CANARIO"), "{}", unknown.text);
    for id in ["../../metrics", "x/../../openapi.json", "%2e%2e"] {
        let (is_error, text) = call(&s, KEY, "verLead", json!({ "id": id })).await;
        assert!(is_error && text.contains("identificador"), "{text}");
    }
    let (is_error, text) =
        call(&s, KEY, "perfil", json!({ "id": lead, "viable": true, "idempotencyKey": "ñ\n" })).await;
    assert!(is_error && !text.is_empty(), "{text}");
}

#[tokio::test]
async fn a_call_of_a_tool_counts_once_against_the_limit_of_its_key() {
    let mut setup = Setup::at(Engine::Sqlite);
    setup.settings.limit_key = Some(4);
    let s = setup.start().await;
    let lead = s.lead().await;
    for _ in 0..3 {
        done(&s, "verLead", json!({ "id": lead })).await;
    }
    let answer = send(&s, KEY, &calling("verLead", &json!({ "id": lead }))).await;
    assert!(answer.header("retry-after").is_some());
    answer.problem(429);
}

#[tokio::test]
async fn a_message_gives_its_memory_back() {
    let setup = Setup::at(Engine::Sqlite);
    let budget = setup.settings.body_budget.clone();
    let s = setup.start().await;
    let lead = s.lead().await;
    let text = "x".repeat(200_000);
    for _ in 0..3 {
        let arguments = json!({ "id": lead, "items": [{ "tipo": "texto", "texto": text }] });
        assert!(!call(&s, KEY, "ingesta", arguments).await.0);
        send(&s, KEY, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "x": text } }))
            .await;
    }
    assert_eq!(budget.held_bytes(), 0);
}

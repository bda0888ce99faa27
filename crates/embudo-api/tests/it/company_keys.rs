//! Contract §1: keys that are bound to one company.

use std::time::Duration;

use embudo_app::Actor;
use embudo_domain::EmpresaId;
use embudo_domain::empresa::Empresa;
use embudo_testkit::{Answered, Engine, Server, Setup, both_engines, data_uri, jpeg};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{NOBODY, with_body};

both_engines!(
    a_foreign_key_opens_nothing_on_any_route,
    a_key_works_on_its_own_leads_as_the_shared_one_does,
    a_new_lead_lands_in_the_company_of_the_key,
    the_same_idempotency_key_of_two_companies_is_two_calls,
    a_revoked_key_opens_nothing_on_any_process,
);

pub async fn another_company(s: &Server) -> Empresa {
    let id = EmpresaId(uuid::Uuid::now_v7());
    let new = Empresa { id, slug: "banos-sol".into(), por_defecto: false, ..s.empresa.clone() };
    s.app.store.create_empresa(new.clone(), s.app.now()).await.unwrap();
    new
}

pub async fn key_of(s: &Server, empresa: EmpresaId) -> String {
    let made = s.app.company_keys().create(empresa, "n8n".into(), &Actor::command()).await;
    made.unwrap().expect("there is room")
}

async fn call(s: &Server, key: &str, method: Method, path: &str, body: Option<&Value>) -> Answered {
    let mut request = s.cliente.request(method, s.url(path)).bearer_auth(key);
    if let Some(body) = body {
        request = request.body(body.to_string());
    }
    s.send(request).await
}

/// A body that is right for a documented operation.
fn body_of(path: &str, method: &str) -> Option<Value> {
    match (method, path.rsplit('/').next().unwrap()) {
        ("get" | "delete", _) => None,
        ("patch", _) => Some(json!({ "nombre": "Otra" })),
        ("post", "leads") => {
            Some(json!({ "nombre": "Eva", "telefono": "611222333", "email": "eva@ejemplo.es" }))
        }
        ("post", last) => {
            let known = with_body().into_iter().find(|(point, _)| *point == last);
            Some(known.unwrap_or_else(|| panic!("{path} has no body here yet")).1)
        }
        other => panic!("{other:?} is not walked yet"),
    }
}

/// The document lists every route of the API (a test compares it with the router), so a new route is tested here
/// without further work.
async fn a_foreign_key_opens_nothing_on_any_route(s: Server) {
    let lead = s.lead_with(json!({ "tipoReforma": "bano", "m2Suelo": 5 })).await;
    let foto = json!({ "items": [{ "tipo": "foto", "imagen": data_uri(&jpeg(64, 48)) }], "finalizar": true });
    s.post(&format!("/api/leads/{lead}/ingesta"), &foto).await.with(200);
    let before = s.record(&lead).await;
    let fotos = before["fotos"].to_string();
    let foto_id = s.app.store.record(embudo_domain::LeadId::parse(&lead).unwrap()).await.unwrap().fotos[0].id;
    let number = before["presupuestos"][0]["numero"].as_str().unwrap().to_owned();
    let foreign = key_of(&s, another_company(&s).await.id).await;

    let document = s.get("/openapi.json").await.with(200);
    let mut walked = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys().filter(|m| *m != "parameters") {
            if !path.starts_with("/api/") {
                continue;
            }
            let at = path.replacen("{id}", &lead, 1);
            let at =
                at.replace("{foto}", &foto_id.to_string()).replace("{fichero}", &format!("{number}.pdf"));
            assert!(!at.contains('{'), "{path} names something that is not walked yet");
            let verb = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let answer = call(&s, &foreign, verb, &at, body_of(path, method).as_ref()).await;
            match (method.as_str(), path.as_str()) {
                ("get", "/api/leads" | "/api/pendiente") => {
                    assert!(!answer.with(200).to_string().contains(&lead));
                }
                ("post", "/api/leads") => drop(answer.with(201)),
                _ => {
                    let problem = answer.problem(404);
                    assert_eq!(problem["type"].as_str().unwrap().rsplit('#').next(), Some("no-encontrado"));
                }
            }
            walked += 1;
        }
    }
    assert!(walked >= 17, "{walked}");
    assert_eq!(s.record(&lead).await, before, "nothing was written");
    assert!(fotos.contains(&foto_id.to_string()), "{fotos}");
    assert_eq!(fotos, s.record(&lead).await["fotos"].to_string());
    // Metrics belong to the installation, not to a company.
    call(&s, &foreign, Method::GET, "/metrics", None).await.problem(401);
    for query in ["", &format!("?tenantId={}", s.empresa.id), "?telefono=612345678", "?texto=ana"] {
        let page = call(&s, &foreign, Method::GET, &format!("/api/leads{query}"), None).await.with(200);
        assert!(!page.to_string().contains(&lead), "{query}: {page}");
    }
}

async fn a_key_works_on_its_own_leads_as_the_shared_one_does(s: Server) {
    let (own, other) = (s.empresa.id, another_company(&s).await.id);
    let key = key_of(&s, own).await;
    let lead = s.lead().await;
    let foreign = s.lead_with(json!({ "tenantId": other })).await;
    for (point, body) in with_body() {
        let at = |lead: &str| format!("/api/leads/{lead}/{point}");
        call(&s, &key, Method::POST, &at(&lead), Some(&body)).await.with(200);
        call(&s, &key, Method::POST, &at(&foreign), Some(&body)).await.problem(404);
        // Refusals keep their order: a broken body comes first, whether or not the key opens the lead.
        call(&s, &key, Method::POST, &at(&foreign), Some(&json!([]))).await.problem(422);
        call(&s, &key, Method::POST, &at(NOBODY), Some(&body)).await.problem(404);
    }
    let page = call(&s, &key, Method::GET, "/api/leads", None).await.with(200);
    assert_eq!(page["leads"].as_array().unwrap().len(), 1);
    assert_eq!(s.get("/api/leads").await.with(200)["leads"].as_array().unwrap().len(), 2);
    call(&s, &key, Method::GET, &format!("/api/leads/{lead}"), None).await.with(200);
    for _ in 0..100 {
        if s.app.store.company_keys(own).await.unwrap()[0].usada_en.is_some() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("its use was written down");
}

async fn a_new_lead_lands_in_the_company_of_the_key(s: Server) {
    let other = another_company(&s).await.id;
    let key = key_of(&s, other).await;
    let body = |fields: Value| {
        let mut body = json!({ "nombre": "Eva", "telefono": "611222333", "email": "eva@ejemplo.es" });
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body
    };
    for fields in [json!({}), json!({ "tenantId": other })] {
        let made = call(&s, &key, Method::POST, "/api/leads", Some(&body(fields))).await.with(201);
        let id = embudo_domain::LeadId::parse(made["id"].as_str().unwrap()).unwrap();
        assert_eq!(s.app.store.lead_empresa(id).await.unwrap(), Some(other));
    }
    // Another company, whether or not it exists.
    for named in [json!(s.empresa.id), json!(NOBODY)] {
        let body = body(json!({ "tenantId": named }));
        let answer = call(&s, &key, Method::POST, "/api/leads", Some(&body)).await;
        assert_eq!(answer.errors(), [("/tenantId".to_owned(), "valor".to_owned())]);
    }
    assert_eq!(s.get("/api/leads").await.with(200)["leads"].as_array().unwrap().len(), 2);
}

async fn the_same_idempotency_key_of_two_companies_is_two_calls(s: Server) {
    let keys = [key_of(&s, s.empresa.id).await, key_of(&s, another_company(&s).await.id).await];
    let body = json!({ "nombre": "Eva", "telefono": "611222333", "email": "eva@ejemplo.es" }).to_string();
    let mut made = Vec::new();
    for key in keys.iter().chain(&keys) {
        let request = s.cliente.post(s.url("/api/leads")).bearer_auth(key).header("Idempotency-Key", "una");
        made.push(s.send(request.body(body.clone())).await.with(201)["id"].clone());
    }
    assert_ne!(made[0], made[1]);
    assert_eq!(made[..2], made[2..], "each is told its own again");
}

async fn a_revoked_key_opens_nothing_on_any_process(s: Server) {
    let key = key_of(&s, s.empresa.id).await;
    let id = s.app.store.company_keys(s.empresa.id).await.unwrap()[0].id;
    let ask = async || call(&s, &key, Method::GET, "/api/leads", None).await.status.as_u16();
    assert_eq!(ask().await, 200);
    // Revokes the key as another process does: this process gets no notice of it.
    let command = embudo_store::company_keys::RevokeCompanyKey {
        empresa: s.empresa.id,
        id,
        at: s.app.now(),
        audit: s.app.access().audit(&Actor::command(), embudo_domain::audit::AuditAction::KeyRevoked),
    };
    assert!(s.app.store.revoke_company_key(command).await.unwrap());
    tokio::time::sleep(Duration::from_millis(2_200)).await;
    assert_eq!(ask().await, 401);
    // In the process that revokes the key, the revocation counts at once.
    let key = key_of(&s, s.empresa.id).await;
    let id = s.app.store.company_keys(s.empresa.id).await.unwrap()[0].id;
    let status = call(&s, &key, Method::GET, "/api/leads", None).await.status;
    assert_eq!(status.as_u16(), 200, "a new one is known at once");
    assert!(s.app.company_keys().revoke(s.empresa.id, id, &Actor::command()).await.unwrap());
    call(&s, &key, Method::GET, "/api/leads", None).await.problem(401);
}

#[tokio::test]
async fn guesses_at_keys_of_companies_are_counted_and_a_key_can_be_limited() {
    let mut setup = Setup::at(Engine::Sqlite);
    setup.settings.limit_key = Some(3);
    let s = setup.start().await;
    let key = key_of(&s, s.empresa.id).await;
    for _ in 0..3 {
        call(&s, &key, Method::GET, "/api/leads", None).await.with(200);
    }
    call(&s, &key, Method::GET, "/api/leads", None).await.problem(429);
    s.get("/api/leads").await.with(200);
    let mut limited = 0;
    for n in 0..1_005 {
        let guess = format!("emb_{n:064x}");
        match call(&s, &guess, Method::GET, "/api/leads", None).await.status.as_u16() {
            401 => {}
            429 => limited += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!(limited, 5);
}

/// The database is not asked about a key that cannot be valid. Keys in force are cached.
#[tokio::test]
async fn with_storage_away_a_wrong_key_is_still_wrong() {
    let s = Server::start(Engine::Postgres).await;
    let key = key_of(&s, s.empresa.id).await;
    let status = async |key: &str| {
        call(&s, key, Method::GET, &format!("/api/leads/{NOBODY}"), None).await.status.as_u16()
    };
    assert_eq!(status(&key).await, 404);
    s.sql("ALTER TABLE clave_api RENAME TO fuera").await;
    // Until the cached keys are too old to be trusted.
    while status(&key).await == 404 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let guess = format!("emb_{:064x}", 7);
    for wrong in ["no es", "", &guess] {
        assert_eq!(status(wrong).await, 401, "{wrong}");
    }
    assert!(status(&key).await >= 500, "whether a right one was revoked nobody knows");
}

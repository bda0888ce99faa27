//! Compares what the server really sends with the `webhooks` of its own OpenAPI document.

use embudo_delivery::webhook::Options;
use embudo_delivery::{Secrets, Webhooks};
use embudo_testkit::receiver::{Received, Receiver};
use embudo_testkit::{Engine, both_engines, data_uri, fake_jpeg};
use regex::Regex;
use serde_json::{Value, json};

use embudo_testkit::Scene;

both_engines!(every_signal_is_what_the_document_says,);

async fn every_signal_is_what_the_document_says(engine: Engine) {
    let events = Receiver::start().await;
    let e = Scene::with(engine, |m| {
        m.outbound.events = Some(events.url().parse().unwrap());
        let secrets = Secrets::read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        m.outbound.webhooks = Webhooks::new(Options { secrets, ..Options::default() }).unwrap();
    })
    .await;
    let document = e.server.get("/openapi.json").await.with(200);
    let full = json!({ "provincia": "Madrid", "tipoReforma": "cocina", "m2Suelo": 12.5, "calidadGlobal": "media",
        "estructural": false, "urgencia": "alta", "presupuestoTarget": 1_200_000 });
    let items = json!([
        { "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 500)) },
        { "tipo": "foto", "imagen": "https://ejemplo.es/b.jpg", "zona": "bano", "momento": "despues" },
        { "tipo": "texto", "texto": "Quiero isla" },
    ]);
    for (lead, items) in [(e.server.lead_with(full).await, items), (e.server.lead().await, json!([]))] {
        let ingesta = format!("/api/leads/{lead}/ingesta");
        e.server.post(&ingesta, &json!({ "items": items, "perfilCompleto": true })).await.with(200);
        e.server.post(&ingesta, &json!({ "finalizar": true })).await.with(200);
        e.server.post(&format!("/api/leads/{lead}/mensajeria"), &json!({})).await.with(200);
    }
    let received_ones = e.receiver.received();
    assert_eq!(received_ones.len(), 6);
    let orden = ["perfilCompleto", "entregaPdf", "inicioConversacion"];
    for (signal, received) in orden.iter().cycle().zip(&received_ones) {
        as_documented(&document, signal, received);
    }
    e.server.app.worker().run_jobs().await.unwrap();
    let told = events.received();
    let quotes = told.iter().filter(|received| received.json()["tipo"] == "presupuesto.enviado").count();
    assert_eq!((told.len(), quotes), (4, 2), "two leads, two quotes");
    for received in &told {
        as_documented(&document, "evento", received);
    }
}

fn as_documented(document: &Value, signal: &str, received: &Received) {
    let operation = &document["webhooks"][signal]["post"];
    let content = &operation["requestBody"]["content"]["application/json"];
    let (schema, body) = (&content["schema"], received.json());
    assert_eq!(
        (received.method.as_str(), received.header("content-type")),
        ("POST", Some("application/json"))
    );
    check(document, schema, &body).unwrap_or_else(|error| panic!("{signal}{error}"));
    check(document, schema, &content["example"]).unwrap_or_else(|error| panic!("{signal}: example{error}"));
    // The schema must be strict: a body without one of its fields, or with one more, must not match.
    for field in body.as_object().unwrap().keys() {
        let mut without = body.clone();
        without.as_object_mut().unwrap().remove(field);
        assert!(check(document, schema, &without).is_err(), "{signal} without {field}");
        let mut other = body.clone();
        other[field] = json!(7);
        assert!(check(document, schema, &other).is_err(), "{signal} with a number as {field}");
    }
    let mut extra = body;
    extra["otro"] = json!(1);
    assert!(check(document, schema, &extra).is_err(), "{signal} with one field more");

    let described: Vec<&Value> =
        operation["parameters"].as_array().unwrap().iter().map(|p| resolve(document, p)).collect();
    for header in &described {
        let nombre = header["name"].as_str().unwrap();
        let value = received.header(nombre).unwrap_or_else(|| panic!("{signal}: {nombre} is missing"));
        check(document, &header["schema"], &json!(value)).unwrap_or_else(|error| panic!("{nombre}{error}"));
        check(document, &header["schema"], &header["example"]).unwrap_or_else(|e| panic!("{nombre}{e}"));
    }
    for (nombre, _) in received.headers.iter().filter(|(n, _)| n.starts_with("webhook-")) {
        assert!(described.iter().any(|d| d["name"] == *nombre), "{signal}: {nombre} is not documented");
    }
}

fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    value["$ref"].as_str().map_or(value, |destination| document.pointer(&destination[1..]).unwrap())
}

/// Checks that a value follows a schema; the error says where it does not. Knows the keywords that our schemas of
/// signals use and refuses others, so that nothing passes unchecked.
fn check(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let schema = resolve(document, schema);
    let failure = |what: &str| Err(format!(": {value} is not as {what} of {schema}"));
    for (word, rule) in schema.as_object().unwrap() {
        let well = match word.as_str() {
            "type" => match rule {
                Value::Array(kinds) => kinds.iter().any(|t| is_of_type(value, t)),
                kind => is_of_type(value, kind),
            },
            "anyOf" => rule.as_array().unwrap().iter().any(|e| check(document, e, value).is_ok()),
            "enum" => rule.as_array().unwrap().contains(value),
            "required" => rule.as_array().unwrap().iter().all(|n| value.get(n.as_str().unwrap()).is_some()),
            "pattern" => match value.as_str() {
                Some(text) => Regex::new(rule.as_str().unwrap()).unwrap().is_match(text),
                None => true,
            },
            "minimum" => value.as_f64().is_none_or(|n| n >= rule.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|n| n > rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|n| n <= rule.as_f64().unwrap()),
            "contentEncoding" => {
                use base64::Engine as _;
                value.as_str().is_some_and(|v| base64::prelude::BASE64_STANDARD.decode(v).is_ok())
            }
            "additionalProperties" => {
                let extra = |map: &serde_json::Map<String, Value>| {
                    map.keys().any(|k| schema["properties"].get(k).is_none())
                };
                *rule == json!(false) && !value.as_object().is_some_and(extra)
            }
            "properties" => {
                for (nombre, own) in rule.as_object().unwrap() {
                    if let Some(inside) = value.get(nombre) {
                        check(document, own, inside).map_err(|error| format!("/{nombre}{error}"))?;
                    }
                }
                true
            }
            "items" => {
                for inside in value.as_array().into_iter().flatten() {
                    check(document, rule, inside).map_err(|error| format!("/…{error}"))?;
                }
                true
            }
            "description" | "examples" | "format" | "contentMediaType" | "x-orden" => true,
            another => panic!("{another} is not checked here"),
        };
        if !well {
            return failure(word);
        }
    }
    Ok(())
}

fn is_of_type(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|n| n.fract() == 0.0),
        other => panic!("{other} is not a type"),
    }
}

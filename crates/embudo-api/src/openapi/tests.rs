//! The document against the code: routes, parser, statuses, and its own references.

use std::collections::BTreeSet;

use embudo_domain::calificacion::Calificacion;
use embudo_domain::conversacion::Turno;
use embudo_domain::ingesta::Ingesta;
use embudo_domain::intento::Intento;
use embudo_domain::lead::{LeadPatch, NewLead};
use embudo_domain::perfil::PerfilPatch;
use embudo_domain::{Body, Invalid};

use super::bodies::{BODIES, complete, examples};
use super::*;
use crate::api::mensajeria::Mensajeria;
use crate::problem::KINDS;

/// What the server does with a body of this name.
fn read(nombre: &str, bytes: &[u8]) -> Result<(), Invalid> {
    match nombre {
        "Ingesta" => Ingesta::read(bytes).map(drop),
        "Turno" => Turno::read(bytes).map(drop),
        "Perfil" => PerfilPatch::read(bytes).map(drop),
        "Calificacion" => Calificacion::read(bytes).map(drop),
        "Intento" => Intento::read(bytes).map(drop),
        "NuevoLead" => NewLead::read(bytes).map(drop),
        "Contacto" => LeadPatch::read(bytes).map(drop),
        "Mensajeria" => Mensajeria::read(bytes).map(drop),
        other => panic!("{other} has no parser here"),
    }
}

#[test]
fn the_document_holds_the_routers_routes_and_no_others() {
    let document = document();
    let mut written: Vec<(String, String)> = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        written.extend(methods.as_object().unwrap().keys().map(|m| (path.clone(), m.clone())));
    }
    let mut served: Vec<(String, String)> = Vec::new();
    for (path, methods) in crate::routes::ROUTES {
        served.extend(methods.iter().map(|m| ((*path).to_owned(), (*m).to_owned())));
    }
    written.sort();
    served.sort();
    assert_eq!(written, served);
}

#[test]
fn the_real_parser_accepts_every_example() {
    for body in BODIES {
        for (nombre, example) in examples(body) {
            let result = read(body.nombre, example["value"].to_string().as_bytes());
            assert_eq!(result, Ok(()), "{} {nombre}", body.nombre);
        }
    }
}

#[test]
fn the_example_of_each_field_is_accepted_beside_the_required_ones() {
    for body in BODIES {
        for field in body.fields {
            let mut sent = Map::new();
            for other in body.fields.iter().filter(|c| c.required || c.nombre == field.nombre) {
                sent.insert(other.nombre.to_owned(), crate::schema::example(other));
            }
            // In an ingestion, a flag that is false asks for nothing, so the body needs another field too.
            if body.nombre == "Ingesta" {
                sent = complete(body.fields);
            }
            let result = read(body.nombre, Value::Object(sent).to_string().as_bytes());
            assert_eq!(result, Ok(()), "{}.{}", body.nombre, field.nombre);
        }
    }
}

#[test]
fn the_empty_call_of_ingestion_is_what_the_document_says() {
    assert!(read("Ingesta", br#"{"perfilCompleto":false}"#).is_err());
    assert!(read("Ingesta", br#"{"items":[],"finalizar":false}"#).is_err());
    assert!(read("Ingesta", br#"{"items":[],"finalizar":true}"#).is_ok());
}

#[test]
fn required_fields_are_those_without_which_the_parser_refuses() {
    for body in BODIES {
        for field in body.fields {
            let mut sent = complete(body.fields);
            sent.remove(field.nombre);
            let result = read(body.nombre, Value::Object(sent).to_string().as_bytes());
            let missing = body.nombre == "Ingesta" && field.nombre == "items";
            assert_eq!(result.is_err(), field.required || missing, "{}.{}", body.nombre, field.nombre);
        }
    }
}

#[test]
fn every_problem_has_a_response_of_its_status() {
    let states: Vec<u16> = problems::states().collect();
    for (kind, status, _) in KINDS {
        assert!(states.contains(status), "{kind}");
    }
}

#[test]
fn the_lists_filters_are_the_handlers() {
    let written: Vec<Value> = parameters::of_list().iter().map(|p| p["name"].clone()).collect();
    assert_eq!(written, crate::api::list::NAMES);
    let written: Vec<Value> = parameters::of_events().iter().map(|p| p["name"].clone()).collect();
    assert_eq!(written, ["cursor", "limite"]);
    let written: Vec<Value> = parameters::of_pending().iter().map(|p| p["name"].clone()).collect();
    assert_eq!(written, crate::api::pendiente::NAMES);
}

#[test]
fn every_reference_leads_somewhere_and_every_component_is_used() {
    let document = document();
    let mut references = Vec::new();
    collect(&document, &mut references);
    for destination in &references {
        assert!(document.pointer(&destination[1..]).is_some(), "{destination}");
    }
    for class in ["schemas", "parameters", "headers", "responses"] {
        for nombre in document["components"][class].as_object().unwrap().keys() {
            let destination = format!("#/components/{class}/{nombre}");
            // No operation answers 405: the paths do so for all other methods.
            let used = references.contains(&destination) || nombre == "MetodoNoPermitido";
            assert!(used, "{destination} is not used");
        }
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            references.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|v| collect(v, references));
        }
        Value::Array(list) => list.iter().for_each(|v| collect(v, references)),
        _ => {}
    }
}

#[test]
fn the_examples_of_answers_hold_the_fields_of_their_schemas() {
    let document = document();
    for (_, methods) in document["paths"].as_object().unwrap() {
        for (_, operation) in methods.as_object().unwrap() {
            for response in operation["responses"].as_object().unwrap().values() {
                let content = &response["content"]["application/json"];
                if let Some(example) = content.get("example") {
                    same_fields(&document, &content["schema"], example);
                }
            }
        }
    }
}

#[test]
fn the_examples_of_signals_hold_the_fields_of_their_schemas() {
    let document = document();
    for (_, signal) in document["webhooks"].as_object().unwrap() {
        let content = &signal["post"]["requestBody"]["content"]["application/json"];
        same_fields(&document, &content["schema"], &content["example"]);
    }
    let variables: Vec<_> = webhooks::SIGNALS.iter().map(|s| s.variable).collect();
    let of_the_spec = ["PERFIL_WEBHOOK_URL", "MESSAGING_WEBHOOK_URL", "MESSAGING_START_WEBHOOK_URL"];
    let ours = ["MESSAGING_REPLY_WEBHOOK_URL", "EVENTS_WEBHOOK_URL"];
    assert_eq!(variables, [&of_the_spec[..], &ours].concat());
}

/// Generators of clients read `anyOf` beside `properties` as a choice of bodies, and forget the fields' types.
#[test]
fn no_body_hides_its_fields_behind_alternatives() {
    for (nombre, schema) in bodies::schemas() {
        let mixed = schema.get("properties").is_some() && schema.get("anyOf").is_some();
        assert!(!mixed, "{nombre}");
    }
    for nombre in ["Ingesta", "Perfil", "Calificacion", "Contacto"] {
        assert_eq!(bodies::schemas()[nombre]["minProperties"], 1, "{nombre}");
    }
}

fn same_fields(document: &Value, schema: &Value, value: &Value) {
    let schema = schema["anyOf"].get(0).unwrap_or(schema);
    let schema = match schema["$ref"].as_str() {
        Some(destination) => document.pointer(&destination[1..]).unwrap(),
        None => schema,
    };
    match value {
        Value::Object(map) if schema["additionalProperties"] == false => {
            let properties = schema["properties"].as_object().unwrap();
            let (written, known): (BTreeSet<_>, BTreeSet<_>) =
                (map.keys().collect(), properties.keys().collect());
            match schema.get("required") {
                Some(_) => assert_eq!(written, known),
                None => assert!(written.is_subset(&known)),
            }
            map.iter().for_each(|(key, v)| same_fields(document, &properties[key], v));
        }
        Value::Array(list) => list.iter().for_each(|v| same_fields(document, &schema["items"], v)),
        _ => {}
    }
}

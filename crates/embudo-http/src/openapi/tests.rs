//! The document against the code: routes, parser, statuses, and its own references.

use std::collections::BTreeSet;

use embudo_domain::calificacion::Calificacion;
use embudo_domain::conversacion::Turno;
use embudo_domain::ingesta::Ingesta;
use embudo_domain::intento::Intento;
use embudo_domain::lead::{ContactoPatch, NuevoLead};
use embudo_domain::perfil::PerfilPatch;
use embudo_domain::{Cuerpo, Invalido};

use super::cuerpos::{CUERPOS, completo, ejemplos};
use super::*;
use crate::api::mensajeria::Mensajeria;
use crate::problema::TIPOS;

/// What the server does with a body of this name.
fn leer(nombre: &str, bytes: &[u8]) -> Result<(), Invalido> {
    match nombre {
        "Ingesta" => Ingesta::read(bytes).map(drop),
        "Turno" => Turno::read(bytes).map(drop),
        "Perfil" => PerfilPatch::read(bytes).map(drop),
        "Calificacion" => Calificacion::read(bytes).map(drop),
        "Intento" => Intento::read(bytes).map(drop),
        "NuevoLead" => NuevoLead::read(bytes).map(drop),
        "Contacto" => ContactoPatch::read(bytes).map(drop),
        "Mensajeria" => Mensajeria::read(bytes).map(drop),
        otro => panic!("{otro} has no parser here"),
    }
}

#[test]
fn the_document_holds_the_routers_routes_and_no_others() {
    let documento = documento();
    let mut escritas: Vec<(String, String)> = Vec::new();
    for (ruta, metodos) in documento["paths"].as_object().unwrap() {
        escritas.extend(metodos.as_object().unwrap().keys().map(|m| (ruta.clone(), m.clone())));
    }
    let mut servidas: Vec<(String, String)> = Vec::new();
    for (ruta, metodos) in crate::rutas::RUTAS {
        servidas.extend(metodos.iter().map(|m| ((*ruta).to_owned(), (*m).to_owned())));
    }
    escritas.sort();
    servidas.sort();
    assert_eq!(escritas, servidas);
}

#[test]
fn the_real_parser_accepts_every_example() {
    for cuerpo in CUERPOS {
        for (nombre, ejemplo) in ejemplos(cuerpo) {
            let resultado = leer(cuerpo.nombre, ejemplo["value"].to_string().as_bytes());
            assert_eq!(resultado, Ok(()), "{} {nombre}", cuerpo.nombre);
        }
    }
}

#[test]
fn the_example_of_each_field_is_accepted_beside_the_required_ones() {
    for cuerpo in CUERPOS {
        for campo in cuerpo.campos {
            let mut enviado = Map::new();
            for otro in cuerpo.campos.iter().filter(|c| c.requerido || c.nombre == campo.nombre) {
                enviado.insert(otro.nombre.to_owned(), crate::schema::ejemplo(otro));
            }
            // A flag of ingestion shown as false needs something else to do.
            if cuerpo.nombre == "Ingesta" {
                enviado = completo(cuerpo.campos);
            }
            let resultado = leer(cuerpo.nombre, Value::Object(enviado).to_string().as_bytes());
            assert_eq!(resultado, Ok(()), "{}.{}", cuerpo.nombre, campo.nombre);
        }
    }
}

#[test]
fn the_empty_call_of_ingestion_is_what_the_document_says() {
    assert!(leer("Ingesta", br#"{"perfilCompleto":false}"#).is_err());
    assert!(leer("Ingesta", br#"{"items":[],"finalizar":false}"#).is_err());
    assert!(leer("Ingesta", br#"{"items":[],"finalizar":true}"#).is_ok());
}

#[test]
fn required_fields_are_those_without_which_the_parser_refuses() {
    for cuerpo in CUERPOS {
        for campo in cuerpo.campos {
            let mut enviado = completo(cuerpo.campos);
            enviado.remove(campo.nombre);
            let resultado = leer(cuerpo.nombre, Value::Object(enviado).to_string().as_bytes());
            let falta = cuerpo.nombre == "Ingesta" && campo.nombre == "items";
            assert_eq!(resultado.is_err(), campo.requerido || falta, "{}.{}", cuerpo.nombre, campo.nombre);
        }
    }
}

#[test]
fn every_problem_has_a_response_of_its_status() {
    let estados: Vec<u16> = problemas::estados().collect();
    for (tipo, status, _) in TIPOS {
        assert!(estados.contains(status), "{tipo}");
    }
}

#[test]
fn the_lists_filters_are_the_handlers() {
    let escritos: Vec<Value> = parametros::de_la_lista().iter().map(|p| p["name"].clone()).collect();
    assert_eq!(escritos, crate::api::lista::NOMBRES);
    let escritos: Vec<Value> = parametros::de_los_eventos().iter().map(|p| p["name"].clone()).collect();
    assert_eq!(escritos, ["cursor", "limite"]);
}

#[test]
fn every_reference_leads_somewhere_and_every_component_is_used() {
    let documento = documento();
    let mut referencias = Vec::new();
    recoger(&documento, &mut referencias);
    for destino in &referencias {
        assert!(documento.pointer(&destino[1..]).is_some(), "{destino}");
    }
    for clase in ["schemas", "parameters", "headers", "responses"] {
        for nombre in documento["components"][clase].as_object().unwrap().keys() {
            let destino = format!("#/components/{clase}/{nombre}");
            // No operation answers 405: it is what the paths do with other methods.
            let usado = referencias.contains(&destino) || nombre == "MetodoNoPermitido";
            assert!(usado, "{destino} is not used");
        }
    }
}

fn recoger(valor: &Value, referencias: &mut Vec<String>) {
    match valor {
        Value::Object(mapa) => {
            referencias.extend(mapa.get("$ref").and_then(Value::as_str).map(str::to_owned));
            mapa.values().for_each(|v| recoger(v, referencias));
        }
        Value::Array(lista) => lista.iter().for_each(|v| recoger(v, referencias)),
        _ => {}
    }
}

#[test]
fn the_examples_of_answers_hold_the_fields_of_their_schemas() {
    let documento = documento();
    for (_, metodos) in documento["paths"].as_object().unwrap() {
        for (_, operacion) in metodos.as_object().unwrap() {
            for respuesta in operacion["responses"].as_object().unwrap().values() {
                let contenido = &respuesta["content"]["application/json"];
                if let Some(ejemplo) = contenido.get("example") {
                    mismos_campos(&documento, &contenido["schema"], ejemplo);
                }
            }
        }
    }
}

#[test]
fn the_examples_of_signals_hold_the_fields_of_their_schemas() {
    let documento = documento();
    for (_, senal) in documento["webhooks"].as_object().unwrap() {
        let contenido = &senal["post"]["requestBody"]["content"]["application/json"];
        mismos_campos(&documento, &contenido["schema"], &contenido["example"]);
    }
    let variables: Vec<_> = webhooks::SENALES.iter().map(|s| s.variable).collect();
    let de_la_espec = ["PERFIL_WEBHOOK_URL", "MESSAGING_WEBHOOK_URL", "MESSAGING_START_WEBHOOK_URL"];
    assert_eq!(variables, de_la_espec);
}

/// Generators of clients take `anyOf` beside `properties` for a choice of bodies, and forget the fields' types.
#[test]
fn no_body_hides_its_fields_behind_alternatives() {
    for (nombre, esquema) in cuerpos::esquemas() {
        let mezclado = esquema.get("properties").is_some() && esquema.get("anyOf").is_some();
        assert!(!mezclado, "{nombre}");
    }
    for nombre in ["Ingesta", "Perfil", "Calificacion", "Contacto"] {
        assert_eq!(cuerpos::esquemas()[nombre]["minProperties"], 1, "{nombre}");
    }
}

fn mismos_campos(documento: &Value, esquema: &Value, valor: &Value) {
    let esquema = esquema["anyOf"].get(0).unwrap_or(esquema);
    let esquema = match esquema["$ref"].as_str() {
        Some(destino) => documento.pointer(&destino[1..]).unwrap(),
        None => esquema,
    };
    match valor {
        Value::Object(mapa) if esquema["additionalProperties"] == false => {
            let propiedades = esquema["properties"].as_object().unwrap();
            assert_eq!(mapa.keys().collect::<BTreeSet<_>>(), propiedades.keys().collect::<BTreeSet<_>>());
            mapa.iter().for_each(|(clave, v)| mismos_campos(documento, &propiedades[clave], v));
        }
        Value::Array(lista) => lista.iter().for_each(|v| mismos_campos(documento, &esquema["items"], v)),
        _ => {}
    }
}

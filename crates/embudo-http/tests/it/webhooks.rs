//! What the server really sends, held against the `webhooks` of its own OpenAPI document.

use embudo_delivery::webhook::Opciones;
use embudo_delivery::{Secretos, Webhooks};
use embudo_testkit::receiver::Received;
use embudo_testkit::{Engine, both_engines, data_uri, fake_jpeg};
use regex::Regex;
use serde_json::{Value, json};

use embudo_testkit::Scene;

both_engines!(every_signal_is_what_the_document_says,);

async fn every_signal_is_what_the_document_says(motor: Engine) {
    let e = Scene::con(motor, |m| {
        let secretos = Secretos::leer("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        m.outbound.webhooks = Webhooks::new(Opciones { secretos, ..Opciones::default() }).unwrap();
    })
    .await;
    let documento = e.s.get("/openapi.json").await.con(200);
    let lleno = json!({ "provincia": "Madrid", "tipoReforma": "cocina", "m2Suelo": 12.5, "calidadGlobal": "media",
        "estructural": false, "urgencia": "alta", "presupuestoTarget": 1_200_000 });
    let items = json!([
        { "tipo": "foto", "imagen": data_uri(&fake_jpeg(1, 500)) },
        { "tipo": "foto", "imagen": "https://ejemplo.es/b.jpg", "zona": "bano", "momento": "despues" },
        { "tipo": "texto", "texto": "Quiero isla" },
    ]);
    for (lead, items) in [(e.s.lead_with(lleno).await, items), (e.s.lead().await, json!([]))] {
        let ingesta = format!("/api/leads/{lead}/ingesta");
        e.s.post(&ingesta, &json!({ "items": items, "perfilCompleto": true })).await.con(200);
        e.s.post(&ingesta, &json!({ "finalizar": true })).await.con(200);
        e.s.post(&format!("/api/leads/{lead}/mensajeria"), &json!({})).await.con(200);
    }
    let recibidas = e.receiver.received();
    assert_eq!(recibidas.len(), 6);
    let orden = ["perfilCompleto", "entregaPdf", "inicioConversacion"];
    for (senal, recibida) in orden.iter().cycle().zip(&recibidas) {
        as_documented(&documento, senal, recibida);
    }
}

fn as_documented(documento: &Value, senal: &str, recibida: &Received) {
    let operacion = &documento["webhooks"][senal]["post"];
    let contenido = &operacion["requestBody"]["content"]["application/json"];
    let (esquema, cuerpo) = (&contenido["schema"], recibida.json());
    assert_eq!(
        (recibida.metodo.as_str(), recibida.cabecera("content-type")),
        ("POST", Some("application/json"))
    );
    check(documento, esquema, &cuerpo).unwrap_or_else(|error| panic!("{senal}{error}"));
    check(documento, esquema, &contenido["example"])
        .unwrap_or_else(|error| panic!("{senal}: example{error}"));
    // A document that accepts anything says nothing: without any one field, or with one more, it is no such signal.
    for campo in cuerpo.as_object().unwrap().keys() {
        let mut sin = cuerpo.clone();
        sin.as_object_mut().unwrap().remove(campo);
        assert!(check(documento, esquema, &sin).is_err(), "{senal} without {campo}");
        let mut otro = cuerpo.clone();
        otro[campo] = json!(7);
        assert!(check(documento, esquema, &otro).is_err(), "{senal} with a number as {campo}");
    }
    let mut de_mas = cuerpo;
    de_mas["otro"] = json!(1);
    assert!(check(documento, esquema, &de_mas).is_err(), "{senal} with one field more");

    let descritas: Vec<&Value> =
        operacion["parameters"].as_array().unwrap().iter().map(|p| resolve(documento, p)).collect();
    for cabecera in &descritas {
        let nombre = cabecera["name"].as_str().unwrap();
        let valor = recibida.cabecera(nombre).unwrap_or_else(|| panic!("{senal}: {nombre} is missing"));
        check(documento, &cabecera["schema"], &json!(valor))
            .unwrap_or_else(|error| panic!("{nombre}{error}"));
        check(documento, &cabecera["schema"], &cabecera["example"]).unwrap_or_else(|e| panic!("{nombre}{e}"));
    }
    for (nombre, _) in recibida.cabeceras.iter().filter(|(n, _)| n.starts_with("webhook-")) {
        assert!(descritas.iter().any(|d| d["name"] == *nombre), "{senal}: {nombre} is not documented");
    }
}

fn resolve<'a>(documento: &'a Value, valor: &'a Value) -> &'a Value {
    valor["$ref"].as_str().map_or(valor, |destino| documento.pointer(&destino[1..]).unwrap())
}

/// Whether a value follows a schema, or where it does not. Knows the keywords that our schemas of signals use and refuses others,
/// so that nothing passes unchecked.
fn check(documento: &Value, esquema: &Value, valor: &Value) -> Result<(), String> {
    let esquema = resolve(documento, esquema);
    let fallo = |que: &str| Err(format!(": {valor} is not as {que} of {esquema}"));
    for (palabra, regla) in esquema.as_object().unwrap() {
        let bien = match palabra.as_str() {
            "type" => match regla {
                Value::Array(tipos) => tipos.iter().any(|t| is_of_type(valor, t)),
                tipo => is_of_type(valor, tipo),
            },
            "anyOf" => regla.as_array().unwrap().iter().any(|e| check(documento, e, valor).is_ok()),
            "enum" => regla.as_array().unwrap().contains(valor),
            "required" => regla.as_array().unwrap().iter().all(|n| valor.get(n.as_str().unwrap()).is_some()),
            "pattern" => match valor.as_str() {
                Some(texto) => Regex::new(regla.as_str().unwrap()).unwrap().is_match(texto),
                None => true,
            },
            "minimum" => valor.as_f64().is_none_or(|n| n >= regla.as_f64().unwrap()),
            "exclusiveMinimum" => valor.as_f64().is_none_or(|n| n > regla.as_f64().unwrap()),
            "maximum" => valor.as_f64().is_none_or(|n| n <= regla.as_f64().unwrap()),
            "contentEncoding" => {
                use base64::Engine as _;
                valor.as_str().is_some_and(|v| base64::prelude::BASE64_STANDARD.decode(v).is_ok())
            }
            "additionalProperties" => {
                let de_mas = |mapa: &serde_json::Map<String, Value>| {
                    mapa.keys().any(|k| esquema["properties"].get(k).is_none())
                };
                *regla == json!(false) && !valor.as_object().is_some_and(de_mas)
            }
            "properties" => {
                for (nombre, suyo) in regla.as_object().unwrap() {
                    if let Some(dentro) = valor.get(nombre) {
                        check(documento, suyo, dentro).map_err(|error| format!("/{nombre}{error}"))?;
                    }
                }
                true
            }
            "items" => {
                for dentro in valor.as_array().into_iter().flatten() {
                    check(documento, regla, dentro).map_err(|error| format!("/…{error}"))?;
                }
                true
            }
            "description" | "examples" | "format" | "contentMediaType" | "x-orden" => true,
            otra => panic!("{otra} is not checked here"),
        };
        if !bien {
            return fallo(palabra);
        }
    }
    Ok(())
}

fn is_of_type(valor: &Value, tipo: &Value) -> bool {
    match tipo.as_str().unwrap() {
        "object" => valor.is_object(),
        "array" => valor.is_array(),
        "string" => valor.is_string(),
        "boolean" => valor.is_boolean(),
        "null" => valor.is_null(),
        "number" => valor.is_number(),
        "integer" => valor.as_f64().is_some_and(|n| n.fract() == 0.0),
        otro => panic!("{otro} is not a type"),
    }
}

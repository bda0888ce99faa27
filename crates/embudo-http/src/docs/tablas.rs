//! Schemas as tables for people, and example values written in the order of their schema.

use std::fmt::Write as _;

use serde_json::Value;

use super::html::{esc, markdown};

/// Follows a `$ref` inside the document; anything else is returned as it is.
pub(super) fn resolver<'a>(doc: &'a Value, valor: &'a Value) -> &'a Value {
    let Some(destino) = valor["$ref"].as_str() else {
        return valor;
    };
    doc.pointer(&destino[1..]).expect("references of the document lead somewhere")
}

/// The fields of a schema as a table, followed by a table for each schema it refers to.
pub(super) fn tabla(doc: &Value, esquema: &Value) -> String {
    let mut salida = String::new();
    let mut vistos: Vec<String> = Vec::new();
    let mut pendientes = vec![esquema.clone()];
    while !pendientes.is_empty() {
        let actual = pendientes.remove(0);
        let nombre = actual["$ref"].as_str().and_then(|r| r.rsplit('/').next()).map(str::to_owned);
        if let Some(nombre) = nombre {
            if vistos.contains(&nombre) {
                continue;
            }
            let _ = if vistos.is_empty() {
                Ok(())
            } else {
                let doc_suya = resolver(doc, &actual)["description"].as_str().unwrap_or_default();
                write!(salida, "<h6>{}</h6><p class=\"pista\">{}</p>", esc(&nombre), esc(doc_suya))
            };
            vistos.push(nombre);
        }
        let real = resolver(doc, &actual);
        if let Some(variantes) = real["oneOf"].as_array() {
            pendientes.extend(variantes.iter().cloned());
            continue;
        }
        salida.push_str(&filas(real));
        for campo in orden(real) {
            referencias(&real["properties"][campo], &mut pendientes);
        }
    }
    salida
}

fn referencias(esquema: &Value, salida: &mut Vec<Value>) {
    if esquema.get("$ref").is_some() {
        salida.push(esquema.clone());
    }
    if let Some(items) = esquema.get("items") {
        referencias(items, salida);
    }
    for variante in esquema["anyOf"].as_array().into_iter().flatten() {
        referencias(variante, salida);
    }
}

/// The names of an object's fields, in reading order.
fn orden(esquema: &Value) -> Vec<&str> {
    esquema["x-orden"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn filas(esquema: &Value) -> String {
    let campos = orden(esquema);
    if campos.is_empty() {
        return "<p class=\"pista\">Sin campos.</p>".to_owned();
    }
    let cerrado = esquema["additionalProperties"] == Value::Bool(false);
    let requeridos: Vec<&str> =
        esquema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut salida = String::from(
        "<div class=\"tabla\"><table><thead><tr><th scope=\"col\">Campo</th><th scope=\"col\">Tipo y reglas</th>\
         <th scope=\"col\">Qué es</th></tr></thead><tbody>",
    );
    for campo in campos {
        let suyo = &esquema["properties"][campo];
        // In an answer of ours every field is there, so saying it on each would be noise.
        let marca = if !cerrado && requeridos.contains(&campo) {
            " <span class=\"requerido\">obligatorio</span>"
        } else {
            ""
        };
        let _ = write!(
            salida,
            "<tr><th scope=\"row\"><code>{}</code>{marca}</th><td>{}</td><td>{}</td></tr>",
            esc(campo),
            tipo(suyo),
            markdown(suyo["description"].as_str().unwrap_or_default()),
        );
    }
    salida + "</tbody></table></div>"
}

/// A schema's kind and rules in Spanish.
pub(super) fn tipo(esquema: &Value) -> String {
    if let Some(destino) = esquema["$ref"].as_str() {
        return esc(destino.rsplit('/').next().unwrap_or_default());
    }
    if let Some(variantes) = esquema["anyOf"].as_array() {
        let distintas = variantes.iter().filter(|v| v["const"] != "");
        return distintas.map(tipo).collect::<Vec<_>>().join(" o ");
    }
    let nulo = match &esquema["type"] {
        Value::Array(tipos) if tipos.iter().any(|t| t == "null") => " o <code>null</code>",
        _ => "",
    };
    let clase = match &esquema["type"] {
        Value::Array(tipos) => tipos[0].as_str(),
        otro => otro.as_str(),
    };
    let base = match (esquema.get("const"), esquema.get("enum").and_then(Value::as_array)) {
        (Some(valor), _) => format!("<code>{}</code>", esc(&palabra(valor))),
        (None, Some(valores)) => {
            let palabras = valores.iter().filter(|v| !v.is_null());
            palabras.map(|v| format!("<code>{}</code>", esc(&palabra(v)))).collect::<Vec<_>>().join(" · ")
        }
        _ => base(clase.unwrap_or_default(), esquema),
    };
    base + nulo
}

fn palabra(valor: &Value) -> String {
    valor.as_str().map_or_else(|| valor.to_string(), str::to_owned)
}

fn base(clase: &str, esquema: &Value) -> String {
    match clase {
        "string" => texto(esquema).to_owned(),
        "boolean" => "<code>true</code> o <code>false</code>".to_owned(),
        "null" => "<code>null</code>".to_owned(),
        "integer" => format!("entero{}", limites(esquema)),
        "number" => format!("número{}", limites(esquema)),
        "array" => format!("lista de {}", tipo(&esquema["items"])),
        "object" if esquema["additionalProperties"]["type"] == "string" => {
            "objeto cuyos valores son textos".to_owned()
        }
        "object" => "objeto libre".to_owned(),
        _ => String::new(),
    }
}

fn texto(esquema: &Value) -> &'static str {
    match esquema["format"].as_str() {
        Some("date-time") => "instante RFC 3339 con zona",
        Some("uuid") => "UUID",
        Some("email") => "correo electrónico",
        Some("telefono") => "teléfono",
        Some("imagen") => "data URI <code>data:image/…;base64,…</code> o URL http(s)",
        _ if esquema["minLength"] == 1 => "texto no vacío",
        _ => "texto",
    }
}

fn limites(esquema: &Value) -> String {
    const GRANDE: f64 = 9e15;
    let cota = |nombre: &str| esquema[nombre].as_f64().filter(|n| n.abs() < GRANDE);
    if cota("exclusiveMinimum").is_some() {
        return " mayor que 0".to_owned();
    }
    match (cota("minimum"), cota("maximum")) {
        (Some(min), Some(max)) => format!(" de {min} a {max}"),
        (Some(min), None) => format!(" ≥ {min}"),
        _ => String::new(),
    }
}

/// A value as indented JSON, its fields in the order of its schema.
pub(super) fn bonito(doc: &Value, esquema: &Value, valor: &Value, sangria: usize) -> String {
    let real = variante(doc, resolver(doc, esquema), valor);
    let (dentro, fuera) = ("  ".repeat(sangria + 1), "  ".repeat(sangria));
    match valor {
        Value::Object(mapa) if !mapa.is_empty() => {
            let conocidos = orden(real);
            let mut claves: Vec<&String> = mapa.keys().collect();
            claves.sort_by_key(|clave| conocidos.iter().position(|c| c == clave).unwrap_or(usize::MAX));
            let filas = claves.iter().map(|clave| {
                let suyo =
                    bonito(doc, &real["properties"][clave.as_str()], &mapa[clave.as_str()], sangria + 1);
                format!("{dentro}{}: {suyo}", Value::from(clave.as_str()))
            });
            format!("{{\n{}\n{fuera}}}", filas.collect::<Vec<_>>().join(",\n"))
        }
        Value::Array(lista) if !lista.is_empty() => {
            let filas =
                lista.iter().map(|v| format!("{dentro}{}", bonito(doc, &real["items"], v, sangria + 1)));
            format!("[\n{}\n{fuera}]", filas.collect::<Vec<_>>().join(",\n"))
        }
        simple => simple.to_string(),
    }
}

/// The alternative of a schema that a value follows.
fn variante<'a>(doc: &'a Value, esquema: &'a Value, valor: &Value) -> &'a Value {
    let Some(alternativas) = esquema["oneOf"].as_array().or_else(|| esquema["anyOf"].as_array()) else {
        return esquema;
    };
    let suya = alternativas.iter().map(|a| resolver(doc, a)).find(|a| {
        let fijo = a["properties"]["tipo"].get("const");
        fijo.is_none_or(|tipo| *tipo == valor["tipo"])
    });
    suya.unwrap_or(esquema)
}

//! `/docs`: the OpenAPI document as a page, with a form under each operation that tries it.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::html::{esc, markdown, page};
use super::snippets;
use super::tables::{kind, pretty, resolve, table};

/// The whole page.
pub(super) fn render(doc: &Value) -> String {
    let title = text(&doc["info"]["title"]);
    let mut body = format!(
        "<a class=\"salto\" href=\"#contenido\">Saltar al contenido</a>\n\
         <header class=\"cabecera\"><div class=\"marca\"><a href=\"/docs\">{}</a> <span class=\"version\">{}</span></div>\n\
         <div class=\"clave\"><label for=\"clave\">Clave</label>\
         <input id=\"clave\" type=\"password\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"FUNNEL_API_KEY\" \
         aria-describedby=\"clave-pista\"><span id=\"clave-pista\" class=\"pista\">Solo en memoria</span></div>\n\
         <a class=\"descarga\" href=\"/openapi.json\">openapi.json</a></header>\n<div class=\"columnas\">\n",
        esc(title),
        esc(text(&doc["info"]["version"])),
    );
    body.push_str(&index(doc));
    let _ = write!(
        body,
        "<main id=\"contenido\">\n<section id=\"guia\" class=\"guia\"><h1>{}</h1>\n{}</section>\n",
        esc(title),
        markdown(text(&doc["info"]["description"])),
    );
    for label in elements(&doc["tags"]) {
        let _ = writeln!(
            body,
            "<section class=\"grupo\" id=\"{0}\"><h2>{0}</h2>{1}",
            esc(text(&label["name"])),
            markdown(text(&label["description"])),
        );
        for operation in operations(doc, label) {
            body.push_str(&operation.render(doc));
        }
        body.push_str("</section>\n");
    }
    body.push_str("</main>\n</div>");
    page(title, &body)
}

fn index(doc: &Value) -> String {
    let mut output = String::from(
        "<nav class=\"indice\" aria-label=\"Índice\"><details open><summary>Índice</summary>\
         <a href=\"#guia\">Cómo funciona</a><a href=\"/docs/problemas\">Problemas</a><a href=\"/docs/guias\">Guías</a>",
    );
    for label in elements(&doc["tags"]) {
        let _ = write!(output, "<strong>{}</strong>", esc(text(&label["name"])));
        for o in operations(doc, label) {
            let _ = write!(
                output,
                "<a href=\"#{}\"><span class=\"metodo {}\">{}</span> {}</a>",
                o.id,
                o.method,
                o.method.to_uppercase(),
                esc(text(&o.value["summary"])),
            );
        }
    }
    output + "</details></nav>\n"
}

struct Operation<'a> {
    id: &'a str,
    method: &'a str,
    /// The operation's path, or the setting that says where a signal goes.
    path: &'a str,
    /// Whether the server makes this call (a signal) instead of receiving it.
    leaves: bool,
    value: &'a Value,
}

fn operations<'a>(doc: &'a Value, label: &'a Value) -> Vec<Operation<'a>> {
    let with_method = |(path, methods): (&'a str, &'a Value)| pairs(methods).map(move |(m, v)| (path, m, v));
    let enter = pairs(&doc["paths"]).flat_map(with_method).map(|(path, method, value)| Operation {
        id: text(&value["operationId"]),
        method,
        path,
        leaves: false,
        value,
    });
    let leave = pairs(&doc["webhooks"]).flat_map(with_method).map(|(_, method, value)| Operation {
        id: text(&value["operationId"]),
        method,
        path: text(&value["x-variable"]),
        leaves: true,
        value,
    });
    let all: Vec<Operation<'_>> = enter.chain(leave).collect();
    let own = |id: &Value| all.iter().find(|o| o.id == text(id)).map(|o| Operation { ..*o });
    elements(&label["x-operaciones"]).filter_map(own).collect()
}

impl Operation<'_> {
    fn render(&self, doc: &Value) -> String {
        let mut output = format!(
            "<article class=\"tarjeta\" id=\"{}\"><h3>{}</h3>\
             <p class=\"direccion\"><span class=\"metodo {}\">{}</span> <code>{}</code></p>\n{}",
            self.id,
            esc(text(&self.value["summary"])),
            self.method,
            self.method.to_uppercase(),
            with_breaks(self.path),
            markdown(text(&self.value["description"])),
        );
        let parameters: Vec<&Value> = elements(&self.value["parameters"]).map(|p| resolve(doc, p)).collect();
        if !parameters.is_empty() {
            output.push_str(&parameter_table(&parameters));
        }
        let body = &self.value["requestBody"]["content"]["application/json"];
        if !body.is_null() {
            let _ = write!(
                output,
                "<h4>Cuerpo</h4>{}{}{}",
                markdown(text(&self.value["requestBody"]["description"])),
                table(doc, &body["schema"]),
                examples(doc, body),
            );
        }
        if self.leaves {
            output.push_str(&answers(&self.value["responses"]));
        } else {
            output.push_str(&responses(doc, &self.value["responses"]));
            output.push_str(&snippets::of(self.id));
            output.push_str(&self.form(doc, &parameters, body));
        }
        output + "</article>\n"
    }

    fn form(&self, doc: &Value, parameters: &[&Value], body: &Value) -> String {
        let without_key = self.value["security"].as_array().is_some_and(Vec::is_empty);
        let mut output = format!(
            "<details class=\"probar\"><summary>Probar</summary><noscript><p>Para probar llamadas hace falta JavaScript.</p></noscript>\
             <form hidden data-metodo=\"{}\" data-ruta=\"{}\"{}>",
            self.method.to_uppercase(),
            esc(self.path),
            if without_key { " data-abierta" } else { "" },
        );
        for parameter in parameters {
            output.push_str(&self.input(parameter));
        }
        if !body.is_null() {
            output.push_str(&self.editor(doc, body));
        }
        output.push_str(
            "<div class=\"botones\"><button type=\"submit\">Enviar</button>\
             <button type=\"button\" class=\"suave\" data-copiar>Copiar curl</button></div>\
             <pre class=\"curl\" tabindex=\"0\" aria-label=\"Orden curl\"></pre>\
             <div class=\"resultado\" role=\"status\" aria-live=\"polite\"></div></form></details>",
        );
        output
    }

    /// A labelled field for one parameter; a closed list becomes a menu.
    fn input(&self, parameter: &Value) -> String {
        let nombre = text(&parameter["name"]);
        let id = format!("{}-{nombre}", self.id);
        let required = if parameter["required"] == true { " required" } else { "" };
        let data = format!("id=\"{id}\" name=\"{nombre}\" data-en=\"{}\"", text(&parameter["in"]));
        let schema = match parameter["schema"]["anyOf"].as_array() {
            Some(alternatives) => &alternatives[0],
            None => &parameter["schema"],
        };
        let field = match schema["enum"].as_array() {
            Some(values) => {
                let options = values.iter().map(|v| format!("<option>{}</option>", esc(text(v))));
                format!("<select {data}><option value=\"\"></option>{}</select>", options.collect::<String>())
            }
            None => format!("<input {data}{required} autocomplete=\"off\" spellcheck=\"false\">"),
        };
        format!("<div class=\"campo\"><label for=\"{id}\"><code>{}</code></label>{field}</div>", esc(nombre))
    }

    /// The body's editor, with a menu of examples. The examples travel as the menu's values.
    fn editor(&self, doc: &Value, body: &Value) -> String {
        let mut options = String::new();
        let mut first = String::new();
        for example in in_order(&body["examples"]) {
            let json = pretty(doc, &body["schema"], &example["value"], 0);
            let _ = write!(
                options,
                "<option value=\"{}\">{}</option>",
                esc(&json).replace('\n', "&#10;"),
                esc(text(&example["summary"])),
            );
            if first.is_empty() {
                first = json;
            }
        }
        format!(
            "<div class=\"campo ancho\"><label for=\"{0}-ejemplo\">Ejemplo</label>\
             <select id=\"{0}-ejemplo\" data-ejemplo>{options}</select></div>\
             <div class=\"campo ancho\"><label for=\"{0}-cuerpo\">Cuerpo</label>\
             <textarea id=\"{0}-cuerpo\" data-cuerpo rows=\"10\" spellcheck=\"false\" autocomplete=\"off\">\n{1}</textarea></div>",
            self.id,
            esc(&first),
        )
    }
}

fn parameter_table(parameters: &[&Value]) -> String {
    let mut output = String::from(
        "<h4>Parámetros</h4><div class=\"tabla\"><table><thead><tr><th scope=\"col\">Nombre</th>\
         <th scope=\"col\">Tipo y reglas</th><th scope=\"col\">Qué es</th></tr></thead><tbody>",
    );
    for parameter in parameters {
        let place = match text(&parameter["in"]) {
            "path" => "en la ruta",
            "header" => "cabecera",
            _ => "consulta",
        };
        let required =
            if parameter["required"] == true { " <span class=\"requerido\">obligatorio</span>" } else { "" };
        let _ = write!(
            output,
            "<tr><th scope=\"row\"><code>{}</code>{required}</th><td>{} <span class=\"pista\">({place})</span></td><td>{}</td></tr>",
            esc(text(&parameter["name"])),
            kind(&parameter["schema"]),
            markdown(text(&parameter["description"])),
        );
    }
    output + "</tbody></table></div>"
}

fn examples(doc: &Value, body: &Value) -> String {
    let one = |title: &str, value: &Value| {
        format!(
            "<details class=\"ejemplo\"><summary>{title}</summary><pre tabindex=\"0\">{}</pre></details>",
            esc(&pretty(doc, &body["schema"], value, 0)),
        )
    };
    if let Some(example) = body.get("example") {
        return one("Ejemplo", example);
    }
    let with_title = |e: &Value| one(&format!("Ejemplo: {}", esc(text(&e["summary"]))), &e["value"]);
    in_order(&body["examples"]).into_iter().map(with_title).collect()
}

/// The short examples first, the one with every field last.
fn in_order(examples: &Value) -> Vec<&Value> {
    let (largos, short): (Vec<_>, Vec<_>) = pairs(examples).partition(|(nombre, _)| *nombre == "completo");
    short.into_iter().chain(largos).map(|(_, example)| example).collect()
}

fn responses(doc: &Value, responses: &Value) -> String {
    let (mut well, mut wrong) = (String::new(), String::new());
    for (status, response) in pairs(responses) {
        let response = resolve(doc, response);
        let class = &status[..1];
        let description = esc(text(&response["description"]));
        let chip = format!("<span class=\"estado e{class}\">{status}</span>");
        if class == "2" {
            let _ = write!(well, "<p class=\"respuesta\">{chip} {description}</p>");
            let content = &response["content"]["application/json"];
            if content.get("example").is_some() {
                let _ = write!(
                    well,
                    "<details class=\"ejemplo\"><summary>Campos de la respuesta</summary>{}</details>\
                     <details class=\"ejemplo\"><summary>Ejemplo de respuesta</summary><pre tabindex=\"0\">{}</pre></details>",
                    table(doc, &content["schema"]),
                    esc(&pretty(doc, &content["schema"], &content["example"], 0)),
                );
            }
        } else {
            let _ = write!(wrong, "<li>{chip} {description}</li>");
        }
    }
    format!(
        "<h4>Respuestas</h4>{well}<details class=\"ejemplo\"><summary>Errores posibles</summary>\
         <ul class=\"errores\">{wrong}</ul><p><a href=\"/docs/problemas\">Qué hacer con cada uno</a></p></details>"
    )
}

/// What the receiver of a signal may answer, and what it means.
fn answers(responses: &Value) -> String {
    let item = |(status, response): (&str, &Value)| {
        let (class, status) = if status == "default" { ("5", "otra") } else { (&status[..1], status) };
        let description = markdown(text(&response["description"]));
        format!("<li><span class=\"estado e{class}\">{status}</span> {description}</li>")
    };
    let all: String = pairs(responses).map(item).collect();
    format!("<h4>Lo que contestas</h4><ul class=\"errores\">{all}</ul>")
}

/// Lets a long path break after its slashes on a narrow screen.
fn with_breaks(path: &str) -> String {
    esc(path).replace('/', "/<wbr>")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn pairs(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(key, value)| (key.as_str(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_stands_on_the_page_with_a_form() {
        let doc = crate::openapi::document();
        let html = render(&doc);
        let operations = doc["paths"].as_object().expect("paths").values().flat_map(pairs);
        let mut how_many = 0;
        for (_, operation) in operations {
            let id = text(&operation["operationId"]);
            assert!(html.contains(&format!("<article class=\"tarjeta\" id=\"{id}\">")), "{id}");
            how_many += 1;
        }
        assert_eq!(html.matches("<form ").count(), how_many, "a form for each, and none for a signal");
        for (_, signal) in pairs(&doc["webhooks"]) {
            let (id, variable) = (text(&signal["post"]["operationId"]), text(&signal["post"]["x-variable"]));
            assert!(html.contains(&format!("<article class=\"tarjeta\" id=\"{id}\">")), "{id}");
            assert!(html.contains(variable), "{variable}");
        }
        assert!(!html.contains(" style=") && !html.contains("<script>"), "the policy forbids inline code");
    }
}

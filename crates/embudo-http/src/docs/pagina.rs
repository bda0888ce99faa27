//! `/docs`: the OpenAPI document as a page, with a form under each operation that tries it.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::html::{esc, markdown, pagina};
use super::tablas::{bonito, resolver, tabla, tipo};

/// The whole page.
pub(super) fn pintar(doc: &Value) -> String {
    let titulo = texto(&doc["info"]["title"]);
    let mut cuerpo = format!(
        "<a class=\"salto\" href=\"#contenido\">Saltar al contenido</a>\n\
         <header class=\"cabecera\"><div class=\"marca\"><a href=\"/docs\">{}</a> <span class=\"version\">{}</span></div>\n\
         <div class=\"clave\"><label for=\"clave\">Clave</label>\
         <input id=\"clave\" type=\"password\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"FUNNEL_API_KEY\" \
         aria-describedby=\"clave-pista\"><span id=\"clave-pista\" class=\"pista\">Solo en memoria</span></div>\n\
         <a class=\"descarga\" href=\"/openapi.json\">openapi.json</a></header>\n<div class=\"columnas\">\n",
        esc(titulo),
        esc(texto(&doc["info"]["version"])),
    );
    cuerpo.push_str(&indice(doc));
    let _ = write!(
        cuerpo,
        "<main id=\"contenido\">\n<section id=\"guia\" class=\"guia\"><h1>{}</h1>\n{}</section>\n",
        esc(titulo),
        markdown(texto(&doc["info"]["description"])),
    );
    for etiqueta in elementos(&doc["tags"]) {
        let _ = writeln!(
            cuerpo,
            "<section class=\"grupo\" id=\"{0}\"><h2>{0}</h2>{1}",
            esc(texto(&etiqueta["name"])),
            markdown(texto(&etiqueta["description"])),
        );
        for operacion in operaciones(doc, etiqueta) {
            cuerpo.push_str(&operacion.pintar(doc));
        }
        cuerpo.push_str("</section>\n");
    }
    cuerpo.push_str("</main>\n</div>");
    pagina(titulo, &cuerpo)
}

fn indice(doc: &Value) -> String {
    let mut salida = String::from(
        "<nav class=\"indice\" aria-label=\"Índice\"><details open><summary>Índice</summary>\
         <a href=\"#guia\">Cómo funciona</a><a href=\"/docs/problemas\">Problemas</a>",
    );
    for etiqueta in elementos(&doc["tags"]) {
        let _ = write!(salida, "<strong>{}</strong>", esc(texto(&etiqueta["name"])));
        for o in operaciones(doc, etiqueta) {
            let _ = write!(
                salida,
                "<a href=\"#{}\"><span class=\"metodo {}\">{}</span> {}</a>",
                o.id,
                o.metodo,
                o.metodo.to_uppercase(),
                esc(texto(&o.valor["summary"])),
            );
        }
    }
    salida + "</details></nav>\n"
}

struct Operacion<'a> {
    id: &'a str,
    metodo: &'a str,
    /// Its path, or the setting that says where a signal goes.
    ruta: &'a str,
    /// A call that the server makes, not one that it takes.
    sale: bool,
    valor: &'a Value,
}

fn operaciones<'a>(doc: &'a Value, etiqueta: &'a Value) -> Vec<Operacion<'a>> {
    let con_metodo = |(ruta, metodos): (&'a str, &'a Value)| pares(metodos).map(move |(m, v)| (ruta, m, v));
    let entran = pares(&doc["paths"]).flat_map(con_metodo).map(|(ruta, metodo, valor)| Operacion {
        id: texto(&valor["operationId"]),
        metodo,
        ruta,
        sale: false,
        valor,
    });
    let salen = pares(&doc["webhooks"]).flat_map(con_metodo).map(|(_, metodo, valor)| Operacion {
        id: texto(&valor["operationId"]),
        metodo,
        ruta: texto(&valor["x-variable"]),
        sale: true,
        valor,
    });
    let todas: Vec<Operacion<'_>> = entran.chain(salen).collect();
    let suya = |id: &Value| todas.iter().find(|o| o.id == texto(id)).map(|o| Operacion { ..*o });
    elementos(&etiqueta["x-operaciones"]).filter_map(suya).collect()
}

impl Operacion<'_> {
    fn pintar(&self, doc: &Value) -> String {
        let mut salida = format!(
            "<article class=\"tarjeta\" id=\"{}\"><h3>{}</h3>\
             <p class=\"direccion\"><span class=\"metodo {}\">{}</span> <code>{}</code></p>\n{}",
            self.id,
            esc(texto(&self.valor["summary"])),
            self.metodo,
            self.metodo.to_uppercase(),
            con_cortes(self.ruta),
            markdown(texto(&self.valor["description"])),
        );
        let parametros: Vec<&Value> =
            elementos(&self.valor["parameters"]).map(|p| resolver(doc, p)).collect();
        if !parametros.is_empty() {
            salida.push_str(&tabla_de_parametros(&parametros));
        }
        let cuerpo = &self.valor["requestBody"]["content"]["application/json"];
        if !cuerpo.is_null() {
            let _ = write!(
                salida,
                "<h4>Cuerpo</h4>{}{}{}",
                markdown(texto(&self.valor["requestBody"]["description"])),
                tabla(doc, &cuerpo["schema"]),
                ejemplos(doc, cuerpo),
            );
        }
        if self.sale {
            salida.push_str(&contestaciones(&self.valor["responses"]));
        } else {
            salida.push_str(&respuestas(doc, &self.valor["responses"]));
            salida.push_str(&self.formulario(doc, &parametros, cuerpo));
        }
        salida + "</article>\n"
    }

    fn formulario(&self, doc: &Value, parametros: &[&Value], cuerpo: &Value) -> String {
        let sin_clave = self.valor["security"].as_array().is_some_and(Vec::is_empty);
        let mut salida = format!(
            "<details class=\"probar\"><summary>Probar</summary><noscript><p>Para probar llamadas hace falta JavaScript.</p></noscript>\
             <form hidden data-metodo=\"{}\" data-ruta=\"{}\"{}>",
            self.metodo.to_uppercase(),
            esc(self.ruta),
            if sin_clave { " data-abierta" } else { "" },
        );
        for parametro in parametros {
            salida.push_str(&self.entrada(parametro));
        }
        if !cuerpo.is_null() {
            salida.push_str(&self.editor(doc, cuerpo));
        }
        salida.push_str(
            "<div class=\"botones\"><button type=\"submit\">Enviar</button>\
             <button type=\"button\" class=\"suave\" data-copiar>Copiar curl</button></div>\
             <pre class=\"curl\" tabindex=\"0\" aria-label=\"Orden curl\"></pre>\
             <div class=\"resultado\" role=\"status\" aria-live=\"polite\"></div></form></details>",
        );
        salida
    }

    /// A labelled field for one parameter; a closed list becomes a menu.
    fn entrada(&self, parametro: &Value) -> String {
        let nombre = texto(&parametro["name"]);
        let id = format!("{}-{nombre}", self.id);
        let requerido = if parametro["required"] == true { " required" } else { "" };
        let datos = format!("id=\"{id}\" name=\"{nombre}\" data-en=\"{}\"", texto(&parametro["in"]));
        let esquema = match parametro["schema"]["anyOf"].as_array() {
            Some(alternativas) => &alternativas[0],
            None => &parametro["schema"],
        };
        let campo = match esquema["enum"].as_array() {
            Some(valores) => {
                let opciones = valores.iter().map(|v| format!("<option>{}</option>", esc(texto(v))));
                format!(
                    "<select {datos}><option value=\"\"></option>{}</select>",
                    opciones.collect::<String>()
                )
            }
            None => format!("<input {datos}{requerido} autocomplete=\"off\" spellcheck=\"false\">"),
        };
        format!("<div class=\"campo\"><label for=\"{id}\"><code>{}</code></label>{campo}</div>", esc(nombre))
    }

    /// The body's editor, with a menu of examples. The examples travel as the menu's values.
    fn editor(&self, doc: &Value, cuerpo: &Value) -> String {
        let mut opciones = String::new();
        let mut primero = String::new();
        for ejemplo in en_orden(&cuerpo["examples"]) {
            let json = bonito(doc, &cuerpo["schema"], &ejemplo["value"], 0);
            let _ = write!(
                opciones,
                "<option value=\"{}\">{}</option>",
                esc(&json).replace('\n', "&#10;"),
                esc(texto(&ejemplo["summary"])),
            );
            if primero.is_empty() {
                primero = json;
            }
        }
        format!(
            "<div class=\"campo ancho\"><label for=\"{0}-ejemplo\">Ejemplo</label>\
             <select id=\"{0}-ejemplo\" data-ejemplo>{opciones}</select></div>\
             <div class=\"campo ancho\"><label for=\"{0}-cuerpo\">Cuerpo</label>\
             <textarea id=\"{0}-cuerpo\" data-cuerpo rows=\"10\" spellcheck=\"false\" autocomplete=\"off\">\n{1}</textarea></div>",
            self.id,
            esc(&primero),
        )
    }
}

fn tabla_de_parametros(parametros: &[&Value]) -> String {
    let mut salida = String::from(
        "<h4>Parámetros</h4><div class=\"tabla\"><table><thead><tr><th scope=\"col\">Nombre</th>\
         <th scope=\"col\">Tipo y reglas</th><th scope=\"col\">Qué es</th></tr></thead><tbody>",
    );
    for parametro in parametros {
        let lugar = match texto(&parametro["in"]) {
            "path" => "en la ruta",
            "header" => "cabecera",
            _ => "consulta",
        };
        let obligatorio =
            if parametro["required"] == true { " <span class=\"requerido\">obligatorio</span>" } else { "" };
        let _ = write!(
            salida,
            "<tr><th scope=\"row\"><code>{}</code>{obligatorio}</th><td>{} <span class=\"pista\">({lugar})</span></td><td>{}</td></tr>",
            esc(texto(&parametro["name"])),
            tipo(&parametro["schema"]),
            markdown(texto(&parametro["description"])),
        );
    }
    salida + "</tbody></table></div>"
}

fn ejemplos(doc: &Value, cuerpo: &Value) -> String {
    let uno = |titulo: &str, valor: &Value| {
        format!(
            "<details class=\"ejemplo\"><summary>{titulo}</summary><pre tabindex=\"0\">{}</pre></details>",
            esc(&bonito(doc, &cuerpo["schema"], valor, 0)),
        )
    };
    if let Some(ejemplo) = cuerpo.get("example") {
        return uno("Ejemplo", ejemplo);
    }
    let con_titulo = |e: &Value| uno(&format!("Ejemplo: {}", esc(texto(&e["summary"]))), &e["value"]);
    en_orden(&cuerpo["examples"]).into_iter().map(con_titulo).collect()
}

/// The short examples first, the one with every field last.
fn en_orden(ejemplos: &Value) -> Vec<&Value> {
    let (largos, cortos): (Vec<_>, Vec<_>) = pares(ejemplos).partition(|(nombre, _)| *nombre == "completo");
    cortos.into_iter().chain(largos).map(|(_, ejemplo)| ejemplo).collect()
}

fn respuestas(doc: &Value, respuestas: &Value) -> String {
    let (mut bien, mut mal) = (String::new(), String::new());
    for (status, respuesta) in pares(respuestas) {
        let respuesta = resolver(doc, respuesta);
        let clase = &status[..1];
        let descripcion = esc(texto(&respuesta["description"]));
        let chip = format!("<span class=\"estado e{clase}\">{status}</span>");
        if clase == "2" {
            let _ = write!(bien, "<p class=\"respuesta\">{chip} {descripcion}</p>");
            let contenido = &respuesta["content"]["application/json"];
            if contenido.get("example").is_some() {
                let _ = write!(
                    bien,
                    "<details class=\"ejemplo\"><summary>Campos de la respuesta</summary>{}</details>\
                     <details class=\"ejemplo\"><summary>Ejemplo de respuesta</summary><pre tabindex=\"0\">{}</pre></details>",
                    tabla(doc, &contenido["schema"]),
                    esc(&bonito(doc, &contenido["schema"], &contenido["example"], 0)),
                );
            }
        } else {
            let _ = write!(mal, "<li>{chip} {descripcion}</li>");
        }
    }
    format!(
        "<h4>Respuestas</h4>{bien}<details class=\"ejemplo\"><summary>Errores posibles</summary>\
         <ul class=\"errores\">{mal}</ul><p><a href=\"/docs/problemas\">Qué hacer con cada uno</a></p></details>"
    )
}

/// What the receiver of a signal may answer, and what it means.
fn contestaciones(respuestas: &Value) -> String {
    let una = |(status, respuesta): (&str, &Value)| {
        let (clase, status) = if status == "default" { ("5", "otra") } else { (&status[..1], status) };
        let descripcion = markdown(texto(&respuesta["description"]));
        format!("<li><span class=\"estado e{clase}\">{status}</span> {descripcion}</li>")
    };
    let todas: String = pares(respuestas).map(una).collect();
    format!("<h4>Lo que contestas</h4><ul class=\"errores\">{todas}</ul>")
}

/// Lets a long path break after its slashes on a narrow screen.
fn con_cortes(ruta: &str) -> String {
    esc(ruta).replace('/', "/<wbr>")
}

fn texto(valor: &Value) -> &str {
    valor.as_str().unwrap_or_default()
}

fn elementos(valor: &Value) -> impl Iterator<Item = &Value> {
    valor.as_array().into_iter().flatten()
}

fn pares(valor: &Value) -> impl Iterator<Item = (&str, &Value)> {
    valor.as_object().into_iter().flat_map(Map::iter).map(|(clave, valor)| (clave.as_str(), valor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_stands_on_the_page_with_a_form() {
        let doc = crate::openapi::documento();
        let html = pintar(&doc);
        let operaciones = doc["paths"].as_object().expect("paths").values().flat_map(pares);
        let mut cuantas = 0;
        for (_, operacion) in operaciones {
            let id = texto(&operacion["operationId"]);
            assert!(html.contains(&format!("<article class=\"tarjeta\" id=\"{id}\">")), "{id}");
            cuantas += 1;
        }
        assert_eq!(html.matches("<form ").count(), cuantas, "a form for each, and none for a signal");
        for (_, senal) in pares(&doc["webhooks"]) {
            let (id, variable) = (texto(&senal["post"]["operationId"]), texto(&senal["post"]["x-variable"]));
            assert!(html.contains(&format!("<article class=\"tarjeta\" id=\"{id}\">")), "{id}");
            assert!(html.contains(variable), "{variable}");
        }
        assert!(!html.contains(" style=") && !html.contains("<script>"), "the policy forbids inline code");
    }
}

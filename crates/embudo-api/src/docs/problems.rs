//! `/docs/problemas`: what each problem `type` means, and what to do about it.

use std::fmt::Write as _;

use super::html::{esc, markdown, page};
use crate::problem::KINDS;
use crate::problem_explanations::EXPLANATIONS;

/// The words that `errores[].codigo` may hold, explained.
const EXPLAINED_CODES: &[(&str, &str)] = &[
    ("json", "El cuerpo no es JSON válido; el mensaje dice la línea y la columna."),
    ("requerido", "Falta un campo obligatorio."),
    ("tipo", "El valor es de otro tipo: un texto donde va un número, por ejemplo."),
    ("nulo", "Hay un null: envía un valor u omite el campo."),
    ("vacio", "El texto no puede estar vacío."),
    ("valor", "No es uno de los valores admitidos."),
    ("rango", "El número está fuera de sus límites."),
    ("formato", "El texto no tiene la forma que se espera (fecha, UUID, teléfono, imagen…)."),
    ("caracter_nulo", "Hay un carácter nulo (U+0000) en un texto o en una clave."),
    ("cuerpo_vacio", "No hay ningún campo conocido, o en ingesta nada que hacer."),
    ("clave_reutilizada", "Esta Idempotency-Key ya se usó con otro cuerpo."),
];

/// The page.
pub(super) fn render() -> String {
    let mut body = String::from(
        "<header class=\"cabecera\"><div class=\"marca\"><a href=\"/docs\">API de Embudo</a></div></header>\n\
         <main class=\"estrecha\" id=\"contenido\">\n<h1>Problemas</h1>\n\
         <p>Cada error lleva un <code>type</code> que apunta a su sección de esta página. \
         Escoge por <code>type</code> o por el código HTTP, no por el texto de <code>detail</code>, que puede cambiar.</p>\n",
    );
    for (kind, status, title) in KINDS {
        let explanation = EXPLANATIONS.iter().find(|e| e.kind == *kind).expect("every type is explained");
        let _ = write!(
            body,
            "<section class=\"tarjeta\" id=\"{kind}\"><h2><span class=\"estado e{}\">{status}</span> {}</h2>\
             <p class=\"pista\"><code>/docs/problemas#{kind}</code></p>\
             <h3>Qué ha pasado</h3>{}<h3>Qué hacer</h3>{}",
            status / 100,
            esc(title),
            markdown(explanation.what_happened),
            markdown(explanation.what_to_do),
        );
        if *kind == "no-valido" {
            body.push_str(&codes());
        }
        body.push_str("</section>\n");
    }
    body.push_str("</main>");
    page("Problemas · API de Embudo", &body)
}

fn codes() -> String {
    let mut table = String::from(
        "<h3>Códigos de fallo</h3><div class=\"tabla\"><table><thead><tr><th>codigo</th><th>Significado</th></tr></thead><tbody>",
    );
    for (code, text) in EXPLAINED_CODES {
        let _ = write!(table, "<tr><td><code>{code}</code></td><td>{}</td></tr>", esc(text));
    }
    table + "</tbody></table></div>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_and_code_is_explained_once() {
        let kinds: Vec<&str> = KINDS.iter().map(|(kind, ..)| *kind).collect();
        let explained: Vec<&str> = EXPLANATIONS.iter().map(|e| e.kind).collect();
        assert_eq!(explained, kinds);
        let codes: Vec<&str> = EXPLAINED_CODES.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, embudo_domain::errors::CODES);
    }
}

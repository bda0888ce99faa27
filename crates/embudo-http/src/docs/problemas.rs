//! `/docs/problemas`: what each problem `type` means, and what to do about it.

use std::fmt::Write as _;

use super::html::{esc, markdown, pagina};
use crate::problem_explanations::EXPLANATIONS;
use crate::problema::TIPOS;

/// The words that `errores[].codigo` may hold, explained.
const CODIGOS_EXPLICADOS: &[(&str, &str)] = &[
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
pub(super) fn pintar() -> String {
    let mut cuerpo = String::from(
        "<header class=\"cabecera\"><div class=\"marca\"><a href=\"/docs\">API de Embudo</a></div></header>\n\
         <main class=\"estrecha\" id=\"contenido\">\n<h1>Problemas</h1>\n\
         <p>Cada error lleva un <code>type</code> que apunta a su sección de esta página. \
         Escoge por <code>type</code> o por el código HTTP, no por el texto de <code>detail</code>, que puede cambiar.</p>\n",
    );
    for (tipo, status, titulo) in TIPOS {
        let explicacion = EXPLANATIONS.iter().find(|e| e.kind == *tipo).expect("every type is explained");
        let _ = write!(
            cuerpo,
            "<section class=\"tarjeta\" id=\"{tipo}\"><h2><span class=\"estado e{}\">{status}</span> {}</h2>\
             <p class=\"pista\"><code>/docs/problemas#{tipo}</code></p>\
             <h3>Qué ha pasado</h3>{}<h3>Qué hacer</h3>{}",
            status / 100,
            esc(titulo),
            markdown(explicacion.what_happened),
            markdown(explicacion.what_to_do),
        );
        if *tipo == "no-valido" {
            cuerpo.push_str(&codigos());
        }
        cuerpo.push_str("</section>\n");
    }
    cuerpo.push_str("</main>");
    pagina("Problemas · API de Embudo", &cuerpo)
}

fn codigos() -> String {
    let mut tabla = String::from(
        "<h3>Códigos de fallo</h3><div class=\"tabla\"><table><thead><tr><th>codigo</th><th>Significado</th></tr></thead><tbody>",
    );
    for (codigo, texto) in CODIGOS_EXPLICADOS {
        let _ = write!(tabla, "<tr><td><code>{codigo}</code></td><td>{}</td></tr>", esc(texto));
    }
    tabla + "</tbody></table></div>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_and_code_is_explained_once() {
        let tipos: Vec<&str> = TIPOS.iter().map(|(tipo, ..)| *tipo).collect();
        let explicados: Vec<&str> = EXPLANATIONS.iter().map(|e| e.kind).collect();
        assert_eq!(explicados, tipos);
        let codigos: Vec<&str> = CODIGOS_EXPLICADOS.iter().map(|(codigo, _)| *codigo).collect();
        assert_eq!(codigos, embudo_domain::errores::CODIGOS);
    }
}

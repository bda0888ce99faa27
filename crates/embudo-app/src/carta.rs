//! Mails in words: the paper they are written on, and the one that carries a quote.

use embudo_domain::ficha::Lead;

/// A mail in words.
pub(crate) struct Escrito {
    pub asunto: String,
    pub texto: String,
    pub html: String,
}

/// The mail with the quote; `enlace` is where it can be seen and answered.
pub(crate) fn presupuesto(lead: &Lead, numero: &str, titulo: &str, enlace: Option<&str>) -> Escrito {
    let empresa = &lead.empresa.nombre;
    let saludo = match lead.nombre.split_whitespace().next() {
        Some(nombre) => format!("Hola, {nombre}:"),
        None => "Hola:".to_owned(),
    };
    let mut parrafos = vec![
        saludo,
        format!("Aquí tienes tu presupuesto de {titulo}, con el número {numero}. Va adjunto en PDF."),
        "Míralo con calma. Si algo no te encaja o quieres cambiarlo, responde a este correo y lo vemos juntos."
            .to_owned(),
    ];
    parrafos.extend(enlace.map(|url| format!("También puedes verlo, aceptarlo o rechazarlo aquí: {url}")));
    parrafos.push(empresa.clone());
    let con_enlace = |p: &String| match enlace {
        Some(url) => {
            let url = escapar(url);
            escapar(p).replace(&url, &format!("<a href=\"{url}\" style=\"color:#1f5f5b\">{url}</a>"))
        }
        None => escapar(p),
    };
    let cuerpo: String =
        parrafos.iter().map(|p| format!("<p style=\"margin:0 0 16px\">{}</p>", con_enlace(p))).collect();
    Escrito {
        asunto: en_una_linea(&format!("Tu presupuesto de {titulo}, {numero}")),
        texto: parrafos.join("\n\n") + "\n",
        html: pagina(&cuerpo, &format!("{empresa} · presupuesto {numero}")),
    }
}

/// The paper: `cuerpo` is HTML, `pie` is text.
pub(crate) fn pagina(cuerpo: &str, pie: &str) -> String {
    format!(
        "<!doctype html><html lang=\"es\"><body style=\"margin:0;padding:24px;background:#faf8f5;color:#2b2622;font:15px/1.5 system-ui,sans-serif\">\
         <div style=\"max-width:560px;margin:0 auto;padding:24px;background:#fff;border:1px solid #e8e2da;border-radius:12px\">{cuerpo}\
         <p style=\"margin:16px 0 0;color:#6b625a;font-size:13px\">{}</p></div></body></html>",
        escapar(pie)
    )
}

/// Text as it may stand in HTML.
pub(crate) fn escapar(texto: &str) -> String {
    texto.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A subject: one line, not endless.
pub(crate) fn en_una_linea(texto: &str) -> String {
    let limpio: String = texto.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    limpio.trim().to_owned()
}

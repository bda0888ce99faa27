//! Mails in words: the paper they are written on, and the one that carries a quote.
//!
//! Mail programs know little CSS: everything stands in `style` attributes, in one column that fits a telephone.

use embudo_domain::color::{Color, Paleta};
use embudo_domain::ficha::Lead;
use embudo_domain::marca::Marca;
use embudo_domain::palabras::dia;
use embudo_domain::presupuesto::Presupuesto;

/// A mail in words.
pub(crate) struct Escrito {
    pub asunto: String,
    pub texto: String,
    pub html: String,
}

/// The mail with a quote.
pub(crate) struct CartaPresupuesto<'a> {
    pub lead: &'a Lead,
    pub marca: &'a Marca,
    /// The message carries the logo ([`LOGO`]).
    pub con_logo: bool,
    pub numero: &'a str,
    /// What it is for («reforma de baño»).
    pub titulo: &'a str,
    pub presupuesto: Option<&'a Presupuesto>,
    /// Where it can be seen and answered.
    pub enlace: Option<&'a str>,
}

/// What the HTML calls the logo that travels with it.
pub(crate) const LOGO: &str = "cid:logo";

/// What else the client may do.
const CON_CALMA: &str =
    "Míralo con calma. Si algo no te encaja o quieres cambiarlo, responde a este correo y lo vemos juntos.";

impl CartaPresupuesto<'_> {
    pub fn escribir(&self) -> Escrito {
        Escrito {
            asunto: en_una_linea(&format!("Tu presupuesto de {}, {}", self.titulo, self.numero)),
            texto: self.texto(),
            html: self.html(),
        }
    }

    fn saludo(&self) -> String {
        match self.lead.nombre.split_whitespace().next() {
            Some(nombre) => format!("Hola, {nombre}:"),
            None => "Hola:".to_owned(),
        }
    }

    fn entrada(&self) -> String {
        format!(
            "Aquí tienes tu presupuesto de {}, con el número {}. Va adjunto en PDF.",
            self.titulo, self.numero
        )
    }

    /// What the total is called, the total, and until when it holds.
    fn total(&self) -> Option<(&'static str, String, String)> {
        let p = self.presupuesto?;
        let nombre = match p.documento.calculo.rango {
            Some(_) => "Total orientativo, impuestos incluidos",
            None => "Total, impuestos incluidos",
        };
        let total = p.documento.impuesto.total.to_string();
        Some((nombre, total, format!("Válido hasta el {}", dia(p.validez.hasta))))
    }

    /// How to reach the company, as it wants it printed.
    fn contacto(&self) -> String {
        let datos = [&self.marca.telefono, &self.marca.email, &self.marca.web];
        datos.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
    }

    fn texto(&self) -> String {
        let mut parrafos = vec![self.saludo(), self.entrada()];
        parrafos.extend(self.total().map(|(nombre, total, hasta)| format!("{nombre}: {total}\n{hasta}")));
        parrafos.extend(self.enlace.map(|url| format!("Velo, acéptalo o recházalo aquí:\n{url}")));
        parrafos.push(CON_CALMA.to_owned());
        let contacto = self.contacto();
        let firma = [self.lead.empresa.nombre.as_str(), contacto.as_str()];
        parrafos.push(firma.into_iter().filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n"));
        parrafos.join("\n\n") + "\n"
    }

    fn html(&self) -> String {
        let paleta = self.marca.color.paleta();
        let mut cuerpo = format!(
            "{}<h1 style=\"margin:0 0 4px;font-size:26px;line-height:1.25\">Tu presupuesto de {}</h1>\
             <p style=\"margin:0 0 24px;color:#6b625a\">Número {}</p>",
            self.cabecera(paleta),
            escapar(self.titulo),
            escapar(self.numero),
        );
        cuerpo += &parrafo(&self.saludo());
        cuerpo += &parrafo("Aquí lo tienes. Va adjunto en PDF, para guardarlo o imprimirlo.");
        if let Some((nombre, total, hasta)) = self.total() {
            cuerpo += &format!(
                "<div style=\"margin:0 0 24px;padding:16px 20px;background:{};border-radius:12px\">\
                 <p style=\"margin:0;font-size:13px;color:#57504a\">{nombre}</p>\
                 <p style=\"margin:4px 0;font-size:34px;line-height:1.2;font-weight:700;font-variant-numeric:tabular-nums\">{}</p>\
                 <p style=\"margin:0;font-size:13px;color:#57504a\">{}</p></div>",
                paleta.suave,
                escapar(&total),
                escapar(&hasta),
            );
        }
        if let Some(url) = self.enlace {
            cuerpo += &boton(url, "Ver el presupuesto", paleta);
            cuerpo += &format!(
                "<p style=\"margin:0 0 24px;font-size:13px;color:#57504a\">Ahí puedes aceptarlo o rechazarlo. ¿No va el botón? Entra en {}.</p>",
                enlace(url, &casa_de(url), paleta.fuerte),
            );
        }
        cuerpo += &parrafo(CON_CALMA);
        let pie = [self.lead.empresa.nombre.clone(), self.contacto()];
        let pie = pie.into_iter().filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" · ");
        pagina(&cuerpo, &pie, paleta.marca)
    }

    /// The company's logo, or its name.
    fn cabecera(&self, paleta: Paleta) -> String {
        let nombre = escapar(&self.lead.empresa.nombre);
        let dentro = if self.con_logo {
            format!(
                "<img src=\"{LOGO}\" alt=\"{nombre}\" style=\"display:block;max-width:220px;max-height:56px;width:auto;height:auto;border:0\">"
            )
        } else {
            nombre
        };
        format!(
            "<div style=\"margin:0 0 24px;font-size:20px;font-weight:700;color:{}\">{dentro}</div>",
            paleta.fuerte
        )
    }
}

/// A paragraph of text.
pub(crate) fn parrafo(texto: &str) -> String {
    format!("<p style=\"margin:0 0 16px\">{}</p>", escapar(texto))
}

/// A link that is easy to hit.
pub(crate) fn boton(url: &str, texto: &str, paleta: Paleta) -> String {
    format!(
        "<p style=\"margin:0 0 12px\"><a href=\"{}\" style=\"display:inline-block;padding:14px 24px;background:{};color:{};\
         border-radius:10px;font-size:17px;font-weight:600;text-decoration:none\">{}</a></p>",
        escapar(url),
        paleta.marca,
        paleta.sobre,
        escapar(texto),
    )
}

/// A link within a sentence.
pub(crate) fn enlace(url: &str, texto: &str, color: Color) -> String {
    format!("<a href=\"{}\" style=\"color:{color}\">{}</a>", escapar(url), escapar(texto))
}

/// An address that a person can read: that of the house, without the pass behind it.
fn casa_de(url: &str) -> String {
    let sin_esquema = url.split_once("://").map_or(url, |(_, resto)| resto);
    sin_esquema.split('/').next().unwrap_or(sin_esquema).to_owned()
}

/// The paper: `cuerpo` is HTML, `pie` is text, and a stripe of `color` is on top. Whatever a person wrote, long words break.
pub(crate) fn pagina(cuerpo: &str, pie: &str, color: Color) -> String {
    format!(
        "<!doctype html><html lang=\"es\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"></head>\
         <body style=\"margin:0;padding:16px;background:#faf8f5;color:#2b2622;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif\">\
         <div style=\"max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #e8e2da;border-top:6px solid {color};\
         border-radius:12px;overflow-wrap:anywhere;word-break:break-word\">{cuerpo}\
         <p style=\"margin:24px 0 0;padding-top:16px;border-top:1px solid #e8e2da;color:#6b625a;font-size:13px\">{}</p></div></body></html>",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_address_is_that_of_the_house() {
        assert_eq!(casa_de("https://leads.ejemplo.es/p/AgGQobLD1H5fimt8"), "leads.ejemplo.es");
        assert_eq!(casa_de("http://127.0.0.1:8080/p/x"), "127.0.0.1:8080");
    }
}

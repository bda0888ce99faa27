//! The texts of mails: the layout that all share, and the mail that carries a quote.
//!
//! Mail programs support little CSS: all styles are in `style` attributes, in one column that fits the screen of a
//! telephone.

mod acceptance;
mod follow_up;
mod reply;

use embudo_delivery::MailMessage;
use embudo_domain::Timestamp;
use embudo_domain::brand::Brand;
use embudo_domain::color::{Color, Palette};
use embudo_domain::connections::Sender;
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::{Character, Presupuesto};
use embudo_domain::words::{day, first_name};

use crate::outbound::OutboundMail;

pub(crate) use acceptance::AcceptanceLetter;
pub(crate) use follow_up::{About, FollowUpLetter};
pub(crate) use reply::ReplyLetter;

pub(crate) struct WrittenMail {
    pub subject: String,
    pub text: String,
    pub html: String,
}

impl WrittenMail {
    /// The mail to one address. It has no logo, attachment, unsubscribe link or invitation: the caller adds what it
    /// needs.
    pub fn addressed(
        self,
        mail: &OutboundMail,
        sender: Sender,
        to: String,
        (id, date): (String, Timestamp),
    ) -> MailMessage {
        MailMessage {
            id,
            date,
            from: mail.from.clone(),
            shown_from: sender.email,
            from_name: sender.nombre,
            reply_to: sender.reply_to,
            to,
            subject: self.subject,
            text: self.text,
            html: self.html,
            logo: None,
            attachment: None,
            unsubscribe: None,
            calendar: None,
        }
    }
}

/// The mail with a quote.
pub(crate) struct PresupuestoLetter<'a> {
    pub lead: &'a Lead,
    pub brand: &'a Brand,
    /// The message carries the logo ([`LOGO`]).
    pub with_logo: bool,
    pub number: &'a str,
    /// The work that the quote is for («reforma de baño»).
    pub title: &'a str,
    pub presupuesto: Option<&'a Presupuesto>,
    /// The link to the page where the quote can be seen and answered.
    pub link: Option<&'a str>,
}

/// The address of the attached logo in the HTML.
pub(crate) const LOGO: &str = "cid:logo";

/// Tells the client that they can ask for changes.
const CALMLY: &str =
    "Míralo con calma. Si algo no te encaja o quieres cambiarlo, responde a este correo y lo vemos juntos.";

impl PresupuestoLetter<'_> {
    pub fn write(&self) -> WrittenMail {
        WrittenMail {
            subject: on_one_line(&format!("Tu presupuesto de {}, {}", self.title, self.number)),
            text: self.text(),
            html: self.html(),
        }
    }

    fn input(&self) -> String {
        format!(
            "Aquí tienes tu presupuesto de {}, con el número {}. Va adjunto en PDF.",
            self.title, self.number
        )
    }

    /// The label of the total, the total, and until when it is valid.
    fn total(&self) -> Option<(&'static str, String, String)> {
        let p = self.presupuesto?;
        let nombre = match p.document.character() {
            Character::Orientative => "Total orientativo, impuestos incluidos",
            Character::Binding => "Total, impuestos incluidos",
        };
        Some((nombre, p.document.figure(), format!("Válido hasta el {}", day(p.validity.until))))
    }

    /// An orientative quote cannot be accepted: a visit comes first.
    fn is_orientative(&self) -> bool {
        self.presupuesto.is_some_and(|p| p.document.character() == Character::Orientative)
    }

    fn text(&self) -> String {
        let mut paragraphs = vec![greeting(self.lead), self.input()];
        paragraphs.extend(self.total().map(|(nombre, total, until)| format!("{nombre}: {total}\n{until}")));
        let asks =
            if self.is_orientative() { "Velo y pídenos la visita" } else { "Velo, acéptalo o recházalo" };
        paragraphs.extend(self.link.map(|url| format!("{asks} aquí:\n{url}")));
        paragraphs.push(CALMLY.to_owned());
        paragraphs.push(signature(self.lead, self.brand, "\n"));
        paragraphs.join("\n\n") + "\n"
    }

    fn html(&self) -> String {
        let palette = self.brand.color.palette();
        let mut body = format!(
            "{}<h1 style=\"margin:0 0 4px;font-size:26px;line-height:1.25\">Tu presupuesto de {}</h1>\
             <p style=\"margin:0 0 24px;color:#6b625a\">Número {}</p>",
            header(self.lead, self.with_logo.then_some(LOGO), palette),
            escape(self.title),
            escape(self.number),
        );
        body += &paragraph(&greeting(self.lead));
        body += &paragraph("Aquí lo tienes. Va adjunto en PDF, para guardarlo o imprimirlo.");
        if let Some((nombre, total, until)) = self.total() {
            body += &format!(
                "<div style=\"margin:0 0 24px;padding:16px 20px;background:{};border-radius:12px\">\
                 <p style=\"margin:0;font-size:13px;color:#57504a\">{nombre}</p>\
                 <p style=\"margin:4px 0;font-size:34px;line-height:1.2;font-weight:700;font-variant-numeric:tabular-nums\">{}</p>\
                 <p style=\"margin:0;font-size:13px;color:#57504a\">{}</p></div>",
                palette.soft,
                escape(&total),
                escape(&until),
            );
        }
        if let Some(url) = self.link {
            body += &button(url, "Ver el presupuesto", palette);
            let may = if self.is_orientative() { "pedirnos la visita" } else { "aceptarlo o rechazarlo" };
            body += &format!(
                "<p style=\"margin:0 0 24px;font-size:13px;color:#57504a\">Ahí puedes {may}. ¿No va el botón? Entra en {}.</p>",
                link(url, &company_of(url), palette.strong),
            );
        }
        body += &paragraph(CALMLY);
        page(&body, &signature(self.lead, self.brand, " · "), palette.brand)
    }
}

fn greeting(lead: &Lead) -> String {
    hello(&lead.nombre)
}

pub(crate) fn hello(nombre: &str) -> String {
    match first_name(nombre) {
        first if first.is_empty() => "Hola:".to_owned(),
        first => format!("Hola, {first}:"),
    }
}

/// How to reach the company, as the company wants it printed.
fn contact(brand: &Brand) -> String {
    let data = [&brand.telefono, &brand.email, &brand.web];
    data.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
}

/// The name of the sender, and how to reach them.
fn signature(lead: &Lead, brand: &Brand, between: &str) -> String {
    let signature = [lead.empresa.nombre.clone(), contact(brand)];
    signature.into_iter().filter(|l| !l.is_empty()).collect::<Vec<_>>().join(between)
}

/// The company's logo, or its name.
fn header(lead: &Lead, logo: Option<&str>, palette: Palette) -> String {
    let nombre = escape(&lead.empresa.nombre);
    let inside = if let Some(logo) = logo {
        format!(
            "<img src=\"{logo}\" alt=\"{nombre}\" style=\"display:block;max-width:220px;max-height:56px;width:auto;height:auto;border:0\">"
        )
    } else {
        nombre
    };
    format!(
        "<div style=\"margin:0 0 24px;font-size:20px;font-weight:700;color:{}\">{inside}</div>",
        palette.strong
    )
}

pub(crate) fn paragraph(text: &str) -> String {
    format!("<p style=\"margin:0 0 16px\">{}</p>", escape(text))
}

/// A link as a button, which is easy to hit.
pub(crate) fn button(url: &str, text: &str, palette: Palette) -> String {
    format!(
        "<p style=\"margin:0 0 12px\"><a href=\"{}\" style=\"display:inline-block;padding:14px 24px;background:{};color:{};\
         border-radius:10px;font-size:17px;font-weight:600;text-decoration:none\">{}</a></p>",
        escape(url),
        palette.brand,
        palette.over,
        escape(text),
    )
}

/// A link within a sentence.
pub(crate) fn link(url: &str, text: &str, color: Color) -> String {
    format!("<a href=\"{}\" style=\"color:{color}\">{}</a>", escape(url), escape(text))
}

/// The readable part of an address: the host of the installation, without the pass.
fn company_of(url: &str) -> String {
    let without_schema = url.split_once("://").map_or(url, |(_, rest)| rest);
    without_schema.split('/').next().unwrap_or(without_schema).to_owned()
}

/// The frame of a mail: `body` is HTML, `footer` is text, and a stripe of `color` is at the top. Long words break, so
/// that the mail fits the screen of a telephone.
pub(crate) fn page(body: &str, footer: &str, color: Color) -> String {
    format!(
        "<!doctype html><html lang=\"es\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"></head>\
         <body style=\"margin:0;padding:16px;background:#faf8f5;color:#2b2622;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif\">\
         <div style=\"max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #e8e2da;border-top:6px solid {color};\
         border-radius:12px;overflow-wrap:anywhere;word-break:break-word\">{body}\
         <p style=\"margin:24px 0 0;padding-top:16px;border-top:1px solid #e8e2da;color:#6b625a;font-size:13px\">{}</p></div></body></html>",
        escape(footer)
    )
}

/// Text escaped for HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A subject: one line, of limited length.
pub(crate) fn on_one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    clean.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_address_is_that_of_the_house() {
        assert_eq!(company_of("https://leads.ejemplo.es/p/AgGQobLD1H5fimt8"), "leads.ejemplo.es");
        assert_eq!(company_of("http://127.0.0.1:8080/p/x"), "127.0.0.1:8080");
    }
}

//! The mail with what a client accepted.

use embudo_domain::brand::Brand;
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::{Acceptance, Presupuesto};
use embudo_domain::words::{day, lowercase_first};

use super::{
    LOGO, WrittenMail, button, company_of, escape, greeting, header, link, on_one_line, page, paragraph,
    signature,
};
use crate::day_in_spain;

pub(crate) struct AcceptanceLetter<'a> {
    pub lead: &'a Lead,
    pub brand: &'a Brand,
    /// The message carries the logo ([`LOGO`]).
    pub with_logo: bool,
    pub quote: &'a Presupuesto,
    pub acceptance: &'a Acceptance,
    /// The link to the page of the accepted quote.
    pub link: Option<&'a str>,
}

const KEEP: &str = "Guarda este correo: es la copia de lo que acordamos.";
const ASK: &str =
    "Te llamamos para fijar cuándo empezamos. Si tienes cualquier duda, responde a este correo y lo vemos.";

impl AcceptanceLetter<'_> {
    pub fn write(&self) -> WrittenMail {
        let subject = format!("Has aceptado el presupuesto {}, {}", self.quote.number, self.title());
        WrittenMail { subject: on_one_line(&subject), text: self.text(), html: self.html() }
    }

    /// The title for use within a sentence, such as «reforma de baño».
    fn title(&self) -> String {
        lowercase_first(&self.quote.document.pricing.title)
    }

    fn when(&self) -> String {
        day(day_in_spain(self.acceptance.at))
    }

    fn opening(&self) -> String {
        format!(
            "El presupuesto {} de {} quedó aceptado el {}. Va adjunto en PDF, tal como se aceptó.",
            self.quote.number,
            self.title(),
            self.when()
        )
    }

    fn total(&self) -> String {
        self.acceptance.total.to_string()
    }

    /// Percentage, moment and amount of each payment.
    fn payments(&self) -> Vec<String> {
        let due = self.quote.document.terms.payments_of(self.acceptance.total);
        due.into_iter()
            .map(|due| {
                format!(
                    "{} {}: {}",
                    due.payment.percentage,
                    lowercase_first(&due.payment.moment),
                    due.importe
                )
            })
            .collect()
    }

    /// Sentences about what the client declared and requested when accepting.
    fn declared(&self) -> Vec<&'static str> {
        let all = [
            (self.acceptance.declared, "Hiciste la declaración para el tipo reducido del impuesto."),
            (
                self.acceptance.early_start,
                "Pediste que la obra empiece antes de que pase el plazo de desistimiento.",
            ),
        ];
        all.into_iter().filter_map(|(is_so, text)| is_so.then_some(text)).collect()
    }

    fn options(&self) -> impl Iterator<Item = &str> {
        self.acceptance.options.iter().map(|option| option.concepto.as_str())
    }

    fn text(&self) -> String {
        let list = |title: &str, items: Vec<String>| {
            let items: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
            (!items.is_empty()).then(|| format!("{title}\n{}", items.join("\n")))
        };
        let mut paragraphs = vec![
            greeting(self.lead),
            self.opening(),
            format!("Total aceptado, impuestos incluidos: {}\nAceptado el {}", self.total(), self.when()),
        ];
        paragraphs.extend(list("Opciones elegidas:", self.options().map(str::to_owned).collect()));
        paragraphs.extend(list("Plan de pagos:", self.payments()));
        paragraphs.extend(self.declared().into_iter().map(str::to_owned));
        paragraphs.extend(self.link.map(|url| format!("Velo aquí:\n{url}")));
        paragraphs.push(format!("{KEEP} {ASK}"));
        paragraphs.push(signature(self.lead, self.brand, "\n"));
        paragraphs.join("\n\n") + "\n"
    }

    fn html(&self) -> String {
        let palette = self.brand.color.palette();
        let list = |title: &str, items: Vec<String>| match items.is_empty() {
            true => String::new(),
            false => {
                let items: String = items.iter().map(|item| format!("<li>{}</li>", escape(item))).collect();
                format!(
                    "<p style=\"margin:0 0 4px;font-weight:600\">{title}</p><ul style=\"margin:0 0 20px;padding-left:20px\">{items}</ul>"
                )
            }
        };
        let mut body = format!(
            "{}<h1 style=\"margin:0 0 4px;font-size:26px;line-height:1.25\">Presupuesto aceptado</h1>\
             <p style=\"margin:0 0 24px;color:#6b625a\">Número {}, {}</p>",
            header(self.lead, self.with_logo.then_some(LOGO), palette),
            self.quote.number,
            escape(&self.title()),
        );
        body += &paragraph(&greeting(self.lead));
        body += &paragraph(&self.opening());
        body += &format!(
            "<div style=\"margin:0 0 24px;padding:16px 20px;background:{};border-radius:12px\">\
             <p style=\"margin:0;font-size:13px;color:#57504a\">Total aceptado, impuestos incluidos</p>\
             <p style=\"margin:4px 0;font-size:34px;line-height:1.2;font-weight:700;font-variant-numeric:tabular-nums\">{}</p>\
             <p style=\"margin:0;font-size:13px;color:#57504a\">Aceptado el {}</p></div>",
            palette.soft,
            escape(&self.total()),
            escape(&self.when()),
        );
        body += &list("Opciones elegidas", self.options().map(str::to_owned).collect());
        body += &list("Plan de pagos", self.payments());
        for text in self.declared() {
            body += &paragraph(text);
        }
        if let Some(url) = self.link {
            body += &button(url, "Ver lo aceptado", palette);
            body += &format!(
                "<p style=\"margin:0 0 24px;font-size:13px;color:#57504a\">¿No va el botón? Entra en {}.</p>",
                link(url, &company_of(url), palette.strong),
            );
        }
        body += &paragraph(KEEP);
        body += &paragraph(ASK);
        page(&body, &signature(self.lead, self.brand, " · "), palette.brand)
    }
}

//! The mail that follows an action of a client. It is a reminder of a quote or of an unfinished form, or a receipt for
//! a form.

use embudo_domain::brand::Brand;
use embudo_domain::lead::Lead;
use embudo_domain::words::day;
use jiff::civil::Date;

use super::{
    LOGO, WrittenMail, button, escape, greeting, header, link, on_one_line, page, paragraph, signature,
};

pub(crate) struct FollowUpLetter<'a> {
    pub lead: &'a Lead,
    pub brand: &'a Brand,
    /// The message carries the logo.
    pub with_logo: bool,
    pub about: About,
    /// The company's text; empty lines separate paragraphs.
    pub text: &'a str,
    /// The link to continue.
    pub link: &'a str,
    /// The link with which the client ends reminders. `None` for a receipt, which is not a reminder.
    pub refusal: Option<&'a str>,
}

pub(crate) enum About {
    Quote {
        number: String,
        /// The work that the quote is for («reforma de baño»).
        title: String,
        until: Date,
    },
    /// A form that was not finished.
    Form,
    /// A form that was sent.
    Receipt,
}

const NO_MORE: &str = "No quiero más recordatorios";

impl FollowUpLetter<'_> {
    pub fn write(&self) -> WrittenMail {
        WrittenMail { subject: on_one_line(&self.subject()), text: self.text(), html: self.html() }
    }

    fn subject(&self) -> String {
        match &self.about {
            About::Quote { number, title, .. } => {
                format!("Recordatorio: tu presupuesto de {title}, {number}")
            }
            About::Form => format!("Tu solicitud a {} se quedó a medias", self.lead.empresa.nombre),
            About::Receipt => format!("Hemos recibido tu solicitud, {}", self.lead.empresa.nombre),
        }
    }

    /// The heading and the text below it.
    fn heading(&self) -> (String, Option<String>) {
        match &self.about {
            About::Quote { number, title, until } => (
                format!("Tu presupuesto de {title}"),
                Some(format!("Número {number}, válido hasta el {}", day(*until))),
            ),
            About::Form => ("Sigue con tu solicitud".to_owned(), None),
            About::Receipt => ("Hemos recibido tu solicitud".to_owned(), None),
        }
    }

    fn button(&self) -> &'static str {
        match self.about {
            About::Quote { .. } => "Ver el presupuesto",
            About::Form => "Seguir donde lo dejé",
            About::Receipt => "Ver o cambiar mis respuestas",
        }
    }

    fn paragraphs(&self) -> Vec<String> {
        let said = self.text.split("\n\n").map(str::trim).filter(|p| !p.is_empty());
        [greeting(self.lead)].into_iter().chain(said.map(str::to_owned)).collect()
    }

    fn text(&self) -> String {
        let mut paragraphs = self.paragraphs();
        paragraphs.push(format!("{}:\n{}", self.button(), self.link));
        paragraphs.extend(self.heading().1);
        paragraphs.push(signature(self.lead, self.brand, "\n"));
        paragraphs.extend(self.refusal.map(|refusal| format!("{NO_MORE}:\n{refusal}")));
        paragraphs.join("\n\n") + "\n"
    }

    fn html(&self) -> String {
        let palette = self.brand.color.palette();
        let (title, below) = self.heading();
        let mut body = header(self.lead, self.with_logo.then_some(LOGO), palette);
        body +=
            &format!("<h1 style=\"margin:0 0 4px;font-size:26px;line-height:1.25\">{}</h1>", escape(&title));
        body += &format!(
            "<p style=\"margin:0 0 24px;color:#6b625a\">{}</p>",
            escape(below.as_deref().unwrap_or("Lo que nos contaste está guardado"))
        );
        body.extend(self.paragraphs().iter().map(|text| paragraph(text)));
        body += &button(self.link, self.button(), palette);
        if let Some(refusal) = self.refusal {
            body += &format!(
                "<p style=\"margin:16px 0 0;font-size:13px;color:#57504a\">{}</p>",
                link(refusal, NO_MORE, palette.strong)
            );
        }
        page(&body, &signature(self.lead, self.brand, " · "), palette.brand)
    }
}

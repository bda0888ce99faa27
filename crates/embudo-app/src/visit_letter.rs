//! The texts of mails about visits.

use embudo_domain::Timestamp;
use embudo_domain::brand::Brand;
use embudo_domain::lead::Lead;
use embudo_domain::visita::{SpanishTimeZone, Visita};

use crate::jobs::VisitaNews;
use crate::letter::{WrittenMail, button, escape, hello, on_one_line, page, paragraph};

/// The reader of the mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Client,
    /// A person of the company who goes to the visit.
    Person,
}

pub(crate) struct VisitLetter<'a> {
    pub news: VisitaNews,
    pub reader: Reader,
    pub visita: &'a Visita,
    pub zone: SpanishTimeZone,
    pub lead: &'a Lead,
    pub brand: &'a Brand,
    /// The reader's name.
    pub nombre: &'a str,
    /// The link to the page where the visit can be viewed and changed.
    pub link: Option<&'a str>,
    /// Whether the reader was removed from a visit that still takes place.
    pub is_off: bool,
    pub now: Timestamp,
}

pub(crate) struct WrittenVisit {
    pub mail: WrittenMail,
    /// The title in a calendar.
    pub title: String,
}

impl VisitLetter<'_> {
    pub fn write(&self) -> WrittenVisit {
        let title = self.title();
        let mail =
            WrittenMail { subject: on_one_line(&self.subject()), text: self.text(), html: self.html() };
        WrittenVisit { mail, title }
    }

    fn title(&self) -> String {
        match self.reader {
            Reader::Client => format!("Visita de {}", self.lead.empresa.nombre),
            Reader::Person => format!("Visita a {}", self.lead.name()),
        }
    }

    fn subject(&self) -> String {
        let when = self.visita.start.map(|start| self.zone.short(start)).unwrap_or_default();
        let who = match self.reader {
            Reader::Client => format!("de {}", self.lead.empresa.nombre),
            Reader::Person => format!("a {}", self.lead.name()),
        };
        match self.news {
            VisitaNews::Proposed => format!("Elige hora para la visita {who}"),
            VisitaNews::Agreed if self.visita.sequence > 0 => format!("Cambia la visita {who}: {when}"),
            VisitaNews::Agreed | VisitaNews::Closed => format!("Visita {who}: {when}"),
            VisitaNews::Cancelled if self.is_off => format!("Ya no vas a la visita {who}: {when}"),
            VisitaNews::Cancelled if when.is_empty() => format!("Se cancela la visita {who}"),
            VisitaNews::Cancelled => format!("Se cancela la visita {who}: {when}"),
            VisitaNews::Reminder => format!("Te recordamos la visita {who}: {when}"),
        }
    }

    fn greeting(&self) -> String {
        hello(self.nombre)
    }

    /// The subject of the mail, in a sentence or two.
    fn first(&self) -> String {
        let when = self.visita.start.map(|start| self.zone.long(start)).unwrap_or_default();
        match (self.news, self.reader) {
            (VisitaNews::Proposed, _) => {
                "Queremos ver tu reforma contigo. Elige la hora que mejor te venga.".to_owned()
            }
            (VisitaNews::Agreed, _) if self.visita.sequence > 0 => {
                format!("La visita cambia. Ahora es el {when}.")
            }
            (VisitaNews::Agreed, Reader::Client) => format!("Quedamos contigo el {when}."),
            (VisitaNews::Agreed | VisitaNews::Closed, _) => format!("Hay una visita el {when}."),
            (VisitaNews::Cancelled, _) if self.is_off => {
                format!(
                    "Ya no vas a la visita del {when}, que sigue adelante. Puedes quitarla de tu calendario."
                )
            }
            (VisitaNews::Cancelled, _) if when.is_empty() => {
                "La visita que estaba por acordar se cancela.".to_owned()
            }
            (VisitaNews::Cancelled, _) => {
                format!("La visita del {when} se cancela. Puedes quitarla de tu calendario.")
            }
            (VisitaNews::Reminder, _) => format!("Vamos a verte el {when}."),
        }
    }

    /// Further facts, one on each line.
    fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        if matches!(self.news, VisitaNews::Proposed) {
            facts.extend(self.visita.open_slots(self.now).map(|slot| format!("· {}", self.zone.long(slot))));
        }
        if matches!(self.news, VisitaNews::Agreed | VisitaNews::Reminder) {
            facts.push(format!("Dura unos {} minutos.", self.visita.minutes));
        }
        if !self.visita.address.is_empty() {
            facts.push(format!("Dónde: {}", self.visita.address));
        }
        if self.zone == SpanishTimeZone::Canary && self.news != VisitaNews::Cancelled {
            facts.push("Las horas son las de Canarias.".to_owned());
        }
        if self.reader == Reader::Person && self.news != VisitaNews::Cancelled {
            facts.push(match self.lead.e164() {
                Some(_) => format!("Cliente: {}, {}", self.lead.name(), self.lead.telefono),
                None => format!("Cliente: {}", self.lead.name()),
            });
            facts.extend(Some(self.visita.notes.clone()).filter(|notes| !notes.is_empty()));
        }
        facts
    }

    /// The label of the link's button, and the words before the link in the plain text; `None`: no link.
    fn way(&self) -> Option<(&'static str, &'static str)> {
        match (self.news, self.reader) {
            (VisitaNews::Proposed, _) => Some(("Elegir hora", "Elige aquí:")),
            (VisitaNews::Agreed | VisitaNews::Reminder, Reader::Client) => {
                Some(("Cambiar o cancelar", "Si no te viene bien, cámbiala o cancélala aquí:"))
            }
            (_, Reader::Person) => Some(("Abrir la visita", "La visita en el panel:")),
            _ => None,
        }
    }

    fn signature(&self) -> String {
        let data = [&self.brand.telefono, &self.brand.email, &self.brand.web];
        let contact: Vec<&str> = data.into_iter().flatten().map(String::as_str).collect();
        [vec![self.lead.empresa.nombre.as_str()], contact].concat().join(" · ")
    }

    fn text(&self) -> String {
        let mut parts = vec![self.greeting(), self.first()];
        parts.extend(Some(self.facts().join("\n")).filter(|facts| !facts.is_empty()));
        parts.extend(self.way().zip(self.link).map(|((_, words), url)| format!("{words}\n{url}")));
        if self.link.is_none() && self.news == VisitaNews::Proposed {
            parts.push("Responde a este correo con la que prefieras.".to_owned());
        }
        parts.push(self.signature());
        parts.join("\n\n") + "\n"
    }

    fn html(&self) -> String {
        let palette = self.brand.color.palette();
        let mut body = format!(
            "<h1 style=\"margin:0 0 16px;font-size:26px;line-height:1.25\">{}</h1>",
            escape(&self.title())
        );
        body += &paragraph(&self.greeting());
        body += &paragraph(&self.first());
        for fact in self.facts() {
            body += &format!("<p style=\"margin:0 0 8px\">{}</p>", escape(&fact).replace('\n', "<br>"));
        }
        match self.way().zip(self.link) {
            Some(((name, _), url)) => {
                body += &format!("<div style=\"margin:24px 0 0\">{}</div>", button(url, name, palette));
            }
            None if self.news == VisitaNews::Proposed => {
                body += &paragraph("Responde a este correo con la que prefieras.");
            }
            None => {}
        }
        page(&body, &self.signature(), self.brand.color)
    }
}

//! The content of notices to the company and its people: what happened, to which client, and what to do.

mod rows;
mod screen;
mod texts;

use embudo_domain::color::Color;
use embudo_domain::notice::NoticeTopic;
use embudo_domain::presupuesto::SignedAnswer;
use embudo_domain::record::LeadRecord;
use embudo_domain::role::{Permission, Role};
use embudo_domain::{JobId, PresupuestoId};
use serde::{Deserialize, Serialize};

use crate::letter::{WrittenMail, button, escape, link, on_one_line, page, paragraph};
use rows::{Row, rows};
pub(crate) use screen::on_screen;
use texts::{Again, subject_and_paragraphs};

/// The reason for a notice; stored in the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "aviso", rename_all = "snake_case")]
pub(crate) enum Notice {
    /// A lead was created.
    #[serde(rename = "nuevo_lead")]
    NewLead,
    /// The client reached the end of the form.
    #[serde(rename = "formulario_completo")]
    CompleteForm,
    /// The client left contact data in the form and did not continue.
    #[serde(rename = "formulario_a_medias")]
    HalfDoneForm,
    /// A lead's profile is complete.
    #[serde(rename = "perfil_completo")]
    PerfilComplete,
    /// The client asked to be called.
    #[serde(rename = "llamada")]
    Call,
    /// The client asked to go on by messaging, and a person has to look at it first.
    #[serde(rename = "mensaje_en_espera")]
    MessageWaits,
    /// A quote was drafted and waits for a person.
    #[serde(rename = "por_revisar")]
    ToReview { draft: PresupuestoId },
    /// A quote was requested while a person writes one; nothing was sent.
    #[serde(rename = "pedido_con_borrador")]
    AskedAgain { draft: PresupuestoId },
    /// The client wrote, and a person has to answer.
    #[serde(rename = "mensaje_cliente")]
    ClientWrote,
    /// The client accepted or declined a quote.
    #[serde(rename = "contestado")]
    Answered {
        /// The quote's number.
        number: String,
        /// Whether the client accepted.
        accepted: bool,
        /// Why, in the client's words.
        reason: Option<String>,
        /// What the client accepted, if they did.
        #[serde(default)]
        taken: Option<Taken>,
    },
    /// The client requested a visit on an orientative quote.
    #[serde(rename = "visita_pedida")]
    AskedVisit {
        /// The quote's number.
        number: String,
        /// What the client wrote with the request.
        note: Option<String>,
    },
    /// The client requested a copy of their data, or its erasure.
    #[serde(rename = "derecho_pedido")]
    RightAsked {
        /// The number of the quote on whose page they requested it.
        number: String,
        /// Which of the two the client requested.
        what: String,
    },
    /// A profile signal was accepted, but the renders or the call with `finalizar` did not follow in time.
    OverdueLoop {
        /// What the lead waits for.
        step: String,
    },
    /// Something was not delivered.
    NotDelivered {
        /// The kind of job.
        kind: String,
        /// The error of the job's last attempt.
        error: Option<String>,
        #[serde(default)]
        job: Option<JobId>,
        /// How often the job was tried.
        #[serde(default)]
        intentos: u32,
        /// The number of the quote that the job carries.
        #[serde(default)]
        number: Option<String>,
        /// Whether the message may have arrived nevertheless.
        #[serde(default)]
        doubt: bool,
    },
}

impl Notice {
    /// The topic, as people choose it.
    pub fn topic(&self) -> NoticeTopic {
        match self {
            Self::NewLead
            | Self::CompleteForm
            | Self::HalfDoneForm
            | Self::Call
            | Self::MessageWaits
            | Self::ToReview { .. }
            | Self::AskedAgain { .. } => NoticeTopic::Arrivals,
            Self::PerfilComplete => NoticeTopic::Perfil,
            Self::ClientWrote => NoticeTopic::Messages,
            Self::Answered { .. } | Self::AskedVisit { .. } | Self::RightAsked { .. } => NoticeTopic::Answers,
            Self::OverdueLoop { .. } | Self::NotDelivered { .. } => NoticeTopic::Trouble,
        }
    }

    /// Whether a person should act on it within minutes.
    pub fn is_urgent(&self) -> bool {
        !matches!(self.topic(), NoticeTopic::Perfil | NoticeTopic::Trouble)
    }

    /// The draft that the notice is about.
    pub fn draft(&self) -> Option<PresupuestoId> {
        match self {
            Self::ToReview { draft } | Self::AskedAgain { draft } => Some(*draft),
            _ => None,
        }
    }
}

/// What a client accepted, as a notice shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) struct Taken {
    /// The total in words, tax included.
    total: String,
    options: Vec<String>,
    declared: bool,
    early_start: bool,
    /// The person who wrote the answer down, if the client gave it by telephone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_phone: Option<String>,
}

impl Taken {
    pub fn of(answer: &SignedAnswer) -> Option<Self> {
        Some(Self {
            total: answer.total?.to_string(),
            options: answer.options.iter().map(|option| option.concepto.clone()).collect(),
            declared: answer.declaracion.is_some(),
            early_start: answer.early_start.is_some(),
            by_phone: answer.by_phone.as_ref().map(|by| by.who.clone()),
        })
    }
}

/// Who reads a notice.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reader {
    /// The company's own mailbox.
    Empresa,
    /// A person with this role in the company.
    Person(Role),
}

/// A notice to be written.
pub(crate) struct Writing<'a, F> {
    pub notice: &'a Notice,
    pub record: &'a LeadRecord,
    pub reader: Reader,
    /// The address of the panel, without a slash at its end; without it the notice has no link to the panel.
    pub public_url: Option<&'a str>,
    /// Returns the link to a quote's page, by the quote's number.
    pub page_of: F,
    /// The company's colour.
    pub color: Color,
    /// The total of the draft, in words.
    pub amount: Option<String>,
}

/// A link and its title.
struct Link {
    title: String,
    url: String,
}

impl<F: Fn(&str) -> Option<String>> Writing<'_, F> {
    pub fn write(&self) -> WrittenMail {
        let lead = &self.record.lead;
        let (subject, paragraphs) = subject_and_paragraphs(self.notice, lead, self.again());
        let (links, mut rows) = (self.links(), rows(self.record));
        rows.extend(self.amount.clone().map(|value| Row { field: "Presupuesto", value, url: None }));
        let mut text = paragraphs.join("\n\n") + "\n\n";
        text.extend(rows.iter().map(|row| format!("{}: {}\n", row.field, row.value)));
        text.extend(links.iter().map(|link| format!("\n{}:\n{}\n", link.title, link.url)));
        text += &format!("\nReferencia del lead: {}\n", lead.id);
        text.extend(self.choose().map(|(why, link)| format!("{why}: {}\n", link.url)));
        WrittenMail { subject: on_one_line(&subject), text, html: self.html(&paragraphs, &rows, &links) }
    }

    fn in_panel(&self, title: &str, path: &str) -> Option<Link> {
        Some(Link { title: title.to_owned(), url: format!("{}/panel/{path}", self.public_url?) })
    }

    /// How the reader can send again what was not delivered.
    fn again(&self) -> Again {
        match (self.reader, self.public_url) {
            (_, None) => Again::Command,
            (Reader::Person(role), _) if !role.may(Permission::RunOutbox) => Again::Ask,
            _ => Again::Panel,
        }
    }

    /// The link to the waiting draft, for readers who may send it.
    fn draft(&self) -> Option<Link> {
        let draft = self.notice.draft()?;
        if matches!(self.reader, Reader::Person(role) if !role.may(Permission::WriteQuotes)) {
            return None;
        }
        self.in_panel("Revisar y enviar", &format!("presupuestos/{draft}"))
    }

    /// The links of the notice. The first one becomes a button: the waiting draft, otherwise the lead's page.
    fn links(&self) -> Vec<Link> {
        let lead = self.in_panel("Abrir el lead", &format!("leads/{}", self.record.lead.id));
        let job = match (self.notice, self.again()) {
            (Notice::NotDelivered { job: Some(job), .. }, Again::Panel) => {
                self.in_panel("Ver el envío", &format!("envios/{job}"))
            }
            _ => None,
        };
        let number = match self.notice {
            Notice::Answered { number, .. }
            | Notice::AskedVisit { number, .. }
            | Notice::RightAsked { number, .. } => Some(number.clone()),
            Notice::NotDelivered { number, .. } => number.clone(),
            _ => self.record.presupuestos.first().filter(|p| p.pdf.is_some()).map(|p| p.number.to_string()),
        };
        let quote = number
            .and_then(|n| Some(Link { url: (self.page_of)(&n)?, title: format!("Ver el presupuesto {n}") }));
        [self.draft(), lead, job, quote].into_iter().flatten().collect()
    }

    /// Why the reader gets the notice, and the link to the page where they can change that.
    fn choose(&self) -> Option<(&'static str, Link)> {
        match self.reader {
            Reader::Empresa => Some((
                "Este correo es el de avisos de la empresa. Qué le llega se elige aquí",
                self.in_panel("Avisos de la empresa", "empresa/avisos")?,
            )),
            Reader::Person(_) => Some((
                "Te llega porque lo elegiste. Se cambia aquí",
                self.in_panel("Mis avisos", "cuenta#avisos")?,
            )),
        }
    }

    fn html(&self, paragraphs: &[String], rows: &[Row], links: &[Link]) -> String {
        let (lead, palette) = (&self.record.lead, self.color.palette());
        let mut body: String = paragraphs.iter().map(|p| paragraph(p)).collect();
        if let Some(main) = links.first() {
            body += &button(&main.url, &main.title, palette);
        }
        let row = |f: &Row| {
            let value = match &f.url {
                Some(url) => link(url, &f.value, palette.strong),
                None => escape(&f.value),
            };
            format!(
                "<tr><td style=\"padding:6px 16px 6px 0;color:#6b625a;vertical-align:top;white-space:nowrap\">{}</td><td style=\"padding:6px 0\">{value}</td></tr>",
                f.field
            )
        };
        body += &format!(
            "<table role=\"presentation\" style=\"border-collapse:collapse;margin:0 0 20px\">{}</table>",
            rows.iter().map(row).collect::<String>()
        );
        for other in links.iter().skip(1) {
            body += &format!(
                "<p style=\"margin:0 0 12px\">{}</p>",
                link(&other.url, &other.title, palette.strong)
            );
        }
        if let Some((why, choose)) = self.choose() {
            body += &format!(
                "<p style=\"margin:20px 0 0;color:#6b625a;font-size:13px\">{why}: {}.</p>",
                link(&choose.url, &choose.title, palette.strong)
            );
        }
        page(&body, &format!("{} · referencia {}", lead.empresa.nombre, lead.id), palette.brand)
    }
}

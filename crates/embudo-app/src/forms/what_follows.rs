//! What happens after a form was sent, and when, according to the settings of this server and the company.

use embudo_domain::brand::Brand;
use embudo_domain::job::Destination;
use embudo_domain::lead::Lead;
use embudo_domain::settings::{AnswerTime, FormEnd};

use super::Forms;
use crate::{AppError, Receivers};

/// What the thank-you page and the mail to the client may promise.
pub struct WhatFollows {
    quote: QuoteToCome,
    answer_time: Option<AnswerTime>,
    has_mail: bool,
    pub receivers: Receivers,
}

/// How a quote follows from a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuoteToCome {
    /// The quote is made and sent at once.
    AtOnce,
    /// The receiver of the signal makes and sends the quote.
    ByReceiver,
    /// The quote is prepared; a person reviews it and sends it.
    Reviewed,
    /// Nothing makes a quote automatically.
    Unknown,
}

impl Forms<'_> {
    pub async fn what_follows(self, lead: &Lead) -> Result<WhatFollows, AppError> {
        let settings = self.app.store.settings(lead.empresa.id).await?;
        let receivers = self.app.receivers_by(&settings.connections);
        let is_connected = receivers.has(Destination::Perfil);
        let quote = match settings.form_end(is_connected) {
            FormEnd::Quote if !settings.review => QuoteToCome::AtOnce,
            FormEnd::Signal if is_connected => QuoteToCome::ByReceiver,
            FormEnd::Quote | FormEnd::Draft => QuoteToCome::Reviewed,
            FormEnd::Signal | FormEnd::Nothing => QuoteToCome::Unknown,
        };
        let has_mail = self.app.outbound.mail.is_some();
        Ok(WhatFollows { quote, answer_time: settings.answer_time, has_mail, receivers })
    }
}

impl WhatFollows {
    /// Whether the quote comes by mail without a person.
    pub fn mails_quote(&self) -> bool {
        self.has_mail && matches!(self.quote, QuoteToCome::AtOnce | QuoteToCome::ByReceiver)
    }

    /// One sentence for the client about what happens next.
    pub fn text(&self, lead: &Lead, brand: &Brand) -> String {
        let (empresa, email) = (&lead.empresa.nombre, &lead.email);
        let within = self.answer_time.map(|time| format!(" {}", time.in_sentence())).unwrap_or_default();
        match self.quote {
            QuoteToCome::AtOnce if self.has_mail => {
                format!("Tu presupuesto te llegará a {email} en unos minutos.")
            }
            QuoteToCome::ByReceiver if self.has_mail => {
                format!("Cuando esté listo, el presupuesto te llegará a {email}{within}.")
            }
            QuoteToCome::Reviewed if self.has_mail => {
                format!("{empresa} revisa tu presupuesto y te lo envía a {email}{within}.")
            }
            QuoteToCome::AtOnce | QuoteToCome::ByReceiver if self.receivers.has(Destination::Pdf) => {
                format!("Cuando esté listo, te llegará el presupuesto por {}{within}.", brand.mensajeria())
            }
            _ => format!("{empresa} verá tu solicitud y se pondrá en contacto contigo{within}."),
        }
    }
}

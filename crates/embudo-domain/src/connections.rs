//! What a company connects itself: its own receivers of signals, the secret that signs these signals, and the sender of
//! its mails. Where a value is missing, the setting of the server applies.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::brand::Brand;
use crate::contact::Email;
use crate::empresa::Empresa;
use crate::job::Destination;

/// The longest address of a receiver.
pub const MAX_URL: usize = 2_000;
const MAX_NAME: usize = 80;
/// How long the previous secret still signs beside a new one, so that the receiver can be changed in the meantime.
pub const OVERLAP: SignedDuration = SignedDuration::from_hours(24);

/// Kept as JSON among the company's settings.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Connections {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perfil: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mensajeria: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pdf: Option<String>,
    #[serde(rename = "respuesta", skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    #[serde(rename = "eventos", skip_serializing_if = "Option::is_none")]
    pub events: Option<String>,
    /// Signs what goes to the company's own receivers, never what goes to the server's receivers.
    #[serde(rename = "secreto", skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    #[serde(rename = "anterior", skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousSecret>,
    #[serde(rename = "remitente")]
    pub sender: Sender,
}

/// The previous secret, and the Unix time in seconds until which it also signs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousSecret {
    #[serde(rename = "secreto")]
    pub secret: String,
    #[serde(rename = "hasta")]
    pub until: i64,
}

/// The sender of the mails to a company's clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Sender {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nombre: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The address for answers.
    #[serde(rename = "responderA", skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
}

impl Sender {
    /// Fills in what the company left empty: the name (the installation's, otherwise the company's) and the address for
    /// answers (the brand's e-mail, otherwise the address for notices).
    pub fn complete(self, installation: Option<&str>, empresa: &Empresa, brand: &Brand) -> Self {
        Self {
            nombre: self.nombre.or_else(|| Some(installation.unwrap_or(&empresa.nombre).to_owned())),
            email: self.email,
            reply_to: self.reply_to.or_else(|| brand.email.clone()).or_else(|| empresa.email_avisos.clone()),
        }
    }
}

impl Connections {
    /// The destinations that are webhooks.
    pub const SIGNALS: [Destination; 5] = [
        Destination::Perfil,
        Destination::Mensajeria,
        Destination::Pdf,
        Destination::Reply,
        Destination::Events,
    ];

    /// The company's own receiver for a destination.
    pub fn own(&self, destination: Destination) -> Option<&str> {
        match destination {
            Destination::Perfil => self.perfil.as_deref(),
            Destination::Mensajeria => self.mensajeria.as_deref(),
            Destination::Pdf => self.pdf.as_deref(),
            Destination::Reply => self.reply.as_deref(),
            Destination::Events => self.events.as_deref(),
            Destination::Mail => None,
        }
    }

    pub fn set(&mut self, destination: Destination, url: Option<String>) {
        match destination {
            Destination::Perfil => self.perfil = url,
            Destination::Mensajeria => self.mensajeria = url,
            Destination::Pdf => self.pdf = url,
            Destination::Reply => self.reply = url,
            Destination::Events => self.events = url,
            Destination::Mail => {}
        }
    }

    /// The signals that have a receiver of the company's own, separated by spaces.
    pub fn own_signals(&self) -> String {
        let own = Self::SIGNALS.into_iter().filter(|to| self.own(*to).is_some());
        own.map(Destination::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The secrets that sign now, separated by white space.
    pub fn signing(&self, now: Timestamp) -> String {
        let previous = self.previous.as_ref().filter(|previous| now.as_second() < previous.until);
        let both = self.secret.iter().chain(previous.map(|previous| &previous.secret));
        both.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Sets a new secret. The previous one keeps signing beside it for `OVERLAP`.
    pub fn renew(&mut self, secret: String, now: Timestamp) {
        let until = (now + OVERLAP).as_second();
        self.previous = self.secret.take().map(|secret| PreviousSecret { secret, until });
        self.secret = Some(secret);
    }
}

impl Sender {
    /// Reads what somebody typed. An empty field means that the server's setting applies. Returns all mistakes at once,
    /// by field.
    pub fn parse(
        nombre: &str,
        email: &str,
        reply_to: &str,
    ) -> Result<Self, Vec<(&'static str, &'static str)>> {
        let mut wrong = Vec::new();
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let nombre = given(nombre);
        if nombre.as_ref().is_some_and(|n| n.chars().count() > MAX_NAME || n.chars().any(char::is_control)) {
            wrong.push(("remitente", "El nombre puede tener hasta 80 letras."));
        }
        let mut address = |field: &'static str, text: &str| match given(text).map(|text| Email::parse(&text))
        {
            None => None,
            Some(Ok(email)) => Some(email.typed),
            Some(Err(mistake)) => {
                wrong.push((field, mistake));
                None
            }
        };
        let (email, reply_to) = (address("desde", email), address("responder", reply_to));
        if wrong.is_empty() { Ok(Self { nombre, email, reply_to }) } else { Err(wrong) }
    }
}

/// Shows which receivers are set, never their addresses, because an address may hold a secret.
impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").field("own", &self.own_signals()).finish_non_exhaustive()
    }
}

impl fmt::Debug for PreviousSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreviousSecret").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_before_signs_for_a_day_more() {
        let at = |hours| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours);
        let mut own = Connections::default();
        assert_eq!(own.signing(at(0)), "");
        own.renew("uno".into(), at(0));
        assert_eq!(own.signing(at(0)), "uno");
        own.renew("dos".into(), at(1));
        assert_eq!((own.signing(at(24)), own.signing(at(25))), ("dos uno".to_owned(), "dos".to_owned()));
        own.perfil = Some("https://a.es/geheim".into());
        let shown = format!("{own:?}");
        assert!(shown.contains("perfil") && !shown.contains("geheim") && !shown.contains("dos"), "{shown}");
    }

    #[test]
    fn a_sender_is_read_field_by_field() {
        assert_eq!(Sender::parse("", " ", ""), Ok(Sender::default()));
        let full = Sender::parse(" Baños Sol ", "hola@banos.es", "ana@banos.es").expect("good");
        assert_eq!(
            (full.nombre.as_deref(), full.email.as_deref()),
            (Some("Baños Sol"), Some("hola@banos.es"))
        );
        let wrong = Sender::parse(&"a".repeat(81), "a@b\r\nBcc: c@d.es", "x").expect_err("bad");
        assert_eq!(
            wrong.iter().map(|(field, _)| *field).collect::<Vec<_>>(),
            ["remitente", "desde", "responder"]
        );
    }
}

//! Writes a mail: text, HTML and the PDF in one message.
//!
//! Names, subjects and file names come from people. None of them can end a header or add another one: control
//! characters become spaces here, and lettre encodes the rest.

use std::time::SystemTime;

use bytes::Bytes;
use embudo_domain::Timestamp;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Body, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};

/// A mail to one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailMessage {
    /// The `Message-ID` is made from this id: letters, digits, `.`, `_` and `-`, the same on every attempt.
    pub id: String,
    /// The `Date` header, the same on every attempt.
    pub date: Timestamp,
    /// The sender's address, to which bounces are sent.
    pub from: String,
    /// The address in `From` that the reader sees instead; `from` then appears as `Sender`.
    pub shown_from: Option<String>,
    /// The company's name, beside the address.
    pub from_name: Option<String>,
    /// Where replies go, if to another address.
    pub reply_to: Option<String>,
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// A picture (PNG) that the HTML shows as `cid:logo`.
    pub logo: Option<Bytes>,
    pub attachment: Option<MailAttachment>,
    /// The https address where the person unsubscribes from mails of this kind, by hand or with one click in the mail
    /// program.
    pub unsubscribe: Option<String>,
    pub calendar: Option<MailCalendar>,
}

/// An attached PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailAttachment {
    pub filename: String,
    pub bytes: Bytes,
}

/// An invitation: what mail programs put into a calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCalendar {
    /// The iCalendar `METHOD`, the same as in `text`.
    pub method: &'static str,
    pub text: String,
}

/// A message as it goes over the wire.
pub(super) struct WrittenMail {
    pub from: Address,
    pub to: Address,
    pub bytes: Vec<u8>,
}

impl MailMessage {
    /// Writes the message, or says which of its parts makes that impossible.
    pub(super) fn write(&self) -> Result<WrittenMail, String> {
        let from = address(&self.from).ok_or("la dirección del remitente no sirve")?;
        let to = address(&self.to).ok_or("la dirección del destinatario no sirve")?;
        let shown = match &self.shown_from {
            Some(shown) => Some(address(shown).ok_or("la dirección del remitente no sirve")?),
            None => None,
        };
        let id_ok = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        if self.id.is_empty() || !self.id.bytes().all(id_ok) {
            return Err("el identificador del mensaje no sirve".to_owned());
        }
        let from_name = self.from_name.as_deref().map(flat).filter(|n| !n.is_empty());
        let mut builder = Message::builder()
            .message_id(Some(format!("<{}@{}>", self.id, from.domain())))
            .date(SystemTime::from(self.date))
            .from(Mailbox::new(from_name, shown.clone().unwrap_or_else(|| from.clone())))
            .to(Mailbox::new(None, to.clone()))
            .subject(flat(&self.subject));
        if shown.is_some_and(|shown| shown != from) {
            builder = builder.sender(Mailbox::new(None, from.clone()));
        }
        if let Some(reply_to) = &self.reply_to {
            let reply_to = address(reply_to).ok_or("la dirección de respuesta no sirve")?;
            builder = builder.reply_to(Mailbox::new(None, reply_to));
        }
        if let Some(url) = self.unsubscribe.as_deref().map(flat).filter(|url| url.is_ascii()) {
            builder = builder
                .raw_header(header("List-Unsubscribe", format!("<{url}>")))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()));
        }
        let texts = MultiPart::alternative().singlepart(SinglePart::plain(self.text.clone()));
        let html = SinglePart::html(self.html.clone());
        let texts = match &self.logo {
            None => texts.singlepart(html),
            Some(logo) => texts.multipart(MultiPart::related().singlepart(html).singlepart(inline(logo)?)),
        };
        let texts = match &self.calendar {
            None => texts,
            Some(calendar) => texts.singlepart(invitation(calendar)?),
        };
        let message = match &self.attachment {
            None => match &self.calendar {
                None => builder.multipart(texts),
                Some(calendar) => {
                    let file = ics_file(calendar)?;
                    builder.multipart(MultiPart::mixed().multipart(texts).singlepart(file))
                }
            },
            Some(attachment) => {
                let pdf = ContentType::parse("application/pdf").expect("a content type");
                // Left to itself lettre takes the shortest encoding, and some of them change line ends.
                let base64 = ContentTransferEncoding::Base64;
                let bytes = Body::new_with_encoding(attachment.bytes.to_vec(), base64)
                    .map_err(|_| "el PDF no se puede adjuntar")?;
                let part = Attachment::new(flat(&attachment.filename)).body(bytes, pdf);
                builder.multipart(MultiPart::mixed().multipart(texts).singlepart(part))
            }
        };
        let bytes = message.map_err(|e| format!("el mensaje no se puede escribir: {e}"))?.formatted();
        Ok(WrittenMail { from, to, bytes })
    }
}

/// A header whose value is ASCII and fits on one line.
fn header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(HeaderName::new_from_ascii_str(name), value.clone(), value)
}

/// The logo, shown within the HTML.
fn inline(logo: &Bytes) -> Result<SinglePart, String> {
    let png = ContentType::parse("image/png").expect("a content type");
    let bytes = Body::new_with_encoding(logo.to_vec(), ContentTransferEncoding::Base64)
        .map_err(|_| "el logotipo no se puede adjuntar")?;
    Ok(Attachment::new_inline("logo".to_owned()).body(bytes, png))
}

/// The invitation as an alternative form of the mail, which is where calendar programs look for it.
fn invitation(calendar: &MailCalendar) -> Result<SinglePart, String> {
    let kind = format!("text/calendar; charset=utf-8; method={}", calendar.method);
    let kind = ContentType::parse(&kind).map_err(|_| "la invitación no se puede adjuntar")?;
    Ok(SinglePart::builder().header(kind).body(in_base64(calendar)?))
}

/// The invitation as a file, for programs that do not look for the alternative.
fn ics_file(calendar: &MailCalendar) -> Result<SinglePart, String> {
    let kind = ContentType::parse("application/ics").expect("a content type");
    Ok(Attachment::new("visita.ics".to_owned()).body(in_base64(calendar)?, kind))
}

fn in_base64(calendar: &MailCalendar) -> Result<Body, String> {
    Body::new_with_encoding(calendar.text.clone().into_bytes(), ContentTransferEncoding::Base64)
        .map_err(|_| "la invitación no se puede adjuntar".to_owned())
}

/// An address whose domain is written in ASCII, so that only a local part with other letters needs SMTPUTF8.
fn address(text: &str) -> Option<Address> {
    let (user, domain) = text.rsplit_once('@')?;
    let domain = match url::Host::parse(domain).ok()? {
        url::Host::Domain(domain) => domain,
        _ => return None,
    };
    // lettre also reads a quoted local part. None of ours has one, so unusual characters are refused.
    let odd = |c: char| c.is_control() || c.is_whitespace() || "\"<>(),:;\\[]".contains(c);
    if user.contains(odd) {
        return None;
    }
    Address::new(user, domain).ok()
}

/// One line: characters that would end a header, or hide text in it, become spaces.
fn flat(text: &str) -> String {
    let hidden = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}');
    text.chars().map(|c| if hidden(c) { ' ' } else { c }).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests;

//! A preview of what a job sends: signals with PDF and photos replaced by their sizes, mails by recipient and subject.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use embudo_delivery::mail::{SmtpSettings, Tls};
use embudo_delivery::signals::{FotoSource, ImageText, mensajeria, pdf, perfil, reply};
use embudo_delivery::{Mail, MailMessage, SignedBody, SourceError};
use embudo_domain::foto::StoredImage;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::signal::{MensajeriaSignal, PerfilSignal, ReplySignal};
use embudo_domain::{FotoId, LeadId};
use embudo_store::StoreError;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    Ending, PdfPayload, PushPayload, WhichPdf, acceptance, client_mail, empresa_mail, person_mail, push,
    receipt, reminder, reply_mail, visita_mail,
};
use crate::{App, OutboundMail};

/// The maximum number of photos whose size is queried at the same time.
const AT_ONCE: usize = 8;
/// A placeholder for the PDF in a body. It is valid base64, so that it is accepted as a PDF.
const MARK: &[u8] = b"pdf";
const MARK_BASE64: &str = "cGRm";

/// What a job sends, as far as it is known now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// The body of a webhook, JSON in one line.
    Signal {
        body: String,
    },
    Mail(PreviewedMail),
    /// Nothing is sent.
    Nothing,
    /// The content is not known, for this reason.
    Unknown(String),
}

/// A mail: what is known without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewedMail {
    pub to: String,
    pub subject: String,
    /// The name of the attached PDF, and its size in bytes.
    pub attachment: Option<(String, Option<u64>)>,
}

/// What this job sends.
pub(crate) async fn preview(app: &App, job: &Job) -> Preview {
    let told = match job.kind {
        JobKind::Presupuesto | JobKind::Acceptance => Ok(Preview::Nothing),
        JobKind::Perfil => of_perfil(app, job).await,
        JobKind::Mensajeria => of_mensajeria(job).await,
        JobKind::Pdf => of_pdf(app, job).await,
        JobKind::Reply => of_reply(job).await,
        JobKind::Event => Ok(Preview::Signal { body: job.payload.clone() }),
        JobKind::PushNotice => of_push(app, job).await,
        JobKind::ClientMail
        | JobKind::FormReceipt
        | JobKind::Reminder
        | JobKind::EmpresaMail
        | JobKind::FormNotice
        | JobKind::PersonNotice
        | JobKind::VisitaMail
        | JobKind::ReplyMail
        | JobKind::AcceptanceMail => of_mail(app, job).await,
    };
    told.unwrap_or_else(Preview::Unknown)
}

async fn of_mensajeria(job: &Job) -> Result<Preview, String> {
    signal(mensajeria(&read::<MensajeriaSignal>(job)?)).await
}

async fn of_reply(job: &Job) -> Result<Preview, String> {
    signal(reply(&read::<ReplySignal>(job)?)).await
}

/// The message on a device. A job that only creates jobs for devices has none.
async fn of_push(app: &App, job: &Job) -> Result<Preview, String> {
    if read::<PushPayload>(job)?.dispositivo.is_none() {
        return Ok(Preview::Nothing);
    }
    let (_, message, _) = push::compose(app, job).await.map_err(|ending| ending.error.unwrap_or_default())?;
    Ok(Preview::Signal { body: serde_json::to_string(&message).expect("a message is plain") })
}

async fn of_pdf(app: &App, job: &Job) -> Result<Preview, String> {
    let payload = read::<PdfPayload>(job)?;
    let size = match pdf_size(app, &payload.pdf).await {
        Some(bytes) => format!("«PDF de {}»", format_size(bytes)),
        None => "«PDF»".to_owned(),
    };
    let marked = signal(pdf(&payload.signal, Bytes::from_static(MARK))).await?;
    let Preview::Signal { body } = marked else { return Ok(marked) };
    let field = |text: &str| format!(r#""pdfBase64":"{text}""#);
    Ok(Preview::Signal { body: body.replacen(&field(MARK_BASE64), &field(&size), 1) })
}

/// The size of the PDF of a quote, if it has been drawn.
async fn pdf_size(app: &App, which: &WhichPdf) -> Option<u64> {
    let WhichPdf::Sealed { presupuesto } = which else { return None };
    Some(app.store.presupuesto(*presupuesto).await.ok()?.pdf?.bytes)
}

async fn of_perfil(app: &App, job: &Job) -> Result<Preview, String> {
    let told = read::<PerfilSignal>(job)?;
    let fotos: Vec<FotoId> = told.fotos().collect();
    let each = |foto| async move { Ok::<_, String>((foto, picture(app, job.lead, foto).await?)) };
    let pictures = stream::iter(fotos).map(each).buffer_unordered(AT_ONCE).try_collect().await?;
    signal(perfil(&told, Arc::new(Pictures(pictures)))).await
}

/// The text that replaces a photo: its address, or a placeholder. `None`: the photo was removed.
async fn picture(app: &App, lead: LeadId, foto: FotoId) -> Result<Option<String>, String> {
    let image = match app.store.foto(lead, foto).await {
        Ok(foto) => foto.image,
        Err(StoreError::FotoNotFound) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let digest = match image {
        StoredImage::Url(url) => return Ok(Some(url)),
        _ if app.outbound.links.is_some() => return Ok(Some("«enlace a la foto»".to_owned())),
        StoredImage::Canonical { bytes, .. } => bytes,
        StoredImage::Informal { raw, .. } | StoredImage::Unreadable { raw, .. } => raw,
    };
    let size = app.blobs.size(lead, &digest).await.map_err(|error| error.to_string())?;
    Ok(Some(size.map_or("«foto»".to_owned(), |bytes| format!("«foto de {}»", format_size(bytes)))))
}

/// The texts that replace the photos of a profile.
struct Pictures(HashMap<FotoId, Option<String>>);

#[async_trait]
impl FotoSource for Pictures {
    async fn image(&self, _: LeadId, foto: FotoId) -> Result<Option<ImageText>, SourceError> {
        Ok(self.0.get(&foto).cloned().flatten().map(ImageText::Text))
    }
}

async fn of_mail(app: &App, job: &Job) -> Result<Preview, String> {
    let Some(mail) = &app.outbound.mail else {
        return Err("SMTP_HOST o EMAIL_FROM no están configurados".to_owned());
    };
    let (message, attachment) = composed(app, job, mail).await?;
    Ok(Preview::Mail(PreviewedMail { to: message.to, subject: message.subject, attachment }))
}

/// A mail without its PDF, and the name and size of that PDF.
type Composed = (MailMessage, Option<(String, Option<u64>)>);

async fn composed(app: &App, job: &Job, mail: &OutboundMail) -> Result<Composed, String> {
    let why = |ending: Ending| ending.error.unwrap_or_default();
    Ok(match job.kind {
        JobKind::ClientMail => {
            let (message, payload) = client_mail::compose(app, job, mail).await.map_err(why)?;
            let size = pdf_size(app, &payload.pdf).await;
            (message, Some((payload.filename, size)))
        }
        JobKind::AcceptanceMail => {
            let (message, quote) = acceptance::compose(app, job, mail).await.map_err(why)?;
            let size = quote.accepted_pdf.map(|pdf| pdf.bytes);
            (message, Some((quote.number.accepted_file_name(), size)))
        }
        JobKind::FormReceipt => (receipt::compose(app, job, mail).await.map_err(why)?, None),
        JobKind::Reminder => (reminder::compose(app, job, mail).await.map_err(why)?, None),
        JobKind::PersonNotice => (person_mail::compose(app, job, mail).await.map_err(why)?, None),
        JobKind::VisitaMail => (visita_mail::compose(app, job, mail).await.map_err(why)?, None),
        JobKind::ReplyMail => (reply_mail::compose(app, job, mail).await.map_err(why)?, None),
        _ => (empresa_mail::compose(app, job, mail).await.map_err(why)?, None),
    })
}

/// A mail that went to this address, as it would be written today, and the name of its PDF. `None`: it went to another
/// address, or it can no longer be written, because the data behind it has changed.
pub(crate) async fn letter_to(app: &App, job: &Job, address: &str) -> Option<(MailMessage, Option<String>)> {
    // If no mail is configured here, another process may have sent it. The text does not depend on the mail settings.
    let nowhere = || {
        let client = Mail::new(SmtpSettings::new("localhost".to_owned(), 25, Tls::None)).ok()?;
        Some(OutboundMail { client, from: address.to_owned(), from_name: None })
    };
    let stand_in;
    let mail = match &app.outbound.mail {
        Some(mail) => mail,
        None => {
            stand_in = nowhere()?;
            &stand_in
        }
    };
    let (message, attachment) = composed(app, job, mail).await.ok()?;
    (message.to == address).then(|| (message, attachment.map(|(name, _)| name)))
}

fn read<T: serde::de::DeserializeOwned>(job: &Job) -> Result<T, String> {
    serde_json::from_str(&job.payload).map_err(|_| "lo guardado no se puede leer".to_owned())
}

async fn signal(body: SignedBody) -> Result<Preview, String> {
    let bytes = match body {
        SignedBody::Bytes(bytes) => bytes.to_vec(),
        SignedBody::Pieces(pieces) => {
            let chunks: Vec<Bytes> = pieces.open().try_collect().await.map_err(|error| error.0)?;
            chunks.concat()
        }
    };
    Ok(Preview::Signal { body: String::from_utf8_lossy(&bytes).into_owned() })
}

/// «182 KB», «1,4 MB».
fn format_size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{} KB", bytes / 1_024),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0).replace('.', ","),
    }
}

#[cfg(test)]
mod tests {
    use super::format_size;

    #[test]
    fn sizes_read_as_in_spain() {
        assert_eq!(format_size(900), "900 bytes");
        assert_eq!(format_size(186_500), "182 KB");
        assert_eq!(format_size(1_500_000), "1,4 MB");
    }
}

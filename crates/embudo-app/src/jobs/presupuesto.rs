//! The quote: composed, drawn, stored, and handed to its deliveries.
//!
//! Every step can be repeated: the draft is found again by its content, drawing the PDF again gives the same bytes, and
//! the last step ends this job and makes the deliveries in one transaction. So after a crash at any point there is
//! still only one quote and one mail.

use embudo_domain::checklist::missing_on_quotes;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::{Destination, Job, JobKind};
use embudo_domain::presupuesto::{DeliveryChannel, OrderedDelivery, Presupuesto};
use embudo_domain::signal::{EventTopic, NewEvent, PdfSignal};
use embudo_domain::{JobId, PresupuestoId};
use embudo_store::StoreError;
use embudo_store::outbox::{NewJob, NewPayload};
use serde::{Deserialize, Serialize};

use super::{Conclusion, Ending, Finished, MailPayload, PdfPayload, WhichPdf};
use crate::leads::{NO_EMAIL, NO_TELEPHONE, unaddressed};
use crate::quotes::ReviewOf;
use crate::{App, AppError};

/// The payload of the job: the ids that its deliveries will have, so that the call that caused the job can name them
/// beforehand.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct PresupuestoPayload {
    #[serde(rename = "correo")]
    pub mail: JobId,
    /// The id of the messaging signal.
    pub pdf: JobId,
    /// The quote that a person sent. `None`: the quote is composed from what is known of the lead today, and is sent or
    /// drafted for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presupuesto: Option<PresupuestoId>,
    /// The form requests a draft, whatever the company chose for `finalizar`.
    #[serde(rename = "borrador", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_form: bool,
}

impl PresupuestoPayload {
    pub fn new(app: &App) -> Self {
        Self { mail: JobId(app.id()), pdf: JobId(app.id()), presupuesto: None, is_of_form: false }
    }

    /// The payload for a draft at the end of the form.
    pub fn of_form(app: &App) -> Self {
        Self { is_of_form: true, ..Self::new(app) }
    }
}

pub(super) async fn attempt(app: &App, job: &Job) -> (Ending, Option<Finished>) {
    let Ok(payload) = serde_json::from_str::<PresupuestoPayload>(&job.payload) else {
        return (Ending::never("el encargo guardado no se puede leer"), None);
    };
    match make_presupuesto(app, job, payload).await {
        Ok(Some((finished, missing))) => (Ending::arrived(history_text(&finished, &missing)), Some(finished)),
        Ok(None) => (Ending::arrived("borrador para revisar".to_owned()), None),
        Err(AppError::Store(StoreError::LeadNotFound)) => (Ending::never("el lead ya no existe"), None),
        Err(error) => (Ending::retry(error.to_string()), None),
    }
}

/// The quote's number for the lead's history, with the company data that the quote lacks.
fn history_text(finished: &Finished, missing: &[&str]) -> String {
    match missing {
        [] => finished.number.to_string(),
        missing => format!("{}; salió sin {} de la empresa", finished.number, missing.join(" ni ")),
    }
}

/// The quote, and the company data that it lacks. `None` if a draft was made instead, because a person reviews the
/// quote before it is sent.
async fn make_presupuesto(
    app: &App,
    job: &Job,
    payload: PresupuestoPayload,
) -> Result<Option<(Finished, Vec<&'static str>)>, AppError> {
    let record = app.store.record(job.lead).await?;
    let presupuesto = match payload.presupuesto {
        Some(id) => app.store.presupuesto(id).await?,
        None if payload.is_of_form => {
            app.quotes().draft_for_review(&record, ReviewOf::Form).await?;
            return Ok(None);
        }
        None if app.store.settings(record.lead.empresa.id).await?.review => {
            app.quotes().draft_for_review(&record, ReviewOf::Finalizar).await?;
            return Ok(None);
        }
        None => app.quotes().compose(&record).await?,
    };
    let at = app.now();
    let mut events = Vec::new();
    let (pdf, put) = match presupuesto.pdf {
        Some(pdf) => (pdf, None),
        None => {
            let drawn = app.quotes().draw(&presupuesto, &record.fotos).await?;
            let faults = [(EventKind::Template, drawn.without_template), (EventKind::Fotos, drawn.not_shown)];
            for (kind, detail) in faults {
                let event = Event { kind, simulated: false, ok: false, detail, creado_en: at };
                events.extend(Some(event).filter(|e| e.detail.is_some()));
            }
            (drawn.stored, Some((drawn.stored.digest, drawn.pdf.into())))
        }
    };
    let lead = &record.lead;
    let (has_mail, has_telephone) = (lead.mail().is_some(), lead.e164().is_some());
    let mail = (has_mail && app.outbound.mail.is_some()).then(|| by_mail(app, &presupuesto, payload.mail));
    let signal = PdfSignal::new(lead, presupuesto.number.file_name());
    let receives = app.receivers(lead.empresa.id).await?.has(Destination::Pdf);
    let mensajeria =
        (has_telephone && receives).then(|| by_messaging(app, signal, payload.pdf, presupuesto.id));
    let ways = [
        (DeliveryChannel::Email, EventKind::ClientMail, payload.mail, &mail, has_mail, NO_EMAIL),
        (DeliveryChannel::Messaging, EventKind::Pdf, payload.pdf, &mensajeria, has_telephone, NO_TELEPHONE),
    ];
    let mut deliveries = Vec::new();
    for (channel, kind, id, job, has_address, why) in ways {
        match (job, has_address) {
            (None, false) => events.push(unaddressed(kind, why, at)),
            (None, true) => {
                events.push(Event { kind, simulated: true, ok: false, detail: None, creado_en: at });
            }
            (Some(_), _) => {}
        }
        // Without an address there is no delivery, not even a simulated one.
        if has_address {
            deliveries.push(ordered(channel, id, job));
        }
    }
    let total = presupuesto.document.impuesto.total;
    let event = NewEvent::of_quote(EventTopic::QuoteSent, presupuesto.number, total);
    let event = app.jobs().event(Some(lead.empresa.id), event).await?;
    let brand = app.store.brand(record.lead.empresa.id).await?.brand;
    let missing = missing_on_quotes(&record.lead.empresa, &brand);
    let finished = Finished {
        id: presupuesto.id,
        number: presupuesto.number,
        pdf,
        put,
        events,
        deliveries,
        jobs: [mail, mensajeria, event].into_iter().flatten().collect(),
    };
    Ok(Some((finished, missing)))
}

fn by_mail(app: &App, presupuesto: &Presupuesto, id: JobId) -> NewJob {
    let payload = MailPayload {
        number: presupuesto.number.to_string(),
        title: in_lowercase(&presupuesto.document.pricing.title),
        filename: presupuesto.number.file_name(),
        pdf: WhichPdf::Sealed { presupuesto: presupuesto.id },
    };
    NewJob { id, ..app.jobs().own(JobKind::ClientMail, as_text(&payload)) }
}

fn by_messaging(app: &App, signal: PdfSignal, id: JobId, presupuesto: PresupuestoId) -> NewJob {
    let payload = PdfPayload { signal, pdf: WhichPdf::Sealed { presupuesto } };
    NewJob { id, ..app.jobs().own(JobKind::Pdf, as_text(&payload)) }
}

/// A delivery for the record. Without a job it is only simulated.
fn ordered(channel: DeliveryChannel, job: JobId, done: &Option<NewJob>) -> OrderedDelivery {
    OrderedDelivery { channel, job, simulated: done.is_none() }
}

impl Ending {
    pub(super) fn arrived(answer: String) -> Self {
        let health = super::Health::Unknown;
        Self { conclusion: Conclusion::Arrived, status: None, error: None, answer: Some(answer), health }
    }
}

pub(crate) fn as_text(payload: &impl Serialize) -> NewPayload {
    NewPayload::Text(serde_json::to_string(payload).expect("a job's data is plain"))
}

/// The number of the quote that a job carries, for people.
pub(crate) fn number_of(job: &Job) -> Option<String> {
    match job.kind {
        JobKind::ClientMail => serde_json::from_str::<MailPayload>(&job.payload).ok().map(|c| c.number),
        JobKind::Pdf => {
            let payload = serde_json::from_str::<PdfPayload>(&job.payload).ok()?;
            let number = payload.signal.filename.strip_prefix("presupuesto-")?.strip_suffix(".pdf")?;
            Some(number.to_owned())
        }
        _ => None,
    }
}

/// A title such as «Reforma de baño», for use within a sentence.
pub(super) fn in_lowercase(title: &str) -> String {
    let mut fonts = title.chars();
    fonts.next().map(|c| c.to_lowercase().chain(fonts).collect()).unwrap_or_default()
}

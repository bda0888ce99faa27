//! Jobs: how they are made, and attempts at them. Each kind has a file. What the result of an attempt means for the job
//! is decided here for all kinds.

mod acceptance;
mod attempt;
mod client_mail;
mod empresa_mail;
mod event;
mod first_attempts;
mod mail;
mod mensajeria;
mod new_jobs;
mod notice_mail;
mod paused;
mod pdf;
mod perfil;
mod person_mail;
mod presupuesto;
mod preview;
mod push;
mod receipt;
mod reminder;
mod reply;
mod reply_mail;
mod visita_mail;

use std::time::Duration;

use embudo_delivery::mail::{Failure, Phase};
use embudo_delivery::{AttemptClass, MailOutcome, WebhookAttempt};
use embudo_domain::event::Event;
use embudo_domain::job::{Delivery, Job, JobKind};
use embudo_domain::presupuesto::{OrderedDelivery, PresupuestoNumber, StoredPdf};
use embudo_domain::{PresupuestoId, Timestamp};
use embudo_store::outbox::NewJob;

use crate::blobs::PutBlob;
use crate::{App, Receiver};

pub(crate) use client_mail::MailPayload;
pub(crate) use first_attempts::{start_chain, try_now};
pub(crate) use new_jobs::NewJobs;
pub(crate) use paused::{Pauses, let_through};
pub(crate) use pdf::{PdfPayload, WhichPdf};
pub(crate) use presupuesto::{PresupuestoPayload, as_text, number_of};
pub use preview::{Preview, PreviewedMail};
pub(crate) use preview::{letter_to, preview};
pub(crate) use push::PushPayload;
pub(crate) use receipt::ReceiptPayload;
pub(crate) use reply_mail::ReplyMailPayload;
pub(crate) use visita_mail::{VisitaMail, VisitaNews};

/// A drawn quote, to be stored together with the end of its job.
pub(crate) struct Finished {
    pub id: PresupuestoId,
    pub number: PresupuestoNumber,
    pub pdf: StoredPdf,
    /// The PDF's bytes, if it was drawn just now.
    pub put: Option<PutBlob>,
    pub events: Vec<Event>,
    /// The jobs that deliver the quote, and the job that reports it as an event.
    pub jobs: Vec<NewJob>,
    /// Every delivery, including simulated ones.
    pub deliveries: Vec<OrderedDelivery>,
}

/// What follows from an attempt besides its end.
pub(crate) enum Aftermath {
    Nothing,
    /// These jobs, whatever the end of the attempt is.
    Jobs(Vec<NewJob>),
    Quote(Box<Finished>),
}

/// How an attempt ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub conclusion: Conclusion,
    pub status: Option<u16>,
    pub error: Option<String>,
    pub answer: Option<String>,
    pub health: Health,
}

/// What an attempt shows about the state of the receiver, for the circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    /// The receiver works, even if it refused this message.
    Good,
    /// The receiver cannot be reached, or it fails.
    Bad,
    /// Nothing: the attempt failed before it reached the receiver.
    Unknown,
}

/// What the end of an attempt means for the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conclusion {
    Arrived,
    /// Another attempt makes sense, but not before this time has passed.
    Retry(Option<Duration>),
    /// Another attempt makes no sense.
    Never,
    Doubt,
    /// The message is no longer wanted.
    Unwanted,
    /// There is nothing to send here: other jobs send it, or have sent it.
    HandedOn,
    /// It is too late to send it.
    Expired,
}

/// Makes one attempt, which begins at `start`.
async fn attempt(app: &App, job: &Job, start: Timestamp) -> (Ending, Aftermath) {
    let ending = match job.kind {
        JobKind::Perfil => perfil::attempt(app, job, start).await,
        JobKind::Mensajeria => mensajeria::attempt(app, job, start).await,
        JobKind::EmpresaMail | JobKind::FormNotice => {
            let (ending, people) = empresa_mail::attempt(app, job).await;
            return (ending, Aftermath::Jobs(people));
        }
        JobKind::PersonNotice => person_mail::attempt(app, job).await,
        JobKind::PushNotice => {
            let (ending, devices) = push::attempt(app, job, start).await;
            return (ending, Aftermath::Jobs(devices));
        }
        JobKind::VisitaMail => visita_mail::attempt(app, job).await,
        JobKind::Pdf => pdf::attempt(app, job, start).await,
        JobKind::ClientMail => client_mail::attempt(app, job).await,
        JobKind::AcceptanceMail => acceptance::attempt_mail(app, job).await,
        JobKind::Acceptance => {
            let (ending, mail) = acceptance::attempt(app, job).await;
            return (ending, mail.map_or(Aftermath::Nothing, |mail| Aftermath::Jobs(vec![mail])));
        }
        JobKind::FormReceipt => receipt::attempt(app, job).await,
        JobKind::Reminder => reminder::attempt(app, job).await,
        JobKind::Reply => reply::attempt(app, job, start).await,
        JobKind::Event => event::attempt(app, job, start).await,
        JobKind::ReplyMail => reply_mail::attempt(app, job).await,
        JobKind::Presupuesto => {
            let (ending, finished) = presupuesto::attempt(app, job).await;
            return (ending, finished.map_or(Aftermath::Nothing, |f| Aftermath::Quote(Box::new(f))));
        }
    };
    (ending, Aftermath::Nothing)
}

impl Ending {
    /// The job cannot be sent as it is.
    pub fn never(error: impl Into<String>) -> Self {
        Self {
            conclusion: Conclusion::Never,
            status: None,
            error: Some(error.into()),
            answer: None,
            health: Health::Unknown,
        }
    }

    /// The message is no longer wanted.
    pub fn unwanted(why: impl Into<String>) -> Self {
        Self { conclusion: Conclusion::Unwanted, ..Self::never(why) }
    }

    /// Other jobs send it.
    pub fn handed_on(to: String) -> Self {
        Self { conclusion: Conclusion::HandedOn, error: None, answer: Some(to), ..Self::never("") }
    }

    /// It is too late to send it.
    pub fn expired(why: impl Into<String>) -> Self {
        Self { conclusion: Conclusion::Expired, ..Self::never(why) }
    }

    /// The job cannot be sent now; another attempt follows after the time `wait`.
    pub fn not_before(wait: Duration, why: impl Into<String>) -> Self {
        Self { conclusion: Conclusion::Retry(Some(wait)), ..Self::never(why) }
    }

    /// A part of our own system could not be reached, so another attempt follows.
    pub fn retry(error: impl Into<String>) -> Self {
        Self { conclusion: Conclusion::Retry(None), ..Self::never(error) }
    }

    /// The entry of this attempt in the delivery log.
    pub fn delivery(&self, start: Timestamp, duration: Duration) -> Delivery {
        Delivery {
            start,
            duracion_ms: i64::try_from(duration.as_millis()).unwrap_or(i64::MAX),
            ok: matches!(self.conclusion, Conclusion::Arrived | Conclusion::HandedOn),
            status: self.status,
            error: self.error.clone(),
            answer: self.answer.clone(),
        }
    }
}

impl Ending {
    /// The end of an attempt at a signal. Only the server's own receivers count for the circuit breaker: the receiver
    /// of one company says nothing about the receivers of other companies.
    pub fn of_signal(attempt: WebhookAttempt, receiver: &Receiver) -> Self {
        let ending = Self::from(attempt);
        match receiver {
            Receiver::Server(_) => ending,
            Receiver::Own { .. } => Self { health: Health::Unknown, ..ending },
        }
    }
}

impl From<WebhookAttempt> for Ending {
    fn from(intento: WebhookAttempt) -> Self {
        let (conclusion, health) = match intento.class {
            AttemptClass::Ok => (Conclusion::Arrived, Health::Good),
            AttemptClass::Retry => (Conclusion::Retry(intento.retry_after), Health::Bad),
            AttemptClass::End => (Conclusion::Never, Health::Good),
        };
        // PostgreSQL cannot store U+0000, and a receiver may answer anything.
        let answer = Some(intento.answer.replace('\0', "")).filter(|r| !r.is_empty());
        Self { conclusion, status: intento.status, error: intento.error, answer, health }
    }
}

impl From<MailOutcome> for Ending {
    fn from(result: MailOutcome) -> Self {
        let with = |conclusion, failure: Failure| Self {
            conclusion,
            status: failure.code,
            error: Some(failure.to_string().replace('\0', "")),
            answer: None,
            health: mail_health(&failure),
        };
        match result {
            MailOutcome::Sent(text) => Self {
                conclusion: Conclusion::Arrived,
                status: Some(250),
                error: None,
                answer: Some(text.replace('\0', "")),
                health: Health::Good,
            },
            MailOutcome::Permanent(failure) => with(Conclusion::Never, failure),
            MailOutcome::Temporary(failure) => with(Conclusion::Retry(None), failure),
            MailOutcome::Doubtful(failure) => with(Conclusion::Doubt, failure),
        }
    }
}

/// A server that refuses a recipient (for now or permanently) or a message (permanently) works well. The code 421 means
/// that the server is closing down.
fn mail_health(failure: &Failure) -> Health {
    match (failure.phase, failure.code) {
        (Phase::Message, _) => Health::Unknown,
        (Phase::Recipient, Some(code)) if code != 421 => Health::Good,
        (Phase::Content | Phase::Final, Some(500..)) => Health::Good,
        _ => Health::Bad,
    }
}

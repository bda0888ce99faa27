//! A mail about a visit, to the client or to a person of the company who goes to the visit, with an invitation for
//! their calendar.

use embudo_delivery::MailMessage;
use embudo_delivery::mail::MailCalendar;
use embudo_domain::brand::Brand;
use embudo_domain::connections::Sender;
use embudo_domain::job::Job;
use embudo_domain::lead::Lead;
use embudo_domain::user::User;
use embudo_domain::visita::{
    Attendee, CalendarMethod, IcsEvent, IcsStatus, SpanishTimeZone, Visita, VisitaState, calendar,
};
use embudo_domain::{UserId, VisitaId};
use embudo_store::StoreError;
use serde::{Deserialize, Serialize};

use super::Ending;
use super::mail::{message_id, no_mail, send_mail};
use crate::leads::NO_EMAIL;
use crate::reminders::is_archived;
use crate::visit_letter::{Reader, VisitLetter};
use crate::visits::ics_event;
use crate::{App, OutboundMail};

/// The news about the visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VisitaNews {
    /// There are slots to choose from.
    #[serde(rename = "propuesta")]
    Proposed,
    /// A time is agreed, for the first time or again.
    #[serde(rename = "acordada")]
    Agreed,
    #[serde(rename = "cancelada")]
    Cancelled,
    #[serde(rename = "recordatorio")]
    Reminder,
    /// The visit took place, or the client was not there. No mail is sent.
    #[serde(rename = "cerrada")]
    Closed,
}

/// The payload of the job. Addresses and times are looked up when the mail is sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct VisitaMail {
    pub visita: VisitaId,
    #[serde(rename = "que")]
    pub what: VisitaNews,
    /// The revision of the visit when the mail was made.
    pub revision: i64,
    #[serde(rename = "secuencia")]
    pub sequence: u32,
    /// The person of the company who gets this mail; `None`: the client gets it.
    #[serde(rename = "persona")]
    pub user: Option<UserId>,
}

/// Whether a mail about a visit is to the client, and not to a person of the company.
pub(super) fn is_to_client(job: &Job) -> bool {
    serde_json::from_str::<VisitaMail>(&job.payload).is_ok_and(|payload| payload.user.is_none())
}

pub(super) async fn attempt(app: &App, job: &Job) -> Ending {
    let Some(mail) = &app.outbound.mail else { return no_mail() };
    match compose(app, job, mail).await {
        Ok(message) => send_mail(app, job, &mail.client, &message).await,
        Err(ending) => ending,
    }
}

/// The mail as it will be sent. An error if the visit has changed since.
pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<MailMessage, Ending> {
    let retry = |error: StoreError| Ending::retry(error.to_string());
    let payload: VisitaMail = serde_json::from_str(&job.payload)
        .map_err(|_| Ending::never("el correo guardado no se puede leer"))?;
    let visita = app.store.visita(payload.visita).await.map_err(retry)?;
    let visita = visita.ok_or_else(|| Ending::never("la visita ya no existe"))?;
    let zone = app.visits().zone(visita.empresa).await.map_err(retry)?;
    is_still_so(app, &payload, &visita, zone)?;
    if payload.what == VisitaNews::Reminder {
        match is_archived(app, visita.lead, visita.empresa).await {
            Ok(true) => return Err(Ending::unwanted("el lead está archivado")),
            // Whether the lead still exists is checked below.
            Ok(false) | Err(StoreError::LeadNotFound) => {}
            Err(error) => return Err(retry(error)),
        }
    }
    let lead = match app.store.record(visita.lead).await {
        Ok(record) => record.lead,
        Err(StoreError::LeadNotFound) => return Err(Ending::never("el lead ya no existe")),
        Err(error) => return Err(retry(error)),
    };
    if payload.user.is_none() && lead.mail().is_none() {
        return Err(Ending::unwanted(NO_EMAIL));
    }
    let brand = app.store.brand(lead.empresa.id).await.map_err(retry)?.brand;
    let sender = app.store.settings(lead.empresa.id).await.map_err(retry)?.connections.sender;
    let sender = sender.complete(mail.from_name.as_deref(), &lead.empresa, &brand);
    let person = match payload.user {
        Some(id) => Some(person(app, id, &visita).await?),
        None => None,
    };
    Ok(Writing { app, job, mail, payload: &payload, visita: &visita, zone, lead, brand, sender, person }
        .message())
}

/// Checks that the mail is still right; an error if a later change has made it wrong.
fn is_still_so(
    app: &App,
    payload: &VisitaMail,
    visita: &Visita,
    zone: SpanishTimeZone,
) -> Result<(), Ending> {
    let now = app.now();
    let is_agreed = visita.state == VisitaState::Confirmada && visita.sequence == payload.sequence;
    let is_over = visita.end().is_some_and(|end| end <= now);
    let holds = match payload.what {
        VisitaNews::Proposed => {
            let is_proposed = visita.state == VisitaState::Propuesta && visita.revision == payload.revision;
            is_proposed && visita.open_slots(now).next().is_some()
        }
        VisitaNews::Agreed => is_agreed,
        VisitaNews::Reminder => is_agreed && visita.start.is_some_and(|start| start > now),
        // This person was removed from the visit, or the whole visit is cancelled.
        VisitaNews::Cancelled => {
            let is_off = payload.user.is_some_and(|person| !visita.people.contains(&person));
            is_off || visita.state == VisitaState::Cancelada
        }
        VisitaNews::Closed => false,
    };
    if !holds {
        return Err(Ending::unwanted("la visita ha cambiado desde entonces"));
    }
    if is_over {
        return Err(Ending::unwanted("la visita ya ha pasado"));
    }
    match zone.until_decent_hour(now) {
        Some(wait) if payload.what == VisitaNews::Reminder => Err(Ending::not_before(
            std::time::Duration::try_from(wait).unwrap_or_default(),
            "a estas horas no se escribe al cliente",
        )),
        _ => Ok(()),
    }
}

async fn person(app: &App, id: UserId, visita: &Visita) -> Result<User, Ending> {
    let user = app.store.user(id).await.map_err(|error| Ending::retry(error.to_string()))?;
    let user = user.filter(|user| user.goes_in(visita.empresa));
    user.ok_or_else(|| Ending::unwanted("esa persona ya no trabaja en la empresa"))
}

struct Writing<'a> {
    app: &'a App,
    job: &'a Job,
    mail: &'a OutboundMail,
    payload: &'a VisitaMail,
    visita: &'a Visita,
    zone: SpanishTimeZone,
    lead: Lead,
    brand: Brand,
    sender: Sender,
    person: Option<User>,
}

impl Writing<'_> {
    /// Whether the reader was removed from a visit that still takes place.
    fn is_off(&self) -> bool {
        let is_off = self.payload.user.is_some_and(|person| !self.visita.people.contains(&person));
        is_off && self.payload.what == VisitaNews::Cancelled && self.visita.state != VisitaState::Cancelada
    }

    fn message(self) -> MailMessage {
        let visits = self.app.visits();
        let (reader, to, nombre, link) = match &self.person {
            Some(user) => (
                Reader::Person,
                user.email.normal.clone(),
                user.nombre.clone(),
                visits.panel_url(self.visita),
            ),
            None => {
                let link = visits.page_url(self.visita);
                (Reader::Client, self.lead.email.clone(), self.lead.name(), link)
            }
        };
        let letter = VisitLetter {
            news: self.payload.what,
            reader,
            visita: self.visita,
            zone: self.zone,
            lead: &self.lead,
            brand: &self.brand,
            nombre: &nombre,
            link: link.as_deref(),
            is_off: self.is_off(),
            now: self.app.now(),
        };
        let written = letter.write();
        let calendar = self.invitation(Attendee { nombre, email: to.clone() }, &written.title, link);
        let message = written.mail.addressed(self.mail, self.sender, to, message_id(self.job));
        MailMessage { calendar, ..message }
    }

    /// The calendar invitation. Its organizer is the sender of the mail, because calendar programs do not trust any
    /// other organizer.
    fn invitation(&self, attendee: Attendee, summary: &str, url: Option<String>) -> Option<MailCalendar> {
        let method = match self.payload.what {
            VisitaNews::Agreed => CalendarMethod::Request,
            VisitaNews::Cancelled => CalendarMethod::Cancel,
            VisitaNews::Proposed | VisitaNews::Reminder | VisitaNews::Closed => return None,
        };
        let email = self.sender.email.as_ref().unwrap_or(&self.mail.from).clone();
        let organizer = Attendee { nombre: self.lead.empresa.nombre.clone(), email };
        let event = IcsEvent {
            summary: summary.to_owned(),
            description: url.clone().unwrap_or_default(),
            url,
            organizer: Some(organizer),
            attendee: Some(attendee),
            status: match method {
                CalendarMethod::Request => IcsStatus::Confirmed,
                CalendarMethod::Cancel if self.is_off() => IcsStatus::Unsaid,
                CalendarMethod::Cancel => IcsStatus::Cancelled,
            },
            ..ics_event(self.visita)?
        };
        Some(MailCalendar { method: method.as_str(), text: calendar(Some(method), None, &[event]) })
    }
}

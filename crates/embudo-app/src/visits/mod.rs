//! Visits: offering slots; agreeing on, moving, cancelling and closing visits; and the mails about them.

mod client;
mod feed;
mod measured;
mod offer;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::JobKind;
use embudo_domain::provincia::Provincia;
use embudo_domain::signal::NewEvent;
use embudo_domain::visita::{
    Agenda, Busy, DaysOff, MAX_FREE, SlotSearch, SpanishTimeZone, VisitSettings, Visita, VisitaState,
    is_within_hours, overlapping, reminder_at, slots,
};
use embudo_domain::{EmpresaId, LeadId, Timestamp, UserId, VisitaId};
use embudo_store::Result;
use embudo_store::outbox::NewJob;
use embudo_store::visits::{Claim, MAX_LISTED, SaveVisita, StoredAgenda, VisitaChange};
use jiff::SignedDuration;

pub use client::ClientChange;
pub(crate) use feed::ics_event;
pub use offer::Offer;

use crate::jobs::{VisitaMail, VisitaNews, as_text};
use crate::{Actor, App};

#[derive(Clone, Copy)]
pub struct Visits<'a> {
    pub(crate) app: &'a App,
}

/// A visit that a person prepares.
#[derive(Debug, Clone)]
pub struct NewVisita {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub minutes: u32,
    pub address: String,
    pub people: Vec<UserId>,
    pub notes: String,
}

/// The people who get a mail about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tell {
    /// The client, and the people of the company who go to the visit.
    Everybody,
    /// Only the people of the company: the person who changed the visit chose not to write to the client.
    People,
}

/// Whether conflicts prevent a visit from being saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflicts {
    /// If its people have other visits at that time, the visit is not saved.
    Heed,
    /// The person saw the conflicts and saves the visit anyway.
    Override,
}

/// What a person should know before a visit is agreed for a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisitWarning {
    /// A person has another visit at that time, or too little time between the two.
    Overlap(Busy),
    /// The visit is outside the hours of a person who goes, or on a day off.
    OutsideHours,
    /// A person who should go no longer works for the company.
    Gone(UserId),
}

/// How many days ahead slots are searched.
const SEARCH_DAYS: u16 = 28;
/// The maximum number of slots that are offered on one day, spread over the day.
const SLOTS_OF_A_DAY: usize = 3;

impl Visits<'_> {
    /// A company's settings for visits, and its time zone.
    pub async fn settings(self, empresa: EmpresaId) -> Result<(VisitSettings, SpanishTimeZone)> {
        let settings = self.app.store.settings(empresa).await?.visits;
        let zone = match settings.zone {
            Some(zone) => zone,
            None => settings.zone(self.app.store.brand(empresa).await?.brand.address.as_deref()),
        };
        Ok((settings, zone))
    }

    pub async fn zone(self, empresa: EmpresaId) -> Result<SpanishTimeZone> {
        Ok(self.settings(empresa).await?.1)
    }

    /// A new visit, not stored yet.
    pub fn prepare(self, new: NewVisita) -> Visita {
        let now = self.app.now();
        Visita {
            id: VisitaId(self.app.id()),
            lead: new.lead,
            empresa: new.empresa,
            state: VisitaState::Propuesta,
            revision: 0,
            sequence: 0,
            slots: Vec::new(),
            start: None,
            minutes: new.minutes,
            address: new.address,
            people: new.people,
            notes: new.notes,
            measurements: String::new(),
            creada_en: now,
            cambiada_en: now,
            cancelled: None,
        }
    }

    /// The slots at which all these people are free, late enough that a client may still change the visit.
    pub async fn free_slots(
        self,
        empresa: EmpresaId,
        place: (&VisitSettings, SpanishTimeZone),
        people: &[UserId],
        minutes: u32,
        except: Option<VisitaId>,
        most: usize,
    ) -> Result<Vec<Timestamp>> {
        let search = SlotSearch { most, ..self.search(place, minutes) };
        let from = search.from;
        let until = from.saturating_add(SignedDuration::from_hours(24 * (i64::from(SEARCH_DAYS) + 2)));
        let until = until.unwrap_or(Timestamp::MAX);
        let mut busy = self.app.store.busy(people, from, until).await?;
        busy.retain(|other| Some(other.visita) != except);
        Ok(slots(&search, &self.hours(empresa, people).await?, &busy))
    }

    fn search(self, (settings, zone): (&VisitSettings, SpanishTimeZone), minutes: u32) -> SlotSearch {
        let from = self.app.now().saturating_add(settings.notice()).unwrap_or(Timestamp::MAX);
        let most = MAX_FREE;
        SlotSearch { zone, from, minutes, days: SEARCH_DAYS, most, of_a_day: SLOTS_OF_A_DAY }
    }

    /// The warnings about a visit: at its time if that is agreed, otherwise at each proposed slot that has not passed.
    pub async fn warnings(
        self,
        visita: &Visita,
        zone: SpanishTimeZone,
    ) -> Result<Vec<(Timestamp, VisitWarning)>> {
        let now = self.app.now();
        let starts: Vec<Timestamp> = match visita.state {
            VisitaState::Propuesta => visita.slots.iter().copied().filter(|slot| *slot > now).collect(),
            VisitaState::Confirmada => visita.start.into_iter().collect(),
            _ => Vec::new(),
        };
        let (Some(first), Some(last)) = (starts.first(), starts.last()) else { return Ok(Vec::new()) };
        let agendas = self.agendas(&visita.people).await?;
        let busy = self.busy_around(visita, *first, *last, buffer(&agendas)).await?;
        let hours = self.hours(visita.empresa, &visita.people).await?;
        let mut found = Vec::new();
        for start in &starts {
            let overlaps = overlapping(*start, *start + visita.length(), buffer(&agendas), &busy);
            found.extend(overlaps.into_iter().map(|busy| (*start, VisitWarning::Overlap(busy))));
            if !is_within_hours(zone, *start, visita.minutes, &hours) {
                found.push((*start, VisitWarning::OutsideHours));
            }
        }
        let gone = self.gone(visita).await?;
        found.extend(gone.into_iter().map(|person| (*first, VisitWarning::Gone(person))));
        Ok(found)
    }

    /// Whether a person takes part in the work for a lead: they are assigned to one of its visits.
    pub async fn takes_part(self, user: UserId, lead: LeadId) -> Result<bool> {
        let visits = self.app.store.visitas_of(lead, MAX_LISTED).await?;
        Ok(visits.iter().any(|visita| visita.is_of(user)))
    }

    /// The people who should go on a visit but no longer work for its company.
    pub async fn gone(self, visita: &Visita) -> Result<Vec<UserId>> {
        let mut gone = Vec::new();
        for person in &visita.people {
            let user = self.app.store.user(*person).await?;
            if !user.is_some_and(|user| user.goes_in(visita.empresa)) {
                gone.push(*person);
            }
        }
        Ok(gone)
    }

    /// The other visits of its people, in the range from its first to its last possible start.
    async fn busy_around(
        self,
        visita: &Visita,
        first: Timestamp,
        last: Timestamp,
        buffer: SignedDuration,
    ) -> Result<Vec<Busy>> {
        let (from, to) = (first.saturating_sub(buffer), last.saturating_add(visita.length() + buffer));
        let (from, to) = (from.unwrap_or(Timestamp::MIN), to.unwrap_or(Timestamp::MAX));
        let mut busy = self.app.store.busy(&visita.people, from, to).await?;
        busy.retain(|other| other.visita != visita.id);
        Ok(busy)
    }

    /// The days on which a company makes no visits: public holidays and the days that it entered.
    pub async fn days_off(self, empresa: EmpresaId) -> Result<Vec<DaysOff>> {
        let settings = self.app.store.settings(empresa).await?.visits;
        Ok(settings.days_off(self.provincia(empresa).await?))
    }

    /// The province of a company, by its address.
    pub async fn provincia(self, empresa: EmpresaId) -> Result<Option<Provincia>> {
        Ok(self.app.store.brand(empresa).await?.brand.address.as_deref().and_then(Provincia::of_address))
    }

    /// The hours of each of these people, without the days on which the company is closed.
    async fn hours(self, empresa: EmpresaId, people: &[UserId]) -> Result<Vec<Agenda>> {
        let closed = self.days_off(empresa).await?;
        let mut agendas: Vec<_> = self.agendas(people).await?.into_iter().map(|kept| kept.agenda).collect();
        for agenda in &mut agendas {
            agenda.days_off.extend(&closed);
        }
        Ok(agendas)
    }

    async fn agendas(self, people: &[UserId]) -> Result<Vec<StoredAgenda>> {
        self.app.store.agendas(people).await
    }

    /// The condition under which a visit is saved: these people must be free.
    async fn if_free(self, people: &[UserId]) -> Result<Claim> {
        Ok(Claim::Free(buffer(&self.agendas(people).await?)))
    }

    /// Stores a visit that a person changed. `before` is the state that they saw; `None` for a new visit. If the visit
    /// takes other time of its people than before, and conflicts are not overridden, the store checks for conflicts
    /// while saving, because the data that was read before may have changed.
    pub async fn keep(
        self,
        before: Option<&Visita>,
        after: Visita,
        conflicts: Conflicts,
        tell: Tell,
        actor: &Actor,
    ) -> Result<VisitaChange> {
        let zone = self.zone(after.empresa).await?;
        let action = if before.is_none() { AuditAction::VisitaCreated } else { AuditAction::VisitaChanged };
        let audit = AuditEntry {
            empresa: Some(after.empresa),
            object: Some(after.lead.to_string()),
            before: before.map(|visita| audit_text(visita, zone)),
            after: Some(audit_text(&after, zone)),
            ..self.app.access().audit(actor, action)
        };
        let claim = match conflicts {
            Conflicts::Heed if takes_other_time(before, &after, self.app.now()) => {
                self.if_free(&after.people).await?
            }
            _ => Claim::Anyway,
        };
        self.save(before, after, claim, tell, zone, Some(audit)).await
    }

    async fn save(
        self,
        before: Option<&Visita>,
        after: Visita,
        claim: Claim,
        tell: Tell,
        zone: SpanishTimeZone,
        audit: Option<AuditEntry>,
    ) -> Result<VisitaChange> {
        let at = self.app.now();
        let mut jobs = self.mails(before, &after, tell, zone);
        if let Some(event) = NewEvent::of_visit(before, &after) {
            jobs.extend(self.app.jobs().event(Some(after.empresa), event).await?);
        }
        let event = news(before, &after).map(|what| Event {
            kind: EventKind::Visita,
            simulated: false,
            ok: true,
            detail: Some(history_text(what, &after, zone, audit.as_ref().map(|entry| entry.who.as_str()))),
            creado_en: at,
        });
        let seen = before.map(|visita| visita.revision);
        let command = SaveVisita { visita: after, seen, claim, event, jobs, audit, at };
        let change = self.app.store.save_visita(command).await?;
        if matches!(change, VisitaChange::Saved(_)) {
            self.app.attempts.notify();
        }
        Ok(change)
    }

    /// The mails that a change causes, each once: a mail is not sent if a later change makes it wrong. There are no
    /// mails about a visit that is over.
    fn mails(
        self,
        before: Option<&Visita>,
        after: &Visita,
        tell: Tell,
        zone: SpanishTimeZone,
    ) -> Vec<NewJob> {
        let (true, Some(what)) = (self.app.outbound.mail.is_some(), news(before, after)) else {
            return Vec::new();
        };
        let now = self.app.now();
        if after.is_over(now) || (what == VisitaNews::Cancelled && before.is_some_and(|b| b.is_over(now))) {
            return Vec::new();
        }
        let mail = |what: VisitaNews, user: Option<UserId>| {
            let revision = before.map_or(0, |visita| visita.revision) + 1;
            let payload = VisitaMail { visita: after.id, what, revision, sequence: after.sequence, user };
            self.app.jobs().shared(JobKind::VisitaMail, as_text(&payload))
        };
        let mut jobs = Vec::new();
        if tell == Tell::Everybody {
            jobs.push(mail(what, None));
        }
        let was_agreed = before.is_some_and(Visita::takes_time);
        if what == VisitaNews::Agreed || (what == VisitaNews::Cancelled && was_agreed) {
            jobs.extend(after.people.iter().map(|person| mail(what, Some(*person))));
        }
        let gone = before.filter(|visita| visita.is_ahead(now)).map_or(&[][..], |visita| &visita.people);
        let gone = gone.iter().filter(|person| !after.people.contains(person));
        jobs.extend(gone.map(|person| mail(VisitaNews::Cancelled, Some(*person))));
        let reminder = after.start.filter(|_| what == VisitaNews::Agreed && tell == Tell::Everybody);
        let reminder = reminder.and_then(|start| reminder_at(zone, start, now));
        jobs.extend(reminder.map(|at| NewJob { proximo_en: Some(at), ..mail(VisitaNews::Reminder, None) }));
        jobs
    }
}

/// Whether the change adds the visit to calendars, or changes its time, length or people there. Only then conflicts are
/// checked.
fn takes_other_time(before: Option<&Visita>, after: &Visita, now: Timestamp) -> bool {
    let time = |visita: &Visita| (visita.start, visita.minutes, visita.people.clone());
    after.is_ahead(now) && before.filter(|b| b.takes_time()).is_none_or(|b| time(b) != time(after))
}

/// The longest buffer that any of these people wants between two visits.
fn buffer(agendas: &[StoredAgenda]) -> SignedDuration {
    let longest = agendas.iter().map(|kept| i64::from(kept.agenda.buffer)).max();
    SignedDuration::from_mins(longest.unwrap_or(0))
}

/// The news for the people who get a mail about a change.
fn news(before: Option<&Visita>, after: &Visita) -> Option<VisitaNews> {
    let state = before.map(|visita| visita.state);
    match after.state {
        VisitaState::Propuesta
            if !after.slots.is_empty() && before.is_none_or(|b| b.slots != after.slots) =>
        {
            Some(VisitaNews::Proposed)
        }
        VisitaState::Confirmada if state != Some(VisitaState::Confirmada) => Some(VisitaNews::Agreed),
        VisitaState::Confirmada if before.is_some_and(|b| b.sequence != after.sequence) => {
            Some(VisitaNews::Agreed)
        }
        VisitaState::Cancelada if state != Some(VisitaState::Cancelada) => Some(VisitaNews::Cancelled),
        VisitaState::Realizada | VisitaState::NoPresentado if state != Some(after.state) => {
            Some(VisitaNews::Closed)
        }
        _ => None,
    }
}

/// The text for the lead's history. Without a person of the company, the author is the client.
fn history_text(what: VisitaNews, visita: &Visita, zone: SpanishTimeZone, by: Option<&str>) -> String {
    let by = by.unwrap_or("el cliente");
    let when = visita.start.map(|start| zone.short(start)).unwrap_or_default();
    match what {
        VisitaNews::Proposed if visita.slots.len() == 1 => "propuesta con una hora para elegir".to_owned(),
        VisitaNews::Proposed => format!("propuesta con {} horas para elegir", visita.slots.len()),
        VisitaNews::Agreed if visita.sequence > 0 => format!("cambiada: {when}"),
        VisitaNews::Agreed => format!("confirmada: {when}"),
        VisitaNews::Cancelled if when.is_empty() => format!("cancelada por {by} antes de elegir hora"),
        VisitaNews::Cancelled => format!("cancelada por {by}; era {when}"),
        VisitaNews::Reminder => format!("recordatorio: {when}"),
        VisitaNews::Closed => format!("{}: {when}", visita.state.label().to_lowercase()),
    }
}

/// The text for the audit log, without personal data.
fn audit_text(visita: &Visita, zone: SpanishTimeZone) -> String {
    let when = visita.start.map_or_else(|| "sin hora".to_owned(), |start| zone.short(start));
    let people = match visita.people.len() {
        1 => "1 persona".to_owned(),
        many => format!("{many} personas"),
    };
    format!("{}, {when}, {} min, {people}", visita.state, visita.minutes)
}

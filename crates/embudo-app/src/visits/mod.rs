//! Visits: slots that are offered, visits that are agreed, moved, cancelled and closed, and who is told of it.

mod client;
mod feed;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::JobKind;
use embudo_domain::visita::{
    Busy, SlotSearch, VisitSettings, Visita, VisitaState, Zone, is_within_hours, overlapping, reminder_at,
    slots,
};
use embudo_domain::{EmpresaId, LeadId, Timestamp, UserId, VisitaId};
use embudo_store::Result;
use embudo_store::outbox::NewJob;
use embudo_store::visits::{Claim, SaveVisita, StoredAgenda, VisitaChange};
use jiff::SignedDuration;

pub use client::ClientChange;
pub(crate) use feed::ics_event;

use crate::jobs::{VisitaMail, VisitaNews, as_text};
use crate::{Actor, App};

#[derive(Clone, Copy)]
pub struct Visits<'a> {
    pub(crate) app: &'a App,
}

/// What a person prepares.
#[derive(Debug, Clone)]
pub struct NewVisita {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub minutes: u32,
    pub address: String,
    pub people: Vec<UserId>,
    pub notes: String,
}

/// Who is told of a change by mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tell {
    /// The client, and those who go.
    Everybody,
    /// Those who go; the client knows already.
    People,
}

/// What a person should know before a visit is agreed for a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisitWarning {
    /// Somebody has another visit then, or too little time to it.
    Overlap(Busy),
    /// It is outside the hours of somebody who goes, or on a day off.
    OutsideHours,
}

/// How far ahead slots are looked for.
const SEARCH_DAYS: u16 = 28;
const SLOTS_OF_A_DAY: usize = 3;

impl Visits<'_> {
    /// How a company makes its visits, and where it is.
    pub async fn settings(self, empresa: EmpresaId) -> Result<(VisitSettings, Zone)> {
        let settings = self.app.store.settings(empresa).await?.visits;
        let zone = match settings.zone {
            Some(zone) => zone,
            None => settings.zone(self.app.store.brand(empresa).await?.brand.address.as_deref()),
        };
        Ok((settings, zone))
    }

    pub async fn zone(self, empresa: EmpresaId) -> Result<Zone> {
        Ok(self.settings(empresa).await?.1)
    }

    /// A new visit, not kept yet.
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
        }
    }

    /// When all these people are free.
    pub async fn free_slots(
        self,
        zone: Zone,
        people: &[UserId],
        minutes: u32,
        except: Option<VisitaId>,
        most: usize,
    ) -> Result<Vec<Timestamp>> {
        let from = self.app.now();
        let search = SlotSearch { zone, from, minutes, days: SEARCH_DAYS, most, of_a_day: SLOTS_OF_A_DAY };
        let until = from.saturating_add(SignedDuration::from_hours(24 * (i64::from(SEARCH_DAYS) + 2)));
        let until = until.unwrap_or(Timestamp::MAX);
        let mut busy = self.app.store.busy(people, from, until).await?;
        busy.retain(|other| Some(other.visita) != except);
        let agendas: Vec<_> = self.agendas(people).await?.into_iter().map(|kept| kept.agenda).collect();
        Ok(slots(&search, &agendas, &busy))
    }

    /// What stands in the way of a visit that is agreed for its time.
    pub async fn warnings(self, visita: &Visita, zone: Zone) -> Result<Vec<VisitWarning>> {
        let (Some(start), Some(end)) = (visita.start, visita.end()) else { return Ok(Vec::new()) };
        let agendas = self.agendas(&visita.people).await?;
        let buffer = buffer(&agendas);
        let (from, to) = (start.saturating_sub(buffer), end.saturating_add(buffer));
        let (from, to) = (from.unwrap_or(Timestamp::MIN), to.unwrap_or(Timestamp::MAX));
        let mut busy = self.app.store.busy(&visita.people, from, to).await?;
        busy.retain(|other| other.visita != visita.id);
        let mut found: Vec<VisitWarning> =
            overlapping(start, end, buffer, &busy).into_iter().map(VisitWarning::Overlap).collect();
        let agendas: Vec<_> = agendas.into_iter().map(|kept| kept.agenda).collect();
        if !is_within_hours(zone, start, visita.minutes, &agendas) {
            found.push(VisitWarning::OutsideHours);
        }
        Ok(found)
    }

    async fn agendas(self, people: &[UserId]) -> Result<Vec<StoredAgenda>> {
        self.app.store.agendas(people).await
    }

    /// The claim of whoever must find its people free.
    async fn if_free(self, people: &[UserId]) -> Result<Claim> {
        Ok(Claim::Free(buffer(&self.agendas(people).await?)))
    }

    /// Keeps what a person made of a visit; `before` is what they saw, nothing of a new one.
    pub async fn keep(
        self,
        before: Option<&Visita>,
        after: Visita,
        tell: Tell,
        actor: &Actor,
    ) -> Result<VisitaChange> {
        let zone = self.zone(after.empresa).await?;
        let action = if before.is_none() { AuditAction::VisitaCreated } else { AuditAction::VisitaChanged };
        let audit = AuditEntry {
            empresa: Some(after.empresa),
            object: Some(after.lead.to_string()),
            before: before.map(|visita| said(visita, zone)),
            after: Some(said(&after, zone)),
            ..self.app.access().audit(actor, action)
        };
        self.save(before, after, Claim::Anyway, tell, zone, Some(audit)).await
    }

    async fn save(
        self,
        before: Option<&Visita>,
        after: Visita,
        claim: Claim,
        tell: Tell,
        zone: Zone,
        audit: Option<AuditEntry>,
    ) -> Result<VisitaChange> {
        let at = self.app.now();
        let jobs = self.mails(before, &after, tell, zone);
        let event = news(before, &after).map(|what| Event {
            kind: EventKind::Visita,
            simulated: false,
            ok: true,
            detail: Some(told(what, &after, zone)),
            creado_en: at,
        });
        let seen = before.map(|visita| visita.revision);
        let command = SaveVisita { visita: after, seen, claim, event, jobs, audit, at };
        let change = self.app.store.save_visita(command).await?;
        if matches!(change, VisitaChange::Saved(_)) {
            self.app.studio.notify();
        }
        Ok(change)
    }

    /// The mails that a change causes, each once: a mail that a later change overtakes is not sent.
    fn mails(self, before: Option<&Visita>, after: &Visita, tell: Tell, zone: Zone) -> Vec<NewJob> {
        let (true, Some(what)) = (self.app.outbound.mail.is_some(), news(before, after)) else {
            return Vec::new();
        };
        let mail = |what: VisitaNews, persona: Option<UserId>| {
            let revision = before.map_or(0, |visita| visita.revision) + 1;
            let payload = VisitaMail { visita: after.id, what, revision, sequence: after.sequence, persona };
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
        let gone = before.filter(|visita| visita.takes_time()).map_or(&[][..], |visita| &visita.people);
        let gone = gone.iter().filter(|person| !after.people.contains(person));
        jobs.extend(gone.map(|person| mail(VisitaNews::Cancelled, Some(*person))));
        let reminder = after.start.filter(|_| what == VisitaNews::Agreed && tell == Tell::Everybody);
        let reminder = reminder.and_then(|start| reminder_at(zone, start, self.app.now()));
        jobs.extend(reminder.map(|at| NewJob { proximo_en: Some(at), ..mail(VisitaNews::Reminder, None) }));
        jobs
    }
}

/// The longest that any of them wants between two visits.
fn buffer(agendas: &[StoredAgenda]) -> SignedDuration {
    let longest = agendas.iter().map(|kept| i64::from(kept.agenda.buffer)).max();
    SignedDuration::from_mins(longest.unwrap_or(0))
}

/// What a change means to those who are told of it.
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

/// What the lead's history says.
fn told(what: VisitaNews, visita: &Visita, zone: Zone) -> String {
    let when = visita.start.map(|start| zone.short(start)).unwrap_or_default();
    match what {
        VisitaNews::Proposed => format!("propuesta con {} horas para elegir", visita.slots.len()),
        VisitaNews::Agreed if visita.sequence > 0 => format!("cambiada: {when}"),
        VisitaNews::Agreed => format!("confirmada: {when}"),
        VisitaNews::Cancelled if when.is_empty() => "cancelada antes de elegir hora".to_owned(),
        VisitaNews::Cancelled => format!("cancelada; era {when}"),
        VisitaNews::Reminder => format!("recordatorio: {when}"),
        VisitaNews::Closed => format!("{}: {when}", visita.state.words().to_lowercase()),
    }
}

/// What the audit log says of a visit: nothing personal.
fn said(visita: &Visita, zone: Zone) -> String {
    let when = visita.start.map_or_else(|| "sin hora".to_owned(), |start| zone.short(start));
    format!("{}, {when}, {} min, {} personas", visita.state, visita.minutes, visita.people.len())
}

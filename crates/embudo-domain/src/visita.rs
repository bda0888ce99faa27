//! A visit to the client's home: from the proposed slots to its result.
//!
//! Everything here is pure. Times are stored as instants; what a person reads or types is in the company's
//! [`SpanishTimeZone`].

mod agenda;
mod ics;
mod slots;
mod time_zone;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::holidays::holidays;
use crate::provincia::Provincia;
use crate::{EmpresaId, LeadId, UserId, VisitaId};

pub use agenda::{Agenda, AgendaMistake, DAY_NAMES, DaysOff, WorkSpan, write_days_off};
pub use ics::{Attendee, CalendarMethod, IcsEvent, IcsStatus, calendar};
pub use slots::{Busy, SlotSearch, is_on_offer, is_within_hours, overlapping, reminder_at, slots};
pub use time_zone::{LocalTime, SpanishTimeZone};

enumeration! {
    VisitaState {
        /// The client has slots to choose from, or no time has been proposed yet.
        Propuesta = "propuesta",
        /// The time is agreed.
        Confirmada = "confirmada",
        /// The visit took place.
        Realizada = "realizada",
        /// The client was not there.
        NoPresentado = "no_presentado",
        Cancelada = "cancelada",
    }
}

impl VisitaState {
    /// The label that people read.
    pub fn label(self) -> &'static str {
        match self {
            Self::Propuesta => "Propuesta",
            Self::Confirmada => "Confirmada",
            Self::Realizada => "Realizada",
            Self::NoPresentado => "No se presentó",
            Self::Cancelada => "Cancelada",
        }
    }
}

/// The maximum number of people on one visit.
pub const MAX_PEOPLE: usize = 5;
/// The maximum number of slots that people propose to a client at once: a mail lists them.
pub const MAX_SLOTS: usize = 12;
/// The maximum number of free slots in one search.
pub const MAX_FREE: usize = 60;
/// A visit that begins within this time is shown wherever its lead is shown.
pub const NEAR: SignedDuration = SignedDuration::from_hours(48);
/// How long a visit may take.
pub const MINUTES: std::ops::RangeInclusive<u32> = 15..=480;
/// The maximum lengths of texts, in characters.
pub const MAX_ADDRESS: usize = 300;
pub const MAX_NOTES: usize = 4_000;
/// A client cannot move a visit to a time that begins sooner than this, even if the company's limit is shorter.
pub const NOTICE: SignedDuration = SignedDuration::from_hours(2);
/// How far ahead a visit may be.
pub const HORIZON: SignedDuration = SignedDuration::from_hours(366 * 24);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visita {
    pub id: VisitaId,
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub state: VisitaState,
    /// Rises by one with every change, so that an outdated form is recognised.
    pub revision: i64,
    /// The `SEQUENCE` of its calendar entry: rises with every change that goes into calendars.
    pub sequence: u32,
    /// The start times that the client may choose from, in order.
    pub slots: Vec<Timestamp>,
    /// When it begins, once the time is agreed.
    pub start: Option<Timestamp>,
    pub minutes: u32,
    pub address: String,
    /// The people who go there, at least one.
    pub people: Vec<UserId>,
    /// What these people should know before; the client does not see it.
    pub notes: String,
    /// What was measured there.
    pub measurements: String,
    pub creada_en: Timestamp,
    pub cambiada_en: Timestamp,
    /// When and by whom it was cancelled, if known.
    pub cancelled: Option<Cancelled>,
}

/// When a visit was cancelled, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled {
    pub at: Timestamp,
    /// A person of the company. `None`: the client, through their link.
    pub by: Option<UserId>,
}

/// Why an action on a visit is not possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitaError {
    /// The action has no meaning in this state.
    State(VisitaState),
    /// The start is not one of the proposed slots.
    NotProposed,
    /// The start is past, or more than [`HORIZON`] ahead.
    OutOfReach,
    /// The start is too near for a client to move there.
    TooSoon,
    /// The client may no longer change the visit.
    TooLate,
    /// The visit has not begun.
    NotYet,
    /// There is nothing to choose from.
    NoSlots,
}

impl Visita {
    pub fn end(&self) -> Option<Timestamp> {
        self.start.and_then(|start| self.end_from(start))
    }

    fn end_from(&self, start: Timestamp) -> Option<Timestamp> {
        start.checked_add(self.length()).ok()
    }

    pub fn length(&self) -> SignedDuration {
        SignedDuration::from_mins(i64::from(self.minutes))
    }

    /// Whether the visit is agreed and not over yet. Only such a visit counts for the etapa `visita`.
    pub fn is_ahead(&self, now: Timestamp) -> bool {
        self.state == VisitaState::Confirmada && self.end().is_some_and(|end| end > now)
    }

    /// Until when this visit counts for the etapa `visita` of its lead. `None`: it does not count.
    pub fn agreed_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.end().filter(|_| self.is_ahead(now))
    }

    /// Whether the visit takes time in the calendars of its people.
    pub fn takes_time(&self) -> bool {
        self.state == VisitaState::Confirmada
    }

    /// Whether a person takes part in it, and so in the work that the visit is for.
    pub fn is_of(&self, user: UserId) -> bool {
        self.state != VisitaState::Cancelada && self.people.contains(&user)
    }

    /// Whether the visit was agreed and is over, but nobody has recorded its result yet.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.state == VisitaState::Confirmada && !self.is_ahead(now)
    }

    /// The slots that a client can still choose: any slot that people proposed, as long as it has not begun.
    pub fn open_slots(&self, now: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        self.slots.iter().copied().filter(move |slot| within_reach(*slot, now).is_ok())
    }

    /// Proposes slots, which replace the earlier ones.
    pub fn propose(mut self, slots: &[Timestamp], now: Timestamp) -> Result<Self, VisitaError> {
        self.only_in(&[VisitaState::Propuesta])?;
        let mut slots = slots.to_vec();
        slots.sort();
        slots.dedup();
        slots.truncate(MAX_SLOTS);
        slots.iter().try_for_each(|slot| within_reach(*slot, now))?;
        if slots.is_empty() {
            return Err(VisitaError::NoSlots);
        }
        self.slots = slots;
        Ok(self.changed(now))
    }

    /// The client chooses one of the slots.
    pub fn pick(self, slot: Timestamp, now: Timestamp) -> Result<Self, VisitaError> {
        self.only_in(&[VisitaState::Propuesta])?;
        if !self.slots.contains(&slot) {
            return Err(VisitaError::NotProposed);
        }
        self.agree(slot, now)
    }

    /// The client moves an agreed visit to a time that is far enough ahead to be changed once more.
    pub fn move_by_client(
        self,
        start: Timestamp,
        now: Timestamp,
        notice: SignedDuration,
    ) -> Result<Self, VisitaError> {
        self.only_in(&[VisitaState::Confirmada])?;
        within_reach(start, now)?;
        if now.duration_until(start) < notice {
            return Err(VisitaError::TooSoon);
        }
        self.agree(start, now)
    }

    /// Agrees on a start by hand. A visit that is already agreed is moved to it.
    pub fn agree(mut self, start: Timestamp, now: Timestamp) -> Result<Self, VisitaError> {
        self.only_in(&[VisitaState::Propuesta, VisitaState::Confirmada])?;
        within_reach(start, now)?;
        if self.state == VisitaState::Confirmada {
            self.sequence = self.sequence.saturating_add(1);
        }
        self.state = VisitaState::Confirmada;
        self.start = Some(start);
        Ok(self.changed(now))
    }

    /// Records a change of something that calendars show: place, length or people.
    pub fn details_changed(mut self, now: Timestamp) -> Self {
        if self.state == VisitaState::Confirmada {
            self.sequence = self.sequence.saturating_add(1);
        }
        self.changed(now)
    }

    /// Cancels the visit, by a person of the company or by the client.
    pub fn cancel(mut self, by: Option<UserId>, now: Timestamp) -> Result<Self, VisitaError> {
        self.only_in(&[VisitaState::Propuesta, VisitaState::Confirmada])?;
        self.sequence = self.sequence.saturating_add(1);
        self.state = VisitaState::Cancelada;
        self.cancelled = Some(Cancelled { at: now, by });
        Ok(self.changed(now))
    }

    /// Closes a visit that has begun. A wrong result can be corrected by closing it again.
    pub fn end_as(mut self, state: VisitaState, now: Timestamp) -> Result<Self, VisitaError> {
        let ends = [VisitaState::Realizada, VisitaState::NoPresentado];
        self.only_in(&[VisitaState::Confirmada, VisitaState::Realizada, VisitaState::NoPresentado])?;
        if !ends.contains(&state) || self.start.is_none_or(|start| start > now) {
            return Err(VisitaError::NotYet);
        }
        self.state = state;
        Ok(self.changed(now))
    }

    /// Whether the client may still move or cancel the visit. The error says why not.
    pub fn may_client_change(&self, now: Timestamp, limit: SignedDuration) -> Result<(), VisitaError> {
        match (self.state, self.start) {
            (VisitaState::Propuesta, _) => Ok(()),
            (VisitaState::Confirmada, Some(start)) if now.duration_until(start) >= limit => Ok(()),
            (VisitaState::Confirmada, _) => Err(VisitaError::TooLate),
            (state, _) => Err(VisitaError::State(state)),
        }
    }

    fn only_in(&self, states: &[VisitaState]) -> Result<(), VisitaError> {
        if states.contains(&self.state) { Ok(()) } else { Err(VisitaError::State(self.state)) }
    }

    fn changed(mut self, now: Timestamp) -> Self {
        self.cambiada_en = now;
        self
    }
}

fn within_reach(start: Timestamp, now: Timestamp) -> Result<(), VisitaError> {
    let ahead = now.duration_until(start);
    if ahead > SignedDuration::ZERO && ahead <= HORIZON { Ok(()) } else { Err(VisitaError::OutOfReach) }
}

/// How a company organises its visits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct VisitSettings {
    /// The company's time zone. If absent, it follows from the company's postal address.
    #[serde(rename = "zona")]
    pub zone: Option<SpanishTimeZone>,
    /// Until how many hours before a visit its client may move or cancel it.
    #[serde(rename = "horasLimite")]
    pub client_limit_hours: u16,
    /// How long a visit takes unless a person sets another time.
    #[serde(rename = "minutos")]
    pub minutes: u32,
    /// Whether visits are offered on public holidays too.
    #[serde(rename = "enFestivos")]
    pub on_holidays: bool,
    /// When the whole company is closed: holidays of its town, weeks of vacation.
    #[serde(rename = "cerrado")]
    pub closed: Vec<DaysOff>,
}

impl Default for VisitSettings {
    fn default() -> Self {
        Self { zone: None, client_limit_hours: 24, minutes: 60, on_holidays: false, closed: Vec::new() }
    }
}

impl VisitSettings {
    pub fn client_limit(&self) -> SignedDuration {
        SignedDuration::from_hours(i64::from(self.client_limit_hours))
    }

    /// How far ahead an offered time must begin, so that a client who takes it may still change it.
    pub fn notice(&self) -> SignedDuration {
        self.client_limit().max(NOTICE)
    }

    /// The days without visits, in a company of this province.
    pub fn days_off(&self, provincia: Option<Provincia>) -> Vec<DaysOff> {
        let holidays = match self.on_holidays {
            true => Vec::new(),
            false => holidays(provincia, Date::MIN, Date::MAX),
        };
        let of_all = holidays.into_iter().map(|holiday| DaysOff { from: holiday.day, to: holiday.day });
        self.closed.iter().copied().chain(of_all).collect()
    }

    /// The zone of the company: the one that it chose, otherwise that of its postal address.
    pub fn zone(&self, address: Option<&str>) -> SpanishTimeZone {
        self.zone.unwrap_or_else(|| SpanishTimeZone::of_address(address))
    }
}

#[cfg(test)]
mod tests;

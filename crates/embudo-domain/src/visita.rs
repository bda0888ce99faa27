//! A visit to the client's home: from slots that are proposed to what came of it.
//!
//! Everything here is pure. Instants are instants; what a person reads or types is in the company's [`Zone`].

mod agenda;
mod ics;
mod slots;
mod zone;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::holidays::holidays;
use crate::provincia::Provincia;
use crate::{EmpresaId, LeadId, UserId, VisitaId};

pub use agenda::{Agenda, AgendaMistake, DAY_NAMES, DaysOff, WorkSpan, write_days_off};
pub use ics::{Attendee, CalendarMethod, IcsEvent, IcsStatus, calendar};
pub use slots::{Busy, SlotSearch, is_on_offer, is_within_hours, overlapping, reminder_at, slots};
pub use zone::{LocalTime, Zone};

enumeration! {
    VisitaState {
        /// The client has slots to choose from, or somebody has yet to say when.
        Propuesta = "propuesta",
        /// It is agreed when.
        Confirmada = "confirmada",
        /// Somebody was there.
        Realizada = "realizada",
        /// The client was not there.
        NoPresentado = "no_presentado",
        Cancelada = "cancelada",
    }
}

impl VisitaState {
    /// What it is, for people.
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

/// The most people that go on one visit.
pub const MAX_PEOPLE: usize = 5;
/// The most slots that people propose to a client at once: a mail lists them.
pub const MAX_SLOTS: usize = 12;
/// The most free hours that are looked up at once.
pub const MAX_FREE: usize = 60;
/// A visit that begins within this time is shown wherever its lead is.
pub const NEAR: SignedDuration = SignedDuration::from_hours(48);
/// How long a visit may take.
pub const MINUTES: std::ops::RangeInclusive<u32> = 15..=480;
/// The longest texts, in characters.
pub const MAX_ADDRESS: usize = 300;
pub const MAX_NOTES: usize = 4_000;
/// No client moves a visit to an hour that begins in less, however short the company's limit.
pub const NOTICE: SignedDuration = SignedDuration::from_hours(2);
/// How far ahead a visit may be.
pub const HORIZON: SignedDuration = SignedDuration::from_hours(366 * 24);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visita {
    pub id: VisitaId,
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub state: VisitaState,
    /// Rises by one with every change, so that a stale form is known.
    pub revision: i64,
    /// The `SEQUENCE` of its calendar entry: rises with every change that goes into calendars.
    pub sequence: u32,
    /// The starts that the client may choose from, in order.
    pub slots: Vec<Timestamp>,
    /// When it begins, once that is agreed.
    pub start: Option<Timestamp>,
    pub minutes: u32,
    pub address: String,
    /// Who goes, at least one.
    pub people: Vec<UserId>,
    /// What to know before; the client does not see it.
    pub notes: String,
    /// What was measured there.
    pub measurements: String,
    pub creada_en: Timestamp,
    pub cambiada_en: Timestamp,
    /// Of a cancelled one, where it is known.
    pub cancelled: Option<Cancelled>,
}

/// When a visit was cancelled, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled {
    pub at: Timestamp,
    /// Somebody of the company; none: the client, through their link.
    pub by: Option<UserId>,
}

/// Why something cannot be done with a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitaError {
    /// It stands where that has no meaning.
    State(VisitaState),
    /// The start was never proposed.
    NotProposed,
    /// The start is past, or more than [`HORIZON`] ahead.
    OutOfReach,
    /// The start is too near for a client to move there.
    TooSoon,
    /// The client may no longer change it.
    TooLate,
    /// It has not begun.
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

    /// Agreed and not over: the lead stands at `visita`.
    pub fn is_ahead(&self, now: Timestamp) -> bool {
        self.state == VisitaState::Confirmada && self.end().is_some_and(|end| end > now)
    }

    /// Until when the lead stands at `visita` because of it.
    pub fn agreed_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.end().filter(|_| self.is_ahead(now))
    }

    /// Whether the calendars of its people are taken by it.
    pub fn takes_time(&self) -> bool {
        self.state == VisitaState::Confirmada
    }

    /// Whether somebody takes part in it, and by it in the work that it is for.
    pub fn is_of(&self, user: UserId) -> bool {
        self.state != VisitaState::Cancelada && self.people.contains(&user)
    }

    /// Agreed, and past without anybody having said what came of it.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.state == VisitaState::Confirmada && !self.is_ahead(now)
    }

    /// The slots that a client can still choose: people propose what they like, as long as it is ahead.
    pub fn open_slots(&self, now: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        self.slots.iter().copied().filter(move |slot| within_reach(*slot, now).is_ok())
    }

    /// Offers slots, instead of those offered before.
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

    /// The client moves what is agreed, to an hour that is far enough ahead to be changed once more.
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

    /// Agrees on a start by hand; one that is agreed already moves there.
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

    /// Something that calendars show changed: place, length or people.
    pub fn retold(mut self, now: Timestamp) -> Self {
        if self.state == VisitaState::Confirmada {
            self.sequence = self.sequence.saturating_add(1);
        }
        self.changed(now)
    }

    /// Cancelled by somebody of the company, or by the client.
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

    /// Whether its client may still move or cancel it.
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

/// How a company makes its visits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct VisitSettings {
    /// By the company's province, where absent.
    #[serde(rename = "zona")]
    pub zone: Option<Zone>,
    /// How many hours before it a client may still move or cancel a visit.
    #[serde(rename = "horasLimite")]
    pub client_limit_hours: u16,
    /// How long a visit takes unless somebody says otherwise.
    #[serde(rename = "minutos")]
    pub minutes: u32,
    /// Whether visits are offered on public holidays too.
    #[serde(rename = "enFestivos")]
    pub on_holidays: bool,
    /// When the whole company rests: holidays of its town, weeks of vacation.
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

    /// How far ahead the hours begin that are offered: a client who takes one may still change it.
    pub fn notice(&self) -> SignedDuration {
        self.client_limit().max(NOTICE)
    }

    /// The days on which nobody goes on visits, in a company of this province.
    pub fn days_off(&self, provincia: Option<Provincia>) -> Vec<DaysOff> {
        let holidays = match self.on_holidays {
            true => Vec::new(),
            false => holidays(provincia, Date::MIN, Date::MAX),
        };
        let of_all = holidays.into_iter().map(|holiday| DaysOff { from: holiday.day, to: holiday.day });
        self.closed.iter().copied().chain(of_all).collect()
    }

    /// Where the company is, by what it chose or by its postal address.
    pub fn zone(&self, address: Option<&str>) -> Zone {
        self.zone.unwrap_or_else(|| Zone::of_address(address))
    }
}

#[cfg(test)]
mod tests;

//! When people are free for a visit, and which other visits conflict with one.

use jiff::civil::{Date, DateTime, Time};
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use super::{Agenda, LocalTime, MAX_FREE, SpanishTimeZone, WorkSpan};
use crate::VisitaId;

/// A visit that takes a person's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy {
    pub visita: VisitaId,
    pub start: Timestamp,
    pub end: Timestamp,
}

/// The parameters of a search for slots.
#[derive(Debug, Clone, Copy)]
pub struct SlotSearch {
    pub zone: SpanishTimeZone,
    /// The earliest start.
    pub from: Timestamp,
    pub minutes: u32,
    /// How many days are searched, the first one included.
    pub days: u16,
    /// The maximum number of slots in all.
    pub most: usize,
    /// The maximum number of slots on one day.
    pub of_a_day: usize,
}

/// A slot begins every 30 minutes, counted from the beginning of a span.
const STEP: i64 = 30;
const MAX_DAYS: u16 = 62;
/// Clients are reminded of a visit between these hours.
const REMIND_FROM: Time = Time::constant(9, 0, 0, 0);
const REMIND_UNTIL: Time = Time::constant(20, 0, 0, 0);

/// When all people are free, in order: within the hours of each of them, and with each one's buffer to other visits.
/// From a day with many free slots only a few are taken, spread over the day, so that several days are offered.
pub fn slots(search: &SlotSearch, agendas: &[Agenda], busy: &[Busy]) -> Vec<Timestamp> {
    let buffer = buffer_of(agendas);
    let mut day = search.zone.day(search.from);
    let mut found = Vec::new();
    for _ in 0..search.days.min(MAX_DAYS) {
        let mut free = starts(search, day, agendas);
        free.retain(|start| {
            let end = *start + length(search.minutes);
            *start >= search.from && overlapping(*start, end, buffer, busy).is_empty()
        });
        found.extend(spread(&free, search.of_a_day));
        let Ok(next) = day.checked_add(1.day()) else { break };
        day = next;
    }
    found.truncate(search.most.min(MAX_FREE));
    found
}

/// Whether a start would be offered if it had no conflicts: it is on the grid of the common hours, not too early, and
/// within the days that are searched.
pub fn is_on_offer(search: &SlotSearch, agendas: &[Agenda], start: Timestamp) -> bool {
    let (first, day) = (search.zone.day(search.from), search.zone.day(start));
    let days = i64::from(search.days.min(MAX_DAYS));
    let is_searched = first.checked_add(days.days()).is_ok_and(|end| (first..end).contains(&day));
    is_searched && start >= search.from && starts(search, day, agendas).contains(&start)
}

/// All starts of a day within the hours of all people.
fn starts(search: &SlotSearch, day: Date, agendas: &[Agenda]) -> Vec<Timestamp> {
    let spans = common_hours(agendas, |agenda| agenda.hours(day));
    let of_span =
        |span: &WorkSpan| within(search, day.to_datetime(span.begins()), day.to_datetime(span.ends()));
    spans.iter().flat_map(of_span).collect()
}

/// The starts within a span of local time. A start that the clock skips is left out, and a start that the clock shows
/// twice is included once.
fn within(search: &SlotSearch, begins: DateTime, ends: DateTime) -> Vec<Timestamp> {
    let (LocalTime::At(until) | LocalTime::Twice(until)) = search.zone.at(ends) else { return Vec::new() };
    let mut found = Vec::new();
    let mut local = begins;
    while local < ends {
        if let LocalTime::At(start) | LocalTime::Twice(start) = search.zone.at(local)
            && start + length(search.minutes) <= until
        {
            found.push(start);
        }
        let Ok(next) = local.checked_add(STEP.minutes()) else { break };
        local = next;
    }
    found
}

/// Some of many starts, including the first and the last.
fn spread(free: &[Timestamp], most: usize) -> Vec<Timestamp> {
    if free.len() <= most || most < 2 {
        return free.iter().copied().take(most).collect();
    }
    (0..most).filter_map(|i| free.get(i * (free.len() - 1) / (most - 1)).copied()).collect()
}

fn common_hours<'a>(agendas: &'a [Agenda], hours: impl Fn(&'a Agenda) -> &'a [WorkSpan]) -> Vec<WorkSpan> {
    let mut agendas = agendas.iter();
    let Some(first) = agendas.next() else { return Vec::new() };
    agendas.fold(hours(first).to_vec(), |common, agenda| {
        let shared = |span: WorkSpan| hours(agenda).iter().filter_map(move |other| span.and(*other));
        common.into_iter().flat_map(shared).collect()
    })
}

/// The longest buffer that any of these people wants between two visits.
fn buffer_of(agendas: &[Agenda]) -> SignedDuration {
    SignedDuration::from_mins(agendas.iter().map(|agenda| i64::from(agenda.buffer)).max().unwrap_or(0))
}

fn length(minutes: u32) -> SignedDuration {
    SignedDuration::from_mins(i64::from(minutes))
}

/// The visits that leave less than the buffer before or after this time.
pub fn overlapping(start: Timestamp, end: Timestamp, buffer: SignedDuration, busy: &[Busy]) -> Vec<Busy> {
    let (from, to) = (start.saturating_sub(buffer), end.saturating_add(buffer));
    let (from, to) = (from.unwrap_or(Timestamp::MIN), to.unwrap_or(Timestamp::MAX));
    busy.iter().filter(|other| other.start < to && other.end > from).copied().collect()
}

/// Whether the whole visit is within the hours of all people.
pub fn is_within_hours(zone: SpanishTimeZone, start: Timestamp, minutes: u32, agendas: &[Agenda]) -> bool {
    let (from, to) = (zone.local(start), zone.local(start + length(minutes)));
    let spans = common_hours(agendas, |agenda| agenda.hours(from.date()));
    let holds = |span: &WorkSpan| span.begins() <= from.time() && to.time() <= span.ends();
    from.date() == to.date() && spans.iter().any(holds)
}

/// When a client is reminded: a day before, at an hour at which people may be contacted. `None`: it is too late for a
/// reminder.
pub fn reminder_at(zone: SpanishTimeZone, start: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let local = zone.local(start).checked_sub(1.day()).ok()?;
    let hour = local.time().clamp(REMIND_FROM, REMIND_UNTIL);
    match zone.at(local.date().to_datetime(hour)) {
        LocalTime::At(at) | LocalTime::Twice(at) => Some(at).filter(|at| *at > now),
        LocalTime::Never => None,
    }
}

impl SpanishTimeZone {
    /// How long to wait until a client may be contacted about a visit; `None` if it is allowed now.
    pub fn until_decent_hour(self, now: Timestamp) -> Option<SignedDuration> {
        let local = self.local(now);
        if (REMIND_FROM..=REMIND_UNTIL).contains(&local.time()) {
            return None;
        }
        let day = if local.time() < REMIND_FROM { local.date() } else { local.date().tomorrow().ok()? };
        match self.at(day.to_datetime(REMIND_FROM)) {
            LocalTime::At(at) | LocalTime::Twice(at) => Some(now.duration_until(at)),
            LocalTime::Never => None,
        }
    }
}

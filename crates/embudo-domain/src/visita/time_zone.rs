//! The two time zones of Spain, from data built into the program, so that the time zone data of the machine does not
//! matter.

use std::sync::OnceLock;

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, civil};

use crate::provincia::{Provincia, Territory};

enumeration! {
    SpanishTimeZone {
        Madrid = "Europe/Madrid",
        Canary = "Atlantic/Canary",
    }
}

/// A local time as an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalTime {
    At(Timestamp),
    /// The clock shows this time twice: the first of the two instants.
    Twice(Timestamp),
    /// The clock skips this time.
    Never,
}

impl SpanishTimeZone {
    pub const ALL: [Self; 2] = [Self::Madrid, Self::Canary];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Madrid => "Península y Baleares",
            Self::Canary => "Canarias",
        }
    }

    pub fn of(provincia: Option<Provincia>) -> Self {
        match provincia.map(Provincia::territory) {
            Some(Territory::Canarias) => Self::Canary,
            _ => Self::Madrid,
        }
    }

    /// The zone of an address in one line, by its postal code or by the province at its end.
    pub fn of_address(address: Option<&str>) -> Self {
        Self::of(address.and_then(Provincia::of_address))
    }

    pub fn tz(self) -> &'static TimeZone {
        static ZONES: [OnceLock<TimeZone>; 2] = [OnceLock::new(), OnceLock::new()];
        let built_in = || TimeZoneDatabase::bundled().get(self.as_str()).expect("the zones are built in");
        ZONES[self as usize].get_or_init(built_in)
    }

    /// The local time at an instant.
    pub fn local(self, at: Timestamp) -> DateTime {
        self.tz().to_datetime(at)
    }

    pub fn day(self, at: Timestamp) -> Date {
        self.local(at).date()
    }

    /// A local time as an instant.
    pub fn at(self, local: DateTime) -> LocalTime {
        let ambiguous = self.tz().to_ambiguous_timestamp(local);
        let instant = || ambiguous.compatible().ok();
        match (ambiguous.offset(), instant()) {
            (AmbiguousOffset::Unambiguous { .. }, Some(at)) => LocalTime::At(at),
            (AmbiguousOffset::Fold { .. }, Some(at)) => LocalTime::Twice(at),
            _ => LocalTime::Never,
        }
    }

    /// The instant at which a day begins.
    pub fn begins(self, day: Date) -> Timestamp {
        let midnight = day.to_datetime(civil::Time::midnight());
        self.tz().to_ambiguous_timestamp(midnight).compatible().unwrap_or(Timestamp::MAX)
    }

    /// «mar 14 nov, 10:30».
    pub fn short(self, at: Timestamp) -> String {
        let local = self.local(at);
        format!("{} {}, {}", weekday_short(local.date()), day_short(local.date()), hour(local))
    }

    /// «martes 14 de noviembre de 2026, a las 10:30».
    pub fn long(self, at: Timestamp) -> String {
        let local = self.local(at);
        format!("{} {}, a las {}", weekday(local.date()), crate::words::day(local.date()), hour(local))
    }

    /// «hoy 16:00», «mañana 9:30», «jue 10:00»: for a moment within a few days.
    pub fn near(self, at: Timestamp, now: Timestamp) -> String {
        let (day, today) = (self.day(at), self.day(now));
        let word = match day {
            _ if day == today => "hoy",
            _ if today.tomorrow().is_ok_and(|tomorrow| day == tomorrow) => "mañana",
            _ if today.yesterday().is_ok_and(|yesterday| day == yesterday) => "ayer",
            _ => weekday_short(day),
        };
        format!("{word} {}", self.hour(at))
    }

    /// «10:30».
    pub fn hour(self, at: Timestamp) -> String {
        hour(self.local(at))
    }
}

fn hour(local: DateTime) -> String {
    format!("{}:{:02}", local.hour(), local.minute())
}

fn weekday(day: Date) -> &'static str {
    const DAYS: [&str; 7] = ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"];
    DAYS[usize::from(day.weekday().to_monday_zero_offset().unsigned_abs()) % 7]
}

fn weekday_short(day: Date) -> &'static str {
    let name = weekday(day);
    let end = name.char_indices().nth(3).map_or(name.len(), |(i, _)| i);
    &name[..end]
}

fn day_short(day: Date) -> String {
    let long = crate::words::day(day);
    let month = long.split(' ').nth(2).unwrap_or_default();
    format!("{} {}", day.day(), month.chars().take(3).collect::<String>())
}

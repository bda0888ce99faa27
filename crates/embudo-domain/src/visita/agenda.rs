//! When a person can go on visits: hours of each day of the week, time between two visits, days off.

use jiff::civil::{Date, Time, Weekday};
use serde::{Deserialize, Serialize};

/// The maximum number of spans in a day, and of ranges of days off.
const MAX_SPANS: usize = 4;
const MAX_DAYS_OFF: usize = 60;
/// The maximum time that is kept free between two visits.
const MAX_BUFFER: u16 = 240;

pub const DAY_NAMES: [&str; 7] = ["Lunes", "Martes", "Miércoles", "Jueves", "Viernes", "Sábado", "Domingo"];

/// A span of hours of one day, in minutes since midnight, local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkSpan {
    #[serde(rename = "desde")]
    pub from: u16,
    #[serde(rename = "hasta")]
    pub to: u16,
}

/// Whole days, the last one included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaysOff {
    #[serde(rename = "desde", with = "crate::day")]
    pub from: Date,
    #[serde(rename = "hasta", with = "crate::day")]
    pub to: Date,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Agenda {
    /// The days of the week, from Monday.
    #[serde(rename = "semana")]
    pub week: [Vec<WorkSpan>; 7],
    /// Minutes between two visits.
    #[serde(rename = "margen")]
    pub buffer: u16,
    #[serde(rename = "libres")]
    pub days_off: Vec<DaysOff>,
}

/// Which part of an agenda cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgendaMistake {
    Hours,
    DaysOff,
    Buffer,
}

impl Default for Agenda {
    fn default() -> Self {
        let whole = vec![WorkSpan { from: 9 * 60, to: 14 * 60 }, WorkSpan { from: 16 * 60, to: 19 * 60 }];
        let week = [whole.clone(), whole.clone(), whole.clone(), whole.clone(), whole, vec![], vec![]];
        Self { week, buffer: 30, days_off: Vec::new() }
    }
}

impl Agenda {
    /// The hours of a day; empty on a day off.
    pub fn hours(&self, day: Date) -> &[WorkSpan] {
        match self.days_off.iter().any(|off| off.contains(day)) {
            true => &[],
            false => self.of_weekday(day.weekday()),
        }
    }

    fn of_weekday(&self, weekday: Weekday) -> &[WorkSpan] {
        let index = usize::from(weekday.to_monday_zero_offset().unsigned_abs());
        self.week.get(index).map_or(&[], Vec::as_slice)
    }

    /// Reads «9:00-14:00, 16:00-19:00» for one day; an empty text is a day without visits.
    pub fn read_hours(text: &str) -> Result<Vec<WorkSpan>, AgendaMistake> {
        let text = text.replace(['–', '—'], "-").replace(" a ", "-");
        let parts = text.split([',', ';', 'y']).map(str::trim).filter(|part| !part.is_empty());
        let mut spans = parts.map(WorkSpan::parse).collect::<Option<Vec<_>>>().ok_or(AgendaMistake::Hours)?;
        spans.sort_by_key(|span| span.from);
        let apart = spans.windows(2).all(|pair| pair[0].to <= pair[1].from);
        if !apart || spans.len() > MAX_SPANS {
            return Err(AgendaMistake::Hours);
        }
        Ok(spans)
    }

    /// Writes the hours in the form that [`Self::read_hours`] reads.
    pub fn write_hours(&self, day: usize) -> String {
        let spans = self.week.get(day).map_or(&[][..], Vec::as_slice);
        spans.iter().map(WorkSpan::to_string).collect::<Vec<_>>().join(", ")
    }

    /// Reads one day or «24/12/2026 - 31/12/2026» on each line.
    pub fn read_days_off(text: &str) -> Result<Vec<DaysOff>, AgendaMistake> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut days = lines.map(DaysOff::parse).collect::<Option<Vec<_>>>().ok_or(AgendaMistake::DaysOff)?;
        days.sort_by_key(|off| off.from);
        if days.len() > MAX_DAYS_OFF {
            return Err(AgendaMistake::DaysOff);
        }
        Ok(days)
    }

    pub fn write_days_off(&self) -> String {
        write_days_off(&self.days_off)
    }

    pub fn read_buffer(text: &str) -> Result<u16, AgendaMistake> {
        let minutes = text.trim().parse::<u16>().map_err(|_| AgendaMistake::Buffer)?;
        if minutes <= MAX_BUFFER { Ok(minutes) } else { Err(AgendaMistake::Buffer) }
    }
}

impl WorkSpan {
    pub fn begins(&self) -> Time {
        time(self.from)
    }

    pub fn ends(&self) -> Time {
        time(self.to)
    }

    /// The part that both spans have in common.
    pub fn and(self, other: Self) -> Option<Self> {
        let both = Self { from: self.from.max(other.from), to: self.to.min(other.to) };
        (both.from < both.to).then_some(both)
    }

    fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let span = Self { from: minutes(from)?, to: minutes(to)? };
        (span.from < span.to).then_some(span)
    }
}

/// 23:59 counts as the end of the day, because no clock field accepts 24:00.
fn time(minutes: u16) -> Time {
    let minutes = minutes.min(24 * 60 - 1);
    let (hour, minute) = (minutes / 60, minutes % 60);
    Time::new(i8::try_from(hour).unwrap_or(0), i8::try_from(minute).unwrap_or(0), 0, 0).unwrap_or_default()
}

fn minutes(text: &str) -> Option<u16> {
    let text = text.trim().trim_end_matches('h').trim();
    let (hour, minute) = text.split_once([':', '.']).unwrap_or((text, "0"));
    let (hour, minute) = (hour.parse::<u16>().ok()?, minute.parse::<u16>().ok()?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

impl std::fmt::Display for WorkSpan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let clock = |minutes: u16| format!("{}:{:02}", minutes / 60, minutes % 60);
        write!(f, "{}-{}", clock(self.from), clock(self.to))
    }
}

/// Writes the days in the form that [`Agenda::read_days_off`] reads.
pub fn write_days_off(days: &[DaysOff]) -> String {
    days.iter().map(DaysOff::to_string).collect::<Vec<_>>().join("\n")
}

impl DaysOff {
    pub fn contains(&self, day: Date) -> bool {
        (self.from..=self.to).contains(&day)
    }

    fn parse(line: &str) -> Option<Self> {
        if let Some(day) = day(line) {
            return Some(Self { from: day, to: day });
        }
        let parted = line.replace(" al ", " - ").replace(" a ", " - ");
        let (from, to) = parted.split_once(" - ")?;
        let off = Self { from: day(from)?, to: day(to)? };
        (off.from <= off.to).then_some(off)
    }
}

/// «24/12/2026», or the ISO format.
fn day(text: &str) -> Option<Date> {
    let text = text.trim();
    if let Ok(day) = text.parse::<Date>() {
        return (text.len() == 10).then_some(day);
    }
    let mut parts = text.split('/');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

impl std::fmt::Display for DaysOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let written = |day: Date| format!("{:02}/{:02}/{:04}", day.day(), day.month(), day.year());
        match self.from == self.to {
            true => f.write_str(&written(self.from)),
            false => write!(f, "{} - {}", written(self.from), written(self.to)),
        }
    }
}

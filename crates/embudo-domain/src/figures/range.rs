//! The range of days for which figures are requested.

use jiff::ToSpan as _;
use jiff::civil::Date;

/// The maximum number of days in one range: three years.
pub const MAX_DAYS: i32 = 1_098;

/// From one day to another, both of them included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub from: Date,
    pub to: Date,
}

/// What is wrong with a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeMistake {
    /// The first day is not a day of this century.
    From,
    /// The last day is not a day of this century.
    To,
    /// The range ends before it begins.
    Backwards,
    /// The range is longer than [`MAX_DAYS`].
    TooLong,
}

impl Range {
    /// Reads both days as they are typed: `2027-03-28`.
    pub fn parse(from: &str, to: &str) -> Result<Self, RangeMistake> {
        let from = day(from).ok_or(RangeMistake::From)?;
        let to = day(to).ok_or(RangeMistake::To)?;
        let days = (to - from).get_days();
        match days {
            ..0 => Err(RangeMistake::Backwards),
            MAX_DAYS.. => Err(RangeMistake::TooLong),
            _ => Ok(Self { from, to }),
        }
    }

    pub fn days(&self) -> i32 {
        (self.to - self.from).get_days() + 1
    }

    /// From a day's Monday to that day.
    pub fn this_week(today: Date) -> Self {
        Self { from: before(today, i64::from(today.weekday().to_monday_zero_offset())), to: today }
    }

    /// From the first of a day's month to that day.
    pub fn this_month(today: Date) -> Self {
        Self { from: today.first_of_month(), to: today }
    }

    pub fn last_month(today: Date) -> Self {
        let to = before(today.first_of_month(), 1);
        Self { from: to.first_of_month(), to }
    }

    /// The last ninety days, including today.
    pub fn ninety_days(today: Date) -> Self {
        Self { from: before(today, 89), to: today }
    }

    pub fn this_year(today: Date) -> Self {
        Self { from: today.first_of_year(), to: today }
    }

    /// The months of the range, by their first days.
    pub fn months(&self) -> Vec<Date> {
        let mut months = vec![self.from.first_of_month()];
        while let Some(next) = months.last().and_then(|last| last.checked_add(1.month()).ok()) {
            if next > self.to {
                break;
            }
            months.push(next);
        }
        months
    }

    /// The part of the range that is in a month.
    pub fn within(&self, month: Date) -> Self {
        Self { from: self.from.max(month.first_of_month()), to: self.to.min(month.last_of_month()) }
    }

    /// Whether the whole of a month is in the range.
    pub fn holds_month(&self, month: Date) -> bool {
        self.from <= month.first_of_month() && month.last_of_month() <= self.to
    }

    /// The last weeks of the range, at most `how_many`, the earliest first. Each begins on Monday and is cut to the
    /// range.
    pub fn last_weeks(&self, how_many: usize) -> Vec<Self> {
        let mut weeks = Vec::new();
        let mut to = self.to;
        while weeks.len() < how_many && to >= self.from {
            let monday = before(to, i64::from(to.weekday().to_monday_zero_offset()));
            weeks.push(Self { from: monday.max(self.from), to });
            to = before(monday, 1);
        }
        weeks.reverse();
        weeks
    }

    pub fn contains(&self, day: Date) -> bool {
        self.from <= day && day <= self.to
    }
}

fn before(day: Date, days: i64) -> Date {
    day.saturating_sub(days.days())
}

fn day(text: &str) -> Option<Date> {
    let day: Date = (text.len() == 10).then(|| text.parse().ok())??;
    (2000..2100).contains(&day.year()).then_some(day)
}

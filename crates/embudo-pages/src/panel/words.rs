//! Times as people in the panel read them.

use std::sync::OnceLock;

use embudo_domain::Timestamp;
use jiff::tz::TimeZone;

pub(crate) fn madrid() -> &'static TimeZone {
    static MADRID: OnceLock<TimeZone> = OnceLock::new();
    MADRID.get_or_init(|| TimeZone::get("Europe/Madrid").expect("the zones are built in"))
}

/// «mar 14 nov, 10:30», with the year unless it is the current one.
pub(crate) fn moment(at: Timestamp, now: Timestamp) -> String {
    format!("{}, {}", day(at, now), clock(at))
}

/// «10:30».
pub(crate) fn clock(at: Timestamp) -> String {
    let there = madrid().to_datetime(at);
    format!("{}:{:02}", there.hour(), there.minute())
}

/// The value of a date-and-time field: `2026-11-14T10:30`.
pub(crate) fn to_field(at: Timestamp) -> String {
    madrid().to_datetime(at).strftime("%Y-%m-%dT%H:%M").to_string()
}

/// Parses the value of a date-and-time field.
pub(crate) fn from_field(text: &str) -> Option<Timestamp> {
    let there: jiff::civil::DateTime = text.parse().ok()?;
    madrid().to_timestamp(there).ok()
}

/// «mar 14 nov», with the year unless it is the current one.
pub(crate) fn day(at: Timestamp, now: Timestamp) -> String {
    const DAYS: [&str; 7] = ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"];
    const MONTHS: [&str; 12] =
        ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"];
    let (then, today) = (madrid().to_datetime(at), madrid().to_datetime(now));
    let weekday = usize::from(then.date().weekday().to_monday_zero_offset().unsigned_abs());
    let month = usize::from(then.month().unsigned_abs()) - 1;
    let year = if then.year() == today.year() { String::new() } else { format!(" {}", then.year()) };
    format!("{} {} {}{year}", DAYS[weekday], then.day(), MONTHS[month])
}

/// «2026-11-14 10:30», for spreadsheets.
pub(crate) fn instant(at: Timestamp) -> String {
    madrid().to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string()
}

/// «hace 3 h».
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    match now.as_second() - at.as_second() {
        ..60 => "ahora mismo".to_owned(),
        s @ ..3_600 => format!("hace {} min", s / 60),
        s @ ..86_400 => format!("hace {} h", s / 3_600),
        s @ ..172_800 => format!("hace {} día", s / 86_400),
        s => format!("hace {} días", s / 86_400),
    }
}

/// «en 5 min», for a moment in the future.
pub(crate) fn until(at: Timestamp, now: Timestamp) -> String {
    match at.as_second() - now.as_second() {
        ..=0 => "ahora".to_owned(),
        s @ ..60 => format!("en {s} s"),
        s @ ..3_600 => format!("en {} min", s / 60),
        s @ ..86_400 => format!("en {} h", s / 3_600),
        s @ ..172_800 => format!("en {} día", s / 86_400),
        s => format!("en {} días", s / 86_400),
    }
}

/// «mar 14 nov, 10:30:07»: a moment to the second, for events that follow each other quickly.
pub(crate) fn exact(at: Timestamp, now: Timestamp) -> String {
    format!("{}:{:02}", moment(at, now), madrid().to_datetime(at).second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_in_spain() {
        let now: Timestamp = "2026-11-14T10:30:00Z".parse().expect("a moment");
        assert_eq!(moment(now, now), "sáb 14 nov, 11:30");
        assert_eq!(moment("2025-07-01T07:05:00Z".parse().expect("a moment"), now), "mar 1 jul 2025, 9:05");
        let before = |s| now - jiff::SignedDuration::from_secs(s);
        assert_eq!(ago(before(5), now), "ahora mismo");
        assert_eq!(ago(before(600), now), "hace 10 min");
        assert_eq!(ago(before(3 * 3_600 + 5), now), "hace 3 h");
        assert_eq!(ago(before(26 * 3_600), now), "hace 1 día");
        assert_eq!(ago(before(72 * 3_600), now), "hace 3 días");
        assert_eq!(exact(now, now), "sáb 14 nov, 11:30:00");
        assert_eq!(until(before(10), now), "ahora");
        assert_eq!(until(before(-45), now), "en 45 s");
        assert_eq!(until(before(-2 * 3_600), now), "en 2 h");
        assert_eq!(until(before(-26 * 3_600), now), "en 1 día");
    }
}

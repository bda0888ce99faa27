//! Instants on the wire: RFC 3339 with a zone, kept as UTC to the microsecond (contract §1).

use jiff::Timestamp;

/// Reads an RFC 3339 date and time with `Z` or an offset. A date that does not exist, a missing zone and
/// looser ISO 8601 spellings are refused.
pub fn parse(text: &str) -> Option<Timestamp> {
    if !has_rfc3339_shape(text.as_bytes()) {
        return None;
    }
    let instant: Timestamp = text.parse().ok()?;
    let in_range = (0..=9999).contains(&instant.to_zoned(jiff::tz::TimeZone::UTC).year());
    in_range.then(|| to_micros(instant))
}

/// PostgreSQL keeps microseconds; cutting an instant here makes both engines return the same one.
pub fn to_micros(instant: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(instant.as_microsecond()).expect("an instant in range stays in range")
}

/// Whether the text is `YYYY-MM-DDTHH:MM:SS[.f](Z|±HH:MM)`, with one to nine digits for `f`: jiff accepts more
/// spellings than RFC 3339 does.
fn has_rfc3339_shape(b: &[u8]) -> bool {
    const TEMPLATE: &[u8] = b"0000-00-00T00:00:00";
    if b.len() < TEMPLATE.len() + 1 {
        return false;
    }
    let (head, rest) = b.split_at(TEMPLATE.len());
    // A leap second cannot be kept: refusing it is better than writing down another instant.
    if &head[17..] > b"59".as_slice() {
        return false;
    }
    let head_ok = head.iter().zip(TEMPLATE).all(|(c, p)| match p {
        b'0' => c.is_ascii_digit(),
        b'T' => matches!(c, b'T' | b't'),
        p => c == p,
    });
    let zona = match rest.strip_prefix(b".") {
        Some(fraction) => {
            let digits = fraction.iter().take_while(|c| c.is_ascii_digit()).count();
            if digits == 0 || digits > 9 {
                return false;
            }
            &fraction[digits..]
        }
        None => rest,
    };
    let zona_ok = match zona {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].iter().all(|c| c.is_ascii_digit()),
        _ => false,
    };
    head_ok && zona_ok
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rfc3339_and_keeps_utc() {
        for (text, utc) in [
            ("2026-11-14T10:30:00Z", "2026-11-14T10:30:00Z"),
            ("2026-11-14T10:30:00.123456789+01:00", "2026-11-14T09:30:00.123456Z"),
            ("2026-11-14t10:30:00z", "2026-11-14T10:30:00Z"),
            ("2024-02-29T00:00:00-00:00", "2024-02-29T00:00:00Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ] {
            assert_eq!(parse(text).map(|t| t.to_string()).as_deref(), Some(utc), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_not_an_instant() {
        for text in [
            "2026-11-14",
            "2026-11-14T10:30:00",
            "2026-11-14T10:30Z",
            "2026-11-14 10:30:00Z",
            "2026-02-29T10:30:00Z",
            "2026-13-01T10:30:00Z",
            "2026-11-14T25:30:00Z",
            "2016-12-31T23:59:60Z",
            "2026-11-14T10:30:00+0100",
            "2026-11-14T10:30:00.Z",
            "20261114T103000Z",
            "2026-11-14T10:30:00+01:00[Europe/Madrid]",
            "0000-01-01T00:00:00+05:00",
            "",
            "ayer",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}

//! Instants on the wire: RFC 3339 with a zone, kept as UTC to the microsecond (contract §1).

use jiff::Timestamp;

/// Reads an RFC 3339 date and time with `Z` or an offset. A date that does not exist, a missing zone and
/// looser ISO 8601 spellings are refused.
pub fn parse(texto: &str) -> Option<Timestamp> {
    if !has_rfc3339_shape(texto.as_bytes()) {
        return None;
    }
    let instante: Timestamp = texto.parse().ok()?;
    let en_rango = (0..=9999).contains(&instante.to_zoned(jiff::tz::TimeZone::UTC).year());
    en_rango.then(|| a_microsegundos(instante))
}

/// PostgreSQL keeps microseconds; cutting here makes both engines return the same.
pub fn a_microsegundos(instante: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(instante.as_microsecond()).expect("an instant in range stays in range")
}

/// `YYYY-MM-DDTHH:MM:SS[.f+](Z|±HH:MM)`: jiff accepts more spellings than RFC 3339 does.
fn has_rfc3339_shape(b: &[u8]) -> bool {
    const PLANTILLA: &[u8] = b"0000-00-00T00:00:00";
    if b.len() < PLANTILLA.len() + 1 {
        return false;
    }
    let (cabeza, resto) = b.split_at(PLANTILLA.len());
    // A leap second cannot be kept: refusing it is better than writing down another instant.
    if &cabeza[17..] > b"59".as_slice() {
        return false;
    }
    let cabeza_ok = cabeza.iter().zip(PLANTILLA).all(|(c, p)| match p {
        b'0' => c.is_ascii_digit(),
        b'T' => matches!(c, b'T' | b't'),
        p => c == p,
    });
    let zona = match resto.strip_prefix(b".") {
        Some(fraccion) => {
            let cifras = fraccion.iter().take_while(|c| c.is_ascii_digit()).count();
            if cifras == 0 || cifras > 9 {
                return false;
            }
            &fraccion[cifras..]
        }
        None => resto,
    };
    let zona_ok = match zona {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].iter().all(|c| c.is_ascii_digit()),
        _ => false,
    };
    cabeza_ok && zona_ok
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rfc3339_and_keeps_utc() {
        for (texto, utc) in [
            ("2026-11-14T10:30:00Z", "2026-11-14T10:30:00Z"),
            ("2026-11-14T10:30:00.123456789+01:00", "2026-11-14T09:30:00.123456Z"),
            ("2026-11-14t10:30:00z", "2026-11-14T10:30:00Z"),
            ("2024-02-29T00:00:00-00:00", "2024-02-29T00:00:00Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ] {
            assert_eq!(parse(texto).map(|t| t.to_string()).as_deref(), Some(utc), "{texto}");
        }
    }

    #[test]
    fn refuses_what_is_not_an_instant() {
        for texto in [
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
            assert_eq!(parse(texto), None, "{texto}");
        }
    }
}

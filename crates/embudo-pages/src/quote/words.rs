//! Words of the quote's page that the PDF does not have: moments, and links to a telephone or an address.

use embudo_domain::Timestamp;
use jiff::tz::TimeZone;

pub(super) use embudo_domain::words::{day, telefono};

/// «15 de noviembre de 2026 a las 11:32», in the time zone of the companies.
pub(super) fn format_moment(at: Timestamp) -> String {
    let zone = TimeZone::get("Europe/Madrid").unwrap_or(TimeZone::UTC);
    let there = zone.to_datetime(at);
    format!("{} a las {}:{:02}", day(there.date()), there.hour(), there.minute())
}

/// A telephone as a link: only digits and a plus sign.
pub(crate) fn phone_link(telefono: &str) -> Option<String> {
    let digits: String = telefono.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
    (digits.len() >= 3).then(|| format!("tel:{digits}"))
}

/// A mail link with a subject. Characters that could add further fields to the link are percent-encoded.
pub(crate) fn mail_link(email: &str, subject: &str) -> Option<String> {
    use std::fmt::Write as _;
    if !email.contains('@') {
        return None;
    }
    let mut link = String::from("mailto:");
    let mut write = |text: &str, healthy: &[u8]| {
        for b in text.bytes() {
            if b.is_ascii_alphanumeric() || healthy.contains(&b) {
                link.push(char::from(b));
            } else {
                let _ = write!(link, "%{b:02X}");
            }
        }
    };
    write(email.trim(), b"@.-_+");
    write("?subject=", b"?=");
    write(subject, b"-._");
    Some(link)
}

#[cfg(test)]
mod tests {
    #[test]
    fn links_hold_what_they_should() {
        assert_eq!(super::phone_link("91 123 45 67 (tardes)").as_deref(), Some("tel:911234567"));
        assert_eq!(super::phone_link("no"), None);
        assert_eq!(
            super::mail_link("a&cc=b@c.es", "Sobre mí").as_deref(),
            Some("mailto:a%26cc%3Db@c.es?subject=Sobre%20m%C3%AD")
        );
        assert_eq!(super::mail_link("nada", "x"), None);
    }
}

//! How the quote's page names things beside what the PDF says: moments, and links to a telephone or an address.

use embudo_domain::Timestamp;
use jiff::tz::TimeZone;

pub(super) use embudo_domain::palabras::{calidad, dia, telefono, zona};

/// «15 de noviembre de 2026 a las 11:32», where the companies are.
pub(super) fn momento(en: Timestamp) -> String {
    let zona = TimeZone::get("Europe/Madrid").unwrap_or(TimeZone::UTC);
    let alli = zona.to_datetime(en);
    format!("{} a las {}:{:02}", dia(alli.date()), alli.hour(), alli.minute())
}

/// A telephone as a link: digits and a plus only.
pub(super) fn enlace_telefono(telefono: &str) -> Option<String> {
    let cifras: String = telefono.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
    (cifras.len() >= 3).then(|| format!("tel:{cifras}"))
}

/// A mail link that starts with a subject. What could add fields of its own to the link is written out.
pub(super) fn enlace_correo(email: &str, asunto: &str) -> Option<String> {
    use std::fmt::Write as _;
    if !email.contains('@') {
        return None;
    }
    let mut enlace = String::from("mailto:");
    let mut escribir = |texto: &str, sanos: &[u8]| {
        for b in texto.bytes() {
            if b.is_ascii_alphanumeric() || sanos.contains(&b) {
                enlace.push(char::from(b));
            } else {
                let _ = write!(enlace, "%{b:02X}");
            }
        }
    };
    escribir(email.trim(), b"@.-_+");
    escribir("?subject=", b"?=");
    escribir(asunto, b"-._");
    Some(enlace)
}

#[cfg(test)]
mod tests {
    #[test]
    fn links_hold_what_they_should() {
        assert_eq!(super::enlace_telefono("91 123 45 67 (tardes)").as_deref(), Some("tel:911234567"));
        assert_eq!(super::enlace_telefono("no"), None);
        assert_eq!(
            super::enlace_correo("a&cc=b@c.es", "Sobre mí").as_deref(),
            Some("mailto:a%26cc%3Db@c.es?subject=Sobre%20m%C3%AD")
        );
        assert_eq!(super::enlace_correo("nada", "x"), None);
    }
}

//! How the quote's page names things: zones, qualities, days, telephones.

use embudo_domain::lead::Calidad;
use embudo_domain::{Timestamp, Zona};
use jiff::civil::Date;
use jiff::tz::TimeZone;

const MESES: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// A zone as a heading. «Otro» is a room while it is what is being renovated.
pub(super) fn zona(zona: Zona, tipo: Zona) -> &'static str {
    match zona {
        Zona::Cocina => "Cocina",
        Zona::Bano => "Baño",
        Zona::Salon => "Salón",
        Zona::Comedor => "Comedor",
        Zona::Integral => "Vivienda completa",
        Zona::Otro if tipo == Zona::Otro => "Estancia",
        Zona::Otro => "Otras zonas",
    }
}

pub(super) fn calidad(calidad: Calidad) -> &'static str {
    match calidad {
        Calidad::Basica => "básica",
        Calidad::Media => "media",
        Calidad::Premium => "premium",
    }
}

/// «15 de noviembre de 2026».
pub(super) fn dia(dia: Date) -> String {
    let mes = usize::try_from(dia.month() - 1).ok().and_then(|i| MESES.get(i)).unwrap_or(&"");
    format!("{} de {mes} de {}", dia.day(), dia.year())
}

/// «15 de noviembre de 2026 a las 11:32», where the companies are.
pub(super) fn momento(en: Timestamp) -> String {
    let zona = TimeZone::get("Europe/Madrid").unwrap_or(TimeZone::UTC);
    let alli = zona.to_datetime(en);
    format!("{} a las {}:{:02}", dia(alli.date()), alli.hour(), alli.minute())
}

/// «612 34 56 78» for a Spanish number in E.164; others as they are.
pub(super) fn telefono(e164: &str) -> String {
    match e164.strip_prefix("+34") {
        Some(n) if n.len() == 9 && n.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{} {} {} {}", &n[..3], &n[3..5], &n[5..7], &n[7..])
        }
        _ => e164.to_owned(),
    }
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
    use jiff::civil::date;

    #[test]
    fn days_telephones_and_links() {
        assert_eq!(super::dia(date(2026, 11, 5)), "5 de noviembre de 2026");
        assert_eq!(super::telefono("+34612345678"), "612 34 56 78");
        assert_eq!(super::telefono("+4915112345678"), "+4915112345678");
        assert_eq!(super::enlace_telefono("91 123 45 67 (tardes)").as_deref(), Some("tel:911234567"));
        assert_eq!(super::enlace_telefono("no"), None);
        assert_eq!(
            super::enlace_correo("a&cc=b@c.es", "Sobre mí").as_deref(),
            Some("mailto:a%26cc%3Db@c.es?subject=Sobre%20m%C3%AD")
        );
        assert_eq!(super::enlace_correo("nada", "x"), None);
    }
}

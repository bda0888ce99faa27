//! What a company says of itself and people can edit: its name and its brand, field by field. Each field has one rule,
//! wherever it is typed.

use crate::brand::Brand;
use crate::color::Color;
use crate::contact::Email;
use crate::empresa::Empresa;
use crate::facts::Editable;

/// The maximum number of external web pages that may show the form.
pub const MAX_ORIGINS: usize = 20;
const MAX_CONDITIONS: usize = 30;
const MAX_CONDITION: usize = 500;
const MAX_POLICY: usize = 20_000;
/// The longest name of a company.
pub const MAX_NAME: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub nombre: String,
    pub brand: Brand,
}

impl Identity {
    pub fn of(empresa: &Empresa, brand: &Brand) -> Self {
        Self { nombre: empresa.nombre.clone(), brand: brand.clone() }
    }

    /// Sets a field from what somebody typed. An empty text clears a field that may be empty. The error says what is
    /// wrong and how to correct it.
    pub fn write(&mut self, name: &str, typed: &str) -> Result<(), &'static str> {
        let brand = &mut self.brand;
        match name {
            "nombre" => self.nombre = parse_name(typed)?,
            "razonSocial" => brand.razon_social = short(typed, 150, "Caben 150 letras.")?,
            "nif" => brand.nif = given(typed).map(parse_nif).transpose()?,
            "direccion" => brand.address = short(typed, 200, "Caben 200 letras.")?,
            "telefono" => brand.telefono = given(typed).map(parse_telefono).transpose()?,
            "email" => brand.email = given(typed).map(Email::parse).transpose()?.map(|email| email.typed),
            "web" => brand.web = given(typed).map(parse_web).transpose()?,
            "saludo" => brand.greeting = short(typed, 500, "Caben 500 letras.")?,
            "mensajeria" => brand.mensajeria = short(typed, 40, "Caben 40 letras.")?,
            "color" => brand.color = Color::parse(typed.trim()).ok_or(NO_COLOR)?,
            "origenes" => brand.origins = parse_origins(typed)?,
            "condiciones" => brand.condiciones = parse_conditions(typed)?,
            "diasValidez" => brand.valid_days = parse_valid_days(typed)?,
            "politica" => brand.policy = parse_policy(typed)?,
            _ => return Err("Ese dato no se cambia aquí."),
        }
        Ok(())
    }
}

impl Editable for Identity {
    fn names() -> impl Iterator<Item = &'static str> {
        const NAMES: [&str; 15] = [
            "nombre",
            "razonSocial",
            "nif",
            "direccion",
            "telefono",
            "email",
            "web",
            "color",
            "saludo",
            "mensajeria",
            "condiciones",
            "diasValidez",
            "notasApi",
            "politica",
            "origenes",
        ];
        NAMES.into_iter()
    }

    fn text(&self, name: &str) -> Option<String> {
        let brand = &self.brand;
        let lines = |lines: &[String]| (!lines.is_empty()).then(|| lines.join("\n"));
        match name {
            "nombre" => Some(self.nombre.clone()),
            "razonSocial" => brand.razon_social.clone(),
            "nif" => brand.nif.clone(),
            "direccion" => brand.address.clone(),
            "telefono" => brand.telefono.clone(),
            "email" => brand.email.clone(),
            "web" => brand.web.clone(),
            "color" => Some(brand.color.to_string()),
            "saludo" => brand.greeting.clone(),
            "mensajeria" => brand.mensajeria.clone(),
            "condiciones" => lines(&brand.condiciones),
            "diasValidez" => Some(brand.valid_days.to_string()),
            "notasApi" => Some(if brand.notas_api { "sí" } else { "no" }.to_owned()),
            "politica" => brand.policy.clone(),
            "origenes" => lines(&brand.origins),
            _ => None,
        }
    }

    fn take_over(&mut self, name: &str, from: &Self) {
        let (own, other) = (&mut self.brand, &from.brand);
        match name {
            "nombre" => self.nombre.clone_from(&from.nombre),
            "razonSocial" => own.razon_social.clone_from(&other.razon_social),
            "nif" => own.nif.clone_from(&other.nif),
            "direccion" => own.address.clone_from(&other.address),
            "telefono" => own.telefono.clone_from(&other.telefono),
            "email" => own.email.clone_from(&other.email),
            "web" => own.web.clone_from(&other.web),
            "color" => own.color = other.color,
            "saludo" => own.greeting.clone_from(&other.greeting),
            "mensajeria" => own.mensajeria.clone_from(&other.mensajeria),
            "condiciones" => own.condiciones.clone_from(&other.condiciones),
            "diasValidez" => own.valid_days = other.valid_days,
            "notasApi" => own.notas_api = other.notas_api,
            "politica" => own.policy.clone_from(&other.policy),
            "origenes" => own.origins.clone_from(&other.origins),
            _ => {}
        }
    }
}

const NO_COLOR: &str = "No es un color: escribe una almohadilla y seis cifras o letras, por ejemplo #1f5f5b.";

/// Reads a company's name: one line, not empty, of limited length.
pub fn parse_name(typed: &str) -> Result<String, &'static str> {
    short(typed, MAX_NAME, "El nombre es demasiado largo: caben 100 letras.")?
        .ok_or("Escribe el nombre de la empresa.")
}

/// Scheme, host and port, and nothing else: what a browser calls an origin.
pub fn parse_origin(typed: &str) -> Result<String, &'static str> {
    const WRONG: &str = "Escribe cada web entera y sin nada detrás, por ejemplo https://www.ejemplo.es.";
    let lower = typed.trim().to_ascii_lowercase();
    let text = lower.strip_suffix('/').unwrap_or(&lower);
    let (scheme, place) =
        text.split_once("://").filter(|(s, _)| matches!(*s, "http" | "https")).ok_or(WRONG)?;
    let (host, port) = match place.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (place, None),
    };
    let label = |l: &str| {
        let is_plain = l.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        !l.is_empty() && is_plain && !l.starts_with('-') && !l.ends_with('-')
    };
    if host.len() > 253 || !host.split('.').all(label) {
        return Err(WRONG);
    }
    let usual = if scheme == "https" { 443 } else { 80 };
    match port.map(str::parse::<u16>) {
        None => Ok(text.to_owned()),
        Some(Ok(port)) if port == usual => Ok(format!("{scheme}://{host}")),
        Some(Ok(port)) if port > 0 => Ok(format!("{scheme}://{host}:{port}")),
        Some(_) => Err(WRONG),
    }
}

fn parse_origins(typed: &str) -> Result<Vec<String>, &'static str> {
    let mut origins: Vec<String> = Vec::new();
    for one in typed.split_whitespace() {
        let origin = parse_origin(one)?;
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    if origins.len() > MAX_ORIGINS {
        return Err("Caben 20 webs: quita alguna.");
    }
    Ok(origins)
}

/// The conditions of quotes, one on each line. An empty text means the shipped ones.
fn parse_conditions(typed: &str) -> Result<Vec<String>, &'static str> {
    let lines: Vec<String> =
        typed.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    if lines.len() > MAX_CONDITIONS {
        return Err("Caben 30 condiciones, una en cada línea.");
    }
    if lines.iter().any(|line| line.chars().count() > MAX_CONDITION || line.chars().any(char::is_control)) {
        return Err("Cada condición puede tener hasta 500 letras.");
    }
    Ok(lines)
}

fn parse_valid_days(typed: &str) -> Result<u16, &'static str> {
    let days = typed.trim().parse().ok().filter(|days| (1..=365).contains(days));
    days.ok_or("Escribe cuántos días valen tus presupuestos, de 1 a 365.")
}

/// A privacy policy. An empty text means the shipped one.
fn parse_policy(typed: &str) -> Result<Option<String>, &'static str> {
    let is_odd = |c: char| c.is_control() && c != '\n';
    match given(typed) {
        Some(text) if text.chars().count() > MAX_POLICY || text.chars().any(is_odd) => {
            Err("El texto puede tener hasta 20.000 letras.")
        }
        text => Ok(text.map(str::to_owned)),
    }
}

/// The tax number as it is printed. Only its form is checked: a company may be from abroad.
fn parse_nif(typed: &str) -> Result<String, &'static str> {
    let signs: Vec<char> = typed.chars().filter(|c| !matches!(c, ' ' | '-' | '.')).collect();
    let is_plain = signs.iter().all(char::is_ascii_alphanumeric) && signs.iter().any(char::is_ascii_digit);
    if !is_plain || !(8..=15).contains(&signs.len()) || typed.chars().count() > 20 {
        return Err("No parece un NIF: tiene nueve letras y cifras, por ejemplo B12345674.");
    }
    Ok(typed.to_uppercase())
}

/// One telephone number or two, as the company wants them printed.
fn parse_telefono(typed: &str) -> Result<String, &'static str> {
    let digits = typed.chars().filter(char::is_ascii_digit).count();
    if digits < 3 || typed.chars().count() > 60 || typed.chars().any(char::is_control) {
        return Err("No parece un teléfono: escríbelo con sus cifras, por ejemplo 910 000 000.");
    }
    Ok(typed.to_owned())
}

/// A web address as it is printed: `www.ejemplo.es`, with or without its scheme.
fn parse_web(typed: &str) -> Result<String, &'static str> {
    let bare = typed.strip_prefix("https://").or_else(|| typed.strip_prefix("http://")).unwrap_or(typed);
    let host = bare.split('/').next().unwrap_or_default();
    let label = |l: &str| !l.is_empty() && l.chars().all(|c| c.is_alphanumeric() || c == '-');
    let is_sound = host.contains('.') && host.split('.').all(label);
    if !is_sound || typed.chars().count() > 200 || typed.chars().any(|c| c.is_whitespace() || c.is_control())
    {
        return Err("No parece una web: escribe algo como www.ejemplo.es.");
    }
    Ok(typed.to_owned())
}

/// One line of at most `max` letters; `None` if it is empty.
fn short(typed: &str, max: usize, too_long: &'static str) -> Result<Option<String>, &'static str> {
    let line = typed.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().any(char::is_control) {
        return Err("Hay un carácter que no se puede imprimir: vuelve a escribirlo.");
    }
    if line.chars().count() > max {
        return Err(too_long);
    }
    Ok(Some(line).filter(|line| !line.is_empty()))
}

fn given(typed: &str) -> Option<&str> {
    Some(typed.trim()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        Identity { nombre: "Una".into(), brand: Brand::default() }
    }

    fn write_and_read(name: &str, typed: &str) -> Option<String> {
        let mut identity = identity();
        identity.write(name, typed).ok()?;
        identity.text(name)
    }

    #[test]
    fn every_field_of_a_brand_is_told_and_taken_over() {
        let full = Identity {
            nombre: "Otra".into(),
            brand: Brand {
                color: Color::BLACK,
                nif: Some("B1".into()),
                razon_social: Some("Otra, S.L.".into()),
                address: Some("Calle".into()),
                telefono: Some("910".into()),
                email: Some("a@x.es".into()),
                web: Some("x.es".into()),
                condiciones: vec!["Una.".into(), "Dos.".into()],
                valid_days: 15,
                notas_api: false,
                greeting: Some("Hola".into()),
                mensajeria: Some("Telegram".into()),
                policy: Some("Texto".into()),
                origins: vec!["https://x.es".into()],
            },
        };
        assert_eq!(full.changes(&identity()).len(), Identity::names().count());
        assert_eq!(identity().with_changes(&identity(), &full), Some(full));
    }

    #[test]
    fn fields_are_written_by_their_rules() {
        for (name, typed, kept) in [
            ("nombre", "  Reformas \n Peña ", "Reformas Peña"),
            ("nif", " b-12345678 ", "B-12345678"),
            ("telefono", "910 000 000 / 600 00 00 00", "910 000 000 / 600 00 00 00"),
            ("email", " hola@ejemplo.es ", "hola@ejemplo.es"),
            ("web", "https://www.ejemplo.es/obras", "https://www.ejemplo.es/obras"),
            ("color", " #AA3300", "#aa3300"),
            (
                "origenes",
                "https://A.es/ https://a.es\nhttp://127.0.0.1:8081",
                "https://a.es\nhttp://127.0.0.1:8081",
            ),
        ] {
            assert_eq!(write_and_read(name, typed).as_deref(), Some(kept), "{name}");
        }
        for name in ["razonSocial", "nif", "direccion", "telefono", "email", "web", "origenes"] {
            let mut identity = identity();
            assert_eq!(identity.write(name, "  "), Ok(()), "{name} may be empty");
            assert_eq!(identity.text(name), None, "{name}");
        }
        let long = "ñ".repeat(300);
        for (name, wrong) in [
            ("nombre", ""),
            ("nombre", long.as_str()),
            ("direccion", long.as_str()),
            ("nombre", "a\0b"),
            ("nif", "1"),
            ("nif", "<script>alert(1)</script>"),
            ("telefono", "llámame"),
            ("email", "ana"),
            ("web", "javascript:alert(1)"),
            ("web", "ejemplo"),
            ("web", "a b.es"),
            ("color", "rojo"),
            ("politica", "con un \u{7} dentro"),
            ("otro", "dato"),
        ] {
            assert_eq!(write_and_read(name, wrong), None, "{name}: {wrong}");
        }
    }

    #[test]
    fn only_origins_are_origins() {
        assert_eq!(parse_origin("https://www.ejemplo.es/").as_deref(), Ok("https://www.ejemplo.es"));
        assert_eq!(parse_origin("https://a.es:443").as_deref(), Ok("https://a.es"));
        assert_eq!(parse_origin("http://localhost:8080").as_deref(), Ok("http://localhost:8080"));
        for wrong in [
            "www.ejemplo.es",
            "https://a.es/b",
            "javascript:alert(1)",
            "https://a.es; b",
            "https://a.es:0",
            "https://a.es:x",
            "https://*.es",
            "https://",
            "https://peña.es",
            "'self'",
            "*",
            "",
        ] {
            assert!(parse_origin(wrong).is_err(), "{wrong}");
        }
        let many: Vec<String> = (0..=MAX_ORIGINS).map(|n| format!("https://a{n}.es")).collect();
        assert!(parse_origins(&many.join("\n")).is_err());
    }
}

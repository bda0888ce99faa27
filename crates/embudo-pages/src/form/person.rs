//! Reads the contact step of the form (step 3).
//!
//! Each error says how to fix the value. A probable typing mistake is asked about once. This module does not look up
//! whether the person is already a lead.

use embudo_app::PageSecret;
use embudo_domain::contact::{Email, Telefono};
use embudo_domain::direccion::Direccion;
use embudo_domain::provincia::{CodigoPostal, Provincia};
use embudo_domain::words;

use super::mistakes::{Doubt, Errors};
use super::slips::meant_domain;
use crate::parts::FormFields;

/// The maximum length of a name.
const MAX_NOMBRE: usize = 120;
/// The end of a question about an odd value: how to confirm the value.
const INSISTS: &str = "Si está bien así, pulsa «Continuar» otra vez.";

/// The hidden field in step 2 of a person who went back from step 3. With this field, step 3 is shown again and no lead
/// is created.
pub(super) const RETURNS: &str = "vuelve";

/// The hidden field with the page's secret. It travels only in request bodies.
const SECRET: &str = "secreto";

/// The text that the person typed, valid or not, and the secret of the page in which they typed it.
#[derive(Debug, Clone, Default)]
pub(super) struct Typed {
    pub secret: Option<PageSecret>,
    pub nombre: String,
    pub telefono: String,
    pub email: String,
    pub direccion: String,
    pub codigo_postal: String,
    pub provincia: String,
    pub comercial: bool,
}

/// The values that were read.
pub(super) struct ParsedPerson {
    pub nombre: String,
    pub telefono: Telefono,
    pub email: Email,
    pub direccion: Option<Direccion>,
    pub codigo_postal: Option<CodigoPostal>,
    /// The chosen province, or the province of the postal code.
    pub provincia: Option<String>,
}

impl Typed {
    pub fn of(fields: &FormFields) -> Self {
        Self {
            secret: PageSecret::read(fields.raw(SECRET)),
            nombre: fields.text("nombre"),
            telefono: fields.text("telefono"),
            email: fields.text("email"),
            direccion: fields.text("direccion").replace('\n', " "),
            codigo_postal: fields.text("codigoPostal"),
            provincia: fields.text("provincia"),
            comercial: fields.has("comercial"),
        }
    }

    /// The typed values as hidden fields for the previous step.
    pub fn fields(&self) -> Vec<(String, String)> {
        let comercial = if self.comercial { "si" } else { "" };
        let fields = [
            ("nombre", self.nombre.as_str()),
            ("telefono", &self.telefono),
            ("email", &self.email),
            ("direccion", &self.direccion),
            ("codigoPostal", &self.codigo_postal),
            ("provincia", &self.provincia),
            ("comercial", comercial),
            (SECRET, self.secret.as_ref().map_or("", PageSecret::as_str)),
            (RETURNS, "1"),
        ];
        fields.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect()
    }

    /// Parses the values or returns the errors. `fields` may confirm values that the form asked about before.
    pub fn read(&self, fields: &FormFields) -> Result<ParsedPerson, Errors> {
        let mut errors = Errors::default();
        if self.nombre.is_empty() {
            errors.missing("nombre", "Dinos cómo te llamas.");
        } else if self.nombre.chars().count() > MAX_NOMBRE {
            errors.note_down("nombre", "Es demasiado largo: con nombre y apellidos nos basta.");
        }
        let telefono = self.parse_telefono(fields, &mut errors);
        let email = self.read_email(fields, &mut errors);
        let provincia = Some(self.provincia.clone()).filter(|p| !p.is_empty());
        if provincia.as_deref().is_some_and(|p| Provincia::parse(p).is_none()) {
            errors.note_down("provincia", "Elige la provincia de la lista.");
        }
        let direccion = Direccion::parse(&self.direccion);
        if direccion.is_none() && !self.direccion.is_empty() {
            errors.note_down("direccion", "Es demasiado larga: con la calle y el número nos basta.");
        }
        let codigo_postal = CodigoPostal::parse(&self.codigo_postal.replace(' ', ""));
        if codigo_postal.is_none() && !self.codigo_postal.is_empty() {
            errors.note_down(
                "codigoPostal",
                "Un código postal tiene 5 cifras, por ejemplo 28013. Si no lo sabes, déjalo vacío.",
            );
        }
        // People know their postal code by heart. If the province contradicts it, the province was chosen by mistake.
        let provincia = match &codigo_postal {
            Some(code) => Some(code.provincia().nombre().to_owned()),
            None => provincia,
        };
        match (telefono, email) {
            (Some(telefono), Some(email)) if !errors.has() => Ok(ParsedPerson {
                nombre: self.nombre.clone(),
                telefono,
                email,
                direccion,
                codigo_postal,
                provincia,
            }),
            _ => Err(errors),
        }
    }

    fn parse_telefono(&self, fields: &FormFields, errors: &mut Errors) -> Option<Telefono> {
        if self.telefono.is_empty() {
            errors.missing("telefono", "Dinos un teléfono, fijo o móvil.");
            return None;
        }
        let Ok(telefono) = Telefono::parse(&self.telefono) else {
            let digits = self.telefono.chars().filter(char::is_ascii_digit).count();
            let mensaje = match digits {
                0..9 => format!("Faltan cifras: un teléfono español tiene 9 y has escrito {digits}."),
                _ => "Revisa el número: uno español tiene 9 cifras; si es de otro país, empieza por + y su prefijo."
                    .to_owned(),
            };
            errors.note_down("telefono", mensaje);
            return None;
        };
        let national = telefono.e164.strip_prefix("+34");
        if national.is_some_and(|n| !n.starts_with(['6', '7', '8', '9'])) {
            let written = words::telefono(&telefono.e164);
            let mensaje = format!(
                "Los teléfonos españoles empiezan por 6, 7, 8 o 9. ¿Seguro que es el {written}? {INSISTS}"
            );
            errors.doubt(fields, "telefono", &telefono.e164, Doubt { mensaje, hint: None });
        }
        Some(telefono)
    }

    fn read_email(&self, fields: &FormFields, errors: &mut Errors) -> Option<Email> {
        if self.email.is_empty() {
            errors.missing("email", "Dinos un correo para contestarte por escrito.");
            return None;
        }
        let Ok(email) = Email::parse(&self.email) else {
            errors.note_down(
                "email",
                if self.email.contains('@') {
                    "Revisa el correo: debe ser como ana@ejemplo.es, sin espacios."
                } else {
                    "Falta la arroba: un correo es como ana@ejemplo.es."
                },
            );
            return None;
        };
        let parts = email.typed.rsplit_once('@');
        if let Some((local, meant)) = parts.and_then(|(l, domain)| Some((l, meant_domain(domain)?))) {
            let hint = format!("{local}@{meant}");
            let mensaje = format!("¿Querías decir {hint}? {INSISTS}");
            let doubt = Doubt { mensaje, hint: Some(hint) };
            errors.doubt(fields, "email", &email.normal, doubt);
        }
        Some(email)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::read_fields;

    fn ana() -> Typed {
        let [nombre, telefono, email] = ["Ana", "612 34 56 78", "ana@ejemplo.es"].map(str::to_owned);
        Typed { nombre, telefono, email, ..Typed::default() }
    }

    fn wrong(typed: &Typed, field: &str) -> String {
        let Err(errors) = typed.read(&FormFields::default()) else { panic!("{typed:?} was taken") };
        errors.of(field).unwrap_or_else(|| panic!("{errors:?}")).mensaje.clone()
    }

    #[test]
    fn mistakes_say_how_to_mend_them() {
        let telefono = |t: &str| Typed { telefono: t.into(), ..ana() };
        let missing = "Faltan cifras: un teléfono español tiene 9 y has escrito 8.";
        assert_eq!(wrong(&telefono("61234567"), "telefono"), missing);
        assert!(wrong(&telefono("6123456789012345"), "telefono").starts_with("Revisa el número"));
        for well in ["+34 612-34-56-78", "91 234 56 78", "+44 20 7946 0958"] {
            assert!(telefono(well).read(&FormFields::default()).is_ok(), "{well}");
        }
        let email = |e: &str| Typed { email: e.into(), ..ana() };
        assert!(wrong(&email("ana"), "email").contains("arroba"));
        assert!(wrong(&email("ana@ejemplo"), "email").starts_with("Revisa el correo"));
    }

    #[test]
    fn a_postal_code_names_its_province() {
        let with = |codigo_postal: &str, provincia: &str| Typed {
            codigo_postal: codigo_postal.into(),
            provincia: provincia.into(),
            ..ana()
        };
        for (code, chosen) in [("28013", ""), ("28 013", "Cuenca")] {
            let Ok(read) = with(code, chosen).read(&FormFields::default()) else {
                panic!("{code} was refused")
            };
            assert_eq!(read.provincia.as_deref(), Some("Madrid"));
        }
        assert!(wrong(&with("2801", ""), "codigoPostal").starts_with("Un código postal tiene 5 cifras"));
    }

    #[test]
    fn slips_are_asked_about_and_can_be_insisted_on() {
        let odd = Typed { telefono: "512 34 56 78".into(), email: "Ana@gmail.con".into(), ..ana() };
        assert!(wrong(&odd, "telefono").contains("empiezan por 6, 7, 8 o 9"));
        assert!(wrong(&odd, "email").starts_with("¿Querías decir Ana@gmail.com?"));
        let Err(errors) = odd.read(&FormFields::default()) else { panic!("asked about") };
        assert!(errors.only_doubts());
        let secure: Vec<_> = errors.asked.iter().map(|p| ("seguro".to_owned(), p.clone())).collect();
        assert!(odd.read(&FormFields(secure.clone())).is_ok(), "insisted on");
        let other = Typed { email: "eva@gmail.con".into(), ..odd };
        assert!(other.read(&FormFields(secure)).is_err(), "another slip is another question");
        assert!(other.read(&read_fields(b"seguro=x")).is_err());
    }

    #[test]
    fn every_field_is_looked_at() {
        let Err(errors) = Typed::default().read(&FormFields::default()) else { panic!("nothing was typed") };
        let fields: Vec<_> = errors.list.iter().map(|e| e.field.as_ref()).collect();
        assert_eq!(fields, ["nombre", "telefono", "email"]);
        assert!(errors.is_first("nombre"));
        assert_eq!(errors.summary(), "Faltan 3 cosas:");
    }
}

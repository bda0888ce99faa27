//! How a person is reached: telephone and e-mail, each with the form that comparisons use.

use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat, Region};

/// A telephone number: as typed, and as the world writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telefono {
    /// As the person typed it.
    pub typed: String,
    /// E.164 (`+34612345678`); a number without a prefix is Spanish.
    pub e164: String,
}

impl Telefono {
    /// Reads a number in any usual spelling; one that is not even possible is refused.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const NOT_POSSIBLE: &str =
            "No es un teléfono posible: revisa las cifras (un número español tiene 9).";
        let number = PHONE_NUMBER_UTIL.parse(text, Some(Region::ES)).map_err(|_| NOT_POSSIBLE)?;
        if !PHONE_NUMBER_UTIL.is_possible_number(&number) {
            return Err(NOT_POSSIBLE);
        }
        let e164 = PHONE_NUMBER_UTIL.format(&number, PhoneNumberFormat::E164).into_owned();
        Ok(Self { typed: text.to_owned(), e164 })
    }
}

/// The longest e-mail address that can be delivered to (RFC 5321).
pub const MAX_EMAIL: usize = 254;

/// An e-mail address: as typed, and folded for comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// As the person typed it.
    pub typed: String,
    /// Lower case, so that `Ana@X.es` and `ana@x.es` are one person.
    pub normal: String,
}

impl Email {
    /// Reads an address that looks like one: something, an @, a domain with a dot. Nothing that could
    /// break out of a mail header passes.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const UNLIKELY: &str = "No parece un correo electrónico: escribe algo como ana@ejemplo.es.";
        let (local, domain) = text.rsplit_once('@').ok_or(UNLIKELY)?;
        let local_ok = !local.is_empty() && local.chars().all(is_local_char);
        let domain_ok = domain.contains('.') && domain.split('.').all(is_label);
        if !local_ok || !domain_ok || text.chars().count() > MAX_EMAIL {
            return Err(UNLIKELY);
        }
        Ok(Self { typed: text.to_owned(), normal: text.to_lowercase() })
    }
}

fn is_local_char(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !"@<>\"(),:;\\[]".contains(c)
}

fn is_label(label: &str) -> bool {
    let chars_ok = label.chars().all(|c| c.is_alphanumeric() || c == '-');
    !label.is_empty() && chars_ok && !label.starts_with('-') && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phones_in_any_usual_spelling_are_one_number() {
        for t in ["612345678", "612 34 56 78", "+34 612-34-56-78", "0034612345678", "(+34) 612 345 678"] {
            let telefono = Telefono::parse(t).expect(t);
            assert_eq!(telefono.e164, "+34612345678", "{t}");
            assert_eq!(telefono.typed, t);
        }
        assert_eq!(Telefono::parse("+44 20 7946 0958").expect("London").e164, "+442079460958");
    }

    #[test]
    fn an_impossible_phone_is_refused() {
        for t in ["", "12", "hola", "61234567", "6123456789012345678", "+999123456789"] {
            assert!(Telefono::parse(t).is_err(), "{t}");
        }
    }

    #[test]
    fn mails_look_like_mails() {
        for m in ["ana@ejemplo.es", "A.b+c@sub.ejemplo.co", "josé@peñíscola.es", "o'hara!#$%@x.io"] {
            assert!(Email::parse(m).is_ok(), "{m}");
        }
        for m in [
            "",
            "ana",
            "@x.es",
            "ana@",
            "ana@x",
            "a b@x.es",
            "ana@x..es",
            "ana@-x.es",
            "a@x.es\r\nBcc: b@y.es",
            "a<b@x.es",
            "a@b@x.es",
        ] {
            assert!(Email::parse(m).is_err(), "{m:?}");
        }
    }
}

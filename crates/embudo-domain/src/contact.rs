//! How a person is reached: telephone and e-mail, each with the form that comparisons use.

mod numbering;

pub use numbering::forget_unused;

/// A telephone number: as typed, and in the international form. Both are empty where a lead has no number: people may
/// enter such a lead in the panel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Telefono {
    /// As the person typed it.
    pub typed: String,
    /// E.164 (`+34612345678`); a number without a prefix is Spanish.
    pub e164: String,
}

impl Telefono {
    pub fn is_none(&self) -> bool {
        self.e164.is_empty()
    }

    /// Reads a number in any usual spelling. A number that is not even possible is refused.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const NOT_POSSIBLE: &str =
            "No es un teléfono posible: revisa las cifras (un número español tiene 9).";
        let number = numbering::read(text).ok_or(NOT_POSSIBLE)?;
        Ok(Self { typed: text.to_owned(), e164: number.e164 })
    }
}

/// The minimum number of digits that identify a telephone.
const TELLING: usize = 6;
/// The maximum number of separators (neither letters nor digits) between two digits of a number.
const APART: usize = 3;

/// The digit sequences that identify a number: as it was typed, in E.164, and without the prefix of its country.
pub fn telling_digits(typed: &str, e164: &str) -> Vec<String> {
    let without_prefix = numbering::national(e164);
    let digits = |text: String| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let all = [Some(typed.to_owned()), Some(e164.to_owned()), without_prefix].into_iter().flatten();
    let mut all: Vec<String> = all.map(digits).filter(|digits| digits.len() >= TELLING).collect();
    all.sort();
    all.dedup();
    all
}

/// Whether a text contains these digits one after the other, with any separators between them: `639.825.979`, `(+34)
/// 639 82-59-79`.
pub fn has_digits(text: &str, digits: &str) -> bool {
    let (mut run, mut apart) = (String::new(), 0);
    for c in text.chars() {
        match c {
            '0'..='9' => {
                run.push(c);
                apart = 0;
            }
            _ if c.is_alphanumeric() || apart == APART => {
                if run.contains(digits) {
                    return true;
                }
                run.clear();
                apart = 0;
            }
            _ => apart += 1,
        }
    }
    run.contains(digits)
}

/// The longest e-mail address that can be delivered to (RFC 5321).
pub const MAX_EMAIL: usize = 254;

/// An e-mail address: as typed, and folded for comparisons. Both are empty where a lead has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Email {
    /// As the person typed it.
    pub typed: String,
    /// Lower case, so that `Ana@X.es` and `ana@x.es` are one person.
    pub normal: String,
}

impl Email {
    pub fn is_none(&self) -> bool {
        self.normal.is_empty()
    }

    /// Reads an address that looks like one: something, an @, a domain with a dot. Refuses everything that could break
    /// out of a mail header.
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
    fn a_number_is_found_in_any_spelling() {
        let digits = telling_digits("639825979", "+34639825979");
        assert_eq!(digits, ["34639825979", "639825979"]);
        let is_in = |text: &str| digits.iter().any(|digits| has_digits(text, digits));
        for text in [
            "639825979",
            "tel. 639.825.979, por la tarde",
            "639 82 59 79",
            "(+34) 639-825-979",
            "0034639825979",
            "639·825·979",
            "639 / 825 / 979",
            "639\u{a0}825\u{202f}979",
        ] {
            assert!(is_in(text), "{text}");
        }
        for text in ["", "639825978", "639 euros y 825979", "63982 a 5979", "639825", "639 — — 825979"] {
            assert!(!is_in(text), "{text}");
        }
        assert_eq!(telling_digits("+44 20 7946 0958", "+442079460958"), ["2079460958", "442079460958"]);
        assert_eq!(telling_digits("", ""), Vec::<String>::new());
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

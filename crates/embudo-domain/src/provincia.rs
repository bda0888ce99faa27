//! The provinces of Spain, and how people write them.
//!
//! A lead's province is free text. This module recognises official, Spanish, co-official and usual names, capitals and
//! islands whose name differs, and postal codes, in any case and with or without accents. It must not guess: a text
//! that it does not recognise stays unknown, and the quote says so.

mod table;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::search::fold;
use table::PROVINCIAS;

/// A province or autonomous city, by its two-digit code of the National Statistics Institute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Provincia(u8);

/// A Spanish postal code: five digits, the first two of which are a province.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodigoPostal(String);

impl CodigoPostal {
    /// What a postal code looks like, as a regular expression.
    pub const PATTERN: &str = "^(0[1-9]|[1-4][0-9]|5[0-2])[0-9]{3}$";

    pub fn parse(text: &str) -> Option<Self> {
        let is_one = text.len() == 5 && Provincia::of_postal_code(text).is_some();
        is_one.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn provincia(&self) -> Provincia {
        Provincia::of_postal_code(&self.0).expect("checked when it was read")
    }
}

enumeration! {
    /// The area in which one indirect tax applies.
    Territory {
        PeninsulaBaleares = "peninsula_baleares",
        Canarias = "canarias",
        Ceuta = "ceuta",
        Melilla = "melilla",
    }
}

impl Provincia {
    /// All 50 provinces, Ceuta and Melilla, by code.
    pub fn all() -> impl Iterator<Item = Provincia> {
        (1..=52).map(Provincia)
    }

    /// The province of a code, 1 to 52; postal codes start with it.
    pub fn from_code(code: u8) -> Option<Self> {
        (1..=52).contains(&code).then_some(Self(code))
    }

    /// The province of a postal code, by its first two digits.
    pub fn of_postal_code(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_one = text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit());
        Self::from_code(text.get(..2).filter(|_| is_one)?.parse().ok()?)
    }

    /// The province of an address in one line, by its postal code or by the name at its end.
    pub fn of_address(address: &str) -> Option<Self> {
        let words = address.split(|c: char| !c.is_alphanumeric());
        let by_code = words.filter(|word| word.len() == 5).filter_map(Self::of_postal_code).next_back();
        by_code.or_else(|| address.rsplit([',', '(', ')']).find_map(|part| Self::parse(part.trim())))
    }

    /// Recognises what a person wrote.
    pub fn parse(text: &str) -> Option<Self> {
        let folded = normal(text);
        if let Some(provincia) = Self::of_postal_code(&folded) {
            return Some(provincia);
        }
        let without_prefix = ["provincia de ", "prov de ", "provincia "]
            .iter()
            .find_map(|p| folded.strip_prefix(p))
            .unwrap_or(&folded);
        let find = |nombre: &str| {
            let position = PROVINCIAS
                .iter()
                .position(|(official, others)| normal(official) == nombre || others.contains(&nombre))?;
            Self::from_code(u8::try_from(position + 1).ok()?)
        };
        // «Araba/Álava», «Alicante (Alacant)», «Coruña, A»: it is enough if one part is a name by itself.
        find(without_prefix)
            .or_else(|| text.split(['/', '(', ')', ',', '-']).find_map(|part| find(&normal(part))))
    }

    pub fn code(self) -> u8 {
        self.0
    }

    /// Its name as a quote writes it.
    pub fn nombre(self) -> &'static str {
        PROVINCIAS[usize::from(self.0) - 1].0
    }

    /// The territory that decides which tax applies there.
    pub fn territory(self) -> Territory {
        match self.0 {
            35 | 38 => Territory::Canarias,
            51 => Territory::Ceuta,
            52 => Territory::Melilla,
            _ => Territory::PeninsulaBaleares,
        }
    }
}

impl std::fmt::Display for Provincia {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.nombre())
    }
}

impl Serialize for Provincia {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.nombre())
    }
}

impl<'de> Deserialize<'de> for Provincia {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a province"))
    }
}

/// Folded, with single spaces and without punctuation.
fn normal(text: &str) -> String {
    let folded = fold(text);
    let words: Vec<&str> = folded
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|p| p.trim_matches('\''))
        .filter(|p| !p.is_empty())
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_province_knows_its_own_name() {
        assert_eq!(Provincia::all().count(), PROVINCIAS.len());
        for p in Provincia::all() {
            assert_eq!(Provincia::parse(p.nombre()), Some(p), "{p}");
            assert_eq!(Provincia::parse(&p.nombre().to_uppercase()), Some(p), "{p}");
            assert_eq!(Provincia::parse(&format!(" Provincia de {} ", fold(p.nombre()))), Some(p), "{p}");
        }
    }

    #[test]
    fn other_names_are_folded_and_belong_to_one_province() {
        let mut seen = std::collections::BTreeSet::new();
        for (official, others) in PROVINCIAS {
            for nombre in others.iter().copied().chain([normal(official).as_str()]) {
                assert_eq!(normal(nombre), nombre);
                assert!(seen.insert(nombre.to_owned()), "{nombre} twice");
            }
        }
    }

    #[test]
    fn as_people_write_them() {
        for (text, code) in [
            ("La Coruña", 15),
            ("CORUÑA, A", 15),
            ("a coruña", 15),
            ("Guipúzcoa", 20),
            ("Gipuzkoa", 20),
            ("San Sebastián / Donostia", 20),
            ("Vizcaya", 48),
            ("Bilbao", 48),
            ("Araba/Álava", 1),
            ("Álava-Araba", 1),
            ("Illes Balears", 7),
            ("Islas Baleares", 7),
            ("Mallorca", 7),
            ("Gerona", 17),
            ("Lérida", 25),
            ("Alicante/Alacant", 3),
            ("València", 46),
            ("Castelló", 12),
            ("Orense", 32),
            ("Navarra", 31),
            ("Asturias", 33),
            ("Tenerife", 38),
            ("S/C de Tenerife", 38),
            ("Las Palmas de Gran Canaria", 35),
            ("Fuerteventura", 35),
            ("28013", 28),
            ("07001", 7),
            ("52001", 52),
            ("Madrid (Comunidad de)", 28),
        ] {
            assert_eq!(Provincia::parse(text).map(Provincia::code), Some(code), "{text}");
        }
        for text in ["", " ", "Lisboa", "53001", "00100", "1234", "Castilla", "💥"] {
            assert_eq!(Provincia::parse(text), None, "{text}");
        }
    }

    #[test]
    fn postal_codes_name_their_province() {
        for (text, code) in [("28013", 28), (" 07001 ", 7), ("52001", 52), ("01001", 1)] {
            assert_eq!(Provincia::of_postal_code(text).map(Provincia::code), Some(code), "{text}");
        }
        for text in ["", "53001", "00100", "1234", "280131", "28 013", "2801a", "ñ2801", "Madrid", "٢٨٠١٣"]
        {
            assert_eq!(Provincia::of_postal_code(text), None, "{text}");
            assert_eq!(CodigoPostal::parse(text), None, "{text}");
        }
        assert_eq!(CodigoPostal::parse(" 07001"), None);
        assert_eq!(CodigoPostal::parse("07001").map(|c| c.provincia().code()), Some(7));
    }

    #[test]
    fn taxes_have_their_ground() {
        let of = |t: Territory| Provincia::all().filter(|p| p.territory() == t).count();
        assert_eq!(
            [Territory::PeninsulaBaleares, Territory::Canarias, Territory::Ceuta, Territory::Melilla].map(of),
            [48, 2, 1, 1]
        );
    }
}

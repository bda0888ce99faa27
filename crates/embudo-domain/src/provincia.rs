//! The provinces of Spain, and how people write them.
//!
//! A lead's province is free text: this module recognises official, Spanish, co-official and usual names, capitals and
//! islands whose name differs, and postal codes, in any case and with or without accents. It must not guess: what it does
//! not know stays unknown, and the quote says so.

mod tabla;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::busqueda::plegar;
use tabla::PROVINCIAS;

/// A province or autonomous city, by its two-digit code of the National Statistics Institute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Provincia(u8);

enumeracion! {
    /// Where one indirect tax rules.
    Territorio {
        PeninsulaBaleares = "peninsula_baleares",
        Canarias = "canarias",
        Ceuta = "ceuta",
        Melilla = "melilla",
    }
}

impl Provincia {
    /// All 50 provinces, Ceuta and Melilla, by code.
    pub fn todas() -> impl Iterator<Item = Provincia> {
        (1..=52).map(Provincia)
    }

    /// The province of a code, 1 to 52; postal codes start with it.
    pub fn from_codigo(codigo: u8) -> Option<Self> {
        (1..=52).contains(&codigo).then_some(Self(codigo))
    }

    /// Recognises what a person wrote.
    pub fn parse(texto: &str) -> Option<Self> {
        let plegado = normal(texto);
        if plegado.len() == 5 && plegado.bytes().all(|b| b.is_ascii_digit()) {
            return Self::from_codigo(plegado[..2].parse().ok()?);
        }
        let sin_prefijo = ["provincia de ", "prov de ", "provincia "]
            .iter()
            .find_map(|p| plegado.strip_prefix(p))
            .unwrap_or(&plegado);
        let buscar = |nombre: &str| {
            let posicion = PROVINCIAS
                .iter()
                .position(|(oficial, otros)| normal(oficial) == nombre || otros.contains(&nombre))?;
            Self::from_codigo(u8::try_from(posicion + 1).ok()?)
        };
        // «Araba/Álava», «Alicante (Alacant)», «Coruña, A»: any part that is a name by itself will do.
        buscar(sin_prefijo)
            .or_else(|| texto.split(['/', '(', ')', ',', '-']).find_map(|parte| buscar(&normal(parte))))
    }

    /// Its code.
    pub fn codigo(self) -> u8 {
        self.0
    }

    /// Its name as a quote writes it.
    pub fn nombre(self) -> &'static str {
        PROVINCIAS[usize::from(self.0) - 1].0
    }

    /// Which tax rules there.
    pub fn territorio(self) -> Territorio {
        match self.0 {
            35 | 38 => Territorio::Canarias,
            51 => Territorio::Ceuta,
            52 => Territorio::Melilla,
            _ => Territorio::PeninsulaBaleares,
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
        let texto = std::borrow::Cow::<'de, str>::deserialize(d)?;
        Self::parse(&texto).ok_or_else(|| serde::de::Error::custom("not a province"))
    }
}

/// Folded, with single spaces and without the marks that people add.
fn normal(texto: &str) -> String {
    let plegado = plegar(texto);
    let palabras: Vec<&str> = plegado
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|p| p.trim_matches('\''))
        .filter(|p| !p.is_empty())
        .collect();
    palabras.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_province_knows_its_own_name() {
        assert_eq!(Provincia::todas().count(), PROVINCIAS.len());
        for p in Provincia::todas() {
            assert_eq!(Provincia::parse(p.nombre()), Some(p), "{p}");
            assert_eq!(Provincia::parse(&p.nombre().to_uppercase()), Some(p), "{p}");
            assert_eq!(Provincia::parse(&format!(" Provincia de {} ", plegar(p.nombre()))), Some(p), "{p}");
        }
    }

    #[test]
    fn other_names_are_folded_and_belong_to_one_province() {
        let mut vistos = std::collections::BTreeSet::new();
        for (oficial, otros) in PROVINCIAS {
            for nombre in otros.iter().copied().chain([normal(oficial).as_str()]) {
                assert_eq!(normal(nombre), nombre);
                assert!(vistos.insert(nombre.to_owned()), "{nombre} twice");
            }
        }
    }

    #[test]
    fn as_people_write_them() {
        for (texto, codigo) in [
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
            assert_eq!(Provincia::parse(texto).map(Provincia::codigo), Some(codigo), "{texto}");
        }
        for texto in ["", " ", "Lisboa", "53001", "00100", "1234", "Castilla", "💥"] {
            assert_eq!(Provincia::parse(texto), None, "{texto}");
        }
    }

    #[test]
    fn taxes_have_their_ground() {
        let de = |t: Territorio| Provincia::todas().filter(|p| p.territorio() == t).count();
        assert_eq!(
            [Territorio::PeninsulaBaleares, Territorio::Canarias, Territorio::Ceuta, Territorio::Melilla]
                .map(de),
            [48, 2, 1, 1]
        );
    }
}

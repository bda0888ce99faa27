//! The number of a quote: how it is written, and which number comes next. The store assigns the numbers, per company
//! and year and without gaps.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The number of a quote within its company: `2026-0001`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PresupuestoNumber {
    /// The year, 1000 to 9999.
    year: u16,
    /// The place in the year, from 1.
    orden: u32,
}

impl PresupuestoNumber {
    /// A number, if year and place are possible.
    pub fn new(year: u16, orden: u32) -> Option<Self> {
        ((1000..=9999).contains(&year) && orden > 0).then_some(Self { year, orden })
    }

    /// Reads the one spelling that [`Display`](std::fmt::Display) writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, orden) = text.split_once('-')?;
        let number = Self::new(year.parse().ok()?, orden.parse().ok()?)?;
        (number.to_string() == text).then_some(number)
    }

    /// The number that follows the company's last one in a year; the first number of the year if there is none.
    pub fn next(last: Option<Self>, year: u16) -> Option<Self> {
        let orden = last.filter(|u| u.year == year).map_or(Some(1), |u| u.orden.checked_add(1))?;
        Self::new(year, orden)
    }

    pub fn year(self) -> u16 {
        self.year
    }

    /// The place in the year.
    pub fn orden(self) -> u32 {
        self.orden
    }

    /// The name of its PDF: `presupuesto-2026-0001.pdf` (contract §4).
    pub fn file_name(self) -> String {
        format!("presupuesto-{self}.pdf")
    }

    /// The name of the PDF of what was accepted.
    pub fn accepted_file_name(self) -> String {
        format!("presupuesto-{self}-aceptado.pdf")
    }
}

impl std::fmt::Display for PresupuestoNumber {
    /// At least four digits; the ten-thousandth of a year has five.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:04}", self.year, self.orden)
    }
}

impl Serialize for PresupuestoNumber {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PresupuestoNumber {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a quote number"))
    }
}

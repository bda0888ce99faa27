//! The words of a quote: its number, its states, how long it holds, and when two of them say the same.
//!
//! Numbers are handed out by the store, per company and year and without gaps; this module only knows how they are
//! written and which comes next.

use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::calculo::Calculo;
use crate::huella::Huella;
use crate::ingesta::Momento;
use crate::iva::Impuesto;
use crate::{FotoId, Zona};

/// How long a quote holds unless the company says otherwise.
pub const DIAS_VALIDEZ: u16 = 30;

/// The number of a quote within its company: `2026-0001`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NumeroPresupuesto {
    /// The year, 1000 to 9999.
    anio: u16,
    /// The place in the year, from 1.
    orden: u32,
}

impl NumeroPresupuesto {
    /// A number, if year and place are possible.
    pub fn new(anio: u16, orden: u32) -> Option<Self> {
        ((1000..=9999).contains(&anio) && orden > 0).then_some(Self { anio, orden })
    }

    /// Reads the one spelling that [`Display`](std::fmt::Display) writes.
    pub fn leer(texto: &str) -> Option<Self> {
        let (anio, orden) = texto.split_once('-')?;
        let numero = Self::new(anio.parse().ok()?, orden.parse().ok()?)?;
        (numero.to_string() == texto).then_some(numero)
    }

    /// The number that follows the last one of its company, in a year: the first of the year if there is none.
    pub fn siguiente(ultimo: Option<Self>, anio: u16) -> Option<Self> {
        let orden = ultimo.filter(|u| u.anio == anio).map_or(Some(1), |u| u.orden.checked_add(1))?;
        Self::new(anio, orden)
    }

    /// The year.
    pub fn anio(self) -> u16 {
        self.anio
    }

    /// The place in the year.
    pub fn orden(self) -> u32 {
        self.orden
    }

    /// The name of its PDF: `presupuesto-2026-0001.pdf` (contract §4).
    pub fn nombre_fichero(self) -> String {
        format!("presupuesto-{self}.pdf")
    }
}

impl std::fmt::Display for NumeroPresupuesto {
    /// At least four digits; the ten-thousandth of a year has five.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:04}", self.anio, self.orden)
    }
}

impl Serialize for NumeroPresupuesto {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NumeroPresupuesto {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let texto = std::borrow::Cow::<'de, str>::deserialize(d)?;
        Self::leer(&texto).ok_or_else(|| serde::de::Error::custom("not a quote number"))
    }
}

enumeracion! {
    /// Where a quote stands.
    EstadoPresupuesto {
        Borrador = "borrador",
        Enviado = "enviado",
        Aceptado = "aceptado",
        Rechazado = "rechazado",
        Sustituido = "sustituido",
    }
}

impl EstadoPresupuesto {
    /// Whether a quote may go from this state to another.
    ///
    /// A draft is sent or superseded. A sent one is answered or superseded. A client who declined may still change their
    /// mind, and a declined one may be superseded by a better offer. An accepted one is a contract: nothing changes it.
    pub fn puede_pasar_a(self, a: Self) -> bool {
        use EstadoPresupuesto::{Aceptado, Borrador, Enviado, Rechazado, Sustituido};
        matches!(
            (self, a),
            (Borrador, Enviado | Sustituido)
                | (Enviado, Aceptado | Rechazado | Sustituido)
                | (Rechazado, Aceptado | Sustituido)
        )
    }

    /// Whether nothing can change it any more.
    pub fn es_final(self) -> bool {
        matches!(self, Self::Aceptado | Self::Sustituido)
    }
}

/// From when until when a quote holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validez {
    /// The day it was issued, in the company's zone.
    pub emitido: Date,
    /// The last day on which it holds.
    pub hasta: Date,
}

impl Validez {
    /// A quote issued on a day that holds for some days after it.
    pub fn desde(emitido: Date, dias: u16) -> Self {
        Self { emitido, hasta: emitido.saturating_add(i32::from(dias).days()) }
    }

    /// Whether it still holds on a day.
    pub fn vale(&self, dia: Date) -> bool {
        dia <= self.hasta
    }
}

/// Everything that a quote says, except its number and its date.
///
/// Two finalizations with equal content are one quote; any difference a client could see is another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contenido<'a> {
    /// Whose quote: name, telephone, e-mail, place, as printed.
    pub cliente: [Option<&'a str>; 4],
    /// Who quotes: name, tax number, contact, conditions, as printed.
    pub empresa: &'a [&'a str],
    /// The lines, totals and suppositions.
    pub calculo: &'a Calculo,
    /// The tax.
    pub impuesto: &'a Impuesto,
    /// Days of validity.
    pub dias_validez: u16,
    /// Notes by zone, in their order.
    pub notas: &'a [(Option<Zona>, &'a str)],
    /// Photos as printed: which, where, when, and the mark of the picture or address.
    pub fotos: &'a [FotoContenido],
}

/// A photo as a quote shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FotoContenido {
    /// The photo.
    pub id: FotoId,
    /// Its zone.
    pub zona: Zona,
    /// Before or after.
    pub momento: Momento,
    /// The mark of its picture, in hexadecimal; absent where there is none to show.
    pub huella: Option<String>,
}

impl Contenido<'_> {
    /// The bytes that the content's mark is taken from. The first line names the format: a change of it changes every
    /// mark on purpose.
    pub fn entrada_huella(&self) -> Vec<u8> {
        let mut bytes = b"embudo/presupuesto/1\n".to_vec();
        serde_json::to_writer(&mut bytes, self).expect("plain data becomes JSON");
        bytes
    }

    /// The mark of the content.
    pub fn huella(&self) -> Huella {
        Huella::de(&self.entrada_huella())
    }
}

enumeracion! {
    /// How a total stands to the client's target.
    Encaje { Dentro = "dentro", Cerca = "cerca", PorEncima = "por_encima" }
}

impl Encaje {
    /// Compares a total with tax, which is what a person pays, with what they want to spend. Up to a tenth above is near.
    pub fn de(total: crate::dinero::Cents, objetivo: crate::dinero::Cents) -> Self {
        if total <= objetivo {
            Self::Dentro
        } else if i128::from(total.0) * 10 <= i128::from(objetivo.0) * 11 {
            Self::Cerca
        } else {
            Self::PorEncima
        }
    }
}

#[cfg(test)]
mod tests;

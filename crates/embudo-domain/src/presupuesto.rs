//! A quote: its number, its states, how long it holds, what it says ([`Documento`]), and when two of them say the same.
//!
//! Numbers are handed out by the store, per company and year and without gaps; this module only knows how they are
//! written and which comes next.

mod documento;
mod entrega;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::dinero::Cents;
use crate::huella::Huella;
use crate::{EmpresaId, LeadId, PresupuestoId};

pub use documento::{Base, Cliente, Documento, Emisor, FotoImpresa, NotaImpresa};
pub use entrega::{CanalEntrega, EntregaEncargada, EntregaPresupuesto, EstadoEntrega};

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
    pub fn parse(texto: &str) -> Option<Self> {
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
        Self::parse(&texto).ok_or_else(|| serde::de::Error::custom("not a quote number"))
    }
}

enumeracion! {
    /// Where a quote stands.
    EstadoPresupuesto {
        Borrador = "borrador",
        /// Drawn and handed to its deliveries, whatever becomes of them.
        Emitido = "emitido",
        Aceptado = "aceptado",
        Rechazado = "rechazado",
        Sustituido = "sustituido",
    }
}

impl EstadoPresupuesto {
    /// Whether a quote may go from this state to another.
    ///
    /// A draft is issued or superseded. An issued one is answered or superseded. A client who declined may still change their
    /// mind, and a declined one may be superseded by a better offer. An accepted one is a contract: nothing changes it.
    pub fn puede_pasar_a(self, a: Self) -> bool {
        use EstadoPresupuesto::{Aceptado, Borrador, Emitido, Rechazado, Sustituido};
        matches!(
            (self, a),
            (Borrador, Emitido | Sustituido)
                | (Emitido, Aceptado | Rechazado | Sustituido)
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
    pub fn new(emitido: Date, dias: u16) -> Self {
        Self { emitido, hasta: emitido.saturating_add(i32::from(dias).days()) }
    }

    /// Whether it still holds on a day.
    pub fn vale(&self, dia: Date) -> bool {
        dia <= self.hasta
    }
}

/// A quote as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presupuesto {
    /// Its id.
    pub id: PresupuestoId,
    /// Whose.
    pub lead: LeadId,
    /// The lead's company.
    pub empresa: EmpresaId,
    /// Its number within the company.
    pub numero: NumeroPresupuesto,
    /// Its place among the lead's quotes, from 1.
    pub version: u32,
    /// Where it stands.
    pub estado: EstadoPresupuesto,
    /// What it says.
    pub documento: Documento,
    /// The mark of what it says ([`Documento::huella`]).
    pub contenido: Huella,
    /// From when until when it holds.
    pub validez: Validez,
    /// Its PDF, once drawn.
    pub pdf: Option<PdfGuardado>,
    /// When it was drafted.
    pub creado_en: Timestamp,
    /// When it was issued: drawn, and handed to its deliveries.
    pub emitido_en: Option<Timestamp>,
    /// What the client said of it last.
    pub respuesta: Option<RespuestaCliente>,
}

/// A quote in a lead's record: everything but what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresupuestoResumen {
    /// Its id.
    pub id: PresupuestoId,
    /// Its number within the company.
    pub numero: NumeroPresupuesto,
    /// Its place among the lead's quotes, from 1.
    pub version: u32,
    /// Where it stands.
    pub estado: EstadoPresupuesto,
    /// What the client pays, tax included.
    pub total: Cents,
    /// From when until when it holds.
    pub validez: Validez,
    /// Its PDF, once drawn.
    pub pdf: Option<PdfGuardado>,
    /// When it was drafted.
    pub creado_en: Timestamp,
    /// When it was issued: drawn, and handed to its deliveries.
    pub emitido_en: Option<Timestamp>,
    /// What became of its way to the client, one of each channel; empty until it is issued.
    pub entregas: Vec<EntregaPresupuesto>,
}

impl Presupuesto {
    /// What a lead's record shows of it, but for its deliveries.
    pub fn resumen(&self) -> PresupuestoResumen {
        PresupuestoResumen {
            id: self.id,
            numero: self.numero,
            version: self.version,
            estado: self.estado,
            total: self.documento.impuesto.total,
            validez: self.validez,
            pdf: self.pdf,
            creado_en: self.creado_en,
            emitido_en: self.emitido_en,
            entregas: Vec::new(),
        }
    }
}

/// A PDF that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PdfGuardado {
    /// Its blob, under the lead's prefix.
    pub huella: Huella,
    /// Its SHA-256, which a client can check.
    pub sha256: [u8; 32],
    /// Its size.
    pub bytes: u64,
}

/// What a client said of a quote, with the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RespuestaCliente {
    /// Accepted or declined.
    pub aceptado: bool,
    /// Why, in the client's words.
    pub motivo: Option<String>,
    /// The address it came from.
    pub ip: Option<String>,
    /// The version of the text that the client agreed to.
    pub texto_version: String,
    /// The PDF that was answered.
    pub pdf_sha256: [u8; 32],
    /// When.
    pub en: Timestamp,
}

enumeracion! {
    /// How a total stands to the client's target.
    Encaje { Dentro = "dentro", Cerca = "cerca", PorEncima = "por_encima" }
}

impl Encaje {
    /// Compares a total with tax, which is what a person pays, with what they want to spend. Up to a tenth above is near.
    pub fn of(total: Cents, objetivo: Cents) -> Self {
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

//! A price table (tarifa): versioned, dated, kept as TOML that a company edits, checks and loads.
//!
//! A [`Tarifa`] only comes out of [`Tarifa::parse`], so whoever holds one knows that its references resolve and that its
//! numbers are within limits under which no quote can overflow. It says what things cost; turning a lead into lines
//! is [`crate::pricing`]'s work.

mod parse;
mod rule;
mod write;

use jiff::civil::Date;

use crate::Zona;
use crate::data::InvalidData;
use crate::decimal::{Cantidad, Percentage};
use crate::money::Cents;
use crate::perfil::{Calidad, Urgencia};
use crate::provincia::Provincia;
pub use rule::{Base, Rule};

/// The price table that a company starts with.
pub const DEFAULT_TEXT: &str = include_str!("../datos/tarifa.toml");

enumeration! {
    /// What a quantity counts.
    Unidad { M2 = "m2", Ml = "ml", Ud = "ud", Pa = "pa" }
}

impl Unidad {
    /// As a quote prints it; `PA` is «partida alzada», a lump sum.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::M2 => "m²",
            Self::Ml => "ml",
            Self::Ud => "ud",
            Self::Pa => "PA",
        }
    }
}

enumeration! {
    /// What a surcharge or discount answers to.
    Cause { Estructural = "estructural", UrgenciaAlta = "urgencia_alta", UrgenciaBaja = "urgencia_baja" }
}

impl Cause {
    /// Whether it applies to a job.
    pub fn is_given(self, estructural: bool, urgencia: Urgencia) -> bool {
        match self {
            Self::Estructural => estructural,
            Self::UrgenciaAlta => urgencia == Urgencia::Alta,
            Self::UrgenciaBaja => urgencia == Urgencia::Baja,
        }
    }
}

/// A checked price table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tarifa {
    pub(crate) version: String,
    pub(crate) vigente_desde: Date,
    pub(crate) notas: String,
    pub(crate) height: Cantidad,
    pub(crate) range_rounding: Cents,
    pub(crate) provincias: Vec<(Provincia, Percentage)>,
    pub(crate) capitulos: Vec<TarifaChapter>,
    pub(crate) kinds: Vec<TarifaKind>,
    pub(crate) recargos: Vec<Recargo>,
    pub(crate) partidas: Vec<Partida>,
}

/// A chapter; quotes show chapters in the order of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarifaChapter {
    pub key: String,
    pub nombre: String,
}

/// What the table says of a type of renovation as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarifaKind {
    pub kind: Zona,
    /// Its title («Reforma de baño»).
    pub nombre: String,
    /// The least floor area that is believed; less is raised to it, and said so.
    pub min_m2: Cantidad,
    /// A small one: the low end of a range when the area is unknown.
    pub m2_low: Cantidad,
    /// The area supposed when it is unknown.
    pub assumed_m2: Cantidad,
    /// A large one: the high end of the range.
    pub m2_high: Cantidad,
    /// The largest floor area that is believed; more is lowered to it, and said so.
    pub max_m2: Cantidad,
    /// What the supposed area is («un baño normal»).
    pub assumption: String,
    /// What the price leaves out.
    pub not_included: Vec<String>,
}

/// A percentage on the sum of the items, shown as a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recargo {
    /// When it applies; each cause at most once.
    pub when: Cause,
    /// What the line says.
    pub concepto: String,
    /// How much, of labour and materials alike; only the one for `urgencia_baja` may be negative, a discount.
    pub percentage: Percentage,
}

/// One item of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partida {
    /// Its key, unique in the table.
    pub key: String,
    /// The key of its chapter.
    pub capitulo: String,
    /// The types of renovation it belongs to.
    pub kinds: Vec<Zona>,
    /// The zone its line stands under when that is not the type itself.
    pub zona: Option<Zona>,
    /// Whether it is only there when structural work is.
    pub only_estructural: bool,
    /// What it is, as the quote prints it.
    pub concepto: String,
    /// What the quantity counts.
    pub unidad: Unidad,
    /// How the quantity follows from the floor area.
    pub cantidad: Rule,
    /// Prices by quality, in the order of [`Calidad`]; `None` where this item is not part of that quality.
    pub precios: [Option<PartidaPrice>; 3],
}

/// What an item costs in one quality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartidaPrice {
    /// Per unit, without tax.
    pub precio: Cents,
    /// The part of the price that is the purchase cost of materials: the 40 % test of the reduced VAT uses it.
    pub material: Percentage,
    /// What one gets in this quality.
    pub detail: Option<String>,
}

impl Tarifa {
    /// Reads and checks a table; all its mistakes at once.
    pub fn parse(text: &str) -> Result<Self, InvalidData> {
        parse::parse(text)
    }

    /// Writes the table in its canonical form: reading it back gives the same table, and writing that the same text.
    pub fn write(&self) -> String {
        write::write(self)
    }

    /// The table that the program ships.
    pub fn por_defecto() -> Self {
        Self::parse(DEFAULT_TEXT).expect("a test reads the shipped table")
    }

    /// Its version, as the company calls it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The first day on which it is used.
    pub fn vigente_desde(&self) -> Date {
        self.vigente_desde
    }

    /// What the company wrote about it.
    pub fn notas(&self) -> &str {
        &self.notas
    }

    pub fn partidas(&self) -> &[Partida] {
        &self.partidas
    }

    /// What it says of one type of renovation.
    pub fn kind(&self, kind: Zona) -> &TarifaKind {
        self.kinds.iter().find(|t| t.kind == kind).expect("a checked table has every type")
    }

    /// The price level of a province; 100 % where the table says nothing.
    pub fn factor(&self, provincia: Provincia) -> Percentage {
        self.provincias.iter().find(|(p, _)| *p == provincia).map_or(Percentage::HUNDRED, |(_, f)| *f)
    }

    /// The lowest and the highest price level of the table.
    pub fn extreme_factors(&self) -> (Percentage, Percentage) {
        let factors = || self.provincias.iter().map(|(_, f)| *f).chain([Percentage::HUNDRED]);
        (factors().min().expect("chained with one"), factors().max().expect("chained with one"))
    }

    /// The items of a job, in the order of the chapters and within them of the table.
    pub fn partidas_of(
        &self,
        kind: Zona,
        calidad: Calidad,
        estructural: bool,
    ) -> impl Iterator<Item = (&TarifaChapter, &Partida, &PartidaPrice)> {
        self.capitulos.iter().flat_map(move |capitulo| {
            self.partidas.iter().filter(move |p| p.capitulo == capitulo.key).filter_map(move |p| {
                p.price_at(kind, calidad, estructural).map(|precio| (capitulo, p, precio))
            })
        })
    }
}

impl Partida {
    /// Its price in a job, if it is part of it.
    pub fn price_at(&self, kind: Zona, calidad: Calidad, estructural: bool) -> Option<&PartidaPrice> {
        let fits = self.kinds.contains(&kind) && (estructural || !self.only_estructural);
        self.precio(calidad).filter(|_| fits)
    }

    /// Its price in a quality, if it is part of it.
    pub fn precio(&self, calidad: Calidad) -> Option<&PartidaPrice> {
        self.precios[calidad as usize].as_ref()
    }
}

/// The table in force on a day: of those that have begun, the one that began last (the later in the list on a tie).
pub fn current(tarifas: &[Tarifa], day: Date) -> Option<&Tarifa> {
    tarifas.iter().filter(|t| t.vigente_desde <= day).max_by_key(|t| t.vigente_desde)
}

#[cfg(test)]
mod tests;

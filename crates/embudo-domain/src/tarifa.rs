//! A price table (tarifa): versioned, dated, stored as TOML that a company edits, checks and loads.
//!
//! Every [`Tarifa`] comes from [`Tarifa::parse`], and only checked edits change it. So in every value of this type
//! references resolve, and numbers are within limits under which no quote can overflow. A table says what things cost,
//! to the client and to the company; [`crate::pricing`] turns a lead into lines. The company's costs are internal: only
//! the panel shows them.

mod csv;
pub mod diff;
mod edit;
mod parse;
mod rule;
mod write;

use jiff::civil::Date;

use crate::data::InvalidData;
use crate::decimal::{Cantidad, Percentage};
use crate::money::Cents;
use crate::perfil::{Calidad, Urgencia};
use crate::provincia::Provincia;
use crate::{RoomKind, Zona};
pub use edit::TarifaEdit;
pub(crate) use rule::MAX_QUANTITY;
pub use rule::{Base, Measures, Rule};

/// The maximum size of a file, in bytes: enough for a table of a thousand items with all their texts.
pub const MAX_BYTES: usize = 512 * 1024;

/// The key that lists the items with shipped prices.
const SHIPPED_ITEMS: &str = "de_serie";
/// The value of that key when every item has its shipped price.
const ALL_ITEMS: &str = "*";

/// The price table that a company starts with.
pub const DEFAULT_TEXT: &str = include_str!("../datos/tarifa.toml");

enumeration! {
    /// The unit of a quantity.
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
    /// The cause of a surcharge or discount.
    Cause {
        Estructural = "estructural",
        UrgenciaAlta = "urgencia_alta",
        UrgenciaBaja = "urgencia_baja",
        SinAscensor = "sin_ascensor",
    }
}

/// The facts about a job that decide its surcharges and discounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circumstances {
    /// Whether structural work is present.
    pub estructural: bool,
    pub urgencia: Urgencia,
    /// The floor to which everything is carried by hand; 0 if there is a lift or no stairs.
    pub floors_on_foot: u8,
}

/// The facts that decide which items a job has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    pub kind: Zona,
    /// The room within the type, if the table prices it separately.
    pub room_kind: Option<RoomKind>,
    pub calidad: Calidad,
    /// Whether structural work is present.
    pub estructural: bool,
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
    /// Whether the price level of a province also applies to the company's own prices. A setting of the company, not
    /// part of the table.
    pub(crate) scales_own: bool,
}

/// A chapter; quotes show chapters in the order of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarifaChapter {
    pub key: String,
    pub nombre: String,
    /// The share of the price that an item of the chapter costs the company, if the item has no cost of its own.
    pub coste: Option<Percentage>,
}

/// The source with which a price was compared. For the company, never printed for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name of the source, and what it says.
    pub text: String,
    /// The year of publication, if known.
    pub published: Option<i16>,
    /// Its address.
    pub link: Option<String>,
}

/// What the table says about a type of renovation as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarifaKind {
    pub kind: Zona,
    /// The room within the type; `None` for the type itself.
    pub room_kind: Option<RoomKind>,
    /// Its title («Reforma de baño»).
    pub nombre: String,
    /// The minimum floor area that is believed. A smaller one is raised to it, and the quote says so.
    pub min_m2: Cantidad,
    /// A small area: the lower end of the range when the area is unknown.
    pub m2_low: Cantidad,
    /// The area that is assumed when it is unknown.
    pub assumed_m2: Cantidad,
    /// A large area: the upper end of the range.
    pub m2_high: Cantidad,
    /// The maximum floor area that is believed. A larger one is lowered to it, and the quote says so.
    pub max_m2: Cantidad,
    /// A description of the assumed area («un baño normal»).
    pub assumption: String,
    /// What the price leaves out.
    pub not_included: Vec<String>,
    /// How many bathrooms a dwelling of a given area is assumed to have; `None` if the type does not count bathrooms.
    pub assumed_banos: Option<Rule>,
    pub source: Option<Source>,
}

/// A percentage on the sum of the items, shown as a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recargo {
    /// When it applies; each cause occurs at most once.
    pub when: Cause,
    /// The text of the line.
    pub concepto: String,
    /// The percentage, on labour and materials alike. Only that of `urgencia_baja` may be negative, which is a
    /// discount.
    pub percentage: Percentage,
    /// The floors that count, each adding the percentage. Only `sin_ascensor` has them.
    pub floors: Option<FloorSpan>,
}

/// The first floor that counts, and the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloorSpan {
    pub first: u8,
    /// Higher floors count like this one.
    pub last: u8,
}

/// One item of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partida {
    /// Its key, unique in the table.
    pub key: String,
    /// The key of its chapter.
    pub capitulo: String,
    /// The types of renovation to which it belongs. An item without types is only added to a quote by hand.
    pub kinds: Vec<Zona>,
    /// The zone under which its line is printed, if that is not the type itself.
    pub zona: Option<Zona>,
    /// The only rooms that have the item; empty if the type itself and all its rooms have it.
    pub only_in: Vec<RoomKind>,
    /// The rooms that do not have the item.
    pub not_in: Vec<RoomKind>,
    /// Whether only jobs with structural work have the item.
    pub only_estructural: bool,
    /// What it is, as the quote prints it.
    pub concepto: String,
    /// What the quantity counts.
    pub unidad: Unidad,
    /// How the quantity is computed from the floor area.
    pub cantidad: Rule,
    /// Prices by quality, in the order of [`Calidad`]; `None` where this item is not part of that quality.
    pub precios: [Option<PartidaPrice>; 3],
    pub source: Option<Source>,
    /// Whether the company set its prices: it changed one of them, or imported the whole table. Otherwise they are the
    /// prices that the program ships, which are for the whole of Spain.
    pub own: bool,
}

/// What an item costs in one quality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartidaPrice {
    /// Per unit, without tax.
    pub precio: Cents,
    /// The part of the price that is the purchase cost of materials: the 40 % test of the reduced VAT uses it.
    pub material: Percentage,
    /// What one unit costs the company, without tax; if absent, it follows from the chapter.
    pub coste: Option<Cents>,
    /// What the client gets in this quality.
    pub detail: Option<String>,
}

impl Tarifa {
    /// Reads and checks a table; all its mistakes at once.
    pub fn parse(text: &str) -> Result<Self, InvalidData> {
        parse::parse(text)
    }

    /// Writes the table in its canonical form. Reading the text gives the same table, and writing that table gives the
    /// same text.
    pub fn write(&self) -> String {
        write::write(self)
    }

    /// Its items as a CSV file that Spanish spreadsheets open. The rest of the table is not in it.
    pub fn csv(&self) -> String {
        csv::write(self)
    }

    /// The same table with the items of such a CSV file. Returns all mistakes at once, each with its line and column.
    pub fn with_csv(&self, text: &str) -> Result<Self, InvalidData> {
        csv::read(self, text)
    }

    /// Whether a text looks like such a CSV file and not like TOML.
    pub fn is_csv(text: &str) -> bool {
        csv::is_csv(text)
    }

    /// The table that the program ships.
    pub fn por_defecto() -> Self {
        Self::parse(DEFAULT_TEXT).expect("a test reads the shipped table")
    }

    /// Its version, as the company calls it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The first day on which it is in force.
    pub fn vigente_desde(&self) -> Date {
        self.vigente_desde
    }

    /// What the company wrote about it.
    pub fn notas(&self) -> &str {
        &self.notas
    }

    /// Whether a table may have this version.
    pub fn is_version(text: &str) -> bool {
        parse::is_version(text)
    }

    pub fn recargos(&self) -> &[Recargo] {
        &self.recargos
    }

    pub fn partidas(&self) -> &[Partida] {
        &self.partidas
    }

    pub fn capitulos(&self) -> &[TarifaChapter] {
        &self.capitulos
    }

    /// What the table says about the types of renovation, and about the rooms within them.
    pub fn kinds(&self) -> &[TarifaKind] {
        &self.kinds
    }

    /// What the table says about one type of renovation.
    pub fn kind(&self, kind: Zona) -> &TarifaKind {
        self.room(kind, None).expect("a checked table has every type")
    }

    /// What the table says about a room within a type. If no room is given or the table does not know the room: about
    /// the type itself.
    pub fn kind_of(&self, kind: Zona, room_kind: Option<RoomKind>) -> &TarifaKind {
        self.room(kind, room_kind).unwrap_or_else(|| self.kind(kind))
    }

    fn room(&self, kind: Zona, room_kind: Option<RoomKind>) -> Option<&TarifaKind> {
        self.kinds.iter().find(|t| t.kind == kind && t.room_kind == room_kind)
    }

    /// The same table with all prices marked as the company's own, because it was imported.
    pub fn imported(mut self) -> Self {
        self.partidas.iter_mut().for_each(|p| p.own = true);
        self
    }

    /// The text of an imported table, with its prices marked as the company's own.
    pub fn imported_text(text: &str) -> Result<String, InvalidData> {
        let table = Self::parse(text)?;
        let no_shipped_items = format!("{SHIPPED_ITEMS} = []");
        let marked = match text.lines().position(|line| line.trim_start().starts_with(SHIPPED_ITEMS)) {
            None => format!("{no_shipped_items}\n{text}"),
            // Unchanged except for the list, which may span several lines.
            Some(first) => {
                let lines: Vec<&str> = text.lines().collect();
                let length = lines[first..].iter().position(|line| line.contains(']')).unwrap_or(0) + 1;
                let kept = [
                    &lines[..first],
                    &[no_shipped_items.as_str()],
                    &lines[(first + length).min(lines.len())..],
                ];
                kept.concat().join("\n") + if text.ends_with('\n') { "\n" } else { "" }
            }
        };
        let is_right = Self::parse(&marked).is_ok_and(|read| read == table.clone().imported());
        Ok(if is_right { marked } else { table.imported().write() })
    }

    /// The same table, with or without the price level of a province applied to the company's own prices.
    pub fn scaling_own(self, scales_own: bool) -> Self {
        Self { scales_own, ..self }
    }

    pub fn scales_own(&self) -> bool {
        self.scales_own
    }

    /// Whether the price level of a province applies to this item.
    pub fn scales(&self, partida: &Partida) -> bool {
        self.scales_own || !partida.own
    }

    /// The price levels that the table names.
    pub fn provincias(&self) -> &[(Provincia, Percentage)] {
        &self.provincias
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

    /// What one unit of an item costs the company if the client pays `precio`: the cost that was typed, otherwise the
    /// percentage of its chapter.
    pub fn coste(&self, partida: &Partida, price: &PartidaPrice, precio: Cents) -> Option<Cents> {
        let chapter = || self.capitulos.iter().find(|c| c.key == partida.capitulo);
        price.coste.or_else(|| precio.part(chapter()?.coste?))
    }

    /// The items of a job, in the order of the chapters, and within a chapter in the order of the table.
    pub fn partidas_of(
        &self,
        scope: Scope,
    ) -> impl Iterator<Item = (&TarifaChapter, &Partida, &PartidaPrice)> {
        self.capitulos.iter().flat_map(move |capitulo| {
            let of_chapter = self.partidas.iter().filter(move |p| p.capitulo == capitulo.key);
            of_chapter.filter_map(move |p| p.price_at(&scope).map(|precio| (capitulo, p, precio)))
        })
    }
}

impl Recargo {
    /// The percentage of a job's items; `None` if it does not apply.
    pub fn percentage_for(&self, job: &Circumstances) -> Option<Percentage> {
        let applies = match self.when {
            Cause::Estructural => job.estructural,
            Cause::UrgenciaAlta => job.urgencia == Urgencia::Alta,
            Cause::UrgenciaBaja => job.urgencia == Urgencia::Baja,
            Cause::SinAscensor => true,
        };
        let floors = self.floors.map_or(1, |span| span.count(job.floors_on_foot));
        (applies && floors > 0).then_some(Percentage(self.percentage.0 * i64::from(floors)))
    }
}

impl FloorSpan {
    /// How many floors count for a job on this floor.
    pub fn count(self, floor: u8) -> u8 {
        (floor.min(self.last) + 1).saturating_sub(self.first)
    }
}

impl Partida {
    /// Its price in a job; `None` if the job does not have it.
    pub fn price_at(&self, scope: &Scope) -> Option<&PartidaPrice> {
        let is_in = |rooms: &[RoomKind]| scope.room_kind.is_some_and(|e| rooms.contains(&e));
        let fits = self.kinds.contains(&scope.kind)
            && (self.only_in.is_empty() || is_in(&self.only_in))
            && !is_in(&self.not_in)
            && (scope.estructural || !self.only_estructural);
        self.precio(scope.calidad).filter(|_| fits)
    }

    /// Its price in a quality; `None` if that quality does not have it.
    pub fn precio(&self, calidad: Calidad) -> Option<&PartidaPrice> {
        self.precios[calidad as usize].as_ref()
    }
}

/// The table in force on a day: of the tables that have begun, the one that began last. On a tie, the later in the
/// list.
pub fn current(tarifas: &[Tarifa], day: Date) -> Option<&Tarifa> {
    tarifas.iter().filter(|t| t.vigente_desde <= day).max_by_key(|t| t.vigente_desde)
}

#[cfg(test)]
mod tests;

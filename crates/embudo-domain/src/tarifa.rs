//! A price table (tarifa): versioned, dated, kept as TOML that a company edits, checks and loads.
//!
//! A [`Tarifa`] only comes out of [`Tarifa::parse`], so every value of this type has references that resolve and that
//! its numbers are within limits under which no quote can overflow. It says what things cost, to the client and to the
//! company; turning a lead into lines is [`crate::pricing`]'s work. What they cost the company is its own business:
//! only the panel shows it.

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

/// The largest file, in bytes: a table of a thousand items with all their texts.
pub const MAX_BYTES: usize = 512 * 1024;

/// The key that names the items with shipped prices.
const SHIPPED_ITEMS: &str = "de_serie";
/// The value of that key when every item has its shipped price.
const ALL_ITEMS: &str = "*";

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
    Cause {
        Estructural = "estructural",
        UrgenciaAlta = "urgencia_alta",
        UrgenciaBaja = "urgencia_baja",
        SinAscensor = "sin_ascensor",
    }
}

/// What of a job calls for surcharges and discounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circumstances {
    /// Whether structural work is present.
    pub estructural: bool,
    pub urgencia: Urgencia,
    /// The floor to which everything is carried by hand; 0 where there is a lift, or nothing to climb.
    pub floors_on_foot: u8,
}

/// Which items a job has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    pub kind: Zona,
    /// The room within the type, where the table prices it apart.
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
    /// Whether the price level of a province also moves the company's own prices. A setting of the company, no part of
    /// the table.
    pub(crate) scales_own: bool,
}

/// A chapter; quotes show chapters in the order of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarifaChapter {
    pub key: String,
    pub nombre: String,
    /// The part of the price that its items cost the company, where they do not say it themselves.
    pub coste: Option<Percentage>,
}

/// Where a price was compared; for the company, never printed to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Who says what.
    pub text: String,
    /// The year in which it was published, where it says so.
    pub published: Option<i16>,
    /// Its address.
    pub link: Option<String>,
}

/// What the table says of a type of renovation as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarifaKind {
    pub kind: Zona,
    /// The room within the type that this is about; `None` for the type itself.
    pub room_kind: Option<RoomKind>,
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
    /// How many bathrooms a dwelling of some area is supposed to have; `None` where the type counts none.
    pub assumed_banos: Option<Rule>,
    pub source: Option<Source>,
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
    /// The floors that count, each with the percentage; only the one for `sin_ascensor` has them.
    pub floors: Option<FloorSpan>,
}

/// The first floor that counts, and the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloorSpan {
    pub first: u8,
    /// Higher ones count like it.
    pub last: u8,
}

/// One item of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partida {
    /// Its key, unique in the table.
    pub key: String,
    /// The key of its chapter.
    pub capitulo: String,
    /// The types of renovation it belongs to; with none it comes into a quote by hand alone.
    pub kinds: Vec<Zona>,
    /// The zone its line stands under when that is not the type itself.
    pub zona: Option<Zona>,
    /// The rooms in which alone it is there; empty for the type itself and all its rooms.
    pub only_in: Vec<RoomKind>,
    /// The rooms in which it is not there.
    pub not_in: Vec<RoomKind>,
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
    pub source: Option<Source>,
    /// Whether the company set its prices: it changed one of them, or the whole table came from elsewhere. Otherwise
    /// they are those that the program ships, for the whole of Spain.
    pub own: bool,
}

/// What an item costs in one quality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartidaPrice {
    /// Per unit, without tax.
    pub precio: Cents,
    /// The part of the price that is the purchase cost of materials: the 40 % test of the reduced VAT uses it.
    pub material: Percentage,
    /// What one unit costs the company, without tax; by its chapter where absent.
    pub coste: Option<Cents>,
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

    /// Its items as a sheet that Spanish spreadsheets open; what else the table says is not in it.
    pub fn csv(&self) -> String {
        csv::write(self)
    }

    /// The same table with the items of such a sheet; all its mistakes at once, each with its line and column.
    pub fn with_csv(&self, text: &str) -> Result<Self, InvalidData> {
        csv::read(self, text)
    }

    /// Whether a text looks like such a sheet, and not like TOML.
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

    /// The first day on which it is used.
    pub fn vigente_desde(&self) -> Date {
        self.vigente_desde
    }

    /// What the company wrote about it.
    pub fn notas(&self) -> &str {
        &self.notas
    }

    /// Whether a table may be called like this.
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

    /// What it says of the types of renovation, and of the rooms within them.
    pub fn kinds(&self) -> &[TarifaKind] {
        &self.kinds
    }

    /// What it says of one type of renovation.
    pub fn kind(&self, kind: Zona) -> &TarifaKind {
        self.room(kind, None).expect("a checked table has every type")
    }

    /// What it says of a room within a type; of the type itself where it names none or knows no such room.
    pub fn kind_of(&self, kind: Zona, room_kind: Option<RoomKind>) -> &TarifaKind {
        self.room(kind, room_kind).unwrap_or_else(|| self.kind(kind))
    }

    fn room(&self, kind: Zona, room_kind: Option<RoomKind>) -> Option<&TarifaKind> {
        self.kinds.iter().find(|t| t.kind == kind && t.room_kind == room_kind)
    }

    /// The same with all its prices the company's own: it came as a file.
    pub fn imported(mut self) -> Self {
        self.partidas.iter_mut().for_each(|p| p.own = true);
        self
    }

    /// The text of a table that came as a file, saying so.
    pub fn imported_text(text: &str) -> Result<String, InvalidData> {
        let table = Self::parse(text)?;
        let no_shipped_items = format!("{SHIPPED_ITEMS} = []");
        let marked = match text.lines().position(|line| line.trim_start().starts_with(SHIPPED_ITEMS)) {
            None => format!("{no_shipped_items}\n{text}"),
            // As it was but for the list, which may go over several lines.
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

    /// The same where the price level of a province also moves the company's own prices, or does not.
    pub fn scaling_own(self, scales_own: bool) -> Self {
        Self { scales_own, ..self }
    }

    pub fn scales_own(&self) -> bool {
        self.scales_own
    }

    /// Whether the price level of a province moves this item.
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

    /// What one unit of an item costs the company where its client pays this: as it was typed, else by the percentage
    /// of its chapter.
    pub fn coste(&self, partida: &Partida, price: &PartidaPrice, precio: Cents) -> Option<Cents> {
        let chapter = || self.capitulos.iter().find(|c| c.key == partida.capitulo);
        price.coste.or_else(|| precio.part(chapter()?.coste?))
    }

    /// The items of a job, in the order of the chapters and within them of the table.
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
    /// How much it is of a job's items; `None` where it does not apply.
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
    /// How many floors count on the way up to one.
    pub fn count(self, floor: u8) -> u8 {
        (floor.min(self.last) + 1).saturating_sub(self.first)
    }
}

impl Partida {
    /// Its price in a job, if it is part of it.
    pub fn price_at(&self, scope: &Scope) -> Option<&PartidaPrice> {
        let is_in = |rooms: &[RoomKind]| scope.room_kind.is_some_and(|e| rooms.contains(&e));
        let fits = self.kinds.contains(&scope.kind)
            && (self.only_in.is_empty() || is_in(&self.only_in))
            && !is_in(&self.not_in)
            && (scope.estructural || !self.only_estructural);
        self.precio(scope.calidad).filter(|_| fits)
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

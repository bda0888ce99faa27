//! What a job costs: from what is known of a lead and a price table to the lines of a quote.
//!
//! Pure and total: every lead gets an answer, even if little is known and even if a number is absurd. Rules of the
//! sums:
//!
//! 1. unit price = table price × price level of the province, rounded half up to the cent; the company's own prices are
//!    used as it wrote them, unless it wants the price level to apply to them too;
//! 2. amount of a line = printed quantity × printed unit price, rounded half up;
//! 3. materials of a line = amount × its share, rounded half up; labour is the rest;
//! 4. a surcharge or discount is a percentage of the sum of the items, rounded half up, and a line of its own. It
//!    changes labour and materials in the same proportion, so the share of materials, on which the tax depends, is
//!    always that of the items;
//! 5. every total is the exact sum of printed amounts.
//!
//! Taxes are in [`crate::iva`]; this module does not know them. The target budget never changes a price. Unknown facts
//! about structural work, urgency, bathrooms, floor and lift are assumed, and the quote says so; they do not widen the
//! range.

mod assumptions;
mod items;
mod range;
mod scenario;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::decimal::{Cantidad, Percentage};
use crate::lead::Lead;
use crate::money::Cents;
use crate::obra::Obra;
use crate::perfil::Perfil;
use crate::perfil::{Calidad, Urgencia};
use crate::provincia::Provincia;
use crate::tarifa::{Cause, Measures, Partida, PartidaPrice, Recargo, Tarifa, TarifaKind, Unidad};
use crate::{RoomKind, Zona};

pub use assumptions::Assumption;
pub(crate) use assumptions::OF_THE_JOB;
pub(crate) use items::{TableItem, item, recargos_of, room_capitulos, unit_prices};
pub use range::{Range, corners};
use scenario::Scenario;

/// The sums of a job before tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// The taxable base: items, surcharges and discounts.
    pub base: Cents,
    /// The items before any discount.
    pub partidas: Cents,
    /// The part of the items that is materials.
    pub material: Cents,
}

/// What is known of the work. Every field may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PricingInput {
    pub kind: Option<Zona>,
    pub m2_suelo: Option<f64>,
    /// Whether the area is only a guess.
    pub m2_estimated: bool,
    pub calidad: Option<Calidad>,
    /// Whether structural work is present.
    pub estructural: Option<bool>,
    pub urgencia: Option<Urgencia>,
    /// The province, as the person wrote it.
    pub provincia: Option<String>,
    /// The postal code of the job. Its first two digits name the province and take precedence over what the person
    /// wrote.
    pub codigo_postal: Option<String>,
    pub presupuesto_target: Option<Cents>,
    /// The room within the type.
    pub room_kind: Option<RoomKind>,
    /// How many bathrooms of a whole dwelling are renovated.
    pub banos: Option<u8>,
    /// The floor: 0 is at street level, cellars are negative.
    pub planta: Option<i8>,
    /// Whether there is a lift that can be used for the work.
    pub ascensor: Option<bool>,
}

impl PricingInput {
    /// What a lead says about the work.
    pub fn of(lead: &Lead) -> Self {
        Self::new(&lead.perfil, &lead.obra, lead.provincia_of_obra())
    }

    /// What is known of the work and where it is.
    pub fn new(perfil: &Perfil, obra: &Obra, provincia: Option<&str>) -> Self {
        Self {
            kind: perfil.tipo_reforma,
            m2_suelo: perfil.m2_suelo,
            m2_estimated: obra.is_estimate(perfil.m2_suelo),
            calidad: perfil.calidad_global,
            estructural: perfil.estructural,
            urgencia: perfil.urgencia,
            provincia: provincia.map(str::to_owned),
            presupuesto_target: perfil.presupuesto_target_cents.map(Cents),
            codigo_postal: None,
            room_kind: perfil.espacio.as_deref().and_then(RoomKind::named_in),
            banos: obra.banos,
            planta: obra.planta,
            ascensor: obra.ascensor,
        }
    }
}

/// A priced job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pricing {
    /// The version of the price table.
    pub tarifa_version: String,
    /// The day from which that table is in force.
    #[serde(with = "crate::day")]
    #[serde(rename = "tarifaDesde")]
    pub tarifa_since: Date,
    /// The type that was priced, known or assumed.
    #[serde(rename = "tipo")]
    pub kind: Zona,
    /// Its title («Reforma de baño»).
    #[serde(rename = "titulo")]
    pub title: String,
    /// The floor area that was priced.
    pub m2: Cantidad,
    /// The quality that was priced.
    pub calidad: Calidad,
    /// The province, if it was recognised.
    pub provincia: Option<Provincia>,
    /// The chapters, surcharges last.
    pub capitulos: Vec<Capitulo>,
    /// The sum of all chapters: the taxable base.
    pub base: Cents,
    /// The part of the base that is materials.
    pub material: Cents,
    /// The part of the base that is labour and everything else.
    #[serde(rename = "manoObra")]
    pub labour: Cents,
    /// The range in which the base may lie while something that decides the price is unknown.
    #[serde(rename = "rango")]
    pub range: Option<Range>,
    /// Everything that was assumed.
    #[serde(rename = "supuestos")]
    pub assumptions: Vec<Assumption>,
    /// What the price leaves out.
    #[serde(rename = "noIncluye")]
    pub not_included: Vec<String>,
    /// The client's target, as the client told it.
    #[serde(rename = "objetivo")]
    pub target: Option<Cents>,
}

/// The lines of one chapter in one zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capitulo {
    /// The zone its lines belong to.
    pub zona: Zona,
    pub nombre: String,
    /// Its lines; never empty.
    #[serde(rename = "lineas")]
    pub lines: Vec<Line>,
    /// The exact sum of its lines.
    pub total: Cents,
}

/// One line of a quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// The key of the item in the table, or the cause of the surcharge; empty if a person wrote the line.
    #[serde(rename = "clave")]
    pub key: String,
    pub concepto: String,
    /// What the client gets in this quality.
    #[serde(rename = "detalle")]
    pub detail: Option<String>,
    pub cantidad: Cantidad,
    pub unidad: Unidad,
    /// Price of one unit.
    pub precio: Cents,
    pub importe: Cents,
    /// The part of the amount that is materials.
    pub material: Cents,
    #[serde(rename = "manoObra")]
    pub labour: Cents,
    /// The discount on the line. The line's amount and materials are those after the discount.
    #[serde(rename = "descuento")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount: Option<LineDiscount>,
}

/// A person's discount on a line, with the line's amount and materials before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LineDiscount {
    #[serde(rename = "porcentaje")]
    pub percentage: Percentage,
    /// Quantity times price.
    #[serde(rename = "importeAntes")]
    pub importe: Cents,
    #[serde(rename = "materialAntes")]
    pub material: Cents,
}

/// Why no sum can overflow: the message of every `expect`.
const FITS: &str = "a checked table keeps every sum far below 2^63";
/// The title of the chapter of surcharges.
pub(crate) const ADJUSTMENTS: &str = "Ajustes";
/// The title of the chapter that holds the discount on the whole. Its line has the key [`DISCOUNT_KEY`].
pub(crate) const DISCOUNT: &str = "Descuento";
/// The title of the chapter that holds the options that a client chose.
pub(crate) const CHOSEN: &str = "Opciones elegidas";
pub(crate) const DISCOUNT_KEY: &str = "descuento";

/// Prices a job.
pub fn price(data: &PricingInput, tarifa: &Tarifa) -> Pricing {
    let (scenario, provincia, assumptions) = assumptions::complete(data, tarifa);
    let range = range::of(&range::corners_around(data, tarifa, &scenario, provincia), tarifa.range_rounding);
    let capitulos = capitulos(tarifa, &scenario);
    let base = sum(capitulos.iter().map(|c| c.total));
    let material = sum(capitulos.iter().flat_map(|c| &c.lines).map(|l| l.material));
    let kind = tarifa.kind_of(scenario.kind, scenario.room_kind);
    Pricing {
        tarifa_version: tarifa.version.clone(),
        tarifa_since: tarifa.vigente_desde,
        kind: scenario.kind,
        title: kind.nombre.clone(),
        m2: scenario.m2,
        calidad: scenario.calidad,
        provincia,
        base,
        material,
        labour: base.checked_sub(material).expect(FITS),
        range,
        assumptions,
        not_included: kind.not_included.clone(),
        target: data.presupuesto_target,
        capitulos,
    }
}

impl Pricing {
    /// The sums of the job. The items count without surcharges and before all discounts, so discounts do not change the
    /// share of materials.
    pub fn totals(&self) -> Totals {
        let lines = || self.capitulos.iter().flat_map(|c| c.lines.iter().filter(|l| !c.adjusts(l)));
        Totals {
            base: self.base,
            partidas: sum(lines().map(|l| l.before_discount().0)),
            material: sum(lines().map(|l| l.before_discount().1)),
        }
    }
}

impl Capitulo {
    /// Whether a line of the chapter is a percentage or a discount on others, not an item.
    fn adjusts(&self, line: &Line) -> bool {
        (self.nombre == ADJUSTMENTS && Cause::parse(&line.key).is_some()) || self.is_discount()
    }

    /// Whether the chapter holds the surcharges of its room.
    pub fn is_adjustments(&self) -> bool {
        self.nombre == ADJUSTMENTS && self.lines.iter().all(|l| Cause::parse(&l.key).is_some())
    }

    /// Whether the chapter holds the options that a client chose.
    pub fn is_chosen(&self) -> bool {
        self.nombre == CHOSEN
    }

    /// Whether the chapter holds the discount on the whole.
    pub fn is_discount(&self) -> bool {
        self.nombre == DISCOUNT && self.lines.iter().all(|l| l.key == DISCOUNT_KEY)
    }
}

impl Line {
    /// Amount and materials before the discount.
    pub fn before_discount(&self) -> (Cents, Cents) {
        self.discount.map_or((self.importe, self.material), |d| (d.importe, d.material))
    }
}

/// The chapters of a job: those of its own zone first, then those of each other zone, within a zone in the order of the
/// price table. The chapter of surcharges and discounts, if there is one, comes last.
fn capitulos(tarifa: &Tarifa, e: &Scenario) -> Vec<Capitulo> {
    let mut capitulos: Vec<Capitulo> = Vec::new();
    let measures = e.measures(tarifa);
    for (capitulo, partida, precio) in tarifa.partidas_of(e.scope()) {
        let Some(figures) = Figures::new(measures, e.level(tarifa, partida), partida, precio) else {
            continue;
        };
        let line = Line {
            key: partida.key.clone(),
            concepto: partida.concepto.clone(),
            detail: precio.detail.clone(),
            ..figures.line(partida.unidad)
        };
        let zona = partida.zona.unwrap_or(e.kind);
        match capitulos.iter_mut().find(|c| c.zona == zona && c.nombre == capitulo.nombre) {
            Some(c) => c.lines.push(line),
            None => capitulos.push(Capitulo {
                zona,
                nombre: capitulo.nombre.clone(),
                lines: vec![line],
                total: Cents::ZERO,
            }),
        }
    }
    // The sort is stable: within a zone the order of the table stays.
    capitulos.sort_by_key(|c| (c.zona != e.kind, c.zona));
    for c in &mut capitulos {
        c.total = sum(c.lines.iter().map(|l| l.importe));
    }
    capitulos.extend(adjustments(tarifa, e, &totals(tarifa, e)));
    capitulos
}

/// The surcharges and discounts that apply, as a chapter of their own.
fn adjustments(tarifa: &Tarifa, e: &Scenario, totals: &Totals) -> Option<Capitulo> {
    let given = recargos(tarifa, e).map(|(r, percentage)| (r.when, r.concepto.as_str(), percentage));
    adjustments_on(e.kind, given, totals.partidas, totals.material)
}

/// Percentages on some items, as a chapter. They change labour and materials in the same proportion.
pub(crate) fn adjustments_on<'a>(
    zona: Zona,
    given: impl Iterator<Item = (Cause, &'a str, Percentage)>,
    partidas: Cents,
    material: Cents,
) -> Option<Capitulo> {
    let line = |(when, concepto, percentage): (Cause, &str, Percentage)| {
        let precio = partidas.part(percentage).expect(FITS);
        let concepto = format!("{concepto} ({percentage} de las partidas)");
        lump_sum(when.as_str(), concepto, precio, precio.proportional(material, partidas).expect(FITS))
    };
    let lines: Vec<Line> = given.map(line).filter(|l| l.importe != Cents::ZERO).collect();
    let total = sum(lines.iter().map(|l| l.importe));
    (!lines.is_empty()).then(|| Capitulo { zona, nombre: ADJUSTMENTS.to_owned(), lines, total })
}

/// A line that is one lump sum.
pub(crate) fn lump_sum(key: &str, concepto: String, precio: Cents, material: Cents) -> Line {
    let figures = Figures { cantidad: Cantidad::unidades(1), precio, importe: precio, material };
    Line { key: key.to_owned(), concepto, ..figures.line(Unidad::Pa) }
}

/// The surcharges and discounts that apply, each with its percentage of the items.
fn recargos<'a>(tarifa: &'a Tarifa, e: &Scenario) -> impl Iterator<Item = (&'a Recargo, Percentage)> {
    let job = e.circumstances();
    tarifa.recargos.iter().filter_map(move |r| r.percentage_for(&job).map(|percentage| (r, percentage)))
}

/// The sums of a job without urgency at the prices of the table. If its type may mean several rooms, or it may have
/// several bathrooms, this takes the case with the largest share of materials.
pub(crate) fn totals_of(
    tarifa: &Tarifa,
    kind: Zona,
    m2: Cantidad,
    calidad: Calidad,
    estructural: bool,
) -> Totals {
    let believed = |k: &&TarifaKind| k.kind == kind && (k.min_m2..=k.max_m2).contains(&m2);
    let cases = tarifa.kinds.iter().filter(believed).flat_map(|k| {
        // Both sums grow linearly with the number of bathrooms, so the share of one in the other is largest with none
        // or with the most.
        let banos: &[Option<u8>] =
            if k.assumed_banos.is_some() { &[None, Some(0), Some(u8::MAX)] } else { &[None] };
        banos.iter().map(|banos| (k.room_kind, *banos))
    });
    let of = |(room_kind, banos)| {
        let (urgencia, floors_on_foot, factor) = (Urgencia::Media, 0, Percentage::HUNDRED);
        totals(
            tarifa,
            &Scenario { kind, room_kind, m2, calidad, estructural, urgencia, banos, floors_on_foot, factor },
        )
    };
    let weight = |t: &Totals| i128::from(t.material.0) * 10_000 / i128::from(t.partidas.0.max(1));
    cases.map(of).max_by_key(weight).unwrap_or_else(|| of((None, None)))
}

/// The sums of a job, without its lines.
fn totals(tarifa: &Tarifa, e: &Scenario) -> Totals {
    let (mut partidas, mut material) = (Cents::ZERO, Cents::ZERO);
    let (scope, measures) = (e.scope(), e.measures(tarifa));
    for partida in &tarifa.partidas {
        let precio = partida.price_at(&scope);
        if let Some(figures) =
            precio.and_then(|p| Figures::new(measures, e.level(tarifa, partida), partida, p))
        {
            partidas = partidas.checked_add(figures.importe).expect(FITS);
            material = material.checked_add(figures.material).expect(FITS);
        }
    }
    let adjustments = recargos(tarifa, e).map(|(_, p)| partidas.part(p).expect(FITS));
    Totals { base: sum(adjustments.chain([partidas])), partidas, material }
}

/// The numbers of a line.
struct Figures {
    cantidad: Cantidad,
    precio: Cents,
    importe: Cents,
    material: Cents,
}

impl Figures {
    /// The numbers for an item of the table; `None` if the job has none of that item.
    fn new(measures: Measures, factor: Percentage, partida: &Partida, precio: &PartidaPrice) -> Option<Self> {
        let cantidad = partida.cantidad.apply(measures);
        let unit = precio.precio.part(factor).expect(FITS);
        let importe = unit.by_cantidad(cantidad).expect(FITS);
        let material = importe.part(precio.material).expect(FITS);
        (cantidad != Cantidad(0)).then_some(Self { cantidad, precio: unit, importe, material })
    }

    /// A line with these numbers and without texts.
    fn line(self, unidad: Unidad) -> Line {
        Line {
            key: String::new(),
            concepto: String::new(),
            detail: None,
            cantidad: self.cantidad,
            unidad,
            precio: self.precio,
            importe: self.importe,
            material: self.material,
            labour: self.importe.checked_sub(self.material).expect(FITS),
            discount: None,
        }
    }
}

pub(crate) fn sum(all: impl Iterator<Item = Cents>) -> Cents {
    Cents::sum(all).expect(FITS)
}

#[cfg(test)]
mod home_tests;
#[cfg(test)]
mod own_prices_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

//! What a job costs: from what is known of a lead and a price table to the lines of a quote.
//!
//! Pure and total: every lead gets an answer, however little is known and however absurd a number is. Rules of the sums:
//!
//! 1. unit price = table price × price level of the province, rounded half up to the cent;
//! 2. amount of a line = printed quantity × printed unit price, rounded half up;
//! 3. materials of a line = amount × its share, rounded half up; labour is the rest;
//! 4. a surcharge or discount is a percentage of the sum of the items, rounded half up, and a line of its own; it moves labour
//!    and materials alike, so the share of materials, on which the tax depends, is that of the items whatever is adjusted;
//! 5. every total is the exact sum of printed amounts.
//!
//! Taxes are [`crate::iva`]'s work; nothing here knows them. The target budget never changes a price.

mod assumptions;
mod range;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::Zona;
use crate::decimal::{Cantidad, Percentage};
use crate::money::Cents;
use crate::perfil::Perfil;
use crate::perfil::{Calidad, Urgencia};
use crate::provincia::Provincia;
use crate::tarifa::{Cause, Partida, PartidaPrice, Recargo, Tarifa, Unidad};

pub use assumptions::Assumption;
pub use range::{Range, corners};

/// What a job comes to before tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// The taxable base: items, surcharges and discounts.
    pub base: Cents,
    pub partidas: Cents,
    /// The part of the items that is materials.
    pub material: Cents,
}

/// What is known of the work; every field may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReformaFacts {
    pub kind: Option<Zona>,
    pub m2_suelo: Option<f64>,
    pub calidad: Option<Calidad>,
    /// Whether structural work is present.
    pub estructural: Option<bool>,
    pub urgencia: Option<Urgencia>,
    /// The province, as the person wrote it.
    pub provincia: Option<String>,
    pub presupuesto_target: Option<Cents>,
}

impl ReformaFacts {
    /// What a lead's profile and province say.
    pub fn new(perfil: &Perfil, provincia: Option<&str>) -> Self {
        Self {
            kind: perfil.tipo_reforma,
            m2_suelo: perfil.m2_suelo,
            calidad: perfil.calidad_global,
            estructural: perfil.estructural,
            urgencia: perfil.urgencia,
            provincia: provincia.map(str::to_owned),
            presupuesto_target: perfil.presupuesto_target_cents.map(Cents),
        }
    }
}

/// A priced job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pricing {
    /// The version of the price table.
    pub tarifa_version: String,
    /// The day from which that table holds.
    #[serde(with = "crate::day")]
    #[serde(rename = "tarifaDesde")]
    pub tarifa_since: Date,
    /// The type that was priced, known or supposed.
    #[serde(rename = "tipo")]
    pub kind: Zona,
    /// Its title («Reforma de baño»).
    #[serde(rename = "titulo")]
    pub title: String,
    /// The floor area that was priced.
    pub m2: Cantidad,
    /// The quality that was priced.
    pub calidad: Calidad,
    /// The province, where it was recognised.
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
    /// Between what the base may lie while something that decides the price is unknown.
    #[serde(rename = "rango")]
    pub range: Option<Range>,
    /// Everything that was supposed.
    #[serde(rename = "supuestos")]
    pub assumptions: Vec<Assumption>,
    /// What the price leaves out.
    #[serde(rename = "noIncluye")]
    pub not_included: Vec<String>,
    /// The client's target, as told.
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
    /// The key of the item in the table, or the cause of the surcharge.
    #[serde(rename = "clave")]
    pub key: String,
    pub concepto: String,
    /// What one gets in this quality.
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
}

/// Everything a sum needs, nothing missing.
#[derive(Debug, Clone, Copy)]
struct Scenario {
    kind: Zona,
    m2: Cantidad,
    calidad: Calidad,
    estructural: bool,
    urgencia: Urgencia,
    factor: Percentage,
}

/// Why no sum can overflow.
const FITS: &str = "a checked table keeps every sum far below 2^63";
/// The title of the chapter of surcharges.
const ADJUSTMENTS: &str = "Ajustes";

/// Prices a job.
pub fn price(data: &ReformaFacts, tarifa: &Tarifa) -> Pricing {
    let (scenario, provincia, assumptions) = assumptions::complete(data, tarifa);
    let range = range::of(&range::corners_around(data, tarifa, &scenario, provincia), tarifa.range_rounding);
    let capitulos = capitulos(tarifa, &scenario);
    let base = sum(capitulos.iter().map(|c| c.total));
    let material = sum(capitulos.iter().flat_map(|c| &c.lines).map(|l| l.material));
    let kind = tarifa.kind(scenario.kind);
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
    /// What it comes to, with the items apart from what adjusts them.
    pub fn totals(&self) -> Totals {
        let is_adjustment =
            |c: &Capitulo, l: &Line| c.nombre == ADJUSTMENTS && Cause::parse(&l.key).is_some();
        let partidas =
            || self.capitulos.iter().flat_map(|c| c.lines.iter().filter(move |l| !is_adjustment(c, l)));
        Totals {
            base: self.base,
            partidas: sum(partidas().map(|l| l.importe)),
            material: sum(partidas().map(|l| l.material)),
        }
    }
}

/// The chapters of a job: those of the table in its order, lines of the type's own zone before those of other zones.
fn capitulos(tarifa: &Tarifa, e: &Scenario) -> Vec<Capitulo> {
    let mut capitulos: Vec<Capitulo> = Vec::new();
    for (capitulo, partida, precio) in tarifa.partidas_of(e.kind, e.calidad, e.estructural) {
        let Some(figures) = Figures::new(tarifa, e, partida, precio) else { continue };
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
    // Stable: within a zone the order of the table stays.
    capitulos.sort_by_key(|c| (c.zona != e.kind, c.zona));
    for c in &mut capitulos {
        c.total = sum(c.lines.iter().map(|l| l.importe));
    }
    capitulos.extend(adjustments(tarifa, e, &totals(tarifa, e)));
    capitulos
}

/// The surcharges and discounts that apply, as a chapter of their own.
fn adjustments(tarifa: &Tarifa, e: &Scenario, totals: &Totals) -> Option<Capitulo> {
    let lines: Vec<Line> = recargos(tarifa, e)
        .map(|r| {
            let precio = totals.partidas.part(r.percentage).expect(FITS);
            let material = precio.proportional(totals.material, totals.partidas).expect(FITS);
            let figures = Figures { cantidad: Cantidad::unidades(1), precio, importe: precio, material };
            let concepto = format!("{} ({} de las partidas)", r.concepto, r.percentage);
            Line { key: r.when.as_str().to_owned(), concepto, ..figures.line(Unidad::Pa) }
        })
        .filter(|l| l.importe != Cents::ZERO)
        .collect();
    let total = sum(lines.iter().map(|l| l.importe));
    (!lines.is_empty()).then(|| Capitulo { zona: e.kind, nombre: ADJUSTMENTS.to_owned(), lines, total })
}

fn recargos<'a>(tarifa: &'a Tarifa, e: &Scenario) -> impl Iterator<Item = &'a Recargo> {
    let (estructural, urgencia) = (e.estructural, e.urgencia);
    tarifa.recargos.iter().filter(move |r| r.when.is_given(estructural, urgencia))
}

/// What a job without urgency comes to at the prices of the table.
pub(crate) fn totals_of(
    tarifa: &Tarifa,
    kind: Zona,
    m2: Cantidad,
    calidad: Calidad,
    estructural: bool,
) -> Totals {
    let (urgencia, factor) = (Urgencia::Media, Percentage::HUNDRED);
    totals(tarifa, &Scenario { kind, m2, calidad, estructural, urgencia, factor })
}

/// What a job comes to, without its lines.
fn totals(tarifa: &Tarifa, e: &Scenario) -> Totals {
    let (mut partidas, mut material) = (Cents::ZERO, Cents::ZERO);
    for partida in &tarifa.partidas {
        let precio = partida.price_at(e.kind, e.calidad, e.estructural);
        if let Some(figures) = precio.and_then(|p| Figures::new(tarifa, e, partida, p)) {
            partidas = partidas.checked_add(figures.importe).expect(FITS);
            material = material.checked_add(figures.material).expect(FITS);
        }
    }
    let adjustments = recargos(tarifa, e).map(|r| partidas.part(r.percentage).expect(FITS));
    Totals { base: sum(adjustments.chain([partidas])), partidas, material }
}

/// The figures of a line.
struct Figures {
    cantidad: Cantidad,
    precio: Cents,
    importe: Cents,
    material: Cents,
}

impl Figures {
    /// Those of an item of the table; `None` where the job has none of it.
    fn new(tarifa: &Tarifa, e: &Scenario, partida: &Partida, precio: &PartidaPrice) -> Option<Self> {
        let cantidad = partida.cantidad.apply(e.m2, tarifa.height);
        let unit = precio.precio.part(e.factor).expect(FITS);
        let importe = unit.by_cantidad(cantidad).expect(FITS);
        let material = importe.part(precio.material).expect(FITS);
        (cantidad != Cantidad(0)).then_some(Self { cantidad, precio: unit, importe, material })
    }

    /// A line that still lacks its words.
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
        }
    }
}

fn sum(all: impl Iterator<Item = Cents>) -> Cents {
    Cents::sum(all).expect(FITS)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

//! The range of a price while little is known about the job.

use serde::{Deserialize, Serialize};

use super::{PricingInput, Scenario, Totals, assumptions, totals};
use crate::Zona;
use crate::money::Cents;
use crate::perfil::Calidad;
use crate::provincia::Provincia;
use crate::tarifa::Tarifa;

/// The range in which a price may lie, rounded outwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    #[serde(rename = "minimo")]
    pub minimum: Cents,
    #[serde(rename = "maximo")]
    pub maximum: Cents,
}

impl std::fmt::Display for Range {
    /// «entre 4.300 € y 9.800 €».
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "entre {} y {}", self.minimum.short(), self.maximum.short())
    }
}

/// The types that a lead without a type may mean. A whole dwelling is left out, because such a job has to be discussed
/// first.
pub(super) const ROOMS: &[Zona] = &[Zona::Cocina, Zona::Bano, Zona::Salon, Zona::Comedor, Zona::Other];
const CALIDADES: &[Calidad] = &[Calidad::Basica, Calidad::Media, Calidad::Premium];

/// The sums of the job at the extremes of every unknown that decides the price: type, area, quality, province. Empty if
/// all four are known. Structural work, urgency, bathrooms, floor and lift are assumed without widening the range: the
/// quote lists these assumptions.
pub fn corners(data: &PricingInput, tarifa: &Tarifa) -> Vec<Totals> {
    let (scenario, provincia, _) = assumptions::complete(data, tarifa);
    corners_around(data, tarifa, &scenario, provincia)
}

pub(super) fn corners_around(
    data: &PricingInput,
    tarifa: &Tarifa,
    e: &Scenario,
    provincia: Option<Provincia>,
) -> Vec<Totals> {
    let area = assumptions::superficie(data, tarifa.kind_of(e.kind, e.room_kind));
    let known = data.kind.is_some() && data.calidad.is_some() && provincia.is_some() && area.note.is_none();
    if known {
        return Vec::new();
    }
    let kinds = if data.kind.is_some() { std::slice::from_ref(&e.kind) } else { ROOMS };
    let calidades = if data.calidad.is_some() { std::slice::from_ref(&e.calidad) } else { CALIDADES };
    let (factor_min, factor_max) =
        if provincia.is_some() { (e.factor, e.factor) } else { tarifa.extreme_factors() };
    let mut sums = vec![totals(tarifa, e)];
    for &kind in kinds {
        let kind_data = tarifa.kind_of(kind, e.room_kind);
        // Prices grow with area and level, so the two corners are the extremes.
        let assumptions::Area { low, high, .. } = assumptions::superficie(data, kind_data);
        for &calidad in calidades {
            let at = |m2, factor| totals(tarifa, &Scenario { kind, m2, calidad, factor, ..*e });
            sums.extend([at(low, factor_min), at(high, factor_max)]);
        }
    }
    sums
}

/// The range of the bases.
pub(super) fn of(corners_around: &[Totals], step: Cents) -> Option<Range> {
    Range::around(corners_around.iter().map(|s| s.base), step)
}

impl Range {
    /// «4.300 – 9.800 €»: printed in place of a total.
    pub fn figure(&self) -> String {
        let minimum = self.minimum.short();
        format!("{} – {}", minimum.trim_end_matches("\u{a0}€"), self.maximum.short())
    }

    /// The lowest and the highest of some amounts, rounded outwards; `None` if there are no amounts.
    pub(crate) fn around(importes: impl Iterator<Item = Cents> + Clone, step: Cents) -> Option<Self> {
        let (minimum, maximum) = (importes.clone().min()?, importes.max()?);
        Some(Self { minimum: minimum.downwards(step), maximum: maximum.upwards(step) })
    }
}

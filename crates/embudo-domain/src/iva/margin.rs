//! How far a price table keeps from the limit on materials: beside it a small change of the job moves the rate, and a
//! discount or a smaller room could cost its client more.

use super::{Impuestos, ratio};
use crate::Zona;
use crate::decimal::{Cantidad, Percentage};
use crate::perfil::Calidad;
use crate::pricing::totals_of;
use crate::tarifa::Tarifa;

/// The distance from the limit under which a table's author is warned: two points.
pub const MARGIN: Percentage = Percentage(200);
/// The most sizes of a type that are tried: steps of half a square metre in a flat, far less in a room.
const SIZES: i64 = 800;

/// The job of a kind in which materials weigh most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaterialsShare {
    pub kind: Zona,
    pub calidad: Calidad,
    pub m2: Cantidad,
    /// What part of the price is materials.
    pub materiales: Percentage,
}

impl Impuestos {
    /// The least limit on materials that a rule sets.
    pub fn materials_limit(&self) -> Option<Percentage> {
        self.rules.iter().filter_map(|r| r.max_materials).min()
    }

    /// For each type and quality whose materials come within [`MARGIN`] of the limit or past it, the size that comes
    /// furthest.
    pub fn near_limit(&self, tarifa: &Tarifa) -> Vec<MaterialsShare> {
        let Some(limit) = self.materials_limit() else { return Vec::new() };
        let near = |s: &MaterialsShare| s.materiales.0 > limit.0 - MARGIN.0;
        heaviest(tarifa).filter(near).collect()
    }
}

/// For each type and quality the size in which materials weigh most, with structural work or without.
fn heaviest(tarifa: &Tarifa) -> impl Iterator<Item = MaterialsShare> {
    let types = Zona::WORDS.iter().filter_map(|z| Zona::parse(z));
    let kinds =
        types.flat_map(|t| Calidad::WORDS.iter().filter_map(|c| Calidad::parse(c)).map(move |c| (t, c)));
    kinds.filter_map(|(kind, calidad)| {
        let of_type = tarifa.kind(kind);
        let (least, most) = (of_type.min_m2.0, of_type.max_m2.0);
        let step = usize::try_from(((most - least) / SIZES).max(1)).unwrap_or(1);
        let sizes = (least..=most).step_by(step).chain([most]).map(Cantidad);
        let share = |m2| {
            let of = |estructural| {
                let totals = totals_of(tarifa, kind, m2, calidad, estructural);
                ratio(totals.material, totals.partidas)
            };
            MaterialsShare { kind, calidad, m2, materiales: of(false).max(of(true)) }
        };
        sizes.map(share).max_by_key(|s| s.materiales)
    })
}

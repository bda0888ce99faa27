//! How far a price table stays below the limit on materials. Close to the limit a small change of the job changes the
//! rate, so a discount or a smaller room could cost the client more.

use super::{Impuestos, ratio};
use crate::Zona;
use crate::decimal::{Cantidad, Percentage};
use crate::perfil::Calidad;
use crate::pricing::totals_of;
use crate::tarifa::Tarifa;

/// The author of a price table is warned when the distance from the limit is below this value: two points.
pub const MARGIN: Percentage = Percentage(200);
/// About how many sizes of a type are tried, at most twice as many. In the shipped table the step is 1.2 m² for a flat
/// and at most 0.25 m² for a room.
const SIZES: i64 = 800;

/// The job of a kind that has the largest share of materials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaterialsShare {
    pub kind: Zona,
    pub calidad: Calidad,
    pub m2: Cantidad,
    /// The share of materials in the price.
    pub materiales: Percentage,
}

impl Impuestos {
    /// The lowest limit on materials of any rule.
    pub fn materials_limit(&self) -> Option<Percentage> {
        self.rules.iter().filter_map(|r| r.max_materials).min()
    }

    /// The types and qualities whose share of materials exceeds the limit or is within [`MARGIN`] of it, each with the
    /// size that has the largest share.
    pub fn near_limit(&self, tarifa: &Tarifa) -> Vec<MaterialsShare> {
        let Some(limit) = self.materials_limit() else { return Vec::new() };
        let near = |s: &MaterialsShare| s.materiales.0 > limit.0 - MARGIN.0;
        heaviest(tarifa).filter(near).collect()
    }
}

/// For each type and quality, the size with the largest share of materials, with structural work or without.
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

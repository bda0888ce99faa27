//! A job with every fact decided.

use crate::decimal::{Cantidad, Percentage};
use crate::perfil::{Calidad, Urgencia};
use crate::tarifa::{Circumstances, Measures, Partida, Scope, Tarifa, TarifaKind};
use crate::{RoomKind, Zona};

/// The floor area that each bathroom needs. A job is priced with at most as many bathrooms as its area gives, rounded
/// up.
const M2_OF_BANO: Cantidad = Cantidad::unidades(15);

/// Everything that a sum needs, with nothing missing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scenario {
    pub kind: Zona,
    /// Only if the table prices this room separately.
    pub room_kind: Option<RoomKind>,
    pub m2: Cantidad,
    pub calidad: Calidad,
    pub estructural: bool,
    pub urgencia: Urgencia,
    /// The bathrooms if they are known; otherwise they follow from the area.
    pub banos: Option<u8>,
    pub floors_on_foot: u8,
    pub factor: Percentage,
}

impl Scenario {
    pub(super) fn scope(&self) -> Scope {
        let Self { kind, room_kind, calidad, estructural, .. } = *self;
        Scope { kind, room_kind, calidad, estructural }
    }

    pub(super) fn circumstances(&self) -> Circumstances {
        let Self { estructural, urgencia, floors_on_foot, .. } = *self;
        Circumstances { estructural, urgencia, floors_on_foot }
    }

    /// The price level that applies to an item.
    pub(super) fn level(&self, tarifa: &Tarifa, partida: &Partida) -> Percentage {
        if tarifa.scales(partida) { self.factor } else { Percentage::HUNDRED }
    }

    pub(super) fn measures(&self, tarifa: &Tarifa) -> Measures {
        let banos = bathrooms(tarifa.kind_of(self.kind, self.room_kind), self.m2, self.banos);
        Measures { m2: self.m2, height: tarifa.height, banos: banos.unwrap_or(1) }
    }
}

/// The number of bathrooms of a job, known or assumed, limited by what its area makes credible. `None` if its type does
/// not count bathrooms.
pub(super) fn bathrooms(kind: &TarifaKind, m2: Cantidad, known: Option<u8>) -> Option<u8> {
    let supposed = kind.assumed_banos?.apply(Measures { m2, height: Cantidad(0), banos: 0 });
    let most = (m2.0 + M2_OF_BANO.0 - 1) / M2_OF_BANO.0;
    let banos = known.map_or(supposed.0 / 100, i64::from).min(most);
    Some(u8::try_from(banos).unwrap_or(u8::MAX))
}

//! The honest answer while little is known: between how much and how much.

use serde::{Deserialize, Serialize};

use super::{DatosReforma, Escenario, Suma, suma, supuestos};
use crate::Zona;
use crate::dinero::Cents;
use crate::perfil::Calidad;
use crate::provincia::Provincia;
use crate::tarifa::Tarifa;

/// Between what a price may lie, rounded outwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rango {
    /// At least.
    pub minimo: Cents,
    /// At most.
    pub maximo: Cents,
}

impl std::fmt::Display for Rango {
    /// «entre 4.300 € y 9.800 €».
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "entre {} y {}", self.minimo.corto(), self.maximo.corto())
    }
}

/// The types that a lead who named none may mean; a whole dwelling is another conversation.
const ESTANCIAS: &[Zona] = &[Zona::Cocina, Zona::Bano, Zona::Salon, Zona::Comedor, Zona::Otro];
const CALIDADES: &[Calidad] = &[Calidad::Basica, Calidad::Media, Calidad::Premium];

/// What the job may come to with everything that is unknown and decides the price: type, area, quality, province. Empty when all
/// four are known. Structural work and urgency are supposed without widening it: the quote says that they are not included.
pub fn corners(datos: &DatosReforma, tarifa: &Tarifa) -> Vec<Suma> {
    let (escenario, provincia, _) = supuestos::completar(datos, tarifa);
    esquinas(datos, tarifa, &escenario, provincia)
}

pub(super) fn esquinas(
    datos: &DatosReforma,
    tarifa: &Tarifa,
    e: &Escenario,
    provincia: Option<Provincia>,
) -> Vec<Suma> {
    let (_, nota_m2) = supuestos::superficie(datos.m2_suelo, tarifa.tipo(e.tipo));
    let conocido =
        datos.tipo.is_some() && datos.calidad.is_some() && provincia.is_some() && nota_m2.is_none();
    if conocido {
        return Vec::new();
    }
    let tipos = if datos.tipo.is_some() { std::slice::from_ref(&e.tipo) } else { ESTANCIAS };
    let calidades = if datos.calidad.is_some() { std::slice::from_ref(&e.calidad) } else { CALIDADES };
    let (factor_min, factor_max) =
        if provincia.is_some() { (e.factor, e.factor) } else { tarifa.factores_extremos() };
    let mut sumas = vec![suma(tarifa, e)];
    for &tipo in tipos {
        let datos_tipo = tarifa.tipo(tipo);
        let (m2, nota) = supuestos::superficie(datos.m2_suelo, datos_tipo);
        // Prices grow with area and level, so the two corners are the extremes.
        let (bajo, alto) = match nota {
            Some(_) => (datos_tipo.m2_bajo.min(m2), datos_tipo.m2_alto.max(m2)),
            None => (m2, m2),
        };
        for &calidad in calidades {
            let en = |m2, factor| suma(tarifa, &Escenario { tipo, m2, calidad, factor, ..*e });
            sumas.extend([en(bajo, factor_min), en(alto, factor_max)]);
        }
    }
    sumas
}

/// The range of the bases.
pub(super) fn of(esquinas: &[Suma], paso: Cents) -> Option<Rango> {
    Rango::alrededor(esquinas.iter().map(|s| s.base), paso)
}

impl Rango {
    /// The least and the most of some amounts, rounded outwards; `None` where there are none.
    pub(crate) fn alrededor(importes: impl Iterator<Item = Cents> + Clone, paso: Cents) -> Option<Self> {
        let (minimo, maximo) = (importes.clone().min()?, importes.max()?);
        Some(Self { minimo: minimo.hacia_abajo(paso), maximo: maximo.hacia_arriba(paso) })
    }
}

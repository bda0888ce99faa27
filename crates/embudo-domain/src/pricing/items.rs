//! Single items of the table, for quotes that people edit.

use super::{Capitulo, Figures, PricingInput, assumptions, capitulos, recargos};
use crate::decimal::{Cantidad, Percentage};
use crate::money::Cents;
use crate::tarifa::{Partida, Recargo, Tarifa};

/// What the table says about one item in a job.
pub(crate) struct TableItem<'a> {
    pub partida: &'a Partida,
    pub detail: Option<&'a str>,
    pub cantidad: Cantidad,
    /// The price of one unit, at the price level of the province.
    pub precio: Cents,
    pub material: Percentage,
    /// What one unit costs the company, if the table says it.
    pub coste: Option<Cents>,
}

/// One item at the job's size, quality and price level, even if the item is not usual in such a job. `None` if the
/// table does not have the item, or not in this quality.
pub(crate) fn item<'a>(data: &PricingInput, tarifa: &'a Tarifa, key: &str) -> Option<TableItem<'a>> {
    let (scenario, _, _) = assumptions::complete(data, tarifa);
    let partida = tarifa.partidas.iter().find(|p| p.key == key)?;
    let precio = partida.precio(scenario.calidad)?;
    let figures = Figures::new(scenario.measures(tarifa), scenario.level(tarifa, partida), partida, precio)?;
    Some(TableItem {
        partida,
        detail: precio.detail.as_deref(),
        cantidad: figures.cantidad,
        precio: figures.precio,
        material: precio.material,
        coste: tarifa.coste(partida, precio, figures.precio),
    })
}

/// The price of one unit of every item in a job of this quality and price level, in the table's order; `None` if the
/// item does not exist in that quality.
pub(crate) fn unit_prices(data: &PricingInput, tarifa: &Tarifa) -> Vec<Option<Cents>> {
    let (scenario, _, _) = assumptions::complete(data, tarifa);
    let price = |partida: &Partida| {
        let precio = partida.precio(scenario.calidad)?;
        Some(
            Figures::new(scenario.measures(tarifa), scenario.level(tarifa, partida), partida, precio)?.precio,
        )
    };
    tarifa.partidas.iter().map(price).collect()
}

/// The chapters of a job without its surcharges, as [`super::price`] orders them.
pub(crate) fn room_capitulos(data: &PricingInput, tarifa: &Tarifa) -> Vec<Capitulo> {
    let (scenario, _, _) = assumptions::complete(data, tarifa);
    let mut all = capitulos(tarifa, &scenario);
    all.pop_if(|last| last.is_adjustments());
    all
}

/// The surcharges that a job has, each with its percentage.
pub(crate) fn recargos_of<'a>(data: &PricingInput, tarifa: &'a Tarifa) -> Vec<(&'a Recargo, Percentage)> {
    let (scenario, _, _) = assumptions::complete(data, tarifa);
    recargos(tarifa, &scenario).collect()
}

//! What the company earns. This is internal: no part of it ever reaches a [`Document`].

use super::Draft;
use crate::decimal::Percentage;
use crate::iva::ratio;
use crate::money::Cents;
use crate::presupuesto::Document;

/// What a quote leaves after its costs, without the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Margin {
    /// Before tax.
    pub base: Cents,
    /// The sum of the known costs.
    pub cost: Cents,
    pub margin: Cents,
    /// The margin as a percentage of the base.
    pub percentage: Percentage,
    /// The number of lines without a cost. The true margin is smaller if there are any.
    pub without_cost: usize,
}

impl Draft {
    /// The margin of the document that was composed from this draft. `None` if the costs do not fit into the money
    /// type.
    pub fn margin(&self, document: &Document) -> Option<Margin> {
        let included = || self.lines().filter(|l| !l.optional);
        let mut costs = included().filter_map(|l| l.coste.map(|c| c.by_cantidad(l.cantidad)));
        let cost = costs.try_fold(Cents::ZERO, |sum, cost| sum.checked_add(cost?))?;
        let base = document.pricing.base;
        let margin = base.checked_sub(cost)?;
        let without_cost = included().filter(|l| l.coste.is_none()).count();
        Some(Margin { base, cost, margin, percentage: ratio(margin, base), without_cost })
    }
}

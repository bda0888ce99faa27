//! Lines that the client may tick. Until then they are not in the base, and neither surcharges nor the discount on the
//! whole apply to them: before tax, an option costs exactly its printed price.

use serde::{Deserialize, Serialize};

use super::Document;
use crate::Zona;
use crate::iva::{Added, Impuesto};
use crate::money::Cents;
use crate::pricing::Line;

/// An optional line, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrintedOption {
    /// Its name in the quote, for the client's choice.
    pub id: String,
    pub zona: Zona,
    /// Its room, if the quote has several.
    #[serde(rename = "estancia", default, skip_serializing_if = "Option::is_none")]
    pub room: Option<String>,
    pub capitulo: String,
    #[serde(rename = "linea")]
    pub line: Line,
}

/// A quote with some of its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub base: Cents,
    pub impuesto: Impuesto,
    pub total: Cents,
}

impl Document {
    /// What the client pays with these options, by the rules sealed with the quote. Unknown ids are ignored, and an id
    /// that is named twice counts once.
    pub fn with_options<T: AsRef<str>>(&self, ids: &[T]) -> Chosen {
        let is_chosen = |o: &&PrintedOption| ids.iter().any(|id| id.as_ref() == o.id);
        let chosen: Vec<Added> = self.options.iter().filter(is_chosen).map(PrintedOption::added).collect();
        let impuesto = match chosen.is_empty() {
            true => None,
            false => self.impuesto.with_options(self.pricing.totals(), &chosen),
        };
        let impuesto = impuesto.unwrap_or_else(|| self.impuesto.clone());
        Chosen { base: impuesto.base, total: impuesto.total, impuesto }
    }

    /// What ticking one option alone adds to the total, tax included. It may be more than the option's own price and
    /// tax, because its materials can change the rate of the whole.
    pub fn option_price(&self, option: &PrintedOption) -> Cents {
        let total = self.with_options(&[&option.id]).total;
        total.checked_sub(self.impuesto.total).unwrap_or_default()
    }
}

impl PrintedOption {
    pub(super) fn added(&self) -> Added {
        let (partidas, material) = self.line.before_discount();
        Added { importe: self.line.importe, partidas, material }
    }
}

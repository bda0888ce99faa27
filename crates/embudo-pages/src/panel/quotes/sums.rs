//! The total of a draft, as the box beside the editor shows it: sums, margin, and the errors that keep it from being
//! sent.

use askama::Template;
use embudo_app::Ingredients;
use embudo_domain::presupuesto::draft::Margin;
use embudo_domain::presupuesto::{Character, Document, Draft};
use embudo_domain::tarifa::Tarifa;

use super::OpenQuote;
use super::differences::recalculated;
use super::fields::Mistakes;

/// The maximum number of errors in the list. All errors are also shown at their fields.
const MAX_LISTED: usize = 12;
/// The maximum number of listed changes that recalculating would make.
const MAX_CHANGES: usize = 5;

#[derive(Template)]
#[template(path = "panel/quotes/sums.html")]
pub(super) struct Sums {
    /// The revision that the form was loaded from. `base` is the draft of that revision, packed; empty outside the
    /// editor.
    pub revision: String,
    pub base: String,
    /// «Guardado a las 10:32», or that the draft is not saved.
    pub standing: String,
    pub is_saved: bool,
    pub money: Option<Money>,
    /// Field and text of every error.
    pub mistakes: Vec<(String, String)>,
    pub more_mistakes: usize,
    pub outdated: Option<Outdated>,
}

/// Says that the lines were made for other facts or with other prices.
pub(super) struct Outdated {
    pub what: &'static str,
    /// The changes that recalculating would make.
    pub differences: Vec<String>,
    pub more: usize,
    /// The address that recalculates.
    pub path: String,
}

impl Outdated {
    pub fn of(draft: &Draft, open: &OpenQuote, ingredients: &Ingredients) -> Option<Self> {
        let base = ingredients.base();
        let after = draft.recalculate(&open.record.lead, base).draft;
        let mut differences = recalculated(draft, &after, open, ingredients);
        if differences.is_empty() {
            return None;
        }
        let more = differences.len().saturating_sub(MAX_CHANGES);
        differences.truncate(MAX_CHANGES);
        let is_same_table = draft.tarifa.as_ref().is_some_and(|used| used.version == base.tarifa.version());
        let what =
            if is_same_table { "Los datos han cambiado" } else { "Los datos o la tarifa han cambiado" };
        Some(Self { what, differences, more, path: format!("{}/recalcular", open.path()) })
    }
}

pub(super) struct Money {
    pub base: String,
    pub impuesto: String,
    pub quota: String,
    pub total: String,
    /// The large amount: the total or the range.
    pub figure: String,
    pub range: Option<String>,
    /// How much each option adds to the total, tax included, as the client sees it.
    pub options: Vec<(String, String)>,
    pub is_binding: bool,
    /// Why the price is only approximate, in words.
    pub open: Vec<String>,
    /// The source of the prices of the lines, and the factor of the province.
    pub prices: Option<String>,
    pub margin: Option<MarginView>,
    /// The share of materials in the discounted price is too high for the reduced rate.
    pub warning: Option<String>,
}

pub(super) struct MarginView {
    pub cost: String,
    pub margin: String,
    pub percentage: String,
    pub is_loss: bool,
    /// Whether no costs are known, so that there is no margin to show.
    pub is_unknown: bool,
    pub without_cost: usize,
}

impl Sums {
    pub fn new(
        revision: String,
        standing: String,
        is_saved: bool,
        money: Option<Money>,
        wrong: &Mistakes,
    ) -> Self {
        let all: Vec<(String, String)> = wrong.iter().cloned().collect();
        Self {
            revision,
            base: String::new(),
            standing,
            is_saved,
            money,
            more_mistakes: all.len().saturating_sub(MAX_LISTED),
            mistakes: all,
            outdated: None,
        }
    }

    /// Adds the draft that the form was loaded from.
    pub fn carrying(self, base: String) -> Self {
        Self { base, ..self }
    }

    /// Adds the changes that recalculating would make.
    pub fn beside(self, outdated: Option<Outdated>) -> Self {
        Self { outdated, ..self }
    }

    /// The total, for the bar at the bottom of a phone.
    pub fn total(&self) -> &str {
        self.money.as_ref().map_or("–", |money| money.figure.as_str())
    }

    /// The value of `data-estado` on the page: saved or not saved.
    pub fn state(&self) -> &'static str {
        if self.is_saved { "guardado" } else { "sin-guardar" }
    }

    /// Whether an error is in the list.
    pub fn is_listed(&self, n: &usize) -> bool {
        *n < MAX_LISTED
    }
}

impl Money {
    /// The margin is unknown for a quote without its draft.
    pub fn of(draft: Option<&Draft>, document: &Document) -> Self {
        let (pricing, impuesto) = (&document.pricing, &document.impuesto);
        let open = pricing.assumptions.iter().filter(|a| a.is_deciding()).map(|a| a.text.clone());
        let materials = document.materials_after_discounts();
        let is_heavier = materials.0 > 4_000 && impuesto.percentage.0 == 1_000;
        Self {
            base: impuesto.base.to_string(),
            impuesto: format!("{} ({})", impuesto.nombre, impuesto.percentage),
            quota: impuesto.quota.to_string(),
            total: impuesto.total.to_string(),
            figure: document.figure(),
            range: document.shown_range().map(|range| range.to_string()),
            options: document
                .options
                .iter()
                .map(|option| (option.line.concepto.clone(), document.option_price(option).to_string()))
                .collect(),
            is_binding: document.character() == Character::Binding,
            open: open.collect(),
            prices: None,
            margin: draft.and_then(|draft| draft.margin(document)).map(|margin| MarginView::of(&margin)),
            warning: is_heavier.then(|| {
                format!("Con los descuentos, los materiales son el {materials} de la base: revisa si el tipo reducido te vale.")
            }),
        }
    }
}

impl Money {
    /// The sums that this person may see.
    pub fn seen_in(self, open: &OpenQuote) -> Self {
        if open.sees_costs() { self } else { Self { margin: None, ..self } }
    }

    /// Adds the source of the prices.
    pub fn priced_by(self, tarifa: &Tarifa, draft: &Draft, document: &Document) -> Self {
        Self { prices: Some(prices(tarifa, draft, document)), ..self }
    }
}

/// «Precios de tu tarifa 2026.4. Factor de Madrid: ×1,12.», with the lines to which the factor does not apply.
fn prices(tarifa: &Tarifa, draft: &Draft, document: &Document) -> String {
    let version = &document.pricing.tarifa_version;
    let Some(provincia) = document.pricing.provincia else {
        return format!("Precios de la tarifa {version}, sin factor: no se sabe la provincia.");
    };
    let factor = tarifa.factor(provincia).as_factor();
    let partida = |key: &str| tarifa.partidas().iter().find(|p| p.key == key);
    let of_table = draft.lines().filter_map(|line| partida(line.key.as_deref()?));
    let (moved, own): (Vec<_>, Vec<_>) = of_table.partition(|p| tarifa.scales(p));
    let what = match (moved.len(), own.len()) {
        (_, 0) => String::new(),
        (0, _) => " no se aplica: los precios son tuyos".to_owned(),
        (_, 1) => " salvo en una partida con precio tuyo".to_owned(),
        (_, own) => format!(" salvo en {own} partidas con precio tuyo"),
    };
    let joint = if what.is_empty() { "" } else { "," };
    format!("Precios de la tarifa {version}. Factor de {provincia}: ×{factor}{joint}{what}.")
}

impl MarginView {
    fn of(margin: &Margin) -> Self {
        Self {
            cost: margin.cost.to_string(),
            margin: margin.margin.to_string(),
            percentage: margin.percentage.to_string(),
            is_loss: margin.margin.0 < 0,
            is_unknown: margin.cost.0 == 0 && margin.without_cost > 0,
            without_cost: margin.without_cost,
        }
    }
}

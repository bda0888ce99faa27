//! How options affect the rate. An option with many materials may bring the whole job over the limit of the reduced
//! rate. An option without materials could bring it back under the limit, and then ticking that option would make the
//! job cheaper.
//!
//! So an option counts towards the limit only if its own share of materials exceeds the limit: the rate of a choice is
//! the highest rate that any part of the choice would have. This rate is never below what the law requires, and ticking
//! an option never lowers a total. A company that wants the lower rate for a choice of options sends them as lines of a
//! new version.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Impuesto, Impuestos, TaxCase, ratio, total};
use crate::decimal::Percentage;
use crate::money::Cents;
use crate::pricing::Totals;

/// The tax that applies once the chosen options bring the materials over the limit, sealed with the quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaxAlternative {
    /// The limit on materials above which it applies.
    #[serde(rename = "limiteMateriales")]
    pub limit: Percentage,
    #[serde(rename = "regla")]
    pub rule: String,
    #[serde(with = "crate::day")]
    pub vigente_desde: Date,
    pub norma: String,
    pub nombre: String,
    #[serde(rename = "porcentaje")]
    pub percentage: Percentage,
    #[serde(rename = "texto")]
    pub text: String,
    #[serde(rename = "motivo")]
    pub reason: String,
}

/// What an option adds: its amount, and its items and materials before discounts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Added {
    pub importe: Cents,
    pub partidas: Cents,
    pub material: Cents,
}

impl Impuestos {
    /// The tax of a job with all its options chosen. `None` unless its rate is higher than the quoted one.
    pub(crate) fn alternative(
        &self,
        quoted: &Impuesto,
        totals: Totals,
        options: &[Added],
        case: TaxCase,
    ) -> Option<TaxAlternative> {
        let limit = self.materials_limit()?;
        let worst = heaviest(totals, options, limit)?;
        let (rule, _) = self.rule_of(&worst, case);
        (rule.percentage > quoted.percentage).then(|| TaxAlternative {
            limit,
            rule: rule.key.clone(),
            vigente_desde: rule.vigente_desde,
            norma: rule.norma.clone(),
            nombre: rule.impuesto.clone(),
            percentage: rule.percentage,
            text: rule.text.clone(),
            reason: format!(
                "Con las opciones elegidas los materiales pasan del {limit} de la base que admite el tipo reducido."
            ),
        })
    }
}

impl Impuesto {
    /// The tax of the job with some options, by the sealed rules. `None` if the total does not fit into the money type.
    pub(crate) fn with_options(&self, totals: Totals, chosen: &[Added]) -> Option<Self> {
        let add = |of: Cents, each: &dyn Fn(&Added) -> Cents| {
            Cents::sum(std::iter::once(of).chain(chosen.iter().map(each)))
        };
        let base = add(totals.base, &|a| a.importe)?;
        let materiales =
            ratio(add(totals.material, &|a| a.material)?, add(totals.partidas, &|a| a.partidas)?);
        let passes = |a: &&TaxAlternative| {
            heaviest(totals, chosen, a.limit).is_some_and(|worst| worst.weight(a.limit) > 0)
        };
        let taxed = match self.alternative.as_ref().filter(passes) {
            None => self.clone(),
            Some(other) => Self {
                rule: other.rule.clone(),
                vigente_desde: other.vigente_desde,
                norma: other.norma.clone(),
                nombre: other.nombre.clone(),
                percentage: other.percentage,
                text: other.text.clone(),
                reasons: vec![other.reason.clone()],
                declaracion: None,
                pending_declaration: false,
                ..self.clone()
            },
        };
        let total = total(base, taxed.percentage)?;
        let dearer = total.checked_sub(self.total)?;
        let range = match self.range {
            None => None,
            Some(r) => Some(super::TotalRange {
                minimum: r.minimum.checked_add(dearer)?,
                maximum: r.maximum.checked_add(dearer)?,
                ..r
            }),
        };
        Some(Self { base, quota: total.checked_sub(base)?, total, materiales, range, ..taxed })
    }
}

/// The job with those options whose share of materials exceeds the limit. `None` if a sum does not fit into the money
/// type.
fn heaviest(totals: Totals, options: &[Added], limit: Percentage) -> Option<Totals> {
    let heavy = options
        .iter()
        .filter(|a| i128::from(a.material.0) * 10_000 > i128::from(a.partidas.0) * i128::from(limit.0));
    heavy.copied().try_fold(totals, |t, a| {
        Some(Totals {
            base: t.base.checked_add(a.importe)?,
            partidas: t.partidas.checked_add(a.partidas)?,
            material: t.material.checked_add(a.material)?,
        })
    })
}

impl Totals {
    /// How far its materials exceed a limit; zero or negative within the limit.
    pub(crate) fn weight(&self, limit: Percentage) -> i128 {
        i128::from(self.material.0) * 10_000 - i128::from(self.partidas.0) * i128::from(limit.0)
    }
}

//! The indirect tax of a quote: IVA, IGIC or IPSI, by rules that are dated data (`datos/impuestos.toml`).
//!
//! A rule applies when it is in force and none of its conditions is denied. An unknown condition is assumed to hold;
//! the quote says so and carries the client's declaration. The limit on materials is never assumed: it is computed from
//! the lines.

pub(crate) mod answers;
mod margin;
mod options;
mod parse;
mod range;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::data::InvalidData;
use crate::decimal::Percentage;
use crate::money::Cents;
use crate::pricing::{Assumption, Pricing, PricingInput, Range, Totals, corners, price};
use crate::provincia::{Provincia, Territory};
use crate::tarifa::Tarifa;

pub use answers::{Answer, Condicion, Condiciones, Contratante};
pub use margin::{MARGIN, MaterialsShare};
pub(crate) use options::Added;
pub use options::TaxAlternative;

/// The rules that the program ships.
pub const DEFAULT_TEXT: &str = include_str!("../datos/impuestos.toml");

/// A checked set of rules. Each territory has a rule without conditions and without an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impuestos {
    pub(crate) version: String,
    pub(crate) reviewed: Date,
    pub(crate) texts: Vec<ConditionTexts>,
    pub(crate) rules: Vec<TaxRule>,
}

/// The texts about a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionTexts {
    pub condicion: Condicion,
    /// What the quote says when the condition is assumed.
    pub assumption: String,
    pub denied: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxRule {
    pub key: String,
    pub territory: Territory,
    pub impuesto: String,
    pub percentage: Percentage,
    pub vigente_desde: Date,
    /// The last day on which the rule is in force. `None`: the rule has no end.
    pub valid_until: Option<Date>,
    pub norma: String,
    pub condiciones: Vec<Condicion>,
    /// The maximum share of materials in the base.
    pub max_materials: Option<Percentage>,
    /// Why this rate, as the quote prints it.
    pub text: String,
    /// What the client must sign.
    pub declaracion: Option<String>,
    /// Whether the rate must still be confirmed with a local ordinance.
    pub confirm: bool,
}

/// The tax of a quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Impuesto {
    /// The key of the rule.
    #[serde(rename = "regla")]
    pub rule: String,
    /// The version of the rules.
    pub version: String,
    /// The day from which the rule holds.
    #[serde(with = "crate::day")]
    pub vigente_desde: Date,
    pub norma: String,
    /// `IVA`, `IGIC` or `IPSI`.
    pub nombre: String,
    #[serde(rename = "porcentaje")]
    pub percentage: Percentage,
    pub base: Cents,
    /// The tax: the rate on the base, rounded half up.
    #[serde(rename = "cuota")]
    pub quota: Cents,
    pub total: Cents,
    /// The part of the base that is materials, in per cent, rounded half up to two decimals.
    pub materiales: Percentage,
    #[serde(rename = "texto")]
    pub text: String,
    /// Why a lower rate does not apply, where one exists, and what would make it apply.
    #[serde(rename = "motivos")]
    pub reasons: Vec<String>,
    #[serde(rename = "supuestos")]
    pub assumptions: Vec<Assumption>,
    /// What the client must sign for this rate.
    pub declaracion: Option<String>,
    /// Whether the client must still make that declaration, because not every condition has been declared.
    #[serde(rename = "declaracionPendiente")]
    pub pending_declaration: bool,
    /// The range of possible totals while something that decides the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "rango")]
    pub range: Option<TotalRange>,
    /// The tax of the whole job if options with many materials are chosen. `None` if no choice changes the rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "alternativa")]
    pub alternative: Option<TaxAlternative>,
}

/// The range of totals of a job, rounded outwards. Each end has its own tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TotalRange {
    #[serde(rename = "minimo")]
    pub minimum: Cents,
    #[serde(rename = "maximo")]
    pub maximum: Cents,
    /// The rate, if it is the same everywhere in the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "porcentaje")]
    pub percentage: Option<Percentage>,
}

impl Impuesto {
    /// The declaration that the client must still make for this rate.
    pub fn owed_declaration(&self) -> Option<&str> {
        self.declaracion.as_deref().filter(|_| self.pending_declaration)
    }
}

impl std::fmt::Display for TotalRange {
    /// «entre 4.300 € y 9.800 €».
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Range { minimum: self.minimum, maximum: self.maximum }.fmt(f)
    }
}

/// What the choice of the rule depends on besides the job itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaxCase {
    pub provincia: Option<Provincia>,
    pub condiciones: Condiciones,
    pub day: Date,
}

/// Why no total of a table can overflow: the message of every `expect`.
const FITS: &str = "a checked table keeps every total far below 2^63";

impl Impuestos {
    /// Reads and checks a set of rules; all its mistakes at once.
    pub fn parse(text: &str) -> Result<Self, InvalidData> {
        parse::parse(text)
    }

    /// The rules that the program ships.
    pub fn por_defecto() -> Self {
        Self::parse(DEFAULT_TEXT).expect("a test reads the shipped rules")
    }

    /// The version of the set.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The day on which a person last checked the set against the law.
    pub fn reviewed(&self) -> Date {
        self.reviewed
    }

    pub fn rules(&self) -> &[TaxRule] {
        &self.rules
    }

    /// Prices a job with its tax on a day.
    pub fn price(
        &self,
        data: &PricingInput,
        tarifa: &Tarifa,
        condiciones: Condiciones,
        day: Date,
    ) -> (Pricing, Impuesto) {
        let pricing = price(data, tarifa);
        let mut impuesto = self.apply(&pricing, condiciones, day);
        let case = TaxCase { provincia: pricing.provincia, condiciones, day };
        impuesto.range = self.range(&corners(data, tarifa), case, tarifa);
        (pricing, impuesto)
    }

    /// The tax of a priced job on a day.
    pub fn apply(&self, pricing: &Pricing, condiciones: Condiciones, day: Date) -> Impuesto {
        self.over(pricing.totals(), pricing.provincia, condiciones, day).expect(FITS)
    }

    /// The rule for a job, and the reasons why the rules before it do not apply.
    fn rule_of(&self, totals: &Totals, case: TaxCase) -> (&TaxRule, Vec<String>) {
        let mut reasons = Vec::new();
        let (territory, day) = (territory(case.provincia), case.day);
        let in_force = |r: &&TaxRule| {
            r.territory == territory && r.vigente_desde <= day && r.valid_until.is_none_or(|h| day <= h)
        };
        for rule in self.rules.iter().filter(in_force) {
            let wrong = self.objections(rule, totals, case.condiciones);
            if wrong.is_empty() {
                return (rule, reasons);
            }
            reasons.extend(wrong);
        }
        (self.general(territory), reasons)
    }

    /// The tax of a job. An unknown province is assumed to be under IVA. `None` if the total does not fit into the
    /// money type.
    pub fn over(
        &self,
        totals: Totals,
        provincia: Option<Provincia>,
        condiciones: Condiciones,
        day: Date,
    ) -> Option<Impuesto> {
        let mut assumptions = Vec::new();
        if provincia.is_none() {
            let text = "La obra está en la península o Baleares y lleva IVA.";
            assumptions.push(Assumption::new("provincia", text));
        }
        let (rule, reasons) = self.rule_of(&totals, TaxCase { provincia, condiciones, day });
        let unknown: Vec<&ConditionTexts> = rule
            .condiciones
            .iter()
            .filter(|c| condiciones.answer(**c) == Answer::Unknown)
            .map(|c| self.texts(*c))
            .collect();
        assumptions
            .extend(unknown.iter().map(|t| Assumption::new(t.condicion.as_str(), t.assumption.as_str())));
        if rule.confirm {
            let text = format!(
                "El tipo de {} depende de la ordenanza local: lo confirmamos antes de facturar.",
                rule.impuesto
            );
            assumptions.push(Assumption::new("impuesto", text));
        }
        let total = total(totals.base, rule.percentage)?;
        Some(Impuesto {
            rule: rule.key.clone(),
            version: self.version.clone(),
            vigente_desde: rule.vigente_desde,
            norma: rule.norma.clone(),
            nombre: rule.impuesto.clone(),
            percentage: rule.percentage,
            base: totals.base,
            quota: total.checked_sub(totals.base)?,
            total,
            materiales: ratio(totals.material, totals.partidas),
            text: rule.text.clone(),
            reasons,
            assumptions,
            declaracion: rule.declaracion.clone(),
            pending_declaration: rule.declaracion.is_some() && !unknown.is_empty(),
            range: None,
            alternative: None,
        })
    }

    /// Why a rule does not apply, and what would make it apply. Empty if it applies.
    fn objections(&self, r: &TaxRule, totals: &Totals, c: Condiciones) -> Vec<String> {
        let denied = r.condiciones.iter().filter(|k| c.answer(**k) == Answer::Denied);
        let mut wrong: Vec<String> = denied.map(|k| self.texts(*k).denied.clone()).collect();
        if let Some(maximum) = r.max_materials
            && let Some(extra) = excess(totals, maximum)
        {
            wrong.push(format!(
                "Los materiales suponen el {} de la base, más del {maximum} que admite el tipo reducido.",
                ratio(totals.material, totals.partidas)
            ));
            wrong.push(format!(
                "El {} del {} sería posible si compraras tú materiales de los que ponemos por al menos {}, a nuestro precio de coste.",
                r.impuesto,
                r.percentage,
                extra.upwards(Cents::euros(1)).short()
            ));
        }
        wrong
    }

    fn texts(&self, condicion: Condicion) -> &ConditionTexts {
        self.texts.iter().find(|t| t.condicion == condicion).expect("a checked set words every condition")
    }

    /// The rule for days on which no rule is in force: an old rate is better than none.
    fn general(&self, territory: Territory) -> &TaxRule {
        let without_condiciones = |r: &&TaxRule| r.territory == territory && r.is_general();
        self.rules.iter().rfind(without_condiciones).expect("a checked set has a general rule everywhere")
    }
}

impl TaxRule {
    /// Whether the rule always applies.
    pub fn is_general(&self) -> bool {
        self.condiciones.is_empty() && self.max_materials.is_none()
    }

    /// Whether there is a day on which both rules are in force.
    fn overlaps(&self, other: &Self) -> bool {
        let begins_before_the_end =
            |a: &Self, b: &Self| b.valid_until.is_none_or(|end| a.vigente_desde <= end);
        begins_before_the_end(self, other) && begins_before_the_end(other, self)
    }
}

impl Impuesto {
    /// A range without tax, with this tax added. `None` if the result does not fit into the money type.
    pub fn in_range(&self, range: Range) -> Option<TotalRange> {
        let with = |c: Cents| total(c, self.percentage);
        let percentage = Some(self.percentage);
        Some(TotalRange { minimum: with(range.minimum)?, maximum: with(range.maximum)?, percentage })
    }
}

/// An unknown province is assumed to be under IVA.
fn territory(provincia: Option<Provincia>) -> Territory {
    provincia.map_or(Territory::PeninsulaBaleares, Provincia::territory)
}

/// A base with its tax, rounded half up.
fn total(base: Cents, percentage: Percentage) -> Option<Cents> {
    base.checked_add(base.part(percentage)?)
}

/// The value of materials that the client would have to buy so that the rest of the price stays within the limit.
/// `None` if the price already does.
///
/// Taking v out of both materials and items leaves (m − v) / (p − v), which equals the limit l at v = (m − l·p) / (1 −
/// l).
fn excess(totals: &Totals, maximum: Percentage) -> Option<Cents> {
    let (m, p, l) = (i128::from(totals.material.0), i128::from(totals.partidas.0), i128::from(maximum.0));
    let extra = m * 10_000 - p * l;
    if extra <= 0 {
        return None;
    }
    let rest = (10_000 - l).max(1);
    let of_partidas = Cents(i64::try_from((extra + rest - 1) / rest).unwrap_or(i64::MAX));
    // Surcharges and discounts change materials in the same proportion as items.
    of_partidas.proportional(totals.base, totals.partidas).or(Some(of_partidas))
}

/// A part of a whole in per cent.
pub(crate) fn ratio(part: Cents, all: Cents) -> Percentage {
    if all.0 <= 0 {
        return Percentage(0);
    }
    let quotient = crate::decimal::half_up(i128::from(part.0) * 10_000, i128::from(all.0));
    Percentage(i64::try_from(quotient).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;

//! The quote that a draft would become, and the differences between two versions of a draft.

use std::collections::HashMap;

use embudo_app::Ingredients;
use embudo_domain::errors::Invalid;
use embudo_domain::presupuesto::draft::DraftLine;
use embudo_domain::presupuesto::{Document, Draft, differences, of_drafts};
use embudo_domain::record::LeadRecord;

use super::OpenQuote;

/// The maximum number of differences shown between two versions.
pub(super) const MAX_DIFFERENCES: usize = 60;

/// The quote that the draft would become now.
pub(super) fn compose(
    draft: &Draft,
    record: &LeadRecord,
    ingredients: &Ingredients,
) -> Result<Document, Invalid> {
    draft.compose(&record.lead, &record.notas, &record.fotos, ingredients.base())
}

/// The differences between two versions of a draft. They cover the whole quote if both versions could be sent,
/// otherwise only the drafts' lines.
pub(super) fn described(
    before: &Draft,
    after: &Draft,
    record: &LeadRecord,
    ingredients: &Ingredients,
) -> Vec<String> {
    let both = (compose(before, record, ingredients), compose(after, record, ingredients));
    let found = match both {
        (Ok(before), Ok(after)) => differences(&before, &after),
        _ => of_drafts(before, after),
    };
    let mut texts: Vec<String> = found.iter().take(MAX_DIFFERENCES).map(ToString::to_string).collect();
    if found.len() > MAX_DIFFERENCES {
        texts.push(format!("y {} cambios más", found.len() - MAX_DIFFERENCES));
    }
    texts
}

/// What recalculating would change in a draft. Changed costs are included for people who may see them.
pub(super) fn recalculated(
    before: &Draft,
    after: &Draft,
    open: &OpenQuote,
    ingredients: &Ingredients,
) -> Vec<String> {
    let mut texts = described(before, after, &open.record, ingredients);
    texts.extend(costs(before, after).filter(|_| open.sees_costs()));
    texts
}

/// How many lines would have a different cost for the company.
fn costs(before: &Draft, after: &Draft) -> Option<String> {
    let known: HashMap<&str, _> = before.lines().map(|l| (l.id.as_str(), l.coste)).collect();
    let differs = |l: &&DraftLine| known.get(l.id.as_str()).is_some_and(|coste| *coste != l.coste);
    match after.lines().filter(differs).count() {
        0 => None,
        1 => Some("Coste de una partida, por tu tarifa".to_owned()),
        n => Some(format!("Costes de {n} partidas, por tu tarifa")),
    }
}

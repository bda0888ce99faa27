//! What a draft would say, and what differs between two versions of it.

use embudo_app::Ingredients;
use embudo_domain::errors::Invalid;
use embudo_domain::presupuesto::{Document, Draft, differences, of_drafts};
use embudo_domain::record::LeadRecord;

/// So many differences are shown of two versions.
pub(super) const MAX_DIFFERENCES: usize = 60;

/// The quote that a draft would be now.
pub(super) fn compose(
    draft: &Draft,
    record: &LeadRecord,
    ingredients: &Ingredients,
) -> Result<Document, Invalid> {
    draft.compose(&record.lead, &record.notas, &record.fotos, ingredients.base())
}

/// What differs between two versions of a draft: of everything where both could be sent, else of the lines.
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

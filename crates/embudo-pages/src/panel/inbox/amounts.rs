//! The amounts of the quotes of the leads on a page: the total of a binding quote, the range of an estimate, and
//! nothing without a range.

use embudo_domain::LeadId;
use embudo_domain::money::Cents;
use embudo_domain::pricing::Range;
use embudo_store::inbox::{InboxRow, LeadAmount, Viewer};

use crate::WebState;
use crate::parts::Refusal;

/// The amounts of all leads of a page, read in one query.
pub(super) struct Amounts(Vec<LeadAmount>);

impl Amounts {
    pub async fn of<'a>(
        state: &WebState,
        viewer: &Viewer,
        rows: impl Iterator<Item = &'a InboxRow>,
    ) -> Result<Self, Refusal> {
        let leads = rows.map(|row| row.summary.lead.id).collect();
        Ok(Self(state.app.store.amounts(viewer, leads).await?))
    }

    /// The amount of a lead's quote, and whether it is an estimate.
    pub fn shown(&self, lead: LeadId) -> Option<(String, bool)> {
        let amount = self.0.iter().find(|amount| amount.lead == lead)?;
        let range = known(amount)?;
        Some((figure(range), amount.certainty.is_orientative))
    }

    /// The sum of these leads, and the number of quotes in it. `None` if no amount is known.
    pub fn sum<'a>(&self, rows: impl Iterator<Item = &'a InboxRow>) -> Option<(String, usize)> {
        let of = |row: &InboxRow| self.0.iter().find(|amount| amount.lead == row.summary.lead.id);
        let ranges: Vec<Range> = rows.filter_map(of).filter_map(known).collect();
        let minimum = Cents::sum(ranges.iter().map(|range| range.minimum))?;
        let maximum = Cents::sum(ranges.iter().map(|range| range.maximum))?;
        (!ranges.is_empty()).then(|| (figure(Range { minimum, maximum }), ranges.len()))
    }
}

/// The range of an amount. For a binding quote both ends are the total. `None` for an estimate without a range.
fn known(amount: &LeadAmount) -> Option<Range> {
    match (amount.certainty.is_orientative, amount.certainty.range) {
        (_, Some(range)) => Some(range),
        (true, None) => None,
        (false, None) => Some(Range { minimum: amount.total, maximum: amount.total }),
    }
}

/// «5.320,00 €», «4.300–9.800 €».
fn figure(range: Range) -> String {
    match range.minimum == range.maximum {
        true => range.minimum.to_string(),
        false => range.figure(),
    }
}

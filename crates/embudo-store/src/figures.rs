//! The projected figures of the summary: what each lead counts for, and the sums by day and month.
//!
//! Counting is idempotent: what a lead counted for before is subtracted from the sums in the transaction that counts it
//! anew. Engines read and write; this decides what.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use embudo_domain::figures::{
    AcceptedFigures, Counted, Counts, LeadFigures, MarginFigures, Period, QuoteFigures, Range, Sums,
};
use embudo_domain::presupuesto::{Document, Draft};
use embudo_domain::visita::SpanishTimeZone;
use embudo_domain::{EmpresaId, LeadId};

use crate::projected_lead::ProjectedLead;
use crate::{Result, StoreError};

/// What a lead counted for before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadCount {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub counted: Counted,
}

impl LeadCount {
    /// The text that is stored.
    pub fn json(&self) -> Result<String> {
        serde_json::to_string(&self.counted).map_err(|e| StoreError::Internal(e.to_string()))
    }
}

/// Sums as the text that is stored.
pub fn sums_json(sums: &Sums) -> Result<String> {
    serde_json::to_string(sums).map_err(|e| StoreError::Internal(e.to_string()))
}

/// The maximum of weeks that are shown separately, so that a summary reads few days, however long its range is.
pub const MAX_WEEKS: usize = 12;

/// The figures of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub zone: SpanishTimeZone,
    pub range: Range,
    pub whole: Sums,
    /// Each month, limited to the range.
    pub months: Vec<(Range, Sums)>,
    /// The last weeks of the range, limited to it.
    pub weeks: Vec<(Range, Sums)>,
}

/// A quote that was issued, with the data from which its margin is computed.
#[derive(Debug, Clone)]
pub struct IssuedQuote {
    pub lead: LeadId,
    pub version: u32,
    pub quote: QuoteFigures,
    /// For an accepted quote: its draft and its document. `None` also if no draft is stored or it cannot be read.
    pub draft: Option<(Draft, Document)>,
}

/// Adds to leads the quotes that were issued to them.
pub fn with_quotes(mut leads: Vec<LeadFigures>, mut quotes: Vec<IssuedQuote>) -> Vec<LeadFigures> {
    quotes.sort_by_key(|quote| quote.version);
    for IssuedQuote { lead, quote, draft, .. } in quotes {
        let margin = draft.and_then(|(draft, document)| MarginFigures::of(&draft, &document));
        let accepted = quote.accepted.map(|accepted| AcceptedFigures { margin, ..accepted });
        let owner = leads.iter_mut().find(|figures| figures.lead == lead);
        owner.into_iter().for_each(|figures| figures.quotes.push(QuoteFigures { accepted, ..quote }));
    }
    leads
}

/// Adds to principals the leads that are united with them.
pub fn with_united(
    mut leads: Vec<LeadFigures>,
    united: &[(LeadId, LeadId)],
    members: &[LeadFigures],
) -> Vec<LeadFigures> {
    for (member, principal) in united {
        let member = members.iter().find(|figures| figures.lead == *member);
        let owner = leads.iter_mut().find(|figures| figures.lead == *principal);
        if let (Some(member), Some(owner)) = (member, owner) {
            owner.stands_for.push(member.clone());
        }
    }
    leads
}

/// Notes in the projected data what the figures count already, so that later touches need not count it again.
pub fn note(facts: &mut [ProjectedLead], figures: &[LeadFigures]) {
    for facts in facts {
        let counted = figures.iter().find(|figures| figures.lead == facts.lead);
        facts.contacted = counted.is_some_and(LeadFigures::is_contacted);
        facts.answered = counted.is_some_and(LeadFigures::is_answered);
    }
}

/// The changes to be written when leads count for something else than before.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recount {
    pub leads: Vec<LeadCount>,
    /// Leads that do not exist any more.
    pub gone: Vec<LeadId>,
    /// How much the sums change.
    pub changes: BTreeMap<Period, Counts>,
}

impl Recount {
    /// Compares what leads counted for before with their current figures.
    pub fn of(before: Vec<LeadCount>, now: &[LeadFigures]) -> Self {
        let mut recount = Self::default();
        let there: BTreeSet<LeadId> = now.iter().map(|figures| figures.lead).collect();
        let mut known: BTreeMap<LeadId, LeadCount> =
            before.into_iter().map(|count| (count.lead, count)).collect();
        for figures in now {
            let (counted, empresa) = (figures.counted(), figures.empresa);
            let before = known.remove(&figures.lead).map(|count| count.counted).unwrap_or_default();
            if counted != before {
                counted.changes(&before, empresa, &mut recount.changes);
                recount.leads.push(LeadCount { lead: figures.lead, empresa, counted });
            }
        }
        for (lead, count) in known.into_iter().filter(|(lead, _)| !there.contains(lead)) {
            Counted::none().changes(&count.counted, count.empresa, &mut recount.changes);
            recount.gone.push(lead);
        }
        recount.leads.sort_by_key(|count| count.lead);
        recount
    }
}

#[async_trait]
pub trait FigureStore: Send + Sync + 'static {
    /// Deletes every sum and what leads counted for. Projecting all leads afterwards makes them again.
    async fn clear_figures(&self) -> Result<()>;
}

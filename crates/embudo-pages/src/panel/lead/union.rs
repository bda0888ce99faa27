//! Several leads of one person: the page of a lead that stands for other leads.

use embudo_domain::{LeadId, Timestamp};
use embudo_store::desk::LeadDesk;
use embudo_store::inbox::{InboxRow, Viewer};

use crate::WebState;
use crate::panel::words::day;
use crate::parts::Refusal;

/// The maximum number of other leads whose contents a page shows.
const MAX_UNITED: usize = 7;

pub(super) struct Union {
    /// The rows of all leads. The lead of the page comes first.
    rows: Vec<InboxRow>,
    /// The number of united leads whose contents are not shown.
    pub left_off: usize,
}

/// The lead that an item belongs to, if it is not the lead of the page.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub label: String,
    pub href: String,
}

impl Union {
    pub async fn of(state: &WebState, viewer: &Viewer, desk: &LeadDesk) -> Result<Self, Refusal> {
        let shown = desk.united.iter().take(MAX_UNITED);
        let leads: Vec<LeadId> = std::iter::once(&desk.lead).chain(shown).copied().collect();
        let left_off = desk.united.len() + 1 - leads.len();
        let mut rows = state.app.store.inbox_rows(viewer, leads.clone()).await?;
        rows.sort_by_key(|row| leads.iter().position(|lead| *lead == row.summary.lead.id));
        Ok(Self { rows, left_off })
    }

    pub fn leads(&self) -> Vec<LeadId> {
        self.rows.iter().map(|row| row.summary.lead.id).collect()
    }

    pub fn rows(&self) -> &[InboxRow] {
        &self.rows
    }

    /// The leads for which the page's lead stands.
    pub fn others(&self) -> &[InboxRow] {
        self.rows.get(1..).unwrap_or_default()
    }

    pub fn is_unread(&self) -> bool {
        self.rows.iter().any(|row| row.unread)
    }

    pub fn source(&self, lead: LeadId, now: Timestamp) -> Option<Source> {
        let of = &self.others().iter().find(|row| row.summary.lead.id == lead)?.summary.lead;
        let label = format!("lead de {}, {}", of.name(), day(of.creado_en, now));
        Some(Source { label, href: format!("/panel/leads/{lead}") })
    }
}

//! Records who saw which lead, once for each person, lead and day. Every view of blocked data is recorded.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::{LeadId, UserId};
use embudo_store::rights::{BlockedQuote, Seen};
use jiff::civil::Date;

use super::Rights;
use crate::{Actor, AppError};

/// The maximum number of views that are remembered as recorded. Above it, some are recorded again, which changes
/// nothing.
const MAX: usize = 20_000;

/// The views recorded today.
#[derive(Debug, Default)]
pub(crate) struct SeenQueue(Mutex<(Date, HashSet<(LeadId, UserId)>)>);

impl SeenQueue {
    /// Remembers a view. `true`: it is not recorded yet.
    fn add(&self, day: Date, lead: LeadId, user: UserId) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != day || known.1.len() >= MAX {
            *known = (day, HashSet::new());
        }
        known.1.insert((lead, user))
    }

    fn forget(&self, lead: LeadId, user: UserId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&(lead, user));
    }
}

impl Rights<'_> {
    /// A person views leads. The page is shown even if this cannot be recorded; the next view tries again.
    pub async fn saw(self, leads: &[LeadId], user: UserId) {
        let (day, at) = (self.app.today(), self.app.now());
        let news: Vec<LeadId> =
            leads.iter().copied().filter(|lead| self.app.seen.add(day, *lead, user)).collect();
        if news.is_empty() {
            return;
        }
        let seen = news.iter().map(|lead| Seen { lead: *lead, day, user, at }).collect();
        if let Err(error) = self.app.store.note_seen(seen).await {
            tracing::warn!(%error, "who saw a lead could not be written down");
            news.iter().for_each(|lead| self.app.seen.forget(*lead, user));
        }
    }

    /// A person views a part of an accepted quote whose client was erased.
    pub async fn saw_blocked(
        self,
        quote: &BlockedQuote,
        part: BlockedPart,
        actor: &Actor,
    ) -> Result<(), AppError> {
        let entry = AuditEntry {
            empresa: Some(quote.empresa),
            object: Some(quote.number.to_string()),
            after: Some(part.label().to_owned()),
            ..self.app.access().audit(actor, AuditAction::BlockedSeen)
        };
        Ok(self.app.store.record_audit(entry).await?)
    }
}

/// The parts that are kept of an accepted quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockedPart {
    Pdf,
    Answer,
}

impl BlockedPart {
    fn label(self) -> &'static str {
        match self {
            Self::Pdf => "PDF",
            Self::Answer => "respuesta",
        }
    }
}

//! Who saw which lead: once for a person, a lead and a day. Of what is blocked, each look.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::{LeadId, UserId};
use embudo_store::rights::{BlockedQuote, Seen};
use jiff::civil::Date;

use super::Rights;
use crate::{Actor, AppError};

/// The most that are remembered as written; beyond that some are written again, which changes nothing.
const MAX: usize = 20_000;

/// What was written today.
#[derive(Debug, Default)]
pub(crate) struct SeenQueue(Mutex<(Date, HashSet<(LeadId, UserId)>)>);

impl SeenQueue {
    /// Whether it is news.
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
    /// Somebody looks at leads. A page is shown also where this cannot be written down; the next look tries again.
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

    /// Somebody looks at a part of an accepted quote whose client was erased.
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

/// What is kept of an accepted quote.
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

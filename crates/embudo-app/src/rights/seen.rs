//! Who saw which lead: once for a person, a lead and a day.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use embudo_domain::{LeadId, UserId};
use embudo_store::rights::Seen;
use jiff::civil::Date;

use super::Rights;

/// So many are remembered as written; beyond that some are written again, which changes nothing.
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
}

//! Visits, and when people can make them.
//!
//! The domain decides a visit's new state from what the caller saw. Here the new state is stored only if the visit is
//! unchanged since, and if its people are free. A command that puts a visit into a calendar locks that calendar until
//! it commits: of two visits for one hour, one gets it.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::Event;
use embudo_domain::visita::{Agenda, Busy, Visita, overlapping};
use embudo_domain::{Digest, LeadId, Timestamp, UserId};
use jiff::SignedDuration;
use jiff::civil::Date;

use crate::Result;
use crate::outbox::NewJob;

/// The maximum of visits that a calendar shows at once.
pub const MAX_LISTED: u32 = 500;

/// Whether an agreed visit is checked against other visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Its people must be free, with this much time before and after.
    Free(SignedDuration),
    /// No check, because a person decided so.
    Anyway,
}

#[derive(Debug, Clone)]
pub struct SaveVisita {
    /// The visit as it will be stored, except for its revision.
    pub visita: Visita,
    /// The revision from which it was made; `None` for a new visit.
    pub seen: Option<i64>,
    pub claim: Claim,
    pub event: Option<Event>,
    pub jobs: Vec<NewJob>,
    pub audit: Option<AuditEntry>,
    pub at: Timestamp,
}

/// The result of a change to a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisitaChange {
    Saved(Visita),
    /// Somebody changed the visit meanwhile; this is its current state. Nothing was written.
    Stale(Visita),
    /// Its people have other visits at that time; nothing was written.
    Taken(Vec<Busy>),
    /// There is no such visit; nothing was written.
    Gone,
}

impl SaveVisita {
    /// The visit to be written, with its revision; or the conflict. Engines read; this decides, so that all engines
    /// decide alike.
    #[allow(clippy::result_large_err, reason = "either way a visit is handed on once")]
    pub fn decide(&self, found: Option<&Visita>, busy: &[Busy]) -> std::result::Result<Visita, VisitaChange> {
        let revision = match (found, self.seen) {
            (None, None) => 1,
            (None, Some(_)) => return Err(VisitaChange::Gone),
            (Some(visita), Some(seen)) if visita.revision == seen => seen + 1,
            (Some(visita), _) => return Err(self.again(visita)),
        };
        let others: Vec<Busy> = busy.iter().filter(|other| other.visita != self.visita.id).copied().collect();
        if let (Claim::Free(buffer), true, Some(start), Some(end)) =
            (self.claim, self.visita.takes_time(), self.visita.start, self.visita.end())
        {
            let taken = overlapping(start, end, buffer, &others);
            if !taken.is_empty() {
                return Err(VisitaChange::Taken(taken));
            }
        }
        Ok(Visita { revision, ..self.visita.clone() })
    }

    /// A write that is tried again after a commit in doubt may find what it wrote itself.
    fn again(&self, found: &Visita) -> VisitaChange {
        let wanted = Visita { revision: self.seen.unwrap_or(0) + 1, ..self.visita.clone() };
        if *found == wanted { VisitaChange::Saved(wanted) } else { VisitaChange::Stale(found.clone()) }
    }

    /// The time that must be free of other visits, if that is checked.
    pub fn wanted_time(&self) -> Option<(Timestamp, Timestamp)> {
        let buffer = match self.claim {
            Claim::Free(buffer) if self.visita.takes_time() => buffer,
            _ => return None,
        };
        let (start, end) = (self.visita.start?, self.visita.end()?);
        Some((start.saturating_sub(buffer).ok()?, end.saturating_add(buffer).ok()?))
    }
}

/// A visit in a calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedVisita {
    pub visita: Visita,
    /// The client's name.
    pub nombre: String,
}

/// Accepted work in a calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedWork {
    pub lead: LeadId,
    /// The client's name.
    pub nombre: String,
    pub first: Date,
    /// The same as the first day if it is not known how long the work takes.
    pub last: Date,
    pub etapa: Etapa,
    pub assigned: Option<UserId>,
}

/// A person's hours as they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAgenda {
    pub user: UserId,
    /// Increased by one with every save; 0 if it was never saved.
    pub revision: i64,
    pub agenda: Agenda,
    /// The digest of the secret that opens the calendar's feed, and since when it is valid.
    pub feed: Option<(Digest, Timestamp)>,
}

impl StoredAgenda {
    /// The usual hours, for a person who has saved none.
    pub fn usual(user: UserId) -> Self {
        Self { user, revision: 0, agenda: Agenda::default(), feed: None }
    }
}

#[async_trait]
pub trait VisitStore: Send + Sync + 'static {
    /// Stores a visit together with the lead's etapa, and makes its jobs.
    /// [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound).
    async fn save_visita(&self, command: SaveVisita) -> Result<VisitaChange>;
    /// Makes the lead's agreed visits that are over no longer count for its etapa.
    async fn pass_visits(&self, lead: LeadId, now: Timestamp) -> Result<()>;
    /// Stores a person's hours, if their revision is still the one that was seen; otherwise returns `false`.
    async fn save_agenda(&self, user: UserId, seen: i64, agenda: Agenda, audit: AuditEntry) -> Result<bool>;
    /// Sets a new secret for the feed of a person's calendar, or removes it.
    async fn set_feed(
        &self,
        user: UserId,
        secret: Option<Digest>,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<()>;
}

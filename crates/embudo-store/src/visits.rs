//! Visits, and when people can go on them.
//!
//! What a visit becomes is decided by the domain from what the caller saw; here it is kept only if it still stands so,
//! and if its people have time. A command that puts a visit into a calendar locks that calendar until it commits: of
//! two for one hour, one gets it.

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

/// The most visits that a calendar shows at once.
pub const MAX_LISTED: u32 = 500;

/// Whether other visits matter to one that is agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Its people must be free, with this much time before and after.
    Free(SignedDuration),
    /// A person knows better.
    Anyway,
}

#[derive(Debug, Clone)]
pub struct SaveVisita {
    /// As it will stand, but for its revision.
    pub visita: Visita,
    /// The revision that it was made of; none: it is new.
    pub seen: Option<i64>,
    pub claim: Claim,
    pub event: Option<Event>,
    pub jobs: Vec<NewJob>,
    pub audit: Option<AuditEntry>,
    pub at: Timestamp,
}

/// What became of a change to a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisitaChange {
    Saved(Visita),
    /// Somebody changed it meanwhile, as it stands here; nothing was written.
    Stale(Visita),
    /// Its people have other visits then; nothing was written.
    Taken(Vec<Busy>),
    /// There is no such visit; nothing was written.
    Gone,
}

impl SaveVisita {
    /// What is to be written, with its revision; or its conflicts. Engines read; this decides, so that all decide
    /// alike.
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

    /// A commit in doubt is tried again, and finds what it wrote.
    fn again(&self, found: &Visita) -> VisitaChange {
        let wanted = Visita { revision: self.seen.unwrap_or(0) + 1, ..self.visita.clone() };
        if *found == wanted { VisitaChange::Saved(wanted) } else { VisitaChange::Stale(found.clone()) }
    }

    /// When other visits matter.
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
    /// The first day too, where nobody said how long it takes.
    pub last: Date,
    pub etapa: Etapa,
    pub assigned: Option<UserId>,
}

/// A person's hours as they are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAgenda {
    pub user: UserId,
    /// Rises by one with every save; 0: nobody saved it.
    pub revision: i64,
    pub agenda: Agenda,
    /// The digest of the secret that opens the calendar, and since when.
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
    /// Keeps a visit with the lead's etapa, and makes its jobs.
    /// [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound).
    async fn save_visita(&self, command: SaveVisita) -> Result<VisitaChange>;
    /// The lead's agreed visits that are over by now no longer count for its etapa.
    async fn pass_visits(&self, lead: LeadId, now: Timestamp) -> Result<()>;
    /// Keeps a person's hours, where their revision is still the one that was seen; `false` if it is not.
    async fn save_agenda(&self, user: UserId, seen: i64, agenda: Agenda, audit: AuditEntry) -> Result<bool>;
    /// From now on a person's calendar is followed by another secret, or by none.
    async fn set_feed(
        &self,
        user: UserId,
        secret: Option<Digest>,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<()>;
}

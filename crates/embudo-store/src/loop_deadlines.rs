//! The watched loop: steps of leads that are overdue.

use async_trait::async_trait;
use embudo_domain::event::Event;
use embudo_domain::watched_loop::{LoopStep, WatchedLoop};
use embudo_domain::{LeadId, Timestamp};

use crate::Result;
use crate::outbox::NewJob;

/// A lead whose step in the loop is overdue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverdueLoop {
    pub lead: LeadId,
    pub step: LoopStep,
    /// How many signals were already sent again automatically.
    pub resignals: u32,
}

/// Marks a step as overdue.
#[derive(Debug, Clone)]
pub struct MarkLoopOverdue {
    pub lead: LeadId,
    /// The step; nothing happens if the lead has moved on.
    pub step: LoopStep,
    /// The event for the lead's history.
    pub event: Event,
    /// A new profile signal, counted as sent automatically. The step is marked overdue all the same; the mark is
    /// cleared when the signal is accepted.
    pub resignal: Option<NewJob>,
    /// Notices to the company.
    pub notices: Vec<NewJob>,
    pub at: Timestamp,
}

impl MarkLoopOverdue {
    /// The lead's loop after it is marked. `None`: the lead has moved on, or is marked already. A step that a newer
    /// signal restarted since it was listed is not overdue.
    pub fn decide(&self, before: Option<WatchedLoop>) -> Option<WatchedLoop> {
        let is_overdue = |b: &WatchedLoop| b.step == self.step && !b.overdue && b.limit <= self.at;
        let watched_loop = before.filter(is_overdue)?;
        let resignals = watched_loop.resignals + u32::from(self.resignal.is_some());
        Some(WatchedLoop { overdue: true, resignals, ..watched_loop })
    }
}

/// The deadlines of the watched loop.
#[async_trait]
pub trait LoopDeadlineStore: Send + Sync + 'static {
    /// Leads whose step is overdue at `now` and not yet marked so.
    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>>;
    /// Marks a step, in one transaction with its event and signal; `false` if the lead has moved on or is marked
    /// already.
    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool>;
}

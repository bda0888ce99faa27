//! A job in the model's outbox.

use std::time::Instant;

use embudo_domain::job::{Delivery, Job, JobKind, JobState};
use embudo_domain::{LeadId, ProcessId, Timestamp};

/// A job with the data that it does not show.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) job: Job,
    pub(super) lease: Option<(ProcessId, Instant)>,
    pub(crate) deliveries: Vec<Delivery>,
}

impl Placed {
    pub(super) fn pending(&self) -> bool {
        self.job.state == JobState::Pending
    }

    pub(super) fn free(&self) -> bool {
        self.lease.is_none_or(|(_, until)| until <= Instant::now())
    }

    pub(crate) fn of(&self, who: ProcessId) -> bool {
        self.pending() && self.lease.is_some_and(|(q, _)| q == who)
    }

    pub(super) fn same_subject(&self, lead: LeadId, kind: JobKind) -> bool {
        self.job.lead == lead && self.job.kind == kind
    }

    pub(super) fn finish(&mut self, state: JobState, at: Timestamp) {
        self.job.state = state;
        self.job.terminado_en = Some(at);
        self.lease = None;
    }
}

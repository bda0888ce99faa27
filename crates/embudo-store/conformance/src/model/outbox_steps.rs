//! Random steps of the outbox: claims, attempts that end, people who retry and discard, deadlines that pass.
//!
//! Two processes share the queue under leases of an hour, so that nothing here depends on how fast the machine is.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::event::EventKind;
use embudo_domain::job::{Job, JobKind, JobState};
use embudo_domain::watched_loop::{Deadlines, LoopStep};
use embudo_domain::{JobId, LeadId, ProcessId, Timestamp};
use jiff::SignedDuration;

use super::step::OutboxStep;
use super::steps::Draw;
use super::world::World;
use crate::data::outbox::{failed_delivery, good_delivery};
use crate::data::{event, outcome};
use embudo_store::loop_deadlines::MarkLoopOverdue;
use embudo_store::outbox::{Allotment, JobAttemptEnd, JobOutcome, Lease, NewJob, NewPayload};
use embudo_store::{Result, Store};

/// How long a step of the loop may take within a sequence.
pub(super) const DEADLINES: Deadlines =
    Deadlines { renders: SignedDuration::from_secs(2), finalizar: SignedDuration::from_secs(3) };

/// Jobs as text that can be compared; the contract leaves their order across kinds open.
fn in_words(mut jobs: Vec<Job>) -> String {
    jobs.sort_by_key(|t| t.id);
    format!("{jobs:?}")
}

fn ids_in_words(mut ids: Vec<JobId>) -> String {
    ids.sort();
    format!("{ids:?}")
}

impl World {
    pub(super) fn make_outbox(&mut self, step: OutboxStep) -> Result<String> {
        Ok(match step {
            OutboxStep::Take(allotments, lease, now) => in_words(self.take(&allotments, lease, now)),
            OutboxStep::Renew(ids, lease) => ids_in_words(self.renew(&ids, lease)),
            OutboxStep::Release(who) => self.release(who).to_string(),
            OutboxStep::Deliver(id, who) => self.deliver(id, who).to_string(),
            OutboxStep::Finish(end) => self.finish(*end).to_string(),
            OutboxStep::Retry(id, at) => self.retry(id, at).map(|()| String::new())?,
            OutboxStep::Discard(id, at) => self.discard(id, at).map(|()| String::new())?,
            OutboxStep::Expire(v) => self.expire(*v).to_string(),
            OutboxStep::Complete(scope, key, outcome) => {
                self.complete(scope, key, &outcome, None);
                String::new()
            }
        })
    }
}

/// Runs one step on the store; returns its answer in the model's words.
pub(super) async fn make(store: &Arc<dyn Store>, step: OutboxStep) -> Result<String> {
    Ok(match step {
        OutboxStep::Take(allotments, lease, now) => in_words(store.claim(allotments, lease, now).await?),
        OutboxStep::Renew(ids, lease) => ids_in_words(store.renew(ids, lease).await?),
        OutboxStep::Release(who) => store.release(who).await?.to_string(),
        OutboxStep::Deliver(id, who) => store.begin_send(id, who).await?.to_string(),
        OutboxStep::Finish(end) => store.finish(*end).await?.to_string(),
        OutboxStep::Retry(id, at) => store.retry(id, at, None).await.map(|()| String::new())?,
        OutboxStep::Discard(id, at) => store.discard(id, at, None).await.map(|()| String::new())?,
        OutboxStep::Expire(v) => store.mark_loop_overdue(*v).await?.to_string(),
        OutboxStep::Complete(scope, key, outcome) => {
            store.complete_outcome(scope, key, outcome, None).await.map(|()| String::new())?
        }
    })
}

impl Draw {
    fn who(&mut self) -> ProcessId {
        let processes = self.processes;
        self.random.one(&processes)
    }

    fn lease(&mut self) -> Lease {
        Lease { who: self.who(), lasts: Duration::from_secs(3600) }
    }

    /// A new job of any kind, leased or not.
    pub(super) fn new_job(&mut self) -> NewJob {
        let kind = self.random.one(&JobKind::ALL);
        let payload = match kind {
            JobKind::Perfil => NewPayload::Perfil,
            JobKind::Mensajeria => NewPayload::Mensajeria,
            _ => NewPayload::Text(format!(r#"{{"z": 1.0,"a":{}}}"#, self.random.until(9))),
        };
        let lease = self.random.of_each(2).then(|| self.lease());
        NewJob { id: JobId(self.random.uuid()), kind, payload, lease, proximo_en: None }
    }

    /// A step of the outbox. It has a moment that no other step has.
    pub(super) fn outbox(&mut self, world: &World, lead: LeadId, at: Timestamp) -> OutboxStep {
        let pending: Vec<JobId> = world.ids(|t| t.state == JobState::Pending);
        let all = world.ids(|_| true);
        let unknown = JobId(self.random.uuid());
        let of = |random: &mut super::super::data::Random, ids: &[JobId]| {
            if ids.is_empty() || random.of_each(20) { unknown } else { random.one(ids) }
        };
        let (one, any) = (of(&mut self.random, &pending), of(&mut self.random, &all));
        match self.random.until(16) {
            0..=3 => {
                let first_attempts_only = self.random.of_each(4);
                let kinds = JobKind::ALL.into_iter().filter(|_| !self.random.of_each(4));
                let allotments =
                    kinds.map(|kind| Allotment { kind, how_many: 1000, first_attempts_only }).collect();
                OutboxStep::Take(allotments, self.lease(), at)
            }
            4 => OutboxStep::Renew(pending, self.lease()),
            5 => OutboxStep::Release(self.who()),
            6 => OutboxStep::Deliver(one, self.who()),
            7..=11 => OutboxStep::Finish(Box::new(self.end(one, at))),
            12 => OutboxStep::Retry(any, at),
            13 => OutboxStep::Discard(any, at),
            14 => {
                let overdue = world.overdue_ones(at).first().copied();
                let step = overdue.map_or(LoopStep::AwaitingRenders, |v| v.step);
                let resignal =
                    NewJob { kind: JobKind::Perfil, payload: NewPayload::Perfil, ..self.new_job() };
                OutboxStep::Expire(Box::new(MarkLoopOverdue {
                    lead: overdue.map_or(lead, |v| v.lead),
                    step,
                    event: event(EventKind::OverdueLoop, at),
                    resignal: self.random.of_each(2).then_some(resignal),
                    notices: if self.random.of_each(2) { vec![self.new_job()] } else { vec![] },
                    at,
                }))
            }
            _ => {
                let (scope, key) = world.key_in_progress().unwrap_or_default();
                OutboxStep::Complete(scope, key, outcome("completa"))
            }
        }
    }

    fn end(&mut self, id: JobId, at: Timestamp) -> JobAttemptEnd {
        let then = at + SignedDuration::from_secs(i64::try_from(self.random.until(4)).expect("small"));
        let result = self.random.one(&[
            JobOutcome::Done,
            JobOutcome::Done,
            JobOutcome::Retry(then),
            JobOutcome::Retry(then),
            JobOutcome::Dead,
            JobOutcome::Parked,
            JobOutcome::Discarded,
            JobOutcome::Expired,
        ]);
        let ok = result == JobOutcome::Done;
        let answered = self.random.of_each(2).then(|| "ya ha vuelto".to_owned());
        JobAttemptEnd {
            id,
            who: self.who(),
            result,
            delivery: if ok { good_delivery(at) } else { failed_delivery(at, "no") },
            event: self.random.of_each(2).then(|| event(EventKind::PerfilComplete, at)),
            watched_loop: ((ok || answered.is_some()) && !self.random.of_each(3)).then_some(DEADLINES),
            answered,
            jobs: if self.random.of_each(5) { vec![self.new_job()] } else { vec![] },
            at,
        }
    }
}

//! What happens to a job when an attempt at it ends (contract §4). Engines read the data; this decides, so that both
//! engines decide alike.

use embudo_domain::Timestamp;
use embudo_domain::event::Event;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::watched_loop::{CameBack, WatchedLoop};

use crate::outbox::{JobAttemptEnd, JobOutcome};

/// The data that must be read before an end is decided; other fields of [`Seen`] may then stay empty.
#[derive(Debug, Clone, Copy)]
pub struct Lookups {
    pub has_newer: bool,
    pub since_sent: bool,
    pub since_made: bool,
}

/// What an engine read about the job and its lead, under the lead's lock if [`JobAttemptEnd::needs_lock`] says so.
#[derive(Debug, Clone)]
pub struct Seen {
    pub kind: JobKind,
    pub en_duda: bool,
    pub ultimo_error: Option<String>,
    /// Whether a newer job of the same kind and lead was made.
    pub has_newer: bool,
    /// What arrived since the first attempt (of this run, if a person retried the job).
    pub since_sent: CameBack,
    /// What arrived since the job was made.
    pub since_made: CameBack,
    /// The lead's watched loop.
    pub watched_loop: Option<WatchedLoop>,
}

/// The values to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub state: JobState,
    /// `None` keeps the stored value.
    pub proximo_en: Option<Timestamp>,
    pub terminado_en: Option<Timestamp>,
    pub en_duda: bool,
    pub ultimo_error: Option<String>,
    pub event: Option<Event>,
    /// The lead's watched loop from now on; `Some(None)`: it ends. `None`: this end does not change it.
    pub watched_loop: Option<Option<WatchedLoop>>,
    /// Whether the follow-up jobs are made.
    pub is_followed: bool,
}

impl JobAttemptEnd {
    /// The detail of the event for the case that something the signal asked for arrived although the attempt failed.
    /// `None` if the attempt did not fail.
    pub fn answerable(&self) -> Option<&str> {
        let is_failure = matches!(self.result, JobOutcome::Retry(_) | JobOutcome::Dead);
        self.answered.as_deref().filter(|_| is_failure)
    }

    pub fn lookups(&self) -> Lookups {
        let is_answerable = self.answerable().is_some();
        Lookups {
            has_newer: is_answerable || matches!(self.result, JobOutcome::Retry(_)),
            since_sent: is_answerable,
            since_made: self.watched_loop.is_some() && (is_answerable || self.result == JobOutcome::Done),
        }
    }

    /// Whether the lead must be locked before anything is read: its loop may move, jobs may be made, or a newer job may
    /// supersede this one.
    pub fn needs_lock(&self) -> bool {
        let lookups = self.lookups();
        lookups.has_newer || lookups.since_made || !self.jobs.is_empty()
    }

    pub fn decide(&self, seen: Seen) -> Decided {
        let is_replaced = seen.has_newer && seen.kind.is_superseded_by_newer();
        let answered = self.answerable().filter(|_| !is_replaced && seen.since_sent.came());
        let (state, proximo_en) = match self.result {
            _ if answered.is_some() => (JobState::Done, None),
            JobOutcome::Done => (JobState::Done, None),
            JobOutcome::Retry(_) if is_replaced => (JobState::Superseded, None),
            JobOutcome::Retry(when) => (JobState::Pending, Some(when)),
            JobOutcome::Dead => (JobState::Dead, None),
            JobOutcome::Parked => (JobState::Parked, None),
            JobOutcome::Discarded => (JobState::Discarded, None),
            JobOutcome::Expired => (JobState::Expired, None),
        };
        let event = self.event.clone().map(|event| match answered {
            Some(words) => Event { ok: true, detail: Some(words.to_owned()), ..event },
            None => event,
        });
        let deadlines = self.watched_loop.filter(|_| state == JobState::Done);
        Decided {
            state,
            proximo_en,
            terminado_en: (state != JobState::Pending).then_some(self.at),
            // A parked job stays in doubt, because the doubt is why it is parked.
            en_duda: seen.en_duda && state == JobState::Parked,
            ultimo_error: if self.delivery.ok { seen.ultimo_error } else { self.delivery.error.clone() },
            event,
            watched_loop: deadlines.map(|deadlines| {
                WatchedLoop::after_signal(seen.watched_loop, seen.since_made, self.at, deadlines)
            }),
            is_followed: answered.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use embudo_domain::event::EventKind;
    use embudo_domain::job::Delivery;
    use embudo_domain::watched_loop::{Deadlines, LoopStep};
    use embudo_domain::{JobId, ProcessId};
    use uuid::Uuid;

    use super::*;

    const NOTHING: CameBack = CameBack { renders: false, finalizar: false };
    const RENDERS: CameBack = CameBack { renders: true, finalizar: false };

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    fn end(result: JobOutcome) -> JobAttemptEnd {
        let is_ok = result == JobOutcome::Done;
        JobAttemptEnd {
            id: JobId(Uuid::nil()),
            who: ProcessId(Uuid::nil()),
            result,
            delivery: Delivery {
                start: t(1),
                duracion_ms: 1,
                ok: is_ok,
                status: None,
                error: (!is_ok).then(|| "refused".to_owned()),
                answer: None,
            },
            event: Some(Event {
                kind: EventKind::PerfilComplete,
                simulated: false,
                ok: is_ok,
                detail: None,
                creado_en: t(2),
            }),
            answered: Some("it came back".into()),
            watched_loop: Some(Deadlines::default()),
            jobs: Vec::new(),
            at: t(2),
        }
    }

    fn seen() -> Seen {
        Seen {
            kind: JobKind::Perfil,
            en_duda: true,
            ultimo_error: Some("before".into()),
            has_newer: false,
            since_sent: NOTHING,
            since_made: NOTHING,
            watched_loop: None,
        }
    }

    #[test]
    fn an_accepted_signal_ends_and_starts_the_loop() {
        let decided = end(JobOutcome::Done).decide(Seen { since_made: RENDERS, ..seen() });
        assert_eq!((decided.state, decided.terminado_en), (JobState::Done, Some(t(2))));
        assert_eq!((decided.en_duda, decided.ultimo_error.as_deref()), (false, Some("before")));
        let step = decided.watched_loop.expect("it moves").expect("it waits").step;
        assert_eq!(step, LoopStep::AwaitingFinalizar);
    }

    #[test]
    fn a_newer_job_takes_the_place_of_one_that_would_wait() {
        let again = end(JobOutcome::Retry(t(9)));
        let waits = again.decide(seen());
        assert_eq!((waits.state, waits.proximo_en), (JobState::Pending, Some(t(9))));
        assert_eq!((waits.terminado_en, waits.watched_loop), (None, None));
        let newer = Seen { has_newer: true, since_sent: RENDERS, ..seen() };
        assert_eq!(again.decide(newer.clone()).state, JobState::Superseded);
        let other = Seen { kind: JobKind::Mensajeria, since_sent: NOTHING, ..newer.clone() };
        assert_eq!(again.decide(other).state, JobState::Pending);
        assert_eq!(end(JobOutcome::Dead).decide(newer).state, JobState::Dead);
    }

    #[test]
    fn a_failure_whose_work_came_back_is_done() {
        let decided = end(JobOutcome::Dead).decide(Seen { since_sent: RENDERS, ..seen() });
        assert_eq!((decided.state, decided.is_followed), (JobState::Done, false));
        assert_eq!(decided.ultimo_error.as_deref(), Some("refused"));
        let event = decided.event.expect("it is told");
        assert_eq!((event.ok, event.detail.as_deref()), (true, Some("it came back")));
        let parked = end(JobOutcome::Parked).decide(Seen { since_sent: RENDERS, ..seen() });
        assert_eq!((parked.state, parked.en_duda, parked.is_followed), (JobState::Parked, true, true));
    }

    #[test]
    fn only_what_matters_is_looked_up() {
        let parked = end(JobOutcome::Parked);
        assert!(!parked.needs_lock() && !parked.lookups().has_newer);
        let done = JobAttemptEnd { watched_loop: None, ..end(JobOutcome::Done) };
        assert!(!done.needs_lock() && !done.lookups().since_made);
        assert!(end(JobOutcome::Done).lookups().since_made);
        assert!(end(JobOutcome::Dead).lookups().since_sent);
    }
}

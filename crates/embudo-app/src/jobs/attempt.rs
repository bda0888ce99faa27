//! One attempt at a job: its result, and what is stored about it.
//!
//! The worker (`worker`) decides when jobs are taken; the file of each kind knows how that kind is sent.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::{Job, JobKind, wait};
use embudo_domain::{JobId, Timestamp};
use embudo_metrics::{JOB_ATTEMPTS, JOB_SECONDS};
use embudo_store::StoreError;
use embudo_store::outbox::{JobAttemptEnd, JobOutcome, NewJob};
use embudo_store::presupuestos::CompletePresupuesto;
use embudo_trace::{OpenSpan, Side, Span};
use futures_util::FutureExt;
use jiff::SignedDuration;
use tokio::sync::OwnedSemaphorePermit;

use super::visita_mail::is_to_client;
use super::{Aftermath, Conclusion, Ending, Finished, attempt, number_of, reply};
use crate::blobs::with_blobs;
use crate::notices::Notice;
use crate::{App, AppError, InDoubt};

pub(super) struct JobAttempt<'a> {
    pub app: &'a App,
    pub job: &'a Job,
}

impl JobAttempt<'_> {
    /// One attempt, from its start to its entry in the delivery log. Returns whether it was accepted, and which jobs
    /// follow at once.
    pub async fn run(&self) -> (bool, Vec<JobId>) {
        let seat = self.app.attempts.seats.get(&self.job.kind).expect("every kind has places").clone();
        let seat = seat.acquire_owned().await.expect("the places are never closed");
        let mut span = OpenSpan::start("job", Side::Client);
        let context = span.context();
        embudo_trace::within(context, self.run_seated(seat, &mut span)).await
    }

    async fn run_seated(&self, seat: OwnedSemaphorePermit, span: &mut OpenSpan) -> (bool, Vec<JobId>) {
        let (start, clock) = (self.app.now(), Instant::now());
        let (ending, followed) = if self.job.en_duda && self.on_doubt() == InDoubt::Park {
            let error = "el servidor se paró mientras entregaba este correo: puede que haya llegado";
            (Ending { conclusion: Conclusion::Doubt, ..Ending::never(error) }, Aftermath::Nothing)
        } else {
            // A panic counts as a failed attempt: the attempt is recorded and ends like any other.
            AssertUnwindSafe(attempt(self.app, self.job, start)).catch_unwind().await.unwrap_or_else(|_| {
                tracing::error!(job = %self.job.id, "an attempt panicked");
                (Ending::retry("el intento se interrumpió por un error interno"), Aftermath::Nothing)
            })
        };
        drop(seat);
        let arrived = matches!(ending.conclusion, Conclusion::Arrived | Conclusion::HandedOn);
        self.app.attempts.note_down(self.job.kind, ending.health, self.app.now());
        let taken = clock.elapsed();
        JOB_SECONDS.histogram(&[self.job.kind.as_str()]).record(taken);
        let (next_ones, outcome) = match self.write_down(&ending, followed, start, taken).await {
            Some((next_ones, result)) => (Some(next_ones), outcome_label(result)),
            None => (None, UNKNOWN),
        };
        JOB_ATTEMPTS.counter(&[self.job.kind.as_str(), outcome]).increment(1);
        span.record(|span| self.describe(span, &ending, outcome));
        // What a receiver accepted counts as accepted even if that could not be stored. A quote exists only once it is
        // stored.
        let arrived = arrived && (self.job.kind != JobKind::Presupuesto || next_ones.is_some());
        (arrived, next_ones.unwrap_or_default())
    }

    /// What a trace shows of an attempt: never the content, the receiver or the lead.
    fn describe(&self, span: &mut Span, ending: &Ending, outcome: &'static str) {
        let kind = self.job.kind;
        span.name = format!("job {kind}").into();
        span.is_error = !matches!(outcome, "delivered" | "discarded");
        span.set("embudo.job.kind", kind.as_str());
        if let Some(destination) = kind.destination() {
            span.set("embudo.job.destination", destination.as_str());
        }
        span.set("embudo.job.outcome", outcome);
        if let Some(status) = ending.status {
            span.set("embudo.job.status", status);
        }
    }

    /// Stores how an attempt ended. Returns the jobs that follow at once and the outcome; `None` if the end could not
    /// be stored.
    async fn write_down(
        &self,
        ending: &Ending,
        followed: Aftermath,
        start: Timestamp,
        duration: Duration,
    ) -> Option<(Vec<JobId>, JobOutcome)> {
        let at = self.app.now();
        let result = self.judge(ending.conclusion, at);
        let end = JobAttemptEnd {
            id: self.job.id,
            who: self.app.outbound.process,
            result,
            delivery: ending.delivery(start, duration),
            event: event(self.job, result, ending, at),
            answered: (self.job.kind == JobKind::Perfil).then(|| answered(ending)),
            watched_loop: (self.job.kind == JobKind::Perfil).then_some(self.app.outbound.deadlines),
            jobs: self.notice_of_death(result, ending),
            at,
        };
        let mut next_ones = Vec::new();
        let written = match followed {
            Aftermath::Nothing => self.app.store.finish(end).await.map_err(AppError::from),
            Aftermath::Jobs(jobs) => {
                let end = JobAttemptEnd { jobs, ..end };
                self.app.store.finish(end).await.map_err(AppError::from)
            }
            Aftermath::Quote(finished) => {
                // Jobs without a lease are taken by the worker.
                next_ones.extend(finished.jobs.iter().filter(|t| t.lease.is_some()).map(|t| t.id));
                let completed = self.complete(end, *finished).await;
                self.app.attempts.notify();
                completed
            }
        };
        match written {
            Ok(true) => return Some((next_ones, result)),
            Ok(false) => {
                tracing::warn!(job = %self.job.id, "an attempt ended after its lease; another process has the job");
            }
            Err(error) => {
                tracing::warn!(job = %self.job.id, %error, "the end of an attempt could not be stored; the job is tried again");
            }
        }
        None
    }

    /// Stores a drawn quote, together with the end of its job and with its deliveries.
    async fn complete(&self, end: JobAttemptEnd, finished: Finished) -> Result<bool, AppError> {
        let Finished { id, pdf, put, events, jobs, deliveries, .. } = finished;
        let end = JobAttemptEnd { jobs, ..end };
        let command = CompletePresupuesto { id, pdf, events, deliveries, end, swept: Vec::new() };
        let placed: Vec<_> = put.into_iter().collect();
        let completed = with_blobs(self.app, self.job.lead, &placed, |swept| {
            let command = CompletePresupuesto { swept, ..command.clone() };
            async move {
                let is_ours = self.app.store.complete_presupuesto(command).await?;
                // A job that this process no longer holds may have been erased with its lead.
                is_ours.then_some(()).ok_or(StoreError::JobNotFound)
            }
        });
        match completed.await {
            Ok(()) => Ok(true),
            Err(AppError::Store(StoreError::JobNotFound)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn judge(&self, conclusion: Conclusion, at: Timestamp) -> JobOutcome {
        let failed = self.job.intentos + 1;
        let again = |minimum: Option<Duration>| {
            let minimum = minimum.and_then(|d| SignedDuration::try_from(d).ok());
            wait(failed, random(), minimum)
                .map_or(JobOutcome::Dead, |missing| JobOutcome::Retry(at + missing))
        };
        match conclusion {
            Conclusion::Arrived | Conclusion::HandedOn => JobOutcome::Done,
            Conclusion::Unwanted => JobOutcome::Discarded,
            Conclusion::Expired => JobOutcome::Expired,
            Conclusion::Never => JobOutcome::Dead,
            Conclusion::Retry(minimum) => self.in_time(again(minimum)),
            Conclusion::Doubt => match self.on_doubt() {
                InDoubt::Park => JobOutcome::Parked,
                InDoubt::Retry => again(None),
            },
        }
    }

    /// A reply is not tried after it expires: its next attempt is at its expiry at the latest, and that attempt ends
    /// it.
    fn in_time(&self, outcome: JobOutcome) -> JobOutcome {
        match (outcome, reply::expires(self.job)) {
            (JobOutcome::Retry(when), Some(end)) => JobOutcome::Retry(when.min(end)),
            (outcome, _) => outcome,
        }
    }

    /// What to do with a mail in doubt. A notice is sent again: getting it twice does no harm, missing it does.
    fn on_doubt(&self) -> InDoubt {
        if self.job.kind.is_notice() { InDoubt::Retry } else { self.app.outbound.en_duda }
    }

    /// The notice to the company about a job that will not arrive without a person. There is no notice about a notice,
    /// nor about an event: no client waits for an event, and a receiver that is gone would cause a notice for each one.
    fn notice_of_death(&self, result: JobOutcome, ending: &Ending) -> Vec<NewJob> {
        let ended = matches!(result, JobOutcome::Dead | JobOutcome::Parked | JobOutcome::Expired);
        if !ended || self.job.kind.is_notice() || self.job.kind == JobKind::Event {
            return Vec::new();
        }
        self.app.jobs().notice(&Notice::NotDelivered {
            kind: self.job.kind.to_string(),
            error: ending.error.clone(),
            job: Some(self.job.id),
            intentos: self.job.intentos + 1,
            number: number_of(self.job),
            doubt: result == JobOutcome::Parked,
        })
    }
}

/// The label in the metrics of an attempt whose end was not stored.
const UNKNOWN: &str = "unknown";

/// The label of an outcome in the metrics.
fn outcome_label(outcome: JobOutcome) -> &'static str {
    match outcome {
        JobOutcome::Done => "delivered",
        JobOutcome::Retry(_) => "retried",
        JobOutcome::Dead => "dead",
        JobOutcome::Parked => "parked",
        JobOutcome::Discarded => "discarded",
        JobOutcome::Expired => "expired",
    }
}

/// The event of an attempt for the lead's history. Notices to the company's people cause no event.
fn event(job: &Job, result: JobOutcome, ending: &Ending, at: Timestamp) -> Option<Event> {
    if matches!(ending.conclusion, Conclusion::Unwanted | Conclusion::HandedOn) {
        return None;
    }
    let kind = match job.kind {
        JobKind::Perfil => EventKind::PerfilComplete,
        JobKind::Mensajeria => EventKind::Mensajeria,
        JobKind::Pdf => EventKind::Pdf,
        JobKind::ClientMail | JobKind::AcceptanceMail => EventKind::ClientMail,
        JobKind::Reminder => EventKind::Reminder,
        JobKind::EmpresaMail | JobKind::FormNotice => EventKind::EmpresaMail,
        JobKind::Presupuesto => EventKind::Presupuesto,
        JobKind::VisitaMail if is_to_client(job) => EventKind::VisitaMail,
        // Replies are shown in the lead's conversation, the client requested the receipt, and what an outgoing event
        // reports has its own entry in the history.
        JobKind::PersonNotice
        | JobKind::FormReceipt
        | JobKind::PushNotice
        | JobKind::VisitaMail
        | JobKind::Acceptance
        | JobKind::Reply
        | JobKind::ReplyMail
        | JobKind::Event => return None,
    };
    let error = reason(ending);
    let detail = match result {
        JobOutcome::Done if kind == EventKind::Presupuesto => ending.answer.clone(),
        JobOutcome::Done => None,
        JobOutcome::Retry(when) => {
            Some(format!("{error}; se repite a las {}", when.strftime("%Y-%m-%dT%H:%M:%SZ")))
        }
        JobOutcome::Dead => Some(format!("{error}; no se repite")),
        JobOutcome::Parked => Some(format!("{error}; queda aparcado")),
        JobOutcome::Discarded | JobOutcome::Expired => None,
    };
    Some(Event { kind, simulated: false, ok: result == JobOutcome::Done, detail, creado_en: at })
}

/// The text in the history for a failed signal whose receiver has delivered the requested work nevertheless.
fn answered(ending: &Ending) -> String {
    format!("{}; pero lo que pedía la señal ya ha llegado y no se repite", reason(ending))
}

/// Why the attempt failed, as the beginning of a sentence.
fn reason(ending: &Ending) -> &str {
    ending.error.as_deref().unwrap_or("sin detalle").trim_end_matches('.')
}

/// A random number from 0 to 1. It only spreads retries, so its quality does not matter.
fn random() -> f64 {
    let (_, low) = uuid::Uuid::new_v4().as_u64_pair();
    (low >> 11) as f64 / (1_u64 << 53) as f64
}

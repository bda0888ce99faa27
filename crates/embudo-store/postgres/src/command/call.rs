//! Calls that send something out: ingestions without photos, and events, with jobs.
//!
//! They take two round trips: the leads are locked and read, the domain decides the payloads of the jobs, and the jobs
//! are written together with the commit.

use std::collections::HashMap;

use embudo_domain::event::Event;
use embudo_domain::job::Job;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::lead_writes::{Ingest, NewNota, RecordEvent};
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::{Result, StoreError};
use uuid::Uuid;

use super::texts::{self, Texts};
use super::{job, locked_leads};
use crate::failure::Step;
use crate::statement::Sql;
use crate::writer::{Claim, Grouped, Lane, Session};

/// What one call writes and sends out.
#[derive(Debug)]
pub(crate) struct CallWithJobs {
    texts: Texts,
    jobs: Vec<NewJob>,
    at: Timestamp,
}

/// The result of one call.
#[derive(Debug, Default)]
pub(crate) struct JobsMade {
    /// Jobs under a lease, as they were made.
    pub(crate) leased: Vec<Job>,
    /// Whether the call made a job without a lease, which any process may take.
    pub(crate) loose: bool,
}

impl From<Ingest> for CallWithJobs {
    fn from(command: Ingest) -> Self {
        debug_assert!(
            command.fotos.is_empty() && !command.finalizar,
            "numbers and the loop are not for groups"
        );
        Self::new(command.lead, command.notas, command.events, command.jobs, command.at)
    }
}

impl From<RecordEvent> for CallWithJobs {
    fn from(command: RecordEvent) -> Self {
        let events = command.event.into_iter().collect();
        Self::new(command.lead, Vec::new(), events, command.jobs, command.at)
    }
}

impl CallWithJobs {
    fn new(lead: LeadId, notas: Vec<NewNota>, events: Vec<Event>, jobs: Vec<NewJob>, at: Timestamp) -> Self {
        Self { texts: Texts::new(lead, notas, events, at), jobs, at }
    }

    fn lead(&self) -> LeadId {
        self.texts.lead
    }
}

impl Grouped for CallWithJobs {
    type End = JobsMade;

    const LANE: Lane = Lane::Jobs;
    const IS_TRANSACTION: bool = true;

    fn sql() -> Vec<&'static Sql> {
        vec![texts::RECORD, locked_leads::LEADS, locked_leads::FOTOS, locked_leads::NOTAS, job::INSERT]
    }

    fn key(&self) -> Uuid {
        self.lead().0
    }

    /// The signal of a second call must contain what the first call wrote.
    fn claim(&self) -> Claim {
        Claim::Only(self.lead().0)
    }

    fn bytes(&self) -> usize {
        let said = |t: &NewJob| match &t.payload {
            NewPayload::Text(text) | NewPayload::Notice { text, .. } => text.len(),
            _ => 1024,
        };
        self.texts.bytes() + self.jobs.iter().map(said).sum::<usize>()
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<JobsMade>>> {
        let texts: Vec<&Texts> = group.iter().map(|c| &c.texts).filter(|t| !t.is_empty()).collect();
        // The statements are sent together, in this order. Notes come first, so that they are in the signal.
        let (begun, written, records) = tokio::join!(
            biased;
            on.begin(),
            async { if texts.is_empty() { Ok(Vec::new()) } else { Texts::run(on, &texts).await } },
            locked_leads::read(on, group.iter().map(|c| (c.lead(), &c.jobs[..]))),
        );
        begun?;
        written?;
        let records = records?;
        let mut new_ones = Vec::with_capacity(group.len());
        for c in group {
            let Some(record) = records.get(&c.lead()) else { continue };
            new_ones.extend(job::ready(&c.jobs, record, c.at)?);
        }
        new_ones.sort_by_key(|(_, job)| job.lead);
        let (made, committed) = tokio::join!(biased; job::write(on, &new_ones), on.commit());
        let made = made?;
        committed?;

        let mut ends: HashMap<LeadId, JobsMade> =
            records.into_keys().map(|lead| (lead, JobsMade::default())).collect();
        for (new, job) in new_ones {
            let end = ends.get_mut(&job.lead).expect("jobs are made for leads that exist");
            match new.lease {
                // A job that existed already is not handed out again: the process that made it first has it.
                Some(_) if made.contains(&job.id.0) => end.leased.push(job),
                Some(_) => {}
                None => end.loose = true,
            }
        }
        // Two calls of one lead never share a group.
        Ok(group.iter().map(|c| ends.remove(&c.lead()).ok_or(StoreError::LeadNotFound)).collect())
    }
}

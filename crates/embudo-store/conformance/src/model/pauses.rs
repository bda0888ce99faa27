//! The model's paused destinations, and what a person does with a company's outbox.

use std::collections::BTreeMap;

use embudo_domain::job::{HELD, JobKind, JobStanding, JobState};
use embudo_domain::{EmpresaId, JobId, ProcessId, Timestamp};

use super::placed::Placed;
use super::world::World;
use embudo_store::outbox::{Allotment, NewJob, NewPayload};
use embudo_store::outbox_admin::{
    DueJobs, ListedJob, MOST_CLOSED, MOST_STOPPED, OutboxFilter, RepeatJob, StandingCount,
};
use embudo_store::pauses::{Pause, SetPause};
use embudo_store::{Result, StoreError};

impl World {
    fn is_paused(&self, p: &Placed) -> bool {
        self.pauses.iter().any(|(of, pause)| *of == p.job.empresa && pause.kind == p.job.kind)
    }

    /// Due jobs by kind, without those that are leased or paused.
    pub(crate) fn due_jobs(&self, now: Timestamp) -> Vec<DueJobs> {
        let mut due: BTreeMap<JobKind, DueJobs> = BTreeMap::new();
        for p in self
            .outbox
            .iter()
            .filter(|p| p.pending() && p.free() && p.job.proximo_en <= now && !self.is_paused(p))
        {
            let (kind, oldest) = (p.job.kind, p.job.proximo_en);
            let of_kind = due.entry(kind).or_insert(DueJobs { kind, count: 0, oldest });
            of_kind.count += 1;
            of_kind.oldest = of_kind.oldest.min(oldest);
        }
        due.into_values().collect()
    }

    /// Holds the jobs that an allotment would take if their destination were not paused.
    pub(super) fn hold_due(&mut self, allotment: &Allotment, now: Timestamp) {
        let due = |p: &Placed| {
            let of_those = p.job.kind == allotment.kind;
            let is_first = p.job.intentos == 0 || !allotment.first_attempts_only;
            p.pending() && p.free() && of_those && is_first && p.job.proximo_en <= now && self.is_paused(p)
        };
        let held: Vec<JobId> = self.outbox.iter().filter(|p| due(p)).map(|p| p.job.id).collect();
        for p in self.outbox.iter_mut().filter(|p| held.contains(&p.job.id)) {
            (p.job.proximo_en, p.lease) = (HELD, None);
        }
    }

    pub(crate) fn pause(&mut self, command: &SetPause) {
        for kind in &command.kinds {
            let is_known = self.pauses.iter().any(|(of, p)| *of == command.empresa && p.kind == *kind);
            if !is_known {
                let pause = Pause { kind: *kind, since: command.at, who: command.audit.who.clone() };
                self.pauses.push((command.empresa, pause));
            }
        }
    }

    pub(crate) fn resume(&mut self, command: &SetPause) {
        let is_meant = |of: EmpresaId, kind| of == command.empresa && command.kinds.contains(&kind);
        self.pauses.retain(|(of, pause)| !is_meant(*of, pause.kind));
        for p in self.outbox.iter_mut().filter(|p| p.job.is_held() && is_meant(p.job.empresa, p.job.kind)) {
            p.job.proximo_en = command.at;
        }
    }

    pub(crate) fn hold(&mut self, ids: &[JobId], who: ProcessId) {
        let own = |p: &Placed| ids.contains(&p.job.id) && p.of(who);
        let paused: Vec<JobId> =
            self.outbox.iter().filter(|p| own(p) && self.is_paused(p)).map(|p| p.job.id).collect();
        for p in self.outbox.iter_mut().filter(|p| own(p)) {
            p.lease = None;
            if paused.contains(&p.job.id) {
                p.job.proximo_en = HELD;
            }
        }
    }

    pub(crate) fn take_as_sent(&mut self, id: JobId, at: Timestamp) -> bool {
        let parked = self.outbox.iter_mut().find(|p| p.job.id == id && p.job.state == JobState::Parked);
        parked.map(|p| (p.job.en_duda = false, p.finish(JobState::Done, at))).is_some()
    }

    pub(crate) fn repeat(&mut self, command: &RepeatJob) -> Result<bool> {
        let n = self.outbox.iter().position(|p| p.job.id == command.id).ok_or(StoreError::JobNotFound)?;
        let old = self.outbox[n].job.clone();
        let is_newer = |p: &Placed| p.same_subject(old.lead, old.kind);
        let has_newer = old.kind.is_superseded_by_newer() && self.outbox[n + 1..].iter().any(is_newer);
        if old.state != JobState::Done || has_newer {
            return Ok(false);
        }
        let payload = NewPayload::Text(old.payload);
        let new = NewJob { id: command.new, kind: old.kind, payload, lease: None, proximo_en: None };
        self.enqueue(old.lead, vec![new], command.at);
        let made = self.outbox.iter_mut().find(|p| p.job.id == command.new);
        Ok(made.map(|p| p.job.repeats = Some(command.id)).is_some())
    }

    fn standing(&self, p: &Placed) -> JobStanding {
        match p.job.state {
            JobState::Pending if !p.free() => JobStanding::Running,
            JobState::Pending if self.is_paused(p) => JobStanding::Paused,
            JobState::Pending if p.job.intentos > 0 => JobStanding::Failing,
            JobState::Pending => JobStanding::Waiting,
            ended => JobStanding::parse(ended.as_str()).expect("ends have the same words"),
        }
    }

    pub(crate) fn listed(&self, p: &Placed) -> ListedJob {
        let job = &p.job;
        ListedJob {
            id: job.id,
            lead: job.lead,
            nombre: self.record(job.lead).ok().map(|record| record.lead.nombre),
            empresa: job.empresa,
            kind: job.kind,
            standing: self.standing(p),
            intentos: job.intentos,
            proximo_en: job.proximo_en,
            ultimo_error: job.ultimo_error.clone(),
            creado_en: job.creado_en,
            terminado_en: job.terminado_en,
        }
    }

    pub(crate) fn outbox_of(&self, filter: &OutboxFilter) -> Vec<ListedJob> {
        let own = self.outbox.iter().filter(|p| p.job.empresa == filter.empresa).map(|p| self.listed(p));
        let mut list: Vec<ListedJob> = own
            .filter(|l| filter.kind.is_none_or(|kind| l.kind == kind))
            .filter(|l| filter.standing.is_none_or(|standing| l.standing == standing))
            .collect();
        list.sort_by_key(|l| std::cmp::Reverse((l.creado_en, l.id)));
        list
    }

    pub(crate) fn count_outbox(&self, empresa: EmpresaId) -> Vec<StandingCount> {
        let all = self.outbox_of(&OutboxFilter { empresa, standing: None, kind: None });
        let is_open = |l: &&ListedJob| {
            l.standing.is_pending() || matches!(l.standing, JobStanding::Dead | JobStanding::Parked)
        };
        let closed = all.iter().filter(|l| !is_open(l)).take(MOST_CLOSED as usize);
        let mut counts = BTreeMap::new();
        for l in all.iter().filter(is_open).chain(closed) {
            *counts.entry(l.standing).or_default() += 1;
        }
        counts.into_iter().map(|(standing, count)| StandingCount { standing, count }).collect()
    }

    pub(crate) fn count_stopped(&self, empresa: EmpresaId) -> u64 {
        let is_stopped = |p: &&Placed| {
            p.job.empresa == empresa && matches!(p.job.state, JobState::Dead | JobState::Parked)
        };
        self.outbox.iter().filter(is_stopped).take(MOST_STOPPED as usize).count() as u64
    }
}

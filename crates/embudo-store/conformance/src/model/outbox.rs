//! The model's outbox and loop: jobs in a plain list in the order they were made, leases by the machine's clock.

use std::collections::BTreeMap;
use std::time::Instant;

use embudo_domain::event::Event;
use embudo_domain::ingesta::Momento;
use embudo_domain::job::{Job, JobKind, JobState};
use embudo_domain::notice::Topics;
use embudo_domain::signal::{MensajeriaSignal, PerfilSignal};
use embudo_domain::watched_loop::{CameBack, WatchedLoop};
use embudo_domain::{JobId, LeadId, ProcessId, Timestamp};

use super::placed::Placed;
use super::world::World;
use embudo_store::loop_deadlines::{MarkLoopOverdue, OverdueLoop};
use embudo_store::outbox::{Allotment, JobAttemptEnd, JobOutcome, Lease, NewJob, NewPayload};
use embudo_store::outbox_admin::{JobCount, JobFilter};
use embudo_store::{Result, StoreError};

fn until(lease: Lease) -> (ProcessId, Instant) {
    (lease.who, Instant::now() + lease.lasts)
}

impl World {
    /// Makes jobs of an existing lead, after everything else of the command.
    pub(crate) fn enqueue(&mut self, lead: LeadId, new_ones: Vec<NewJob>, at: Timestamp) {
        let record = self.record(lead).expect("the command found its lead");
        let empresa = &record.lead.empresa;
        for new in new_ones {
            let of_address =
                empresa.email_avisos.as_ref().filter(|_| empresa.notices).map(|_| empresa.topics);
            let wanted = of_address.unwrap_or_default().and(empresa.personal_topics);
            let wants = match &new.payload {
                NewPayload::Notice { topic, without_mail: true, .. } => empresa.personal_topics.has(*topic),
                NewPayload::Notice { topic, .. } => wanted.has(*topic),
                _ => wanted != Topics::NONE,
            };
            if new.kind.is_notice() && !wants {
                continue;
            }
            if new.kind.is_superseded_by_newer() {
                let wait = |p: &&mut Placed| p.same_subject(lead, new.kind) && p.pending() && p.free();
                self.outbox.iter_mut().filter(wait).for_each(|p| p.finish(JobState::Superseded, at));
            }
            let payload = match new.payload {
                NewPayload::Perfil => serde_json::to_string(&PerfilSignal::from(&record)),
                NewPayload::Mensajeria => serde_json::to_string(&MensajeriaSignal::from(&record.lead)),
                NewPayload::Event(event) => {
                    serde_json::to_string(&event.signal(new.id, empresa.id, lead, at))
                }
                NewPayload::Text(text) | NewPayload::Notice { text, .. } => Ok(text),
            };
            let job = Job {
                id: new.id,
                lead,
                empresa: empresa.id,
                kind: new.kind,
                payload: payload.expect("signals are JSON"),
                state: JobState::Pending,
                intentos: 0,
                proximo_en: new.proximo_en.unwrap_or(at),
                en_duda: false,
                ultimo_error: None,
                creado_en: at,
                terminado_en: None,
                repeats: None,
            };
            let lease = new.lease.map(until);
            self.outbox.push(Placed { job, lease, deliveries: vec![] });
        }
    }

    pub(crate) fn take(&mut self, allotments: &[Allotment], lease: Lease, now: Timestamp) -> Vec<Job> {
        let mut taken = Vec::new();
        for allotment in allotments {
            self.hold_due(allotment, now);
        }
        for allotment in allotments {
            let serves = |p: &&mut Placed| {
                let t = &p.job;
                let of_those =
                    t.kind == allotment.kind && (t.intentos == 0 || !allotment.first_attempts_only);
                p.pending() && p.free() && of_those && t.proximo_en <= now
            };
            let mut serve: Vec<&mut Placed> = self.outbox.iter_mut().filter(serves).collect();
            serve.sort_by_key(|p| p.job.proximo_en);
            for p in serve.into_iter().take(allotment.how_many as usize) {
                p.lease = Some(until(lease));
                taken.push(p.job.clone());
            }
        }
        taken
    }

    pub(crate) fn renew(&mut self, ids: &[JobId], lease: Lease) -> Vec<JobId> {
        let own = self.outbox.iter_mut().filter(|p| ids.contains(&p.job.id) && p.of(lease.who));
        let renewed = |p: &mut Placed| {
            p.lease = Some(until(lease));
            p.job.id
        };
        own.map(renewed).collect()
    }

    pub(crate) fn release(&mut self, who: ProcessId) -> u64 {
        let own = self.outbox.iter_mut().filter(|p| p.of(who));
        own.map(|p| p.lease = None).count() as u64
    }

    pub(crate) fn deliver(&mut self, id: JobId, who: ProcessId) -> bool {
        let own = self.outbox.iter_mut().find(|p| p.job.id == id && p.of(who));
        own.map(|p| p.job.en_duda = true).is_some()
    }

    pub(crate) fn finish(&mut self, end: JobAttemptEnd) -> bool {
        let Some(n) = self.outbox.iter().position(|p| p.job.id == end.id && p.of(end.who)) else {
            return false;
        };
        let (lead, kind) = (self.outbox[n].job.lead, self.outbox[n].job.kind);
        let has_new =
            kind.is_superseded_by_newer() && self.outbox[n + 1..].iter().any(|p| p.same_subject(lead, kind));
        let p = &self.outbox[n];
        // The first attempt of this run. The attempt that ends now is not in the log yet.
        let first = p.deliveries.len().checked_sub(p.job.intentos as usize);
        let sent = first.and_then(|n| p.deliveries.get(n)).unwrap_or(&end.delivery).start;
        let is_answered = end.answerable().is_some() && !has_new && self.return_to(lead, sent).came();
        let p = &mut self.outbox[n];
        p.lease = None;
        p.job.intentos += 1;
        p.job.en_duda &= end.result == JobOutcome::Parked;
        if !end.delivery.ok {
            p.job.ultimo_error = end.delivery.error.clone();
        }
        p.deliveries.push(end.delivery);
        match end.result {
            JobOutcome::Done => p.finish(JobState::Done, end.at),
            _ if is_answered => p.finish(JobState::Done, end.at),
            JobOutcome::Retry(_) if has_new => p.finish(JobState::Superseded, end.at),
            JobOutcome::Retry(when) => p.job.proximo_en = when,
            JobOutcome::Dead => p.finish(JobState::Dead, end.at),
            JobOutcome::Parked => p.finish(JobState::Parked, end.at),
            JobOutcome::Discarded => p.finish(JobState::Discarded, end.at),
            JobOutcome::Expired => p.finish(JobState::Expired, end.at),
        }
        let (done, since) = (p.job.state == JobState::Done, p.job.creado_en);
        let return_to = self.return_to(lead, since);
        let r = self.log(lead).expect("a job has a lead");
        let answered = |e| Event { ok: true, detail: end.answered.clone(), ..e };
        r.record.events.extend(end.event.map(|e| if is_answered { answered(e) } else { e }));
        if let Some(deadlines) = end.watched_loop.filter(|_| done) {
            r.record.lead.watched_loop =
                WatchedLoop::after_signal(r.record.lead.watched_loop, return_to, end.at, deadlines);
        }
        if !is_answered {
            self.enqueue(lead, end.jobs, end.at);
        }
        true
    }

    /// What came in for a lead after a moment.
    fn return_to(&mut self, lead: LeadId, since: Timestamp) -> CameBack {
        let r = self.log(lead).expect("a job has a lead");
        let render = |f: &embudo_domain::foto::Foto| f.momento == Momento::After && f.creada_en > since;
        CameBack {
            renders: r.record.fotos.iter().any(render),
            finalizar: r.finalizado_en.is_some_and(|f| f > since),
        }
    }

    /// Ends the profile signals of a lead that were sent and wait; returns whether there was one.
    pub(super) fn answer_waiting(&mut self, lead: LeadId, at: Timestamp) -> bool {
        let waits = |p: &&mut Placed| {
            p.same_subject(lead, JobKind::Perfil) && p.pending() && p.free() && p.job.intentos > 0
        };
        self.outbox.iter_mut().filter(waits).map(|p| p.finish(JobState::Done, at)).count() > 0
    }

    pub(crate) fn tally(&self) -> Vec<JobCount> {
        let mut counts = BTreeMap::new();
        let counted = [JobState::Pending, JobState::Dead, JobState::Parked];
        for t in self.outbox.iter().map(|p| &p.job).filter(|t| counted.contains(&t.state)) {
            *counts.entry((t.kind, t.state)).or_default() += 1;
        }
        counts.into_iter().map(|((kind, state), count)| JobCount { kind, state, count }).collect()
    }

    /// When the next job that no process holds is due, and whether a living lease could run out before.
    pub(crate) fn next(&self, kinds: &[JobKind]) -> (Option<Timestamp>, bool) {
        let pending = || self.outbox.iter().filter(|p| p.pending());
        let of_those = |p: &&Placed| p.free() && kinds.contains(&p.job.kind);
        let free_ones = pending().filter(of_those).map(|p| p.job.proximo_en).min();
        (free_ones, pending().any(|p| !p.free()))
    }

    pub(crate) fn put(&self, id: JobId) -> Result<&Placed> {
        self.outbox.iter().find(|p| p.job.id == id).ok_or(StoreError::JobNotFound)
    }

    pub(crate) fn job_list(&self, f: &JobFilter) -> Vec<Job> {
        let meets = |t: &&Job| {
            f.state.is_none_or(|e| t.state == e)
                && f.kind.is_none_or(|kind| t.kind == kind)
                && f.lead.is_none_or(|lead| t.lead == lead)
        };
        let mut list: Vec<Job> = self.outbox.iter().map(|p| &p.job).filter(meets).cloned().collect();
        list.sort_by_key(|t| std::cmp::Reverse((t.creado_en, t.id)));
        list
    }

    fn not_done(&mut self, id: JobId) -> Result<&mut Placed> {
        let p = self.outbox.iter_mut().find(|p| p.job.id == id).ok_or(StoreError::JobNotFound)?;
        if p.job.state == JobState::Done {
            return Err(StoreError::JobFinished);
        }
        Ok(p)
    }

    pub(crate) fn retry(&mut self, id: JobId, at: Timestamp) -> Result<()> {
        let p = self.not_done(id)?;
        p.job.proximo_en = at;
        if !p.pending() {
            let t = &mut p.job;
            (t.state, t.intentos, t.en_duda, t.terminado_en) = (JobState::Pending, 0, false, None);
        }
        Ok(())
    }

    pub(crate) fn discard(&mut self, id: JobId, at: Timestamp) -> Result<()> {
        self.not_done(id)?.finish(JobState::Discarded, at);
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn purge_jobs(&mut self, before: Timestamp, max: u32) -> u64 {
        let finishes = self.outbox.iter().filter(|p| p.job.terminado_en.is_some_and(|end| end < before));
        let these: Vec<JobId> = finishes.map(|p| p.job.id).take(max as usize).collect();
        for registered in &mut self.deliveries {
            let remained = self.outbox.iter().find(|p| p.job.id == registered.pdf_order.job);
            if let Some(p) = remained.filter(|p| these.contains(&p.job.id)) {
                registered.remained = Some((p.job.state, p.job.terminado_en));
            }
        }
        self.outbox.retain(|p| !these.contains(&p.job.id));
        these.len() as u64
    }

    pub(crate) fn overdue_ones(&self, now: Timestamp) -> Vec<OverdueLoop> {
        let loops = self.logs.values().filter_map(|r| Some((r.record.lead.id, r.record.lead.watched_loop?)));
        let overdue_ones = loops.filter(|(_, b)| !b.overdue && b.limit <= now);
        overdue_ones.map(|(lead, b)| OverdueLoop { lead, step: b.step, resignals: b.resignals }).collect()
    }

    pub(crate) fn expire(&mut self, v: MarkLoopOverdue) -> bool {
        let Some(r) = self.logs.get_mut(&v.lead) else { return false };
        let Some(b) = r.record.lead.watched_loop.as_mut() else { return false };
        if b.step != v.step || b.overdue || b.limit > v.at {
            return false;
        }
        b.overdue = true;
        b.resignals += u32::from(v.resignal.is_some());
        r.record.events.push(v.event);
        self.enqueue(v.lead, v.resignal.into_iter().chain(v.notices).collect(), v.at);
        true
    }
}

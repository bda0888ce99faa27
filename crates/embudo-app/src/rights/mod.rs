//! What people may request about their data: a copy of it, and its erasure. Also how long a company keeps data without
//! a request.
//!
//! An erasure is stored first and continued until nothing is left, also after a crash: first the rows, then what other
//! processes wrote in the meantime, then the bytes. Nothing that identifies the person remains in the log, in the audit
//! log or in the record of the erasure.

mod export;
mod passes;
mod retention;
mod seen;

use embudo_domain::LeadId;
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::event::{Event, EventKind};
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::rights::{ErasureReason, RightAsked};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::rights::{EraseLead, ErasedLead, Term};
use embudo_store::touches::Touch;
use embudo_store::{CallKey, Done, Outcome, StoreError};
use jiff::SignedDuration;

pub use export::{Archive, ArchiveError};
pub(crate) use passes::{Generations, kept_as};
pub use retention::{DryRun, Forgotten};
pub use seen::BlockedPart;
pub(crate) use seen::SeenQueue;

use crate::notices::Notice;
use crate::{Actor, App, AppError};

/// The maximum number of erasures that are continued in one run.
const SLICE: u32 = 100;
/// How long a client must wait before the same request is accepted again on the same quote.
const ASK_AGAIN: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Whether the leads that are united with this one are included: they are the same person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Alone,
    United,
}

/// The progress of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    Whole,
    /// The rows are deleted; the rest follows automatically.
    Going,
}

#[derive(Clone, Copy)]
pub struct Rights<'a> {
    pub(crate) app: &'a App,
}

impl Rights<'_> {
    /// The leads of one person, this lead first.
    pub async fn person(self, lead: LeadId, reach: Reach) -> Result<Vec<LeadId>, AppError> {
        let mut leads = vec![lead];
        if reach == Reach::Alone {
            return Ok(leads);
        }
        let mut next = 0;
        while let Some(one) = leads.get(next).copied() {
            let others = self.app.store.united_with(one).await?;
            leads.extend(others.into_iter().filter(|other| !leads.contains(other)).collect::<Vec<_>>());
            next += 1;
        }
        Ok(leads)
    }

    /// Erases a person. What cannot be finished at once is finished by a background task, or by another call.
    pub async fn erase(
        self,
        lead: LeadId,
        reach: Reach,
        reason: ErasureReason,
        actor: &Actor,
    ) -> Result<Erased, AppError> {
        // The lead's own row names those that it is united with, so the others are erased first.
        let leads: Vec<LeadId> = self.person(lead, reach).await?.into_iter().rev().collect();
        for one in &leads {
            self.erase_rows(*one, reason, None, actor).await?;
        }
        let is_whole = self.finish(&leads).await? == leads.len();
        Ok(if is_whole { Erased::Whole } else { Erased::Going })
    }

    /// The first step of an erasure: deletes the rows. With a `term`, a lead whose retention period has not ended is
    /// kept.
    async fn erase_rows(
        self,
        lead: LeadId,
        reason: ErasureReason,
        term: Option<&Term>,
        actor: &Actor,
    ) -> Result<ErasedLead, AppError> {
        let empresa = match self.app.store.lead_empresa(lead).await? {
            Some(empresa) => empresa,
            None => self.app.store.erasure(lead).await?.ok_or(StoreError::LeadNotFound)?.empresa,
        };
        let audit = AuditEntry {
            empresa: Some(empresa),
            object: Some(lead.to_string()),
            ..self.app.access().audit(actor, AuditAction::PersonErased)
        };
        let retention = self.app.store.settings(empresa).await?.retention;
        let (who, at) = (actor.who.clone(), self.app.now());
        let term = term.cloned();
        let command = EraseLead { lead, reason, term, who, retention, audit, at };
        let end = self.app.store.erase_lead(command).await?;
        if end != ErasedLead::Kept {
            tracing::info!(lead.id = %lead, reason = reason.as_str(), "a lead was erased");
        }
        Ok(end)
    }

    /// All steps of erasures after the rows; returns how many are finished. The others are continued later.
    async fn finish(self, leads: &[LeadId]) -> Result<usize, AppError> {
        let mut settled = Vec::new();
        for lead in leads {
            if self.settle(*lead).await? {
                settled.push(*lead);
            }
        }
        if settled.is_empty() || !self.forget_statistics().await {
            return Ok(0);
        }
        for lead in &settled {
            self.app.store.end_erasure(*lead, self.app.now()).await?;
        }
        Ok(settled.len())
    }

    /// Removes erased values from the database's statistics. It takes a while, so it is called once for all leads that
    /// were erased together. `false`: it failed for now.
    async fn forget_statistics(self) -> bool {
        let end = self.app.store.forget_statistics().await;
        if let Err(error) = &end {
            tracing::warn!(%error, "what the database knows of erased values could not be made anew; it is tried again later");
        }
        end.is_ok()
    }

    /// Deletes the lead's bytes and figures, and what was written meanwhile. `false`: another process may still write
    /// about the lead.
    async fn settle(self, lead: LeadId) -> Result<bool, AppError> {
        let kept = self.app.store.kept_blobs(lead).await?;
        self.app.blobs.erase_lead(lead, &kept).await?;
        // Removes the lead from the company's figures.
        self.app.store.project(vec![(lead, Touch::anew())]).await?;
        if !self.app.store.settle_erasure(lead).await? {
            return Ok(false);
        }
        // From here on no process writes about the lead. A write in between may have counted the lead again, or may
        // have put bytes.
        self.app.store.project(vec![(lead, Touch::anew())]).await?;
        self.app.blobs.erase_lead(lead, &kept).await?;
        Ok(true)
    }

    /// Continues unfinished erasures; returns how many are finished now.
    pub async fn finish_erasures(self) -> Result<usize, AppError> {
        let open = self.app.store.open_erasures(SLICE).await?;
        let leads: Vec<LeadId> = open.iter().map(|erasure| erasure.lead).collect();
        self.finish(&leads).await
    }

    /// Deletes blocked quotes whose legal retention period has ended, with their PDFs; returns how many.
    pub async fn drop_blocked(self) -> Result<usize, AppError> {
        let now = self.app.now();
        let over = self.app.store.blocked_until(now, SLICE).await?;
        for quote in &over {
            self.app.store.drop_blocked(quote.id, now).await?;
            let kept = self.app.store.kept_blobs(quote.lead).await?;
            self.app.blobs.erase_lead(quote.lead, &kept).await?;
        }
        if !over.is_empty() {
            self.forget_statistics().await;
        }
        Ok(over.len())
    }

    /// Records a client's request from the page of their quote and notifies the company, at most once in a period. A
    /// person fulfils the request. `false`: the same request was already made.
    pub async fn ask(self, presupuesto: &Presupuesto, what: RightAsked) -> Result<bool, AppError> {
        let (lead, at) = (presupuesto.lead, self.app.now());
        let event = Event {
            kind: EventKind::RightAsked,
            simulated: false,
            ok: true,
            detail: Some(what.label().to_owned()),
            creado_en: at,
        };
        let once = CallKey {
            scope: format!("derecho {what}"),
            key: presupuesto.id.to_string(),
            cuerpo_sha256: [0; 32],
            life: ASK_AGAIN,
        };
        let notice =
            Notice::RightAsked { number: presupuesto.number.to_string(), what: what.as_str().to_owned() };
        let jobs = self.app.jobs().notice(&notice);
        let idempotency = Some(once.with(Outcome::Done, Vec::new(), at));
        let command = RecordEvent { lead, event: Some(event), jobs, at, idempotency };
        let done = self.app.store.record_event(command).await?;
        self.app.attempts.notify();
        Ok(done == Done::Now)
    }

    /// The requests of a person that are not fulfilled yet, the oldest first.
    pub fn waiting(events: &[Event]) -> Vec<&Event> {
        let last = |kind| events.iter().filter(|e| e.kind == kind).map(|e| e.creado_en).max();
        let granted = last(EventKind::RightGranted);
        let waits = |e: &&Event| e.kind == EventKind::RightAsked && granted.is_none_or(|at| at < e.creado_en);
        events.iter().filter(waits).collect()
    }

    /// Records that a person's requests were fulfilled; does nothing if there is no open request.
    pub async fn grant(self, lead: LeadId, actor: &Actor) -> Result<(), AppError> {
        let (record, at) = (self.app.store.record(lead).await?, self.app.now());
        let what: Vec<&str> =
            Self::waiting(&record.events).iter().filter_map(|e| e.detail.as_deref()).collect();
        if what.is_empty() {
            return Ok(());
        }
        let event = Event {
            kind: EventKind::RightGranted,
            simulated: false,
            ok: true,
            detail: Some(what.join("; ")),
            creado_en: at,
        };
        let command = RecordEvent { lead, event: Some(event), jobs: Vec::new(), at, idempotency: None };
        self.app.store.record_event(command).await?;
        let audit = self.app.leads().entry(lead, record.lead.empresa.id, AuditAction::RightGranted, actor);
        self.app.store.record_audit(audit).await?;
        // Projects at once, so that the person who clicked sees the result on their next page.
        self.app.store.project(vec![(lead, Touch::anew())]).await?;
        Ok(())
    }
}

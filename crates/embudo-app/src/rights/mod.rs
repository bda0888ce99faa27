//! What people may ask for of their data: a copy of it, and that it is erased; and how long a company keeps it by
//! itself.
//!
//! An erasure is stored first and continued until nothing is left, also after a crash: rows at once, then what others
//! wrote while they went, then bytes. Nothing that tells who it was is in the log, in the audit log or in what is kept
//! of the erasure.

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

/// Erasures that are gone on with in one go.
const SLICE: u32 = 100;
/// How long a client waits before the same thing can be asked for again on the same quote.
const ASK_AGAIN: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Whether the leads that one is united with are meant too: they are the same person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Alone,
    United,
}

/// What became of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    Whole,
    /// The rows are gone; the rest follows by itself.
    Going,
}

#[derive(Clone, Copy)]
pub struct Rights<'a> {
    pub(crate) app: &'a App,
}

impl Rights<'_> {
    /// The leads that are one person: the lead first.
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

    /// Erases a person. What could not be finished at once is finished by the chore, or by asking again.
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

    /// The first step of an erasure. A lead whose term is not over is kept.
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

    /// Everything of erasures that comes after their rows; returns how many are finished. The others are gone on with
    /// later.
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

    /// Once for all that was erased together: it takes a while. `false`: it could not be done now.
    async fn forget_statistics(self) -> bool {
        let end = self.app.store.forget_statistics().await;
        if let Err(error) = &end {
            tracing::warn!(%error, "what the database knows of erased values could not be made anew; it is tried again later");
        }
        end.is_ok()
    }

    /// `false`: somebody may still write about the lead.
    async fn settle(self, lead: LeadId) -> Result<bool, AppError> {
        let kept = self.app.store.kept_blobs(lead).await?;
        self.app.blobs.erase_lead(lead, &kept).await?;
        // The company's figures no longer count it.
        self.app.store.project(vec![(lead, Touch::anew())]).await?;
        if !self.app.store.settle_erasure(lead).await? {
            return Ok(false);
        }
        // Nobody writes about it any more. A write in between counted the lead again, or put bytes.
        self.app.store.project(vec![(lead, Touch::anew())]).await?;
        self.app.blobs.erase_lead(lead, &kept).await?;
        Ok(true)
    }

    /// Goes on with the erasures that were not finished; returns how many are now.
    pub async fn finish_erasures(self) -> Result<usize, AppError> {
        let open = self.app.store.open_erasures(SLICE).await?;
        let leads: Vec<LeadId> = open.iter().map(|erasure| erasure.lead).collect();
        self.finish(&leads).await
    }

    /// Deletes blocked quotes whose legal term is over, with their PDFs; returns how many.
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

    /// A client asks for something on the page of their quote. It is written down and the company is told, once a
    /// while; a person grants it. `false`: it was asked for before.
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
        self.app.studio.notify();
        Ok(done == Done::Now)
    }

    /// What a person asked for and waits for still, the oldest first.
    pub fn waiting(events: &[Event]) -> Vec<&Event> {
        let last = |kind| events.iter().filter(|e| e.kind == kind).map(|e| e.creado_en).max();
        let granted = last(EventKind::RightGranted);
        let waits = |e: &&Event| e.kind == EventKind::RightAsked && granted.is_none_or(|at| at < e.creado_en);
        events.iter().filter(waits).collect()
    }

    /// Somebody says that what a person asked for was done; nothing happens where nobody waits.
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
        // Their next page shows it.
        self.app.store.project(vec![(lead, Touch::anew())]).await?;
        Ok(())
    }
}

//! What people may ask for of their data: a copy of it, and that it is erased; and how long a company keeps it by itself.
//!
//! An erasure is written down first and gone on with until nothing is left, whoever died meanwhile: rows at once, then what others wrote
//! while they went, then bytes. Nothing that tells who it was is in the log, in the audit log or in what is kept of the erasure.

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
use embudo_store::rights::{EraseLead, Erasure};
use embudo_store::touches::Touch;
use embudo_store::{CallKey, Done, Outcome, StoreError};
use jiff::SignedDuration;

pub use export::{Archive, ArchiveError};
pub(crate) use passes::{Generations, kept_as};
pub use retention::{DryRun, Forgotten};
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
        let mut erased = Erased::Whole;
        // Who it is united with is known as long as it is there: the others go first.
        for one in self.person(lead, reach).await?.into_iter().rev() {
            if self.erase_one(one, reason, actor).await? == Erased::Going {
                erased = Erased::Going;
            }
        }
        Ok(erased)
    }

    async fn erase_one(self, lead: LeadId, reason: ErasureReason, actor: &Actor) -> Result<Erased, AppError> {
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
        self.app.store.erase_lead(EraseLead { lead, reason, who, retention, audit, at }).await?;
        tracing::info!(lead.id = %lead, reason = reason.as_str(), "a lead was erased");
        self.go_on(lead).await
    }

    /// Everything of an erasure that comes after its rows.
    async fn go_on(self, lead: LeadId) -> Result<Erased, AppError> {
        let kept = self.app.store.kept_blobs(lead).await?;
        self.app.blobs.erase_lead(lead, &kept).await?;
        // The company's figures no longer count it.
        self.app.store.project(vec![(lead, Touch::anew())]).await?;
        if !self.app.store.settle_erasure(lead).await? {
            return Ok(Erased::Going);
        }
        // Nobody writes about it any more. Whoever did meanwhile had it counted again, or put bytes.
        self.app.store.project(vec![(lead, Touch::anew())]).await?;
        self.app.blobs.erase_lead(lead, &kept).await?;
        self.app.store.end_erasure(lead, self.app.now()).await?;
        Ok(Erased::Whole)
    }

    /// Goes on with the erasures that were not finished; returns how many are now.
    pub async fn finish_erasures(self) -> Result<usize, AppError> {
        let open = self.app.store.open_erasures(SLICE).await?;
        let mut finished = 0;
        for Erasure { lead, .. } in open {
            finished += usize::from(self.go_on(lead).await? == Erased::Whole);
        }
        Ok(finished)
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
        Ok(over.len())
    }

    /// A client asks for something on the page of their quote. It is written down and the company is told, once a while; a person grants
    /// it. `false`: it was asked for before.
    pub async fn ask(self, presupuesto: &Presupuesto, what: RightAsked) -> Result<bool, AppError> {
        let (lead, at) = (presupuesto.lead, self.app.now());
        let event = Event {
            kind: EventKind::RightAsked,
            simulated: false,
            ok: true,
            detail: Some(what.words().to_owned()),
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

//! Passes that were revoked: from then on only those of the next generation open their thing.
//!
//! Whether a pass opens is asked of the database. To write one, what is known here is enough: another process hears of
//! a revocation within a minute, and until then writes links that are already revoked.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use embudo_delivery::{InvalidPass, Pass};
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::{Digest, EmpresaId, LeadId};
use embudo_store::StoreError;
use uuid::Uuid;

use super::Rights;
use crate::{Actor, App, AppError};

/// Things whose passes were revoked.
#[derive(Debug, Default)]
pub(crate) struct Generations(RwLock<HashMap<Uuid, u16>>);

impl App {
    /// Which passes open a thing, as far as is known here.
    pub(crate) fn generation(&self, thing: Uuid) -> u16 {
        let known = self.generations.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&thing).copied().unwrap_or(0)
    }
}

impl Rights<'_> {
    /// What a pass opens. One that was revoked was good once.
    pub async fn open_pass(self, text: &str) -> Result<Result<Pass, InvalidPass>, AppError> {
        let (pass, generation) = match self.app.outbound.passes.read_nth(text, self.app.now()) {
            Ok(read) => read,
            Err(error) => return Ok(Err(error)),
        };
        let thing = match pass {
            Pass::Form(lead) => lead.0,
            Pass::Presupuesto(presupuesto) => presupuesto.0,
            Pass::Visita(visita) => visita.0,
            // These are never revoked: taking a consent back must always be possible.
            Pass::Consentimientos(_) | Pass::Ticket { .. } | Pass::SetUp | Pass::Device(_) => {
                return Ok(if generation == 0 { Ok(pass) } else { Err(InvalidPass::False) });
            }
        };
        let is_good = self.opens(thing, generation, text).await?;
        Ok(if is_good { Ok(pass) } else { Err(InvalidPass::Expired) })
    }

    /// Whose thing a pass was made for, also one that opens nothing any more.
    pub async fn empresa_of_pass(self, text: &str) -> Result<Option<EmpresaId>, AppError> {
        let store = &self.app.store;
        Ok(match self.app.outbound.passes.named(text) {
            Some(Pass::Form(lead) | Pass::Consentimientos(lead)) => store.lead_empresa(lead).await?,
            Some(Pass::Presupuesto(id)) => match store.presupuesto(id).await {
                Ok(quote) => Some(quote.empresa),
                Err(StoreError::PresupuestoNotFound) => None,
                Err(error) => return Err(error.into()),
            },
            Some(Pass::Visita(id)) => store.visita(id).await?.map(|visita| visita.empresa),
            Some(Pass::Ticket { .. } | Pass::SetUp | Pass::Device(_)) | None => None,
        })
    }

    /// Whether what somebody brings, written after this many revocations, opens a thing: it is of the generation in
    /// force, or was kept when the others were revoked.
    pub(crate) async fn opens(self, thing: Uuid, generation: u16, brought: &str) -> Result<bool, AppError> {
        let in_force = self.app.store.pass_generation(thing).await?;
        Ok(in_force == i64::from(generation)
            || in_force > 0 && self.app.store.pass_generation(kept_as(brought)).await? == in_force)
    }

    /// Learns how often the passes to a lead's form were revoked, right after that may have changed.
    pub(crate) async fn know_generation(self, lead: LeadId) -> Result<(), AppError> {
        let found = u16::try_from(self.app.store.pass_generation(lead.0).await?).unwrap_or(u16::MAX);
        if found != self.app.generation(lead.0) {
            self.app.generations.0.write().unwrap_or_else(PoisonError::into_inner).insert(lead.0, found);
        }
        Ok(())
    }

    /// The links to something of a lead's that are out there open nothing any more; those that are made from now on do.
    pub async fn revoke(self, lead: LeadId, thing: Uuid, what: &str, actor: &Actor) -> Result<(), AppError> {
        let empresa = self.app.store.lead_empresa(lead).await?.ok_or(StoreError::LeadNotFound)?;
        let audit = AuditEntry {
            empresa: Some(empresa),
            object: Some(lead.to_string()),
            after: Some(what.to_owned()),
            ..self.app.access().audit(actor, AuditAction::PassRevoked)
        };
        self.app.store.revoke_passes(lead, thing, self.app.now(), audit).await?;
        self.know_generations().await
    }

    /// The same for all of a lead's quotes: the page of one that was replaced leads to the next.
    pub async fn revoke_quotes(self, lead: LeadId, actor: &Actor) -> Result<(), AppError> {
        for quote in self.app.store.presupuestos(lead).await? {
            self.revoke(lead, quote.id.0, &format!("presupuesto {}", quote.number), actor).await?;
        }
        Ok(())
    }

    /// Learns of revocations, by whichever process.
    pub async fn know_generations(self) -> Result<(), AppError> {
        let found = self.app.store.pass_generations().await?;
        let found = found.into_iter().map(|(thing, n)| (thing, u16::try_from(n).unwrap_or(u16::MAX)));
        *self.app.generations.0.write().unwrap_or_else(PoisonError::into_inner) = found.collect();
        Ok(())
    }
}

/// Under which id a pass, or the secret of a page, is kept when the others are revoked.
pub(crate) fn kept_as(brought: &str) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Digest::of(brought.as_bytes()).0[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

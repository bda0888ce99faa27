//! Revoked passes. Revoking raises the generation of a thing (a form, a quote or a visit); afterwards only passes of
//! the new generation are valid.
//!
//! Whether a pass is valid is always checked in the database. For writing a pass the cached generation is enough:
//! another process learns of a revocation within a minute, and until then it writes links that are already revoked.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use embudo_delivery::{InvalidPass, Pass};
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::{Digest, EmpresaId, LeadId};
use embudo_store::StoreError;
use uuid::Uuid;

use super::Rights;
use crate::{Actor, App, AppError};

/// The generations of things whose passes were revoked.
#[derive(Debug, Default)]
pub(crate) struct Generations(RwLock<HashMap<Uuid, u16>>);

impl App {
    /// The cached generation of a thing's passes.
    pub(crate) fn generation(&self, thing: Uuid) -> u16 {
        let known = self.generations.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&thing).copied().unwrap_or(0)
    }
}

impl Rights<'_> {
    /// What a pass gives access to. A revoked pass counts as expired, because it was valid once.
    pub async fn open_pass(self, text: &str) -> Result<Result<Pass, InvalidPass>, AppError> {
        let (pass, generation) = match self.app.outbound.passes.read_nth(text, self.app.now()) {
            Ok(read) => read,
            Err(error) => return Ok(Err(error)),
        };
        let thing = match pass {
            Pass::Form(lead) => lead.0,
            Pass::Presupuesto(presupuesto) => presupuesto.0,
            Pass::Visita(visita) => visita.0,
            // Passes of these kinds are never revoked: withdrawing a consent, for example, must always be possible.
            Pass::Consentimientos(_) | Pass::Ticket { .. } | Pass::SetUp | Pass::Device(_) => {
                return Ok(if generation == 0 { Ok(pass) } else { Err(InvalidPass::False) });
            }
        };
        let is_good = self.opens(thing, generation, text).await?;
        Ok(if is_good { Ok(pass) } else { Err(InvalidPass::Expired) })
    }

    /// The company of the thing that a pass was made for, even if the pass is no longer valid.
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

    /// Whether a pass or secret, written with this generation, gives access to a thing: the generation is the present
    /// one, or this pass was kept when the others were revoked.
    pub(crate) async fn opens(self, thing: Uuid, generation: u16, brought: &str) -> Result<bool, AppError> {
        let in_force = self.app.store.pass_generation(thing).await?;
        Ok(in_force == i64::from(generation)
            || in_force > 0 && self.app.store.pass_generation(kept_as(brought)).await? == in_force)
    }

    /// Refreshes the cached generation of a lead's form, right after it may have changed.
    pub(crate) async fn know_generation(self, lead: LeadId) -> Result<(), AppError> {
        let found = u16::try_from(self.app.store.pass_generation(lead.0).await?).unwrap_or(u16::MAX);
        if found != self.app.generation(lead.0) {
            self.app.generations.0.write().unwrap_or_else(PoisonError::into_inner).insert(lead.0, found);
        }
        Ok(())
    }

    /// Revokes the existing links to one thing of a lead: its form, a quote or a visit. Links that are made afterwards
    /// are valid. `what` names the thing in the audit log.
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

    /// Revokes the existing links to all of a lead's quotes, because the page of a replaced quote links to the next
    /// one.
    pub async fn revoke_quotes(self, lead: LeadId, actor: &Actor) -> Result<(), AppError> {
        for quote in self.app.store.presupuestos(lead).await? {
            self.revoke(lead, quote.id.0, &format!("presupuesto {}", quote.number), actor).await?;
        }
        Ok(())
    }

    /// Refreshes the cache with the revocations of all processes.
    pub async fn know_generations(self) -> Result<(), AppError> {
        let found = self.app.store.pass_generations().await?;
        let found = found.into_iter().map(|(thing, n)| (thing, u16::try_from(n).unwrap_or(u16::MAX)));
        *self.app.generations.0.write().unwrap_or_else(PoisonError::into_inner) = found.collect();
        Ok(())
    }
}

/// The id under which a pass, or the secret of a page, is stored when it is kept while others are revoked.
pub(crate) fn kept_as(brought: &str) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Digest::of(brought.as_bytes()).0[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

//! A form that was sent becomes a lead: once, however often it is sent.

use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::lead::{ContactPatch, NewLead};
use embudo_domain::obra::ObraPatch;
use embudo_domain::record::LeadRecord;
use embudo_domain::{Digest, LeadId};
use embudo_store::lead_writes::{Answer, ClearPerfil, UpdatePerfil};
use embudo_store::leads::UpdateContact;
use embudo_store::{CallKey, Done, Outcome, StoreError};
use jiff::SignedDuration;

use super::passes::{PageSecret, TICKET_LIFE, Ticket};
use super::{Forms, once};
use crate::AppError;
use crate::notices::Notice;
use crate::rights::kept_as;

/// How long a person may pause in the form before the company hears of it half done.
const PAUSE: SignedDuration = SignedDuration::from_mins(30);

impl Forms<'_> {
    /// Makes the lead of a page that was sent. The same page sent again, because the answer was lost or the person went
    /// back and corrected something, is the same lead with the later data. The ticket alone, which stands in addresses,
    /// opens no lead: another page under it makes a lead of its own. None: the lead was erased since, or the links to
    /// it were revoked, and the page is not a way around it.
    pub async fn sign_up(
        self,
        ticket: Ticket,
        secret: &PageSecret,
        new: NewLead,
    ) -> Result<Option<LeadId>, AppError> {
        let lead = LeadId::of_form(ticket.id, secret.as_str());
        if !self.app.rights().opens(lead.0, 0, secret.as_str()).await? {
            return Ok(None);
        }
        match self.sign_up_once(lead, secret, &new).await {
            Ok(Done::Now) => Ok(Some(lead)),
            Ok(_) => {
                self.correct(&self.app.store.record(lead).await?, secret, new).await?;
                Ok(Some(lead))
            }
            Err(AppError::Store(StoreError::LeadNotFound | StoreError::KeyReused)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The key keeps the hash of the secret beside the lead, and goes with it when it is erased.
    async fn sign_up_once(self, lead: LeadId, secret: &PageSecret, new: &NewLead) -> Result<Done, AppError> {
        let hash = Digest::of(secret.as_str().as_bytes()).0;
        let once = CallKey { cuerpo_sha256: hash, ..once("alta", lead, TICKET_LIFE) };
        // The company hears once, with all the data: when the form is complete, or when the person went no further.
        let notice = self.app.jobs().notice_of_form(&Notice::HalfDoneForm, Some(self.app.now() + PAUSE));
        let idempotency = once.with(Outcome::LeadCreated { id: lead }, Vec::new(), self.app.now());
        self.app.leads().create_telling(lead, new.clone(), Some(idempotency), notice).await
    }

    /// Corrects contact data through a pass, or through a page that is sent again. Another e-mail revokes every other
    /// pass: a link that went to an address by mistake opens nothing any more.
    pub async fn correct_contact(
        self,
        lead: LeadId,
        patch: ContactPatch,
        obra: ObraPatch,
        through: &str,
    ) -> Result<(), AppError> {
        let (through, at) = (Some(kept_as(through)), self.app.now());
        self.app.store.update_contact(UpdateContact { lead, patch, obra, through, at }).await?;
        self.app.rights().know_generation(lead).await
    }

    /// The later data, and a changed mind about consents: the ledger says what was said last.
    async fn correct(self, before: &LeadRecord, secret: &PageSecret, new: NewLead) -> Result<(), AppError> {
        let (lead, at, patch) = (before.lead.id, self.app.now(), contact(&new));
        let obra = new.obra.clone().into();
        self.correct_contact(lead, patch, obra, secret.as_str()).await?;
        if new.perfil.m2_suelo.is_none() && before.lead.perfil.m2_suelo.is_some() {
            self.app.store.clear_perfil(ClearPerfil { lead, answers: vec![Answer::M2Suelo], at }).await?;
        }
        self.app
            .store
            .update_perfil(UpdatePerfil {
                lead,
                perfil: new.perfil,
                m2_is_estimate: true,
                at,
                idempotency: None,
            })
            .await?;
        let changed = |c: &Consentimiento| {
            let same = |d: &&Consentimiento| d.purpose == c.purpose && d.channel == c.channel;
            before.consentimientos.iter().rev().find(same).is_none_or(|d| d.granted != c.granted)
        };
        let changed_ones: Vec<_> = new.consentimientos.into_iter().filter(changed).collect();
        if !changed_ones.is_empty() {
            self.record_consentimientos(lead, changed_ones).await?;
        }
        Ok(())
    }
}

/// The contact data of a lead that exists already.
fn contact(new: &NewLead) -> ContactPatch {
    ContactPatch {
        nombre: Some(new.nombre.clone()),
        telefono: Some(new.telefono.clone()),
        email: Some(new.email.clone()),
        provincia: new.provincia.clone(),
    }
}

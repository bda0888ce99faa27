//! Turns a sent form into a lead: once, however often the form is sent.

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

/// How long a person may pause in the form before the company is notified of the unfinished form.
const PAUSE: SignedDuration = SignedDuration::from_mins(30);

impl Forms<'_> {
    /// Creates the lead of a page that was sent. If the same page is sent again, because the answer was lost or the
    /// person went back and corrected something, it is the same lead with the later data. The ticket is part of
    /// addresses, so the ticket alone gives no access to a lead: another page with the same ticket creates a lead of
    /// its own. `None`: the lead was erased since, or its links were revoked, and the page must not be a way around
    /// that.
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

    /// The idempotency key stores the hash of the secret next to the lead, and is deleted when the lead is erased.
    async fn sign_up_once(self, lead: LeadId, secret: &PageSecret, new: &NewLead) -> Result<Done, AppError> {
        let hash = Digest::of(secret.as_str().as_bytes()).0;
        let once = CallKey { cuerpo_sha256: hash, ..once("alta", lead, TICKET_LIFE) };
        // The company gets one notice, with all the data: when the form is complete, or when the person stopped before
        // its end.
        let notice = self.app.jobs().notice_of_form(&Notice::HalfDoneForm, Some(self.app.now() + PAUSE));
        let idempotency = once.with(Outcome::LeadCreated { id: lead }, Vec::new(), self.app.now());
        self.app.leads().create_telling(lead, new.clone(), Some(idempotency), notice).await
    }

    /// Corrects contact data, through a pass or through a page that is sent again. A changed e-mail revokes every other
    /// pass, so that a link that was mailed to a wrong address is no longer valid.
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

    /// Stores the later data and any changed consents: in the ledger the last entry counts.
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

/// The contact data for a lead that already exists.
fn contact(new: &NewLead) -> ContactPatch {
    ContactPatch {
        nombre: Some(new.nombre.clone()),
        telefono: Some(new.telefono.clone()),
        email: Some(new.email.clone()),
        provincia: new.provincia.clone(),
    }
}

//! A form that was sent becomes a lead: once, however often it is sent.

use embudo_domain::LeadId;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::lead::Lead;
use embudo_domain::lead::{ContactPatch, NewLead};
use embudo_domain::record::LeadRecord;
use embudo_domain::search::fold;
use embudo_store::lead_writes::{Answer, ClearPerfil, UpdatePerfil};
use embudo_store::leads::UpdateContact;
use embudo_store::{Done, Outcome};
use jiff::SignedDuration;

use super::passes::TICKET_LIFE;
use super::{Forms, once};
use crate::AppError;
use crate::notices::Notice;

/// How long a person may pause in the form before the company hears of it half done.
const PAUSE: SignedDuration = SignedDuration::from_mins(30);

impl Forms<'_> {
    /// Makes the lead of a form that was sent. Sent again, because the answer was lost or the person went back and corrected
    /// something, it is the same lead with the later data. Addresses with a ticket are passed on now and then: somebody of
    /// another name, telephone and e-mail gets a lead of their own. None: the links to that lead were revoked since, and a ticket is not
    /// a way around it.
    pub async fn sign_up(self, ticket: LeadId, new: NewLead) -> Result<Option<LeadId>, AppError> {
        if self.is_revoked(ticket).await? {
            return Ok(None);
        }
        if self.sign_up_once(ticket, &new).await? == Done::Now {
            return Ok(Some(ticket));
        }
        let antes = self.app.store.record(ticket).await?;
        if is_same_person(&antes.lead, &new) {
            self.correct(&antes, new).await?;
            return Ok(Some(ticket));
        }
        let another = ticket.of_another_person(&new.telefono, &new.email);
        if self.is_revoked(another).await? {
            return Ok(None);
        }
        if self.sign_up_once(another, &new).await? != Done::Now {
            self.correct(&self.app.store.record(another).await?, new).await?;
        }
        Ok(Some(another))
    }

    async fn is_revoked(self, lead: LeadId) -> Result<bool, AppError> {
        Ok(self.app.store.pass_generation(lead.0).await? > 0)
    }

    async fn sign_up_once(self, lead: LeadId, new: &NewLead) -> Result<Done, AppError> {
        let once = once("alta", lead, TICKET_LIFE);
        // The company hears once, with all the data: when the form is complete, or when the person went no further.
        let notice = self.app.jobs().notice_of_form(&Notice::HalfDoneForm, Some(self.app.now() + PAUSE));
        let idempotency = once.with(Outcome::LeadCreated { id: lead }, Vec::new(), self.app.now());
        self.app.leads().create_telling(lead, new.clone(), Some(idempotency), notice).await
    }

    /// The later data, and a changed mind about consents: the ledger says what was said last.
    async fn correct(self, antes: &LeadRecord, new: NewLead) -> Result<(), AppError> {
        let (lead, at, patch) = (antes.lead.id, self.app.now(), contact(&new));
        let obra = new.obra.clone().into();
        self.app.store.update_contact(UpdateContact { lead, patch, obra, at }).await?;
        if new.perfil.m2_suelo.is_none() && antes.lead.perfil.m2_suelo.is_some() {
            self.app.store.clear_perfil(ClearPerfil { lead, answers: vec![Answer::M2Suelo], at }).await?;
        }
        self.app
            .store
            .update_perfil(UpdatePerfil { lead, perfil: new.perfil, at, idempotency: None })
            .await?;
        let changed = |c: &Consentimiento| {
            let same = |d: &&Consentimiento| d.purpose == c.purpose && d.channel == c.channel;
            antes.consentimientos.iter().rev().find(same).is_none_or(|d| d.granted != c.granted)
        };
        let changed_ones: Vec<_> = new.consentimientos.into_iter().filter(changed).collect();
        if !changed_ones.is_empty() {
            self.record_consentimientos(lead, changed_ones).await?;
        }
        Ok(())
    }
}

/// Whether a form that was sent again is a correction: something that names a person is still the same.
fn is_same_person(antes: &Lead, new: &NewLead) -> bool {
    antes.telefono_e164 == new.telefono.e164
        || antes.email.to_lowercase() == new.email.normal
        || fold(&antes.nombre) == fold(&new.nombre)
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

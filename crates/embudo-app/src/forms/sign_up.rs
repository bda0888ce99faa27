//! A form that was sent becomes a lead: once, however often it is sent.

use embudo_domain::LeadId;
use embudo_domain::busqueda::plegar;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::ficha::{Ficha, Lead};
use embudo_domain::lead::{ContactoPatch, NuevoLead};
use embudo_store::command::{Answer, ClearPerfil, UpdateContacto, UpdatePerfil};
use embudo_store::{Hecho, Outcome};
use jiff::SignedDuration;

use super::passes::VIDA_DEL_BOLETO;
use super::{Forms, once};
use crate::AppError;
use crate::avisos::Aviso;

/// How long a person may pause in the form before the company hears of it half done.
const PAUSA: SignedDuration = SignedDuration::from_mins(30);

impl Forms<'_> {
    /// Makes the lead of a form that was sent. Sent again, because the answer was lost or the person went back and corrected
    /// something, it is the same lead with the later data. Addresses with a ticket are passed on now and then: somebody of
    /// another name, telephone and e-mail gets a lead of their own.
    pub async fn sign_up(self, boleto: LeadId, nuevo: NuevoLead) -> Result<LeadId, AppError> {
        if self.sign_up_once(boleto, &nuevo).await? == Hecho::Ahora {
            return Ok(boleto);
        }
        let antes = self.app.store.ficha(boleto).await?;
        if is_same_person(&antes.lead, &nuevo) {
            self.correct(&antes, nuevo).await?;
            return Ok(boleto);
        }
        let otra = boleto.de_otra_persona(&nuevo.telefono, &nuevo.email);
        if self.sign_up_once(otra, &nuevo).await? != Hecho::Ahora {
            self.correct(&self.app.store.ficha(otra).await?, nuevo).await?;
        }
        Ok(otra)
    }

    async fn sign_up_once(self, lead: LeadId, nuevo: &NuevoLead) -> Result<Hecho, AppError> {
        let una_vez = once("alta", lead, VIDA_DEL_BOLETO);
        // The company hears once, with all the data: when the form is complete, or when the person went no further.
        let aviso = self.app.jobs().notice_of_form(&Aviso::FormularioAMedias, Some(self.app.ahora() + PAUSA));
        let idempotencia = una_vez.with(Outcome::LeadCreated { id: lead }, Vec::new(), self.app.ahora());
        self.app.leads().create_telling(lead, nuevo.clone(), Some(idempotencia), aviso).await
    }

    /// The later data, and a changed mind about consents: the ledger says what was said last.
    async fn correct(self, antes: &Ficha, nuevo: NuevoLead) -> Result<(), AppError> {
        let (lead, en, patch) = (antes.lead.id, self.app.ahora(), contacto(&nuevo));
        self.app.store.update_contacto(UpdateContacto { lead, patch, en }).await?;
        if nuevo.perfil.m2_suelo.is_none() && antes.lead.perfil.m2_suelo.is_some() {
            self.app.store.clear_perfil(ClearPerfil { lead, answers: vec![Answer::M2Suelo], en }).await?;
        }
        self.app
            .store
            .update_perfil(UpdatePerfil { lead, perfil: nuevo.perfil, en, idempotencia: None })
            .await?;
        let changed = |c: &Consentimiento| {
            let same = |d: &&Consentimiento| d.finalidad == c.finalidad && d.canal == c.canal;
            antes.consentimientos.iter().rev().find(same).is_none_or(|d| d.otorgado != c.otorgado)
        };
        let cambiados: Vec<_> = nuevo.consentimientos.into_iter().filter(changed).collect();
        if !cambiados.is_empty() {
            self.record_consentimientos(lead, cambiados).await?;
        }
        Ok(())
    }
}

/// Whether a form that was sent again is a correction: something that names a person is still the same.
fn is_same_person(antes: &Lead, nuevo: &NuevoLead) -> bool {
    antes.telefono_e164 == nuevo.telefono.e164
        || antes.email.to_lowercase() == nuevo.email.normal
        || plegar(&antes.nombre) == plegar(&nuevo.nombre)
}

/// The contact data of a lead that exists already.
fn contacto(nuevo: &NuevoLead) -> ContactoPatch {
    ContactoPatch {
        nombre: Some(nuevo.nombre.clone()),
        telefono: Some(nuevo.telefono.clone()),
        email: Some(nuevo.email.clone()),
        provincia: nuevo.provincia.clone(),
    }
}

//! The answers that a person gives in the steps of the form after their lead exists.

use embudo_domain::LeadId;
use embudo_domain::lead::{ContactPatch, Lead};
use embudo_domain::obra::{Obra, ObraPatch};
use embudo_domain::perfil::Perfil;
use embudo_store::lead_writes::{Answer, ClearPerfil, UpdatePerfil};
use embudo_store::leads::UpdateContact;

use super::Forms;
use crate::AppError;

impl Forms<'_> {
    /// Stores the answers of a step, and clears the answers that the person has withdrawn.
    pub async fn answer(self, lead: &Lead, perfil: Perfil, withdrawn: &[Answer]) -> Result<(), AppError> {
        self.take_back(lead, withdrawn).await?;
        if perfil == Perfil::default() {
            return Ok(());
        }
        let (lead, at) = (lead.id, self.app.now());
        let command = UpdatePerfil { lead, perfil, m2_is_estimate: true, at, idempotency: None };
        self.app.store.update_perfil(command).await?;
        Ok(())
    }

    /// Stores how large the person thinks the area is, or that they do not know it. An area that was measured and is
    /// not changed here stays measured.
    pub async fn answer_area(self, lead: &Lead, m2: Option<f64>) -> Result<(), AppError> {
        if m2.is_none() {
            return self.take_back(lead, &[Answer::M2Suelo]).await;
        }
        if m2 == lead.perfil.m2_suelo {
            return Ok(());
        }
        self.update_obra(lead.id, Obra { m2_estimado: m2, ..Obra::default() }.into()).await?;
        self.answer(lead, Perfil { m2_suelo: m2, ..Perfil::default() }, &[]).await
    }

    /// Stores what the person says about the dwelling.
    pub async fn answer_obra(self, lead: LeadId, obra: ObraPatch) -> Result<(), AppError> {
        match obra.is_empty() {
            true => Ok(()),
            false => self.update_obra(lead, obra).await,
        }
    }

    async fn update_obra(self, lead: LeadId, obra: ObraPatch) -> Result<(), AppError> {
        let (patch, at) = (ContactPatch::default(), self.app.now());
        self.app.store.update_contact(UpdateContact { lead, patch, obra, through: None, at }).await?;
        Ok(())
    }

    /// Clears those of the answers that the lead has.
    async fn take_back(self, lead: &Lead, answers: &[Answer]) -> Result<(), AppError> {
        let perfil = &lead.perfil;
        let is_given = |answer: &Answer| match answer {
            Answer::M2Suelo => perfil.m2_suelo.is_some(),
            Answer::Estructural => perfil.estructural.is_some(),
            Answer::Presupuesto => {
                perfil.presupuesto_declarado.is_some() || perfil.presupuesto_target_cents.is_some()
            }
            Answer::TasteText => perfil.taste_text.is_some(),
        };
        let answers: Vec<Answer> = answers.iter().copied().filter(is_given).collect();
        if answers.is_empty() {
            return Ok(());
        }
        let (lead, at) = (lead.id, self.app.now());
        Ok(self.app.store.clear_perfil(ClearPerfil { lead, answers, at }).await?)
    }
}

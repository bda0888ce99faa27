//! Corrections of a lead: contact data, consents, answers, notes, and all fields of its page.

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::lead::Lead;
use embudo_domain::perfil::Perfil;
use embudo_domain::{LeadId, Timestamp};

use super::cells::filled;
use super::{Engine, Load, Lock, ROW, Tx, audit, obra, run, run_all, sql};
use crate::edited::Edited;
use crate::lead_edits::{EditLead, new_states};
use crate::lead_writes::{Answer, ClearPerfil, SetNota};
use crate::leads::{UpdateContact, search_text};
use crate::queries::rights::{revoke_others, wrote};
use crate::queries::{Statement, lead as queries};
use crate::touches::Touch;
use crate::{LeadEditStore, Result, StoreError};

#[async_trait]
impl<E: Engine> LeadEditStore for E {
    async fn edit_lead(&self, command: EditLead) -> Result<Edited> {
        let (lead, load) = (command.lead, Load::on(command.lead.0).and(8 * ROW));
        let edited = self.write(load, command, |tx, command| Box::pin(edit(tx, command))).await?;
        self.touched().note(lead, Touch::anew());
        Ok(edited)
    }

    async fn update_contact(&self, command: UpdateContact) -> Result<()> {
        let lead = command.lead;
        self.write(Load::on(lead.0), command, |tx, command| Box::pin(correct(tx, command))).await?;
        self.touched().note(lead, Touch::anew());
        Ok(())
    }

    async fn record_consentimientos(
        &self,
        lead: LeadId,
        new: Vec<Consentimiento>,
        at: Timestamp,
    ) -> Result<()> {
        let load = Load::on(lead.0).and(ROW * new.len());
        self.write(load, (lead, new, at), |tx, (lead, new, at)| Box::pin(consent(tx, *lead, new, *at)))
            .await?;
        self.touched().note(lead, Touch::seen());
        Ok(())
    }

    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()> {
        let lead = command.lead;
        let taken = |answer| command.answers.contains(&answer);
        let clear = sql!(
            "lead/clear_perfil.sql",
            lead: lead.0,
            now: command.at,
            m2_suelo: taken(Answer::M2Suelo),
            estructural: taken(Answer::Estructural),
            presupuesto: taken(Answer::Presupuesto),
            taste_text: taken(Answer::TasteText),
        );
        match run(self, Load::on(lead.0), clear).await? {
            0 => Err(StoreError::LeadNotFound),
            _ => {
                self.touched().note(lead, Touch::seen());
                Ok(())
            }
        }
    }

    async fn set_nota(&self, command: SetNota) -> Result<()> {
        let (lead, touch) = (command.lead, Touch::activity(command.at));
        let load = Load::on(lead.0).and(command.text.as_ref().map_or(0, String::len));
        self.write(load, command, |tx, command| Box::pin(note(tx, command))).await?;
        self.touched().note(lead, touch);
        Ok(())
    }
}

/// Writes a person's changes, unless another person changed the same fields since.
async fn edit(tx: &Tx<'_>, command: &EditLead) -> Result<Edited> {
    let lead = command.lead;
    // Read after the lock, so that nobody can change the lead before it is written.
    tx.lock(Lock::Lead(lead)).await?;
    let now = tx.first(queries::get(lead)).await?.ok_or(StoreError::LeadNotFound)?;
    let now = Lead { obra: tx.first(queries::obra(lead)).await?.unwrap_or_default(), ..now };
    let (facts, entry) = match command.decide(&now) {
        Ok(decided) => decided,
        Err(end) => return Ok(end),
    };
    let (telefono, email) = (&facts.telefono, &facts.email);
    let search = search_text(&facts.nombre, &email.typed, &telefono.e164, facts.provincia.as_deref());
    let edit = filled(include_str!("../../sql/lead/edit.sql"), Perfil::COLUMNS, facts.perfil.cells())
        .bind("lead", lead.0)
        .bind("now", command.at)
        .bind("nombre", &facts.nombre)
        .bind("telefono", &telefono.typed)
        .bind("telefono_e164", &telefono.e164)
        .bind("email", &email.typed)
        .bind("email_normal", &email.normal)
        .bind("provincia", &facts.provincia)
        .bind("busqueda", search);
    tx.run(edit).await?;
    if facts.obra != now.obra {
        tx.run(obra::put(lead, &facts.obra)).await?;
    }
    for (campo, valor) in new_states(&facts, &now) {
        tx.run(sql!("estado_historia/insert.sql", lead: lead.0, campo, valor, now: command.at)).await?;
    }
    audit::tell(tx, &entry).await?;
    Ok(Edited::Saved)
}

async fn correct(tx: &Tx<'_>, command: &UpdateContact) -> Result<()> {
    tx.lock(Lock::Lead(command.lead)).await?;
    let before = tx.first(queries::contact(command.lead)).await?.ok_or(StoreError::LeadNotFound)?;
    let (nombre, telefono, email_before, provincia) = before;
    let patch = command.patch.clone();
    let nombre = patch.nombre.unwrap_or(nombre);
    let telefono = patch.telefono.unwrap_or(telefono);
    let email = patch.email.unwrap_or_else(|| email_before.clone());
    let provincia = patch.provincia.or(provincia);
    if let Some(through) = command.through.filter(|_| email.normal != email_before.normal) {
        run_all(tx, revoke_others(command.lead, through, command.at)).await?;
    }
    obra::update(tx, command.lead, &command.obra).await?;
    let busqueda = search_text(&nombre, &email.typed, &telefono.e164, provincia.as_deref());
    let update = sql!(
        "lead/update_contacto.sql",
        lead: command.lead.0,
        now: command.at,
        nombre,
        telefono: telefono.typed,
        telefono_e164: telefono.e164,
        email: email.typed,
        email_normal: email.normal,
        provincia,
        busqueda,
    );
    tx.run(update).await.map(drop)
}

async fn consent(tx: &Tx<'_>, lead: LeadId, new: &[Consentimiento], at: Timestamp) -> Result<()> {
    tx.first(queries::empresa(lead)).await?.ok_or(StoreError::LeadNotFound)?;
    for consent in new {
        tx.run(consentimiento(lead, consent, at)).await?;
    }
    Ok(())
}

/// Appends a consent, or its withdrawal.
pub fn consentimiento(lead: LeadId, consent: &Consentimiento, at: Timestamp) -> Statement {
    sql!(
        "consentimiento/insert.sql",
        lead: lead.0,
        finalidad: &consent.purpose,
        canal: &consent.channel,
        texto_version: &consent.texto_version,
        fuente: &consent.source,
        otorgado: consent.granted,
        otorgado_en: consent.otorgado_en.unwrap_or(at),
        now: at,
    )
}

async fn note(tx: &Tx<'_>, command: &SetNota) -> Result<()> {
    let (lead, id, now) = (command.lead.0, command.id.0, command.at);
    tx.first(queries::empresa(command.lead)).await?.ok_or(StoreError::LeadNotFound)?;
    tx.run(wrote(&[command.lead], now)).await?;
    let Some(texto) = &command.text else {
        return tx.run(sql!("nota/delete.sql", lead, id)).await.map(drop);
    };
    if tx.run(sql!("nota/set.sql", lead, id, texto)).await? > 0 {
        return Ok(());
    }
    tx.run(sql!("nota/add.sql", lead, id, texto, zona: command.zona.as_str(), now)).await.map(drop)
}

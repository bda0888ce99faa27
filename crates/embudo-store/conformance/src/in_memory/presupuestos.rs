//! Quotes.

use async_trait::async_trait;
use embudo_domain::job::JobKind;
use embudo_domain::presupuesto::{Presupuesto, PresupuestoState};
use embudo_domain::{LeadId, PresupuestoId};
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, AskVisit, CompletePresupuesto, KeepAccepted, NewPresupuesto,
};
use embudo_store::{PresupuestoReads, PresupuestoStore, Result, StoreError};

use super::Memory;
use crate::model::world::Registered;

#[async_trait]
impl PresupuestoStore for Memory {
    async fn add_presupuesto(&self, command: NewPresupuesto) -> Result<Presupuesto> {
        let mut world = self.world();
        let (lead, content, year) = (command.lead, command.document.digest(), command.year()?);
        let empresa = world.record(lead)?.lead.empresa.id;
        let last = world.presupuestos.iter().rfind(|p| p.lead == lead).cloned();
        if let Some(last) = last.as_ref().filter(|u| command.repeats(u, content)) {
            return Ok(last.clone());
        }
        if world.presupuestos.iter().any(|p| p.id == command.id) {
            return Err(StoreError::Internal("the id is taken".into()));
        }
        let of_series = |p: &&Presupuesto| p.empresa == empresa && p.number.year() == year;
        let orden = world.presupuestos.iter().filter(of_series).count() as i64 + 1;
        let new = command.numbered(content, empresa, orden, last.as_ref())?;
        for p in world.presupuestos.iter_mut().filter(|p| p.lead == lead) {
            if p.state.can_become(PresupuestoState::Superseded) {
                p.state = PresupuestoState::Superseded;
            }
        }
        world.presupuestos.push(new.clone());
        Ok(new)
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let CompletePresupuesto { id, pdf, events, deliveries, mut end, swept } = command;
        let mut world = self.world();
        let Some(lead) = world.put(end.id).ok().filter(|p| p.of(end.who)).map(|p| p.job.lead) else {
            return Ok(false);
        };
        let n = world.presupuestos.iter().position(|p| p.id == id && p.lead == lead);
        let n = n.ok_or(StoreError::PresupuestoNotFound)?;
        if world.presupuestos[n].pdf.is_none() {
            world.use_(lead, &[pdf.digest], &swept)?;
            world.presupuestos[n].pdf = Some(pdf);
        }
        let p = &mut world.presupuestos[n];
        if p.state == PresupuestoState::Preparing {
            (p.state, p.emitido_en) = (PresupuestoState::Emitido, Some(end.at));
        } else {
            end.jobs.retain(|job| job.kind != JobKind::Event);
        }
        let is_delivered = p.state != PresupuestoState::Superseded;
        if !is_delivered {
            end.jobs.clear();
        }
        let at = end.at;
        world.finish(end);
        if is_delivered {
            let new_ones =
                deliveries.into_iter().map(|pdf_order| Registered { of: id, pdf_order, at, remained: None });
            world.deliveries.extend(new_ones);
            world.log(lead)?.record.events.extend(events);
        }
        Ok(true)
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult> {
        let mut world = self.world();
        let p = world.presupuestos.iter_mut().find(|p| p.id == command.id);
        let p = p.ok_or(StoreError::PresupuestoNotFound)?;
        match command.decide(p) {
            Err(answer_result) => return Ok(answer_result),
            Ok(state) => (p.state, p.answer) = (state, Some(command.answer.clone())),
        }
        let lead = p.lead;
        world.log(lead)?.record.events.push(command.event);
        world.enqueue(lead, command.jobs, command.answer.at);
        drop(world);
        if let Some(audit) = command.audit {
            self.people().note(audit);
        }
        Ok(AnswerResult::Done)
    }

    async fn keep_accepted(&self, command: KeepAccepted) -> Result<()> {
        let mut world = self.world();
        let is_it = |p: &Presupuesto| p.id == command.id && p.state == PresupuestoState::Aceptado;
        let n = world.presupuestos.iter().position(is_it).ok_or(StoreError::PresupuestoNotFound)?;
        if world.presupuestos[n].accepted_pdf.is_none() {
            let lead = world.presupuestos[n].lead;
            world.use_(lead, &[command.pdf.digest], &command.swept)?;
            world.presupuestos[n].accepted_pdf = Some(command.pdf);
        }
        Ok(())
    }

    async fn ask_visit(&self, command: AskVisit) -> Result<AnswerResult> {
        let mut world = self.world();
        let p = world.presupuestos.iter_mut().find(|p| p.id == command.id);
        let p = p.ok_or(StoreError::PresupuestoNotFound)?;
        if let Err(answer_result) = command.decide(p) {
            return Ok(answer_result);
        }
        p.visit = Some(command.request.clone());
        let lead = p.lead;
        world.log(lead)?.record.events.push(command.event);
        world.enqueue(lead, command.jobs, command.request.at);
        Ok(AnswerResult::Done)
    }
}

#[async_trait]
impl PresupuestoReads for Memory {
    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto> {
        let world = self.world();
        world.presupuestos.iter().find(|p| p.id == id).cloned().ok_or(StoreError::PresupuestoNotFound)
    }

    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>> {
        let world = self.world();
        world.record(lead)?;
        Ok(world.presupuestos.iter().rev().filter(|p| p.lead == lead).cloned().collect())
    }
}

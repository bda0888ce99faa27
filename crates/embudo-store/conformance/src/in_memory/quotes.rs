//! The model's quotes behind the trait, and what they are made from.

use std::collections::HashMap;

use async_trait::async_trait;
use embudo_domain::brand::Brand;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::empresa::Empresa;
use embudo_domain::presupuesto::{Presupuesto, PresupuestoState};
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, EmpresaId, LeadId, PresupuestoId, Timestamp};
use jiff::civil::Date;

use super::Memory;
use crate::model::world::Registered;
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, CompletePresupuesto, DraftPresupuesto, Presupuestos, StoredBrand,
    StoredTarifa,
};
use embudo_store::{Result, StoreError};

/// What belongs to companies and to the house.
#[derive(Default)]
pub(super) struct Installation {
    /// In the order of loading.
    tarifas: Vec<(EmpresaId, StoredTarifa)>,
    marks: HashMap<EmpresaId, Brand>,
    logos: HashMap<EmpresaId, Vec<u8>>,
    secrets: HashMap<String, [u8; 32]>,
}

impl Memory {
    /// The company's things, if there is such a company.
    fn company_of(&self, empresa: EmpresaId) -> Result<std::sync::MutexGuard<'_, Installation>> {
        let exists = self.world().empresas.iter().any(|e| e.id == empresa);
        if exists { Ok(self.company()) } else { Err(StoreError::EmpresaNotFound) }
    }

    fn company(&self) -> std::sync::MutexGuard<'_, Installation> {
        self.1.lock().expect("no case panics while it holds the model")
    }
}

#[async_trait]
impl Presupuestos for Memory {
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto> {
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
        let new = command.draft(content, empresa, orden, last.as_ref())?;
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
        if p.state == PresupuestoState::Borrador {
            (p.state, p.emitido_en) = (PresupuestoState::Emitido, Some(end.at));
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

    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto> {
        let world = self.world();
        world.presupuestos.iter().find(|p| p.id == id).cloned().ok_or(StoreError::PresupuestoNotFound)
    }

    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>> {
        let world = self.world();
        world.record(lead)?;
        Ok(world.presupuestos.iter().rev().filter(|p| p.lead == lead).cloned().collect())
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
        Ok(AnswerResult::Done)
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()> {
        let mut company = self.company_of(empresa)?;
        match company.tarifas.iter().find(|(of, t)| *of == empresa && t.version == tarifa.version) {
            Some((_, t)) if t.text == tarifa.text && t.since == tarifa.since => Ok(()),
            Some(_) => Err(StoreError::TarifaTaken),
            None => {
                company.tarifas.push((empresa, tarifa));
                Ok(())
            }
        }
    }

    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<StoredTarifa>> {
        let company = self.company();
        let own = company.tarifas.iter().rev().filter(|(of, _)| *of == empresa);
        let mut own: Vec<StoredTarifa> = own.map(|(_, t)| t.clone()).collect();
        own.sort_by_key(|t| std::cmp::Reverse((t.since, t.creada_en)));
        Ok(own)
    }

    async fn current_tarifa(&self, empresa: EmpresaId, day: Date) -> Result<Option<StoredTarifa>> {
        Ok(self.tarifas(empresa).await?.into_iter().find(|t| t.since <= day))
    }

    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()> {
        self.company_of(empresa)?.marks.insert(empresa, brand);
        Ok(())
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        let mut company = self.company_of(empresa)?;
        company.logos.remove(&empresa);
        company.logos.extend(logo.map(|l| (empresa, l)));
        Ok(())
    }

    async fn brand(&self, empresa: EmpresaId) -> Result<StoredBrand> {
        let company = self.company();
        let brand = company.marks.get(&empresa).cloned().unwrap_or_default();
        Ok(StoredBrand { brand, logo: company.logos.get(&empresa).map(|l| Digest::of(l)) })
    }

    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>> {
        Ok(self.company().logos.get(&empresa).cloned())
    }

    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>> {
        let world = self.world();
        let is = |e: &&Empresa| slug.as_ref().map_or(e.por_defecto, |s| e.slug == *s);
        Ok(world.empresas.iter().find(is).cloned())
    }

    async fn ensure_secret(&self, nombre: String, proposed: [u8; 32]) -> Result<[u8; 32]> {
        Ok(*self.company().secrets.entry(nombre).or_insert(proposed))
    }

    async fn save_rendition(&self, rendition: Rendition, swept: Vec<(Digest, i64)>) -> Result<()> {
        let mut world = self.world();
        let (lead, foto) = (rendition.lead, rendition.foto);
        let fotos = world.record(lead).map(|f| f.fotos).unwrap_or_default();
        if !fotos.iter().any(|f| f.id == foto) {
            return Err(StoreError::FotoNotFound);
        }
        let digests: Vec<Digest> = rendition.digests().collect();
        world.use_(lead, &digests, &swept)?;
        world.renditions.retain(|r| (r.lead, r.foto) != (lead, foto));
        world.renditions.push(rendition);
        Ok(())
    }

    async fn renditions(&self, lead: LeadId) -> Result<Vec<Rendition>> {
        Ok(self.world().renditions.iter().filter(|r| r.lead == lead).cloned().collect())
    }

    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        at: Timestamp,
    ) -> Result<()> {
        let mut world = self.world();
        let new_ones = consentimientos
            .into_iter()
            .map(|k| Consentimiento { otorgado_en: k.otorgado_en.or(Some(at)), ..k });
        world.log(lead)?.record.consentimientos.extend(new_ones);
        Ok(())
    }
}

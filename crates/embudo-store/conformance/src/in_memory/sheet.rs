//! A lead's page.

use std::cmp::Reverse;

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::Rol;
use embudo_domain::intento::Channel;
use embudo_domain::lead::{ContactPatch, Lead};
use embudo_domain::next_action::Outlook;
use embudo_domain::nota::NotaInterna;
use embudo_domain::obra::ObraPatch;
use embudo_domain::perfil::Perfil;
use embudo_domain::timeline::{FotoGroup, Moment, QuoteAnswer, SentJob, TimelineCursor};
use embudo_domain::{LeadId, NotaId, Timestamp};
use embudo_store::edited::Edited;
use embudo_store::lead_edits::EditLead;
use embudo_store::lead_writes::{ClearPerfil, SetNota, UpdatePerfil};
use embudo_store::leads::UpdateContact;
use embudo_store::outbox_admin::JobFilter;
use embudo_store::sheet::{LeadSheet, TimelineEntry, TimelinePage};
use embudo_store::{AuditStore as _, LeadEditStore, Result, SheetReads};

use super::Memory;
use crate::model::step::Step;
use crate::model::world::World;

/// The longest text that an entry of the timeline shows.
const MAX_TEXT: usize = 16_001;

#[async_trait]
impl LeadEditStore for Memory {
    async fn edit_lead(&self, command: EditLead) -> Result<Edited> {
        let now = self.world().record(command.lead)?.lead;
        let (facts, entry) = match command.decide(&now) {
            Ok(decided) => decided,
            Err(end) => return Ok(end),
        };
        let (lead, at) = (command.lead, command.at);
        let patch = ContactPatch {
            nombre: Some(facts.nombre.clone()),
            telefono: Some(facts.telefono.clone()),
            email: Some(facts.email.clone()),
            provincia: None,
        };
        self.make(Step::Contact(UpdateContact {
            lead,
            patch,
            obra: ObraPatch::default(),
            through: None,
            at,
        }))?;
        let states = Perfil {
            estado_wa: facts.perfil.estado_wa.filter(|_| facts.perfil.estado_wa != now.perfil.estado_wa),
            bot_step: facts.perfil.bot_step.clone().filter(|_| facts.perfil.bot_step != now.perfil.bot_step),
            ..Perfil::default()
        };
        self.make(Step::Perfil(UpdatePerfil {
            lead,
            perfil: states,
            m2_is_estimate: false,
            at,
            idempotency: None,
        }))?;
        {
            let mut world = self.world();
            let own = &mut world.log(lead)?.record.lead;
            (own.perfil, own.obra, own.provincia) = (facts.perfil, facts.obra, facts.provincia);
        }
        self.record_audit(entry).await?;
        Ok(Edited::Saved)
    }

    async fn update_contact(&self, command: UpdateContact) -> Result<()> {
        self.make(Step::Contact(command))
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

    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()> {
        self.make(Step::Empty(command))
    }

    async fn set_nota(&self, command: SetNota) -> Result<()> {
        self.make(Step::Nota(command))
    }
}

#[async_trait]
impl SheetReads for Memory {
    async fn lead(&self, lead: LeadId) -> Result<Lead> {
        Ok(Lead { utm: Vec::new(), ..self.world().record(lead)?.lead })
    }

    async fn sheet(&self, lead: LeadId) -> Result<LeadSheet> {
        let record = self.world().record(lead)?;
        let by_user = record.conversacion.iter().rfind(|turno| turno.rol == Rol::User);
        let calls = record.intentos.iter().map(|i| &i.intento).filter(|i| i.channel == Channel::Call);
        let mut consentimientos = record.consentimientos;
        consentimientos.reverse();
        Ok(LeadSheet {
            last_written: by_user.map(|turno| turno.creado_en),
            last_call: calls.map(|intento| intento.numero_intento).max().unwrap_or(0),
            lead: record.lead,
            calificacion: record.calificacion,
            fotos: record.fotos,
            presupuestos: record.presupuestos,
            consentimientos,
        })
    }

    async fn timeline(&self, leads: Vec<LeadId>, page: TimelinePage) -> Result<Vec<TimelineEntry>> {
        let place = |c: TimelineCursor| (Reverse(c.at), c.kind, c.lead, c.skip);
        let mut entries: Vec<TimelineEntry> = Vec::new();
        for lead in leads {
            let mut moments = moments(&self.world(), lead).unwrap_or_default();
            moments.retain(|moment| page.kinds.contains(&moment.kind()));
            // Among entries of one instant and kind, those that were written later come first.
            moments.reverse();
            moments.sort_by_key(|moment| (Reverse(moment.at()), moment.kind()));
            let mut last: Option<TimelineCursor> = None;
            for moment in moments {
                let (at, kind) = (moment.at(), moment.kind());
                let skip = last.filter(|c| (c.at, c.kind) == (at, kind)).map_or(1, |c| c.skip + 1);
                let cursor = TimelineCursor { at, kind, lead, skip };
                last = Some(cursor);
                entries.push(TimelineEntry { moment, cursor });
            }
        }
        entries.sort_by_key(|entry| place(entry.cursor));
        if let Some(before) = page.before {
            entries.retain(|entry| place(entry.cursor) > place(before));
        }
        entries.truncate(page.limit as usize);
        Ok(entries)
    }

    async fn outlook(&self, _: Vec<LeadId>) -> Result<Outlook> {
        unimplemented!()
    }

    async fn nota_interna(&self, _: LeadId, _: NotaId) -> Result<Option<NotaInterna>> {
        unimplemented!()
    }
}

/// Every entry of the timeline, in the order of writing within its kind.
fn moments(world: &World, lead: LeadId) -> Result<Vec<Moment>> {
    let record = world.record(lead)?;
    let mut all: Vec<Moment> = Vec::new();
    all.extend(record.conversacion.into_iter().map(|mut turno| {
        turno.mensaje = turno.mensaje.chars().take(MAX_TEXT).collect();
        Moment::Turno(turno)
    }));
    all.extend(record.notas.into_iter().map(Moment::Nota));
    all.extend(record.intentos.into_iter().map(Moment::Intento));
    let own = world.events(lead)?.into_iter().filter(|e| e.cursor.class == 0);
    all.extend(own.map(|e| Moment::Event(e.event)));
    all.extend(world.history(lead).iter().cloned().map(Moment::State));
    all.extend(record.consentimientos.into_iter().map(Moment::Consentimiento));
    all.extend(record.presupuestos.into_iter().rev().map(|mut quote| {
        quote.deliveries.clear();
        Moment::Presupuesto(Box::new(quote))
    }));
    for quote in world.presupuestos.iter().filter(|quote| quote.lead == lead) {
        all.extend(quote.answer.iter().map(|answer| {
            Moment::Answer(QuoteAnswer {
                number: quote.number,
                accepted: answer.accepted,
                reason: answer.reason.clone(),
                acceptance: quote.acceptance(),
                at: answer.at,
            })
        }));
    }
    let mut jobs = world.job_list(&JobFilter { lead: Some(lead), ..JobFilter::default() });
    jobs.reverse();
    for job in jobs {
        let deliveries = world.put(job.id)?.deliveries.clone();
        all.push(Moment::Job(SentJob {
            id: job.id,
            kind: job.kind,
            state: job.state,
            intentos: job.intentos,
            proximo_en: job.proximo_en,
            ultimo_error: job.ultimo_error,
            creado_en: job.creado_en,
            terminado_en: job.terminado_en,
            deliveries,
        }));
    }
    let mut groups: Vec<FotoGroup> = Vec::new();
    for foto in record.fotos {
        let same = |g: &&mut FotoGroup| {
            (g.creada_en, g.zona, g.momento) == (foto.creada_en, foto.zona, foto.momento)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.how_many += 1,
            None => groups.push(FotoGroup {
                zona: foto.zona,
                momento: foto.momento,
                how_many: 1,
                creada_en: foto.creada_en,
            }),
        }
    }
    groups.sort_by_key(|g| Reverse((g.zona.as_str(), g.momento.as_str())));
    all.extend(groups.into_iter().map(Moment::Fotos));
    Ok(all)
}

//! The model's writes about leads, each rule in its shortest form.

use super::{Log, World, now};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::event::Event;
use embudo_domain::foto::Foto;
use embudo_domain::ingesta::Momento;
use embudo_domain::lead::Lead;
use embudo_domain::nota::Nota;
use embudo_domain::orden::Numberer;
use embudo_domain::record::{LeadRecord, StoredIntento, StoredTurno};
use embudo_domain::watched_loop::{CameBack, WatchedLoop};
use embudo_domain::{Digest, Zona};
use embudo_store::lead_writes::{
    Answer, AppendTurno, ClearPerfil, Ingest, RecordEvent, RecordIntento, SetNota, UpdatePerfil,
    UpsertCalificacion,
};
use embudo_store::leads::{CreateLead, UpdateContact};
use embudo_store::{Result, StoreError};

impl World {
    pub(super) fn create(&mut self, c: CreateLead) -> Result<String> {
        let empresa = self.empresas.iter().find(|e| Some(e.id) == c.empresa);
        let empresa = empresa.ok_or(StoreError::EmpresaNotFound)?.clone();
        let mut utm = c.utm;
        utm.sort();
        let with_momento =
            |k: Consentimiento| Consentimiento { otorgado_en: k.otorgado_en.or(Some(c.at)), ..k };
        let lead = Lead {
            id: c.id,
            empresa,
            nombre: c.nombre,
            telefono: c.telefono.typed,
            telefono_e164: c.telefono.e164,
            email: c.email.typed,
            provincia: c.provincia,
            perfil: c.perfil.clone(),
            obra: c.obra,
            utm,
            creado_en: c.at,
            actualizado_en: c.at,
            watched_loop: None,
        };
        let record = LeadRecord {
            lead,
            duplicates: vec![],
            fotos: vec![],
            notas: vec![],
            conversacion: vec![],
            calificacion: None,
            intentos: vec![],
            events: vec![],
            consentimientos: c.consentimientos.into_iter().map(with_momento).collect(),
            presupuestos: vec![],
        };
        let mut log = Log { record, email_normal: c.email.normal, history: vec![], finalizado_en: None };
        log.note_down(c.perfil.estado_wa, c.perfil.bot_step.as_ref(), c.at);
        self.logs.insert(c.id, log);
        self.enqueue(c.id, c.jobs, c.at);
        now()
    }

    pub(super) fn contact(&mut self, c: UpdateContact) -> Result<String> {
        let r = self.log(c.lead)?;
        let lead = &mut r.record.lead;
        if let Some(nombre) = c.patch.nombre {
            lead.nombre = nombre;
        }
        if let Some(telefono) = c.patch.telefono {
            (lead.telefono, lead.telefono_e164) = (telefono.typed, telefono.e164);
        }
        if let Some(email) = c.patch.email {
            (lead.email, r.email_normal) = (email.typed, email.normal);
        }
        lead.provincia = c.patch.provincia.or(lead.provincia.take());
        lead.obra = c.obra.over(std::mem::take(&mut lead.obra));
        lead.actualizado_en = c.at;
        Ok(String::new())
    }

    pub(super) fn turno(&mut self, c: AppendTurno) -> Result<String> {
        let r = self.log(c.lead)?;
        let turno = c.turno;
        r.note_down(turno.estado_wa, turno.bot_step.as_ref(), c.at);
        let lead = &mut r.record.lead;
        if turno.estado_wa.is_some() || turno.bot_step.is_some() {
            lead.actualizado_en = c.at;
        }
        lead.perfil.estado_wa = turno.estado_wa.or(lead.perfil.estado_wa);
        lead.perfil.bot_step = turno.bot_step.or(lead.perfil.bot_step.take());
        r.record.conversacion.push(StoredTurno {
            id: c.id,
            rol: turno.rol,
            mensaje: turno.mensaje,
            media_type: turno.media_type,
            media_url: turno.media_url,
            transcripcion_audio: turno.transcripcion_audio,
            creado_en: c.at,
        });
        now()
    }

    pub(super) fn perfil(&mut self, c: &UpdatePerfil) -> Result<String> {
        let r = self.log(c.lead)?;
        r.note_down(c.perfil.estado_wa, c.perfil.bot_step.as_ref(), c.at);
        r.record.lead.perfil.overlay(&c.perfil);
        if c.knows_area() {
            r.record.lead.obra.m2_estimado = None;
        }
        r.record.lead.actualizado_en = c.at;
        now()
    }

    pub(super) fn empty(&mut self, c: ClearPerfil) -> Result<String> {
        let lead = &mut self.log(c.lead)?.record.lead;
        for answer in c.answers {
            match answer {
                Answer::M2Suelo => lead.perfil.m2_suelo = None,
                Answer::Estructural => lead.perfil.estructural = None,
                Answer::Presupuesto => {
                    lead.perfil.presupuesto_declarado = None;
                    lead.perfil.presupuesto_target_cents = None;
                }
                Answer::TasteText => lead.perfil.taste_text = None,
            }
        }
        lead.actualizado_en = c.at;
        Ok(String::new())
    }

    pub(super) fn nota(&mut self, c: SetNota) -> Result<String> {
        let record = &mut self.log(c.lead)?.record;
        record.lead.actualizado_en = record.lead.actualizado_en.max(c.at);
        let notas = &mut record.notas;
        match (notas.iter().position(|n| n.id == c.id), c.text) {
            (Some(place), Some(text)) => notas[place].text = text,
            (Some(place), None) => drop(notas.remove(place)),
            (None, Some(text)) => {
                notas.push(Nota { id: c.id, text, zona: Some(c.zona), creada_en: c.at });
            }
            (None, None) => {}
        }
        Ok(String::new())
    }

    pub(super) fn calificacion(&mut self, c: UpsertCalificacion) -> Result<String> {
        let stored = self.log(c.lead)?.record.calificacion.get_or_insert_default();
        let of = c.calificacion;
        stored.score = of.score.or(stored.score);
        stored.nivel = of.nivel.or(stored.nivel);
        stored.criterios = of.criterios.or(stored.criterios.take());
        stored.notas_agente = of.notas_agente.or(stored.notas_agente.take());
        now()
    }

    pub(super) fn intento(&mut self, c: RecordIntento) -> Result<String> {
        let intentos = &mut self.log(c.lead)?.record.intentos;
        intentos.push(StoredIntento { id: c.id, intento: c.intento, creado_en: c.at });
        now()
    }

    pub(super) fn ingesta(&mut self, c: Ingest) -> Result<String> {
        let digests: Vec<Digest> = c.fotos.iter().flat_map(|f| f.image.digests()).collect();
        self.log(c.lead)?;
        self.use_(c.lead, &digests, &c.swept)?;
        let return_to =
            CameBack { renders: c.fotos.iter().any(|f| f.momento == Momento::After), finalizar: c.finalizar };
        let is_answer = return_to.came() && self.answer_waiting(c.lead, c.at);
        let r = self.log(c.lead)?;
        if c.finalizar {
            r.finalizado_en = Some(c.at);
        }
        let record = &mut r.record;
        let next = if is_answer { WatchedLoop::after_signal } else { WatchedLoop::after_ingesta };
        record.lead.watched_loop = next(record.lead.watched_loop, return_to, c.at, c.deadlines);
        let maximum = record.fotos.iter().map(|f| f.orden).reduce(f64::max);
        let mut numberer = Numberer::after(maximum);
        for f in c.fotos {
            record.fotos.push(Foto {
                id: f.id,
                zona: f.zona.unwrap_or(Zona::assumed(record.lead.perfil.tipo_reforma)),
                momento: f.momento,
                orden: numberer.next(f.orden),
                image: f.image,
                creada_en: c.at,
            });
        }
        // The sort is stable: photos with the same number stay in the order they came.
        record.fotos.sort_by(|a, b| a.orden.partial_cmp(&b.orden).expect("numbers are finite"));
        for n in c.notas {
            record.notas.push(Nota { id: n.id, text: n.text, zona: n.zona, creada_en: c.at });
        }
        record.events.extend(c.events);
        record.events.extend(is_answer.then(|| Event::signal_answered(c.at)));
        self.enqueue(c.lead, c.jobs, c.at);
        now()
    }

    pub(super) fn event(&mut self, c: RecordEvent) -> Result<String> {
        self.log(c.lead)?.record.events.extend(c.event);
        self.enqueue(c.lead, c.jobs, c.at);
        now()
    }
}

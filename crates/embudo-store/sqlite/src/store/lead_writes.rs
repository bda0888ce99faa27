//! What the bot, the form and the outside workflow write about a lead.

use async_trait::async_trait;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::Event;
use embudo_store::lead_writes::{
    AppendTurno, Ingest, RecordEvent, RecordIntento, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::touches::Touch;
use embudo_store::{Done, LeadWriteStore, Result};

use super::{ROW, bytes_of, len, shape};
use crate::SqliteStore;
use crate::command::{calificacion, event, ingesta, intento, perfil, turno};

/// Whether an event changes the lead's etapa, which must then be written together with the event.
fn moves_etapa(event: &Event) -> bool {
    Etapa::raised_by(event.kind).is_some()
}

#[async_trait]
impl LeadWriteStore for SqliteStore {
    async fn append_turno(&self, command: AppendTurno) -> Result<Done> {
        let t = &command.turno;
        let single = t.estado_wa.is_none() && t.bot_step.is_none();
        let shape = shape(command.idempotency.as_ref(), single);
        let bytes = ROW + t.mensaje.len() + len(t.transcripcion_audio.as_ref()) + len(t.media_url.as_ref());
        let (lead, touch) = (command.lead, Touch::turn(t.rol, command.at));
        let end = self.writer.run(shape, bytes, move |c| turno::append(c, &command)).await;
        self.touches.after(end, lead, touch)
    }

    async fn update_perfil(&self, command: UpdatePerfil) -> Result<Done> {
        let p = &command.perfil;
        let single = p.estado_wa.is_none() && p.bot_step.is_none() && !command.knows_area();
        let shape = shape(command.idempotency.as_ref(), single);
        let bytes = 2 * ROW + p.bytes();
        let (lead, touch) = (command.lead, Touch::perfil(p));
        let end = self.writer.run(shape, bytes, move |c| perfil::update(c, &command)).await;
        self.touches.after(end, lead, touch)
    }

    async fn upsert_calificacion(&self, command: UpsertCalificacion) -> Result<Done> {
        let shape = shape(command.idempotency.as_ref(), true);
        let c = &command.calificacion;
        let bytes = ROW + len(c.criterios.as_ref()) + len(c.notas_agente.as_ref());
        let (lead, touch) = (command.lead, Touch::calificacion(c));
        let end = self.writer.run(shape, bytes, move |c| calificacion::upsert(c, &command)).await;
        self.touches.after(end, lead, touch)
    }

    async fn record_intento(&self, command: RecordIntento) -> Result<Done> {
        let shape = shape(command.idempotency.as_ref(), true);
        let i = &command.intento;
        let bytes = ROW + len(i.notas.as_ref()) + len(i.metadata.as_ref());
        let (lead, touch) = (command.lead, Touch::intento(i, command.at));
        let end = self.writer.run(shape, bytes, move |c| intento::record(c, &command)).await;
        self.touches.after(end, lead, touch)
    }

    async fn ingest(&self, command: Ingest) -> Result<Done> {
        let single = command.fotos.is_empty()
            && command.notas.len() + command.events.len() == 1
            && command.jobs.is_empty()
            && !command.finalizar
            && !command.events.iter().any(moves_etapa);
        let shape = shape(command.idempotency.as_ref(), single);
        let rows = command.fotos.len() + command.notas.len() + command.events.len();
        let bytes = ROW * rows + command.notas.iter().map(|n| n.text.len()).sum::<usize>();
        let bytes = bytes + bytes_of(&command.jobs);
        let (lead, touch) = (command.lead, Touch::ingest(&command));
        let end = self.writer.run(shape, bytes, move |c| ingesta::ingest(c, &command)).await;
        self.touches.after(end.map(|end| self.made(end)), lead, touch)
    }

    async fn record_event(&self, command: RecordEvent) -> Result<Done> {
        let single = command.jobs.is_empty() && !command.event.iter().any(moves_etapa);
        let shape = shape(command.idempotency.as_ref(), single);
        let bytes = ROW + bytes_of(&command.jobs);
        let (lead, touch) = (command.lead, Touch::event(&command));
        let end = self.writer.run(shape, bytes, move |c| event::record(c, &command)).await;
        self.touches.after(end.map(|end| self.made(end)), lead, touch)
    }
}

//! What the bot, the form and the outside workflow write about a lead.

use std::time::Duration;

use async_trait::async_trait;
use embudo_store::lead_writes::{
    AppendTurno, Ingest, RecordEvent, RecordIntento, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::touches::Touch;
use embudo_store::{Done, LeadWriteStore, Result};

use crate::PgStore;
use crate::command::{CallWithJobs, Perfil, RecordingTurno, Texts, etapa, ingesta};
use crate::patience::patiently;

/// An ingestion of texts of this size or more runs alone, so that it holds up no other.
const LARGE_INGEST_BYTES: usize = 1 << 20;
/// How long the caller of such an ingestion waits in all; the statements have their own time-outs.
const INGEST_PATIENCE: Duration = Duration::from_secs(180);

#[async_trait]
impl LeadWriteStore for PgStore {
    async fn append_turno(&self, mut command: AppendTurno) -> Result<Done> {
        let (lead, touch) = (command.lead, Touch::turn(command.turno.rol, command.at));
        let reply = command.records();
        let key = command.idempotency.take();
        let end = match reply {
            Some(reply) => self.record(RecordingTurno::new(command, reply), key).await,
            None => self.record(command, key).await,
        };
        self.touches.after(end, lead, touch)
    }

    async fn update_perfil(&self, mut command: UpdatePerfil) -> Result<Done> {
        let key = command.idempotency.take();
        let (lead, touch) = (command.lead, Touch::perfil(&command.perfil));
        self.touches.after(self.record(Perfil::from(command), key).await, lead, touch)
    }

    async fn upsert_calificacion(&self, mut command: UpsertCalificacion) -> Result<Done> {
        let (lead, touch) = (command.lead, Touch::calificacion(&command.calificacion));
        let key = command.idempotency.take();
        self.touches.after(self.record(command, key).await, lead, touch)
    }

    async fn record_intento(&self, mut command: RecordIntento) -> Result<Done> {
        let (lead, touch) = (command.lead, Touch::intento(&command.intento, command.at));
        let key = command.idempotency.take();
        self.touches.after(self.record(command, key).await, lead, touch)
    }

    async fn ingest(&self, command: Ingest) -> Result<Done> {
        let (lead, touch) = (command.lead, Touch::ingest(&command));
        self.touches.after(self.take_in(command).await, lead, touch)
    }

    async fn record_event(&self, mut command: RecordEvent) -> Result<Done> {
        if command.event.iter().any(etapa::is_moved_by) {
            return self.ingest(Ingest::from(command)).await;
        }
        let (lead, touch) = (command.lead, Touch::event(&command));
        let key = command.idempotency.take();
        let end = match command.jobs.is_empty() {
            true => self.record(Texts::from(command), key).await,
            false => self.call(CallWithJobs::from(command), key).await,
        };
        self.touches.after(end, lead, touch)
    }
}

impl PgStore {
    async fn take_in(&self, mut command: Ingest) -> Result<Done> {
        let bytes: usize = command.notas.iter().map(|n| n.text.len() + 64).sum();
        let goes_alone = command.finalizar || command.events.iter().any(etapa::is_moved_by);
        if command.fotos.is_empty() && !goes_alone && bytes < LARGE_INGEST_BYTES {
            let key = command.idempotency.take();
            return match command.jobs.is_empty() {
                true => self.record(Texts::from(command), key).await,
                false => self.call(CallWithJobs::from(command), key).await,
            };
        }
        let turn = || self.turns.on(command.lead.0);
        let end = patiently!(self, turn(), ingesta::ingest(&self.pool, &command), INGEST_PATIENCE)?;
        Ok(self.announce(end))
    }
}

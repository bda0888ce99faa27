//! What the bot, the form and the outside workflow write about a lead.

use std::time::Duration;

use async_trait::async_trait;
use embudo_store::lead_writes::{
    AppendTurno, ClearPerfil, Ingest, RecordEvent, RecordIntento, SetNota, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::{Done, LeadWrites, Result};

use crate::PgStore;
use crate::command::{CallWithJobs, Perfil, Texts, correction, ingesta};
use crate::patience::patiently;

/// From this size on an ingestion of texts goes alone, so that it holds up nobody.
const LARGE_INGEST_BYTES: usize = 1 << 20;
/// How long the caller of such a one waits in all; the statements' own time-outs bound them.
const INGEST_PATIENCE: Duration = Duration::from_secs(180);

#[async_trait]
impl LeadWrites for PgStore {
    async fn append_turno(&self, mut command: AppendTurno) -> Result<Done> {
        let key = command.idempotency.take();
        self.record(command, key).await
    }

    async fn update_perfil(&self, mut command: UpdatePerfil) -> Result<Done> {
        let key = command.idempotency.take();
        self.record(Perfil::from(command), key).await
    }

    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()> {
        patiently!(self, self.turns.on(command.lead.0), correction::clear_perfil(&self.pool, &command))
    }

    async fn set_nota(&self, command: SetNota) -> Result<()> {
        patiently!(self, self.turns.on(command.lead.0), correction::set_nota(&self.pool, &command))
    }

    async fn upsert_calificacion(&self, mut command: UpsertCalificacion) -> Result<Done> {
        let key = command.idempotency.take();
        self.record(command, key).await
    }

    async fn record_intento(&self, mut command: RecordIntento) -> Result<Done> {
        let key = command.idempotency.take();
        self.record(command, key).await
    }

    async fn ingest(&self, mut command: Ingest) -> Result<Done> {
        let bytes: usize = command.notas.iter().map(|n| n.text.len() + 64).sum();
        if command.fotos.is_empty() && !command.finalizar && bytes < LARGE_INGEST_BYTES {
            let key = command.idempotency.take();
            return match command.jobs.is_empty() {
                true => self.record(Texts::from(command), key).await,
                false => self.call(CallWithJobs::from(command), key).await,
            };
        }
        let turn = || self.turns.on(command.lead.0);
        let end = patiently!(self, turn(), ingesta::ingest(&self.pool, &command), INGEST_PATIENCE)?;
        Ok(self.told(end))
    }

    async fn record_event(&self, mut command: RecordEvent) -> Result<Done> {
        let key = command.idempotency.take();
        match command.jobs.is_empty() {
            true => self.record(Texts::from(command), key).await,
            false => self.call(CallWithJobs::from(command), key).await,
        }
    }
}

//! What the bot, the form and the outside workflow write about a lead.

use async_trait::async_trait;
use embudo_store::lead_writes::{
    AppendTurno, Ingest, RecordEvent, RecordIntento, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::{Done, LeadWriteStore, Result};

use super::Memory;
use crate::model::step::Step;

#[async_trait]
impl LeadWriteStore for Memory {
    async fn append_turno(&self, command: AppendTurno) -> Result<Done> {
        self.with_key(Step::Turno(command))
    }

    async fn update_perfil(&self, command: UpdatePerfil) -> Result<Done> {
        self.with_key(Step::Perfil(command))
    }

    async fn upsert_calificacion(&self, command: UpsertCalificacion) -> Result<Done> {
        self.with_key(Step::Calificacion(command))
    }

    async fn record_intento(&self, command: RecordIntento) -> Result<Done> {
        self.with_key(Step::Intento(command))
    }

    async fn ingest(&self, command: Ingest) -> Result<Done> {
        self.with_key(Step::Ingesta(command))
    }

    async fn record_event(&self, command: RecordEvent) -> Result<Done> {
        self.with_key(Step::Event(command))
    }
}

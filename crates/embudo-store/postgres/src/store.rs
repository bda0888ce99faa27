//! The trait, method by method: which way each command or query goes.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::empresa::Empresa;
use embudo_domain::ficha::{CambioEstado, Ficha, Foto, LeadResumen};
use embudo_domain::{EmpresaId, FotoId, Huella, LeadId, Timestamp};
use embudo_store::command::{
    AppendTurno, ClearPerfil, CreateLead, EmpresaPatch, Ingest, MarcaBlob, RecordEvento, RecordIntento,
    SetNota, UpdateContacto, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::query::{Cursor, CursorEvento, EventoEnLista, FiltroLeads};
use embudo_store::{Hecho, Idempotencia, Result, Store};

use crate::PgStore;
use crate::command::alone::{self, Ended};
use crate::command::trabajo::Con;
use crate::command::{
    CallWithJobs, JobsMade, Perfil, Textos, blob, correction, empresa, idempotencia, ingesta, lead,
};
use crate::patience::patiently;
use crate::query;
use crate::writer::{Grouped, Verdict};

/// From this size on an ingestion of texts goes alone, so that it holds up nobody.
const LARGE_INGEST_BYTES: usize = 1 << 20;
/// How long the caller of such a one waits in all; the statements' own time-outs bound them.
const INGEST_PATIENCE: Duration = Duration::from_secs(180);
impl PgStore {
    /// Runs a command together with others, or alone where its group came to nothing.
    pub(crate) async fn write<K: Grouped>(&self, command: K) -> Result<K::End> {
        match self.writers.run(command).await {
            Verdict::Told(end) => end,
            Verdict::Alone(command) => {
                let turn = || self.turns.on(command.key());
                patiently!(self, turn(), alone::plain(&self.pool, &command), K::PATIENCE)
            }
        }
    }

    /// Runs a command that may have a key; such a one runs alone.
    async fn write_once<K: Grouped>(&self, command: K, key: Option<Idempotencia>) -> Result<Ended<K::End>> {
        let Some(key) = key else { return self.write(command).await.map(Ended::Now) };
        let turn = || self.turns.on(command.key());
        patiently!(self, turn(), alone::keyed(&self.pool, &key, &command), K::PATIENCE)
    }

    /// Runs a command whose caller is told nothing but that it is done.
    async fn record<K: Grouped<End = ()>>(&self, command: K, key: Option<Idempotencia>) -> Result<Hecho> {
        Ok(match self.write_once(command, key).await? {
            Ended::Now(()) => Hecho::Ahora,
            Ended::Before(hecho) => hecho,
        })
    }

    /// Runs a call that makes jobs.
    async fn call(&self, command: CallWithJobs, key: Option<Idempotencia>) -> Result<Hecho> {
        Ok(match self.write_once(command, key).await? {
            Ended::Now(JobsMade { leased, sueltos }) => {
                self.tell_of(sueltos);
                self.recientes.dejar(leased);
                Hecho::Ahora
            }
            Ended::Before(hecho) => hecho,
        })
    }

    /// The end of a command that may have made jobs; the others are told if one waits for them.
    fn told(&self, end: Con) -> Hecho {
        self.tell_of(end.sueltos);
        end.hecho
    }
}

#[async_trait]
impl Store for PgStore {
    async fn ping(&self) -> Result<()> {
        self.writers_answer().await?;
        patiently!(self, query::ping(&self.vital))
    }

    async fn create_empresa(&self, empresa: Empresa, en: Timestamp) -> Result<()> {
        patiently!(self, self.turns.command(), empresa::create(&self.pool, &empresa, en))
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, en: Timestamp) -> Result<Empresa> {
        patiently!(self, self.turns.command(), empresa::ensure_default(&self.pool, &empresa, en))
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        patiently!(self, self.turns.command(), empresa::update(&self.pool, id, &patch))
    }

    async fn list_empresas(&self) -> Result<Vec<Empresa>> {
        patiently!(self, query::list_empresas(&self.pool))
    }

    async fn create_lead(&self, command: CreateLead) -> Result<Hecho> {
        Ok(self.told(patiently!(self, self.turns.command(), lead::create(&self.pool, &command))?))
    }

    async fn update_contacto(&self, command: UpdateContacto) -> Result<()> {
        patiently!(self, self.turns.on(command.lead.0), lead::update_contacto(&self.pool, &command))
    }

    async fn ficha(&self, lead: LeadId) -> Result<Ficha> {
        patiently!(self, query::ficha(&self.pool, lead))
    }

    async fn list_leads(
        &self,
        filtro: FiltroLeads,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadResumen>> {
        patiently!(
            self,
            self.turns.question(filtro.walks()),
            query::list_leads(&self.pool, &filtro, cursor, limit)
        )
    }

    async fn eventos(
        &self,
        lead: LeadId,
        cursor: Option<CursorEvento>,
        limit: u32,
    ) -> Result<Vec<EventoEnLista>> {
        patiently!(self, query::eventos(&self.pool, lead, cursor, limit))
    }

    async fn historial(&self, lead: LeadId) -> Result<Vec<CambioEstado>> {
        patiently!(self, query::historial(&self.pool, lead))
    }

    async fn append_turno(&self, mut command: AppendTurno) -> Result<Hecho> {
        let key = command.idempotencia.take();
        self.record(command, key).await
    }

    async fn update_perfil(&self, mut command: UpdatePerfil) -> Result<Hecho> {
        let key = command.idempotencia.take();
        self.record(Perfil::from(command), key).await
    }

    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()> {
        patiently!(self, self.turns.on(command.lead.0), correction::clear_perfil(&self.pool, &command))
    }

    async fn set_nota(&self, command: SetNota) -> Result<()> {
        patiently!(self, self.turns.on(command.lead.0), correction::set_nota(&self.pool, &command))
    }

    async fn upsert_calificacion(&self, mut command: UpsertCalificacion) -> Result<Hecho> {
        let key = command.idempotencia.take();
        self.record(command, key).await
    }

    async fn record_intento(&self, mut command: RecordIntento) -> Result<Hecho> {
        let key = command.idempotencia.take();
        self.record(command, key).await
    }

    async fn ingest(&self, mut command: Ingest) -> Result<Hecho> {
        let bytes: usize = command.notas.iter().map(|n| n.texto.len() + 64).sum();
        if command.fotos.is_empty() && !command.finalizar && bytes < LARGE_INGEST_BYTES {
            let key = command.idempotencia.take();
            return match command.trabajos.is_empty() {
                true => self.record(Textos::from(command), key).await,
                false => self.call(CallWithJobs::from(command), key).await,
            };
        }
        let turn = || self.turns.on(command.lead.0);
        let end = patiently!(self, turn(), ingesta::ingest(&self.pool, &command), INGEST_PATIENCE)?;
        Ok(self.told(end))
    }

    async fn record_evento(&self, mut command: RecordEvento) -> Result<Hecho> {
        let key = command.idempotencia.take();
        match command.trabajos.is_empty() {
            true => self.record(Textos::from(command), key).await,
            false => self.call(CallWithJobs::from(command), key).await,
        }
    }

    async fn foto(&self, lead: LeadId, foto: FotoId) -> Result<Foto> {
        patiently!(self, query::foto(&self.pool, lead, foto))
    }

    async fn delete_foto(&self, lead: LeadId, foto: FotoId) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), ingesta::delete_foto(&self.pool, lead, foto))
    }

    async fn blob_in_use(&self, lead: LeadId, huella: Huella) -> Result<bool> {
        patiently!(self, query::blob_in_use(&self.pool, lead, huella))
    }

    async fn mark_blob(&self, lead: LeadId, huella: Huella, en: Timestamp) -> Result<Option<i64>> {
        patiently!(self, self.turns.on(lead.0), blob::mark(&self.pool, lead, huella, en))
    }

    async fn blob_swept(&self, lead: LeadId, huella: Huella, vez: i64) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), blob::swept(&self.pool, lead, huella, vez))
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<MarcaBlob>> {
        patiently!(self, query::blob_marks(&self.pool, lead))
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Huella)>> {
        patiently!(self, query::marked_blobs(&self.pool))
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), blob::purge(&self.pool, antes, max))
    }

    async fn purge_idempotencia(&self, en: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), idempotencia::purge(&self.pool, en, max))
    }
}

//! The trait, method by method: which way each command or query goes.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::empresa::Empresa;
use embudo_domain::record::{Foto, LeadRecord, LeadSummary, StateChange};
use embudo_domain::{Digest, EmpresaId, FotoId, LeadId, Timestamp};
use embudo_store::command::{
    AppendTurno, BlobMark, ClearPerfil, CreateLead, EmpresaPatch, Ingest, RecordEvent, RecordIntento,
    SetNota, UpdateContact, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::query::{Cursor, EventCursor, LeadFilter, ListedEvent};
use embudo_store::{Done, Idempotency, Result, Store};

use crate::PgStore;
use crate::command::alone::{self, Ended};
use crate::command::job::WithJobs;
use crate::command::{
    CallWithJobs, JobsMade, Perfil, Texts, blob, correction, empresa, idempotency, ingesta, lead,
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
    async fn write_once<K: Grouped>(&self, command: K, key: Option<Idempotency>) -> Result<Ended<K::End>> {
        let Some(key) = key else { return self.write(command).await.map(Ended::Now) };
        let turn = || self.turns.on(command.key());
        patiently!(self, turn(), alone::keyed(&self.pool, &key, &command), K::PATIENCE)
    }

    /// Runs a command whose caller is told nothing but that it is done.
    async fn record<K: Grouped<End = ()>>(&self, command: K, key: Option<Idempotency>) -> Result<Done> {
        Ok(match self.write_once(command, key).await? {
            Ended::Now(()) => Done::Now,
            Ended::Before(done) => done,
        })
    }

    /// Runs a call that makes jobs.
    async fn call(&self, command: CallWithJobs, key: Option<Idempotency>) -> Result<Done> {
        Ok(match self.write_once(command, key).await? {
            Ended::Now(JobsMade { leased, loose }) => {
                self.tell_of(loose);
                self.recent.leave(leased);
                Done::Now
            }
            Ended::Before(done) => done,
        })
    }

    /// The end of a command that may have made jobs; the others are told if one waits for them.
    fn told(&self, end: WithJobs) -> Done {
        self.tell_of(end.loose);
        end.done
    }
}

#[async_trait]
impl Store for PgStore {
    async fn ping(&self) -> Result<()> {
        self.writers_answer().await?;
        patiently!(self, query::ping(&self.vital))
    }

    async fn create_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<()> {
        patiently!(self, self.turns.command(), empresa::create(&self.pool, &empresa, at))
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<Empresa> {
        patiently!(self, self.turns.command(), empresa::ensure_default(&self.pool, &empresa, at))
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        patiently!(self, self.turns.command(), empresa::update(&self.pool, id, &patch))
    }

    async fn list_empresas(&self) -> Result<Vec<Empresa>> {
        patiently!(self, query::list_empresas(&self.pool))
    }

    async fn create_lead(&self, command: CreateLead) -> Result<Done> {
        Ok(self.told(patiently!(self, self.turns.command(), lead::create(&self.pool, &command))?))
    }

    async fn update_contact(&self, command: UpdateContact) -> Result<()> {
        patiently!(self, self.turns.on(command.lead.0), lead::update_contact(&self.pool, &command))
    }

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        patiently!(self, query::record(&self.pool, lead))
    }

    async fn list_leads(
        &self,
        filter: LeadFilter,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadSummary>> {
        patiently!(
            self,
            self.turns.question(filter.walks()),
            query::list_leads(&self.pool, &filter, cursor, limit)
        )
    }

    async fn events(
        &self,
        lead: LeadId,
        cursor: Option<EventCursor>,
        limit: u32,
    ) -> Result<Vec<ListedEvent>> {
        patiently!(self, query::events(&self.pool, lead, cursor, limit))
    }

    async fn history(&self, lead: LeadId) -> Result<Vec<StateChange>> {
        patiently!(self, query::history(&self.pool, lead))
    }

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

    async fn foto(&self, lead: LeadId, foto: FotoId) -> Result<Foto> {
        patiently!(self, query::foto(&self.pool, lead, foto))
    }

    async fn delete_foto(&self, lead: LeadId, foto: FotoId) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), ingesta::delete_foto(&self.pool, lead, foto))
    }

    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool> {
        patiently!(self, query::blob_in_use(&self.pool, lead, digest))
    }

    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        patiently!(self, self.turns.on(lead.0), blob::mark(&self.pool, lead, digest, at))
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), blob::swept(&self.pool, lead, digest, nth))
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>> {
        patiently!(self, query::blob_marks(&self.pool, lead))
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>> {
        patiently!(self, query::marked_blobs(&self.pool))
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), blob::purge(&self.pool, antes, max))
    }

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), idempotency::purge(&self.pool, at, max))
    }
}

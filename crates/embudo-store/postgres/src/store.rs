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
use embudo_store::queries::{Query, Reach};
use embudo_store::query::{Cursor, EventCursor, LeadFilter, ListedEvent};
use embudo_store::read::{self, Reader};
use embudo_store::{Done, Idempotency, Result, Store};

use crate::PgStore;
use crate::command::alone::{self, Ended};
use crate::command::job::WithJobs;
use crate::command::{
    CallWithJobs, JobsMade, Perfil, Texts, blob, correction, empresa, idempotency, ingesta, lead,
};
use crate::patience::patiently;
use crate::query::{self, record};
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

impl Reader for PgStore {
    async fn read<T: Send + 'static>(&self, query: Query<T>) -> Result<Vec<T>> {
        let turn = || self.turns.question(query.reach() == Reach::Walk);
        patiently!(self, turn(), query::run(&self.pool, &query))
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
        read::list_empresas(self).await
    }

    async fn create_lead(&self, command: CreateLead) -> Result<Done> {
        Ok(self.told(patiently!(self, self.turns.command(), lead::create(&self.pool, &command))?))
    }

    async fn update_contact(&self, command: UpdateContact) -> Result<()> {
        patiently!(self, self.turns.on(command.lead.0), lead::update_contact(&self.pool, &command))
    }

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        patiently!(self, record::record(&self.pool, lead))
    }

    async fn list_leads(
        &self,
        filter: LeadFilter,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadSummary>> {
        read::list_leads(self, filter, cursor, limit).await
    }

    async fn events(
        &self,
        lead: LeadId,
        cursor: Option<EventCursor>,
        limit: u32,
    ) -> Result<Vec<ListedEvent>> {
        read::events(self, lead, cursor, limit).await
    }

    async fn history(&self, lead: LeadId) -> Result<Vec<StateChange>> {
        read::state_history(self, lead).await
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
        read::foto(self, lead, foto).await
    }

    async fn delete_foto(&self, lead: LeadId, foto: FotoId) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), ingesta::delete_foto(&self.pool, lead, foto))
    }

    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool> {
        read::blob_in_use(self, lead, digest).await
    }

    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        patiently!(self, self.turns.on(lead.0), blob::mark(&self.pool, lead, digest, at))
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        patiently!(self, self.turns.on(lead.0), blob::swept(&self.pool, lead, digest, nth))
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>> {
        read::blob_marks(self, lead).await
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>> {
        read::marked_blobs(self).await
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), blob::purge(&self.pool, antes, max))
    }

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), idempotency::purge(&self.pool, at, max))
    }
}

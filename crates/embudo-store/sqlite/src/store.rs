//! The trait, method by method: which function, how much it writes, and whether it needs a savepoint.

use async_trait::async_trait;
use embudo_domain::empresa::Empresa;
use embudo_domain::job::Job;
use embudo_domain::record::{Foto, LeadRecord, LeadSummary, StateChange};
use embudo_domain::{Digest, EmpresaId, FotoId, LeadId, Timestamp};
use embudo_store::command::{
    AppendTurno, BlobMark, ClearPerfil, CreateLead, EmpresaPatch, Ingest, RecordEvent, RecordIntento,
    SetNota, UpdateContact, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::queries::{Query, Reach};
use embudo_store::query::{Cursor, EventCursor, LeadFilter, ListedEvent};
use embudo_store::read::{self, Reader};
use embudo_store::{Done, Idempotency, Result, Store, StoreError};

use crate::command::{
    blob, calificacion, correction, empresa, event, idempotency, ingesta, intento, lead, perfil, turno,
};
use crate::query::{self, record};
use crate::writer::Shape;
use crate::{STUCK, SqliteStore};

/// About what a row costs beside its texts.
pub(crate) const ROW: usize = 256;

/// A command of one statement stays one only without a key.
fn shape(key: Option<&Idempotency>, is_single: bool) -> Shape {
    if key.is_none() && is_single { Shape::Single } else { Shape::Several }
}

/// About how much some jobs write.
pub(crate) fn bytes_of(jobs: &[NewJob]) -> usize {
    let payload = |t: &NewJob| match &t.payload {
        NewPayload::Text(text) => text.len(),
        NewPayload::Perfil | NewPayload::Mensajeria => 8 * ROW,
    };
    jobs.iter().map(|t| ROW + payload(t)).sum()
}

fn len(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}

impl SqliteStore {
    /// The end of a command that may have made jobs.
    fn made(&self, (done, jobs): (Done, Vec<Job>)) -> Done {
        self.recent.leave(jobs);
        done
    }
}

impl Reader for SqliteStore {
    async fn read<T: Send + 'static>(&self, query: Query<T>) -> Result<Vec<T>> {
        let reach = query.reach();
        let run = move |c: &_| query::run(c, &query);
        match reach {
            Reach::Found => self.readers.run(run).await,
            Reach::Walk => self.readers.walk(run).await,
        }
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn ping(&self) -> Result<()> {
        self.supervisor.check(STUCK).map_err(StoreError::Unavailable)?;
        let (written, read) = tokio::join!(self.writer.ping(), self.readers.run(|_| Ok(())));
        written.and(read)
    }

    async fn create_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<()> {
        self.writer.run(Shape::Several, ROW, move |c| empresa::create(c, empresa, at)).await
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, at: Timestamp) -> Result<Empresa> {
        self.writer.run(Shape::Several, ROW, move |c| empresa::ensure_default(c, empresa, at)).await
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        self.writer.run(Shape::Several, ROW, move |c| empresa::update(c, id, patch)).await
    }

    async fn list_empresas(&self) -> Result<Vec<Empresa>> {
        read::list_empresas(self).await
    }

    async fn create_lead(&self, command: CreateLead) -> Result<Done> {
        let utm: usize = command.utm.iter().map(|(n, v)| ROW + n.len() + v.len()).sum();
        let bytes = 2 * ROW + utm + command.search.len() * 2 + ROW * command.consentimientos.len();
        let bytes = bytes + bytes_of(&command.jobs);
        self.writer.run(Shape::Several, bytes, move |c| lead::create(c, &command)).await
    }

    async fn update_contact(&self, command: UpdateContact) -> Result<()> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| lead::update_contact(c, command)).await
    }

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        self.readers.run(move |c| record::record(c, lead)).await
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

    async fn append_turno(&self, command: AppendTurno) -> Result<Done> {
        let t = &command.turno;
        let single = t.estado_wa.is_none() && t.bot_step.is_none();
        let shape = shape(command.idempotency.as_ref(), single);
        let bytes = ROW + t.mensaje.len() + len(t.transcripcion_audio.as_ref()) + len(t.media_url.as_ref());
        self.writer.run(shape, bytes, move |c| turno::append(c, &command)).await
    }

    async fn update_perfil(&self, command: UpdatePerfil) -> Result<Done> {
        let p = &command.perfil;
        let single = p.estado_wa.is_none() && p.bot_step.is_none();
        let shape = shape(command.idempotency.as_ref(), single);
        let bytes = 2 * ROW + p.bytes();
        self.writer.run(shape, bytes, move |c| perfil::update(c, &command)).await
    }

    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| correction::clear_perfil(c, &command)).await
    }

    async fn set_nota(&self, command: SetNota) -> Result<()> {
        let bytes = ROW + command.text.as_ref().map_or(0, String::len);
        self.writer.run(Shape::Several, bytes, move |c| correction::set_nota(c, &command)).await
    }

    async fn upsert_calificacion(&self, command: UpsertCalificacion) -> Result<Done> {
        let shape = shape(command.idempotency.as_ref(), true);
        let c = &command.calificacion;
        let bytes = ROW + len(c.criterios.as_ref()) + len(c.notas_agente.as_ref());
        self.writer.run(shape, bytes, move |c| calificacion::upsert(c, &command)).await
    }

    async fn record_intento(&self, command: RecordIntento) -> Result<Done> {
        let shape = shape(command.idempotency.as_ref(), true);
        let i = &command.intento;
        let bytes = ROW + len(i.notas.as_ref()) + len(i.metadata.as_ref());
        self.writer.run(shape, bytes, move |c| intento::record(c, &command)).await
    }

    async fn ingest(&self, command: Ingest) -> Result<Done> {
        let single = command.fotos.is_empty()
            && command.notas.len() + command.events.len() == 1
            && command.jobs.is_empty()
            && !command.finalizar;
        let shape = shape(command.idempotency.as_ref(), single);
        let rows = command.fotos.len() + command.notas.len() + command.events.len();
        let bytes = ROW * rows + command.notas.iter().map(|n| n.text.len()).sum::<usize>();
        let bytes = bytes + bytes_of(&command.jobs);
        let end = self.writer.run(shape, bytes, move |c| ingesta::ingest(c, &command)).await;
        end.map(|end| self.made(end))
    }

    async fn record_event(&self, command: RecordEvent) -> Result<Done> {
        let shape = shape(command.idempotency.as_ref(), command.jobs.is_empty());
        let bytes = ROW + bytes_of(&command.jobs);
        let end = self.writer.run(shape, bytes, move |c| event::record(c, &command)).await;
        end.map(|end| self.made(end))
    }

    async fn foto(&self, lead: LeadId, foto: FotoId) -> Result<Foto> {
        read::foto(self, lead, foto).await
    }

    async fn delete_foto(&self, lead: LeadId, foto: FotoId) -> Result<()> {
        self.writer.run(Shape::Several, ROW, move |c| ingesta::delete_foto(c, lead, foto)).await
    }

    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool> {
        read::blob_in_use(self, lead, digest).await
    }

    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        self.writer.run(Shape::Single, ROW, move |c| blob::mark(c, lead, digest, at)).await
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| blob::swept(c, lead, digest, nth)).await
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>> {
        read::blob_marks(self, lead).await
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>> {
        read::marked_blobs(self).await
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| blob::purge(c, antes, max)).await
    }

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| idempotency::purge(c, at, max)).await
    }
}

//! The trait, method by method: which function, how much it writes, and whether it needs a savepoint.

use async_trait::async_trait;
use embudo_domain::empresa::Empresa;
use embudo_domain::ficha::{CambioEstado, Ficha, Foto, LeadResumen};
use embudo_domain::trabajo::Trabajo;
use embudo_domain::{EmpresaId, FotoId, Huella, LeadId, Timestamp};
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use embudo_store::command::{
    AppendTurno, ClearPerfil, CreateLead, EmpresaPatch, Ingest, MarcaBlob, RecordEvento, RecordIntento,
    SetNota, UpdateContacto, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::query::{Cursor, CursorEvento, EventoEnLista, FiltroLeads};
use embudo_store::{Hecho, Idempotencia, Result, Store, StoreError};

use crate::command::{bot, correction, empresa, housekeeping, ingest, lead};
use crate::query::{self, ficha, leads};
use crate::writer::Shape;
use crate::{STUCK, SqliteStore, rows};

/// About what a row costs beside its texts.
pub(crate) const ROW: usize = 256;

/// A command of one statement stays one only without a key.
fn shape(key: Option<&Idempotencia>, is_single: bool) -> Shape {
    if key.is_none() && is_single { Shape::Single } else { Shape::Several }
}

/// About how much some jobs write.
pub(crate) fn bytes_of(trabajos: &[NuevoTrabajo]) -> usize {
    let carga = |t: &NuevoTrabajo| match &t.carga {
        CargaNueva::Texto(texto) => texto.len(),
        CargaNueva::Perfil | CargaNueva::Mensajeria => 8 * ROW,
    };
    trabajos.iter().map(|t| ROW + carga(t)).sum()
}

fn len(texto: Option<&String>) -> usize {
    texto.map_or(0, String::len)
}

impl SqliteStore {
    /// The end of a command that may have made jobs.
    fn made(&self, (hecho, trabajos): (Hecho, Vec<Trabajo>)) -> Hecho {
        self.recientes.dejar(trabajos);
        hecho
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn ping(&self) -> Result<()> {
        self.supervisor.check(STUCK).map_err(StoreError::Unavailable)?;
        let (written, read) = tokio::join!(self.writer.ping(), self.readers.run(|_| Ok(())));
        written.and(read)
    }

    async fn create_empresa(&self, empresa: Empresa, en: Timestamp) -> Result<()> {
        self.writer.run(Shape::Several, ROW, move |c| empresa::create(c, empresa, en)).await
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, en: Timestamp) -> Result<Empresa> {
        self.writer.run(Shape::Several, ROW, move |c| empresa::ensure_default(c, empresa, en)).await
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        self.writer.run(Shape::Several, ROW, move |c| empresa::update(c, id, patch)).await
    }

    async fn list_empresas(&self) -> Result<Vec<Empresa>> {
        let sql = include_str!("../sql/empresa/list.sql");
        self.readers.run(move |c| query::all(c, sql, (), rows::empresa)).await
    }

    async fn create_lead(&self, command: CreateLead) -> Result<Hecho> {
        let utm: usize = command.utm.iter().map(|(n, v)| ROW + n.len() + v.len()).sum();
        let bytes = 2 * ROW + utm + command.busqueda.len() * 2 + ROW * command.consentimientos.len();
        let bytes = bytes + bytes_of(&command.trabajos);
        self.writer.run(Shape::Several, bytes, move |c| lead::create(c, &command)).await
    }

    async fn update_contacto(&self, command: UpdateContacto) -> Result<()> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| lead::update_contacto(c, command)).await
    }

    async fn ficha(&self, lead: LeadId) -> Result<Ficha> {
        self.readers.run(move |c| ficha::ficha(c, lead)).await
    }

    async fn list_leads(
        &self,
        filtro: FiltroLeads,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadResumen>> {
        let walks = filtro.walks();
        let list = move |c: &_| leads::list(c, filtro, cursor, limit);
        if walks { self.readers.walk(list).await } else { self.readers.run(list).await }
    }

    async fn eventos(
        &self,
        lead: LeadId,
        cursor: Option<CursorEvento>,
        limit: u32,
    ) -> Result<Vec<EventoEnLista>> {
        self.readers.run(move |c| ficha::eventos(c, lead, cursor, limit)).await
    }

    async fn historial(&self, lead: LeadId) -> Result<Vec<CambioEstado>> {
        self.readers.run(move |c| ficha::historial(c, lead)).await
    }

    async fn append_turno(&self, command: AppendTurno) -> Result<Hecho> {
        let t = &command.turno;
        let single = t.estado_wa.is_none() && t.bot_step.is_none();
        let shape = shape(command.idempotencia.as_ref(), single);
        let bytes = ROW + t.mensaje.len() + len(t.transcripcion_audio.as_ref()) + len(t.media_url.as_ref());
        self.writer.run(shape, bytes, move |c| bot::append_turno(c, &command)).await
    }

    async fn update_perfil(&self, command: UpdatePerfil) -> Result<Hecho> {
        let p = &command.perfil;
        let single = p.estado_wa.is_none() && p.bot_step.is_none();
        let shape = shape(command.idempotencia.as_ref(), single);
        let bytes = 2 * ROW + p.bytes();
        self.writer.run(shape, bytes, move |c| bot::update_perfil(c, &command)).await
    }

    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| correction::clear_perfil(c, &command)).await
    }

    async fn set_nota(&self, command: SetNota) -> Result<()> {
        let bytes = ROW + command.texto.as_ref().map_or(0, String::len);
        self.writer.run(Shape::Several, bytes, move |c| correction::set_nota(c, &command)).await
    }

    async fn upsert_calificacion(&self, command: UpsertCalificacion) -> Result<Hecho> {
        let shape = shape(command.idempotencia.as_ref(), true);
        let c = &command.calificacion;
        let bytes = ROW + len(c.criterios.as_ref()) + len(c.notas_agente.as_ref());
        self.writer.run(shape, bytes, move |c| bot::upsert_calificacion(c, &command)).await
    }

    async fn record_intento(&self, command: RecordIntento) -> Result<Hecho> {
        let shape = shape(command.idempotencia.as_ref(), true);
        let i = &command.intento;
        let bytes = ROW + len(i.notas.as_ref()) + len(i.metadata.as_ref());
        self.writer.run(shape, bytes, move |c| bot::record_intento(c, &command)).await
    }

    async fn ingest(&self, command: Ingest) -> Result<Hecho> {
        let single = command.fotos.is_empty()
            && command.notas.len() + command.eventos.len() == 1
            && command.trabajos.is_empty()
            && !command.finalizar;
        let shape = shape(command.idempotencia.as_ref(), single);
        let rows = command.fotos.len() + command.notas.len() + command.eventos.len();
        let bytes = ROW * rows + command.notas.iter().map(|n| n.texto.len()).sum::<usize>();
        let bytes = bytes + bytes_of(&command.trabajos);
        let end = self.writer.run(shape, bytes, move |c| ingest::ingest(c, &command)).await;
        end.map(|end| self.made(end))
    }

    async fn record_evento(&self, command: RecordEvento) -> Result<Hecho> {
        let shape = shape(command.idempotencia.as_ref(), command.trabajos.is_empty());
        let bytes = ROW + bytes_of(&command.trabajos);
        let end = self.writer.run(shape, bytes, move |c| ingest::record_evento(c, &command)).await;
        end.map(|end| self.made(end))
    }

    async fn foto(&self, lead: LeadId, foto: FotoId) -> Result<Foto> {
        self.readers.run(move |c| ficha::foto(c, lead, foto)).await
    }

    async fn delete_foto(&self, lead: LeadId, foto: FotoId) -> Result<()> {
        self.writer.run(Shape::Several, ROW, move |c| housekeeping::delete_foto(c, lead, foto)).await
    }

    async fn blob_in_use(&self, lead: LeadId, huella: Huella) -> Result<bool> {
        self.readers.run(move |c| housekeeping::blob_in_use(c, lead, huella)).await
    }

    async fn mark_blob(&self, lead: LeadId, huella: Huella, en: Timestamp) -> Result<Option<i64>> {
        self.writer.run(Shape::Single, ROW, move |c| housekeeping::mark_blob(c, lead, huella, en)).await
    }

    async fn blob_swept(&self, lead: LeadId, huella: Huella, vez: i64) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| housekeeping::blob_swept(c, lead, huella, vez)).await
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<MarcaBlob>> {
        let sql = include_str!("../sql/blob_marca/list.sql");
        self.readers.run(move |c| query::all(c, sql, (lead.0,), rows::marca_blob)).await
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Huella)>> {
        let sql = include_str!("../sql/blob_marca/list_marked.sql");
        self.readers.run(move |c| query::all(c, sql, (), rows::blob_marcado)).await
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| housekeeping::purge_marks(c, antes, max)).await
    }

    async fn purge_idempotencia(&self, en: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| housekeeping::purge_idempotencia(c, en, max)).await
    }
}

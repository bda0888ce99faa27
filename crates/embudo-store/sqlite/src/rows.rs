//! Rows of the database ↔ words of the domain, in one place.
//!
//! Columns are read in the order in which the SQL file names them. A value that the domain does not know is a defect or
//! a damaged database: an `Internal` error that names table and column, never the value.

mod cells;
mod outbox;
mod presupuesto;

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::Rol;
use embudo_domain::empresa::Empresa;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::{Channel, Intento, JobOutcome};
use embudo_domain::record::{
    Foto, Lead, LeadSummary, Nota, StateChange, StoredImage, StoredIntento, StoredTurno,
};
use embudo_domain::watched_loop::{LoopStep, WatchedLoop};
use embudo_domain::{Digest, EmpresaId, FotoId, IntentoId, LeadId, NotaId, Timestamp, TurnoId, Zona};
use embudo_store::StoreError;
use embudo_store::command::BlobMark;
use embudo_store::idempotency::KeyRow;
use embudo_store::query::{EventCursor, ListedEvent};
use rusqlite::Row;
use rusqlite::types::FromSql;

use crate::failure::{Failure, Step};
pub(crate) use cells::CellParam;
pub(crate) use outbox::{Held, bucle_vencido, delivery, held, job, job_count, start};
pub(crate) use presupuesto::{
    presupuesto, presupuesto_delivery, presupuesto_summary, rendition, rendition_columns, stored_brand,
    tarifa,
};

/// Reads the columns of one row from left to right.
pub(crate) struct Columns<'r> {
    row: &'r Row<'r>,
    table: &'static str,
    next: usize,
}

impl<'r> Columns<'r> {
    pub(crate) fn of(table: &'static str, row: &'r Row<'r>) -> Self {
        Self { row, table, next: 0 }
    }

    /// The next column as it is.
    pub(crate) fn take<T: FromSql>(&mut self) -> Step<T> {
        let column = self.next;
        self.next += 1;
        self.row.get(column).map_err(|_| self.unknown(column))
    }

    /// The next column, turned into something of the domain.
    fn parse<T: FromSql, U>(&mut self, f: impl FnOnce(T) -> Option<U>) -> Step<U> {
        let value = self.take()?;
        f(value).ok_or_else(|| self.unknown(self.next - 1))
    }

    /// Likewise, where it may be absent.
    fn parse_opt<T: FromSql, U>(&mut self, f: impl FnOnce(T) -> Option<U>) -> Step<Option<U>> {
        match self.take::<Option<T>>()? {
            None => Ok(None),
            Some(value) => f(value).ok_or_else(|| self.unknown(self.next - 1)).map(Some),
        }
    }

    fn word<U>(&mut self, f: impl FnOnce(&str) -> Option<U>) -> Step<U> {
        self.parse(|t: String| f(&t))
    }

    fn word_opt<U>(&mut self, f: impl FnOnce(&str) -> Option<U>) -> Step<Option<U>> {
        self.parse_opt(|t: String| f(&t))
    }

    /// The next column's text, not copied.
    fn text_opt(&mut self) -> Step<Option<&'r str>> {
        let column = self.next;
        self.next += 1;
        let text = self.row.get_ref(column).ok().and_then(|value| value.as_str_or_null().ok());
        text.ok_or_else(|| self.unknown(column))
    }

    fn instant(&mut self) -> Step<Timestamp> {
        self.parse(|t: i64| Timestamp::from_microsecond(t).ok())
    }

    fn instant_opt(&mut self) -> Step<Option<Timestamp>> {
        self.parse_opt(|t: i64| Timestamp::from_microsecond(t).ok())
    }

    fn digest_opt(&mut self) -> Step<Option<Digest>> {
        self.parse_opt(|b: [u8; 32]| Some(Digest(b)))
    }

    fn unknown(&self, column: usize) -> Failure {
        damaged(self.table, self.row.as_ref().column_name(column).unwrap_or("?"))
    }
}

fn damaged(table: &str, column: &str) -> Failure {
    StoreError::Internal(format!("{table}.{column} holds a value that nothing could have written")).into()
}

pub(crate) fn empresa(row: &Row<'_>) -> Step<Empresa> {
    empresa_in(&mut Columns::of("empresa", row))
}

fn empresa_in(c: &mut Columns<'_>) -> Step<Empresa> {
    Ok(Empresa {
        id: EmpresaId(c.take()?),
        nombre: c.take()?,
        slug: c.take()?,
        por_defecto: c.take()?,
        email_avisos: c.take()?,
        notices: c.take()?,
    })
}

/// A lead without its `utm`, which stands in a table of its own.
pub(crate) fn lead(c: &mut Columns<'_>) -> Step<Lead> {
    Ok(Lead {
        id: LeadId(c.take()?),
        empresa: empresa_in(c)?,
        nombre: c.take()?,
        telefono: c.take()?,
        telefono_e164: c.take()?,
        email: c.take()?,
        provincia: c.take()?,
        perfil: cells::perfil(c)?,
        utm: Vec::new(),
        creado_en: c.instant()?,
        actualizado_en: c.instant()?,
        watched_loop: loop_in(c)?,
    })
}

pub(crate) fn watched_loop(row: &Row<'_>) -> Step<Option<WatchedLoop>> {
    loop_in(&mut Columns::of("lead", row))
}

fn loop_in(c: &mut Columns<'_>) -> Step<Option<WatchedLoop>> {
    let step = c.word_opt(LoopStep::parse)?;
    let (since, limit) = (c.instant_opt()?, c.instant_opt()?);
    let (overdue, resignals) = (c.take()?, c.take()?);
    match (step, since, limit) {
        (None, _, _) => Ok(None),
        (Some(step), Some(since), Some(limit)) => {
            Ok(Some(WatchedLoop { step, since, limit, overdue, resignals }))
        }
        _ => Err(c.unknown(c.next - 1)),
    }
}

pub(crate) fn lead_summary(row: &Row<'_>) -> Step<LeadSummary> {
    let mut c = Columns::of("lead", row);
    Ok(LeadSummary { lead: lead(&mut c)?, nivel: c.word_opt(Nivel::parse)?, score: c.take()? })
}

/// Only `tipo_reforma`, for what an ingestion decides.
pub(crate) fn tipo_reforma(row: &Row<'_>) -> Step<Option<Zona>> {
    Columns::of("lead", row).word_opt(Zona::parse)
}

pub(crate) fn consentimiento(row: &Row<'_>) -> Step<Consentimiento> {
    let mut c = Columns::of("consentimiento", row);
    Ok(Consentimiento {
        purpose: c.take()?,
        channel: c.take()?,
        texto_version: c.take()?,
        source: c.take()?,
        granted: c.take()?,
        otorgado_en: Some(c.instant()?),
    })
}

pub(crate) fn turno(row: &Row<'_>) -> Step<StoredTurno> {
    let mut c = Columns::of("turno", row);
    Ok(StoredTurno {
        id: TurnoId(c.take()?),
        rol: c.word(Rol::parse)?,
        mensaje: c.take()?,
        media_type: c.take()?,
        media_url: c.take()?,
        transcripcion_audio: c.take()?,
        creado_en: c.instant()?,
    })
}

pub(crate) fn change(row: &Row<'_>) -> Step<StateChange> {
    let mut c = Columns::of("estado_historia", row);
    Ok(StateChange { field: c.take()?, value: c.take()?, creado_en: c.instant()? })
}

pub(crate) fn calificacion(row: &Row<'_>) -> Step<Calificacion> {
    let mut c = Columns::of("calificacion", row);
    Ok(Calificacion {
        score: c.take()?,
        nivel: c.word_opt(Nivel::parse)?,
        criterios: c.take()?,
        notas_agente: c.take()?,
    })
}

pub(crate) fn intento(row: &Row<'_>) -> Step<StoredIntento> {
    let mut c = Columns::of("intento", row);
    Ok(StoredIntento {
        id: IntentoId(c.take()?),
        intento: Intento {
            channel: c.word(Channel::parse)?,
            numero_intento: c.take()?,
            result: c.word_opt(JobOutcome::parse)?,
            completed: c.take()?,
            duracion_seg: c.take()?,
            notas: c.take()?,
            metadata: c.take()?,
        },
        creado_en: c.instant()?,
    })
}

pub(crate) fn foto(row: &Row<'_>) -> Step<Foto> {
    let mut c = Columns::of("foto", row);
    Ok(Foto {
        id: FotoId(c.take()?),
        zona: c.word(Zona::parse)?,
        momento: c.word(Momento::parse)?,
        orden: c.take()?,
        image: image(&mut c)?,
        creada_en: c.instant()?,
    })
}

/// Which of the four kinds a picture is, by which columns are filled.
fn image(c: &mut Columns<'_>) -> Step<StoredImage> {
    let (url, prefix): (Option<String>, Option<String>) = (c.take()?, c.take()?);
    match (url, prefix, c.digest_opt()?, c.digest_opt()?) {
        (Some(url), None, None, None) => Ok(StoredImage::Url(url)),
        (None, Some(prefix), Some(bytes), None) => Ok(StoredImage::Canonical { prefix, bytes }),
        (None, Some(prefix), Some(bytes), Some(raw)) => Ok(StoredImage::Informal { prefix, bytes, raw }),
        (None, Some(prefix), None, Some(raw)) => Ok(StoredImage::Unreadable { prefix, raw }),
        _ => Err(c.unknown(c.next - 1)),
    }
}

/// The columns `url`, `prefijo`, `bytes`, `crudo` of a picture.
pub(crate) type ImageColumns<'a> = (Option<&'a str>, Option<&'a str>, Option<[u8; 32]>, Option<[u8; 32]>);

/// The way back of [`foto`].
pub(crate) fn image_columns(image: &StoredImage) -> ImageColumns<'_> {
    match image {
        StoredImage::Url(url) => (Some(url), None, None, None),
        StoredImage::Canonical { prefix, bytes } => (None, Some(prefix), Some(bytes.0), None),
        StoredImage::Informal { prefix, bytes, raw } => (None, Some(prefix), Some(bytes.0), Some(raw.0)),
        StoredImage::Unreadable { prefix, raw } => (None, Some(prefix), None, Some(raw.0)),
    }
}

pub(crate) fn nota(row: &Row<'_>) -> Step<Nota> {
    let mut c = Columns::of("nota", row);
    Ok(Nota {
        id: NotaId(c.take()?),
        text: c.take()?,
        zona: c.word_opt(Zona::parse)?,
        creada_en: c.instant()?,
    })
}

pub(crate) fn listed_event(row: &Row<'_>) -> Step<ListedEvent> {
    let mut c = Columns::of("evento", row);
    let event = Event {
        kind: c.word(EventKind::parse)?,
        simulated: c.take()?,
        ok: c.take()?,
        detail: c.take()?,
        creado_en: c.instant()?,
    };
    let cursor = EventCursor { creado_en: event.creado_en, class: c.take()?, n: c.take()? };
    Ok(ListedEvent { event, cursor })
}

pub(crate) fn blob_marked(row: &Row<'_>) -> Step<(LeadId, Digest)> {
    let mut c = Columns::of("blob_marca", row);
    Ok((LeadId(c.take()?), Digest(c.take()?)))
}

pub(crate) fn mark_blob(row: &Row<'_>) -> Step<BlobMark> {
    let mut c = Columns::of("blob_marca", row);
    Ok(BlobMark { digest: Digest(c.take()?), nth: c.take()?, sweep: c.take()? })
}

pub(crate) fn idempotency(row: &Row<'_>) -> Step<KeyRow> {
    let mut c = Columns::of("idempotencia", row);
    Ok(KeyRow {
        cuerpo_sha256: c.take()?,
        status: c.take()?,
        body: c.take()?,
        jobs: c.take()?,
        expira_en: c.instant()?,
    })
}

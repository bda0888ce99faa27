//! What a row means: from PostgreSQL's types to the domain's and back, here and nowhere else.

mod cells;
mod instant;
mod job;
mod presupuesto;

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::contact::{Email, Telefono};
use embudo_domain::conversacion::Rol;
use embudo_domain::empresa::Empresa;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::{Channel, Intento, JobOutcome};
use embudo_domain::record::{
    Foto, Lead, LeadSummary, Nota, StateChange, StoredImage, StoredIntento, StoredTurno,
};
use embudo_domain::watched_loop::WatchedLoop;
use embudo_domain::{Digest, EmpresaId, FotoId, IntentoId, LeadId, NotaId, Timestamp, TurnoId, Zona};
use embudo_store::StoreError;
use embudo_store::command::BlobMark;
use embudo_store::idempotency::KeyRow;
use embudo_store::query::{EventCursor, ListedEvent};
use tokio_postgres::Row;

use crate::failure::Step;

pub(crate) use cells::{CellParam, type_name};
use instant::BoxedError;
pub(crate) use instant::Instant;
pub(crate) use job::{Held, delivery, held, job, job_count, overdue, watched_loop};
pub(crate) use presupuesto::{
    presupuesto, presupuesto_delivery, presupuesto_summary, rendition, stored_brand, tarifa,
};

fn damaged(column: &str) -> StoreError {
    StoreError::Internal(format!("column {column} holds a value that is not of this program"))
}

fn timestamp(row: &Row, column: &str) -> Step<Timestamp> {
    let instant: Instant = row.try_get(column)?;
    Ok(Timestamp::from_microsecond(instant.0).map_err(|_| damaged(column))?)
}

fn opt_timestamp(row: &Row, column: &str) -> Step<Option<Timestamp>> {
    match row.try_get::<_, Option<Instant>>(column)? {
        None => Ok(None),
        Some(instant) => Ok(Some(Timestamp::from_microsecond(instant.0).map_err(|_| damaged(column))?)),
    }
}

fn opt_word<T>(row: &Row, column: &str, read: fn(&str) -> Option<T>) -> Step<Option<T>> {
    match row.try_get::<_, Option<&str>>(column)? {
        None => Ok(None),
        Some(word) => Ok(Some(read(word).ok_or_else(|| damaged(column))?)),
    }
}

fn word<T>(row: &Row, column: &str, read: fn(&str) -> Option<T>) -> Step<T> {
    Ok(opt_word(row, column, read)?.ok_or_else(|| damaged(column))?)
}

fn opt_digest(row: &Row, column: &str) -> Step<Option<Digest>> {
    match row.try_get::<_, Option<&[u8]>>(column)? {
        None => Ok(None),
        Some(bytes) => Ok(Some(Digest(bytes.try_into().map_err(|_| damaged(column))?))),
    }
}

fn digest(row: &Row) -> Step<Digest> {
    Ok(opt_digest(row, "huella")?.ok_or_else(|| damaged("huella"))?)
}

/// The instant `cuando`; null where there is none.
pub(crate) fn instant(row: &Row) -> Step<Option<Timestamp>> {
    opt_timestamp(row, "cuando")
}

/// A company's own row.
pub(crate) fn empresa(row: &Row) -> Step<Empresa> {
    Ok(Empresa {
        id: EmpresaId(row.try_get("id")?),
        nombre: row.try_get("nombre")?,
        slug: row.try_get("slug")?,
        por_defecto: row.try_get("por_defecto")?,
        email_avisos: row.try_get("email_avisos")?,
        notices: row.try_get("avisos")?,
    })
}

/// A lead's row joined to its company's; the campaign ids come from elsewhere.
pub(crate) fn lead(row: &Row) -> Step<Lead> {
    let empresa = Empresa {
        id: EmpresaId(row.try_get("empresa_id")?),
        nombre: row.try_get("empresa_nombre")?,
        slug: row.try_get("empresa_slug")?,
        por_defecto: row.try_get("empresa_por_defecto")?,
        email_avisos: row.try_get("empresa_email_avisos")?,
        notices: row.try_get("empresa_avisos")?,
    };
    Ok(Lead {
        id: LeadId(row.try_get("id")?),
        empresa,
        nombre: row.try_get("nombre")?,
        telefono: row.try_get("telefono")?,
        telefono_e164: row.try_get("telefono_e164")?,
        email: row.try_get("email")?,
        provincia: row.try_get("provincia")?,
        perfil: cells::perfil(row)?,
        utm: Vec::new(),
        creado_en: timestamp(row, "creado_en")?,
        actualizado_en: timestamp(row, "actualizado_en")?,
        watched_loop: watched_loop(row)?,
    })
}

/// A lead in a list.
pub(crate) fn lead_summary(row: &Row) -> Step<LeadSummary> {
    Ok(LeadSummary {
        lead: lead(row)?,
        nivel: opt_word(row, "nivel", Nivel::parse)?,
        score: row.try_get("score")?,
    })
}

/// Contact data as it is stored: name, telephone, e-mail, province.
pub(crate) fn contact(row: &Row) -> Step<(String, Telefono, Email, Option<String>)> {
    let telefono = Telefono { typed: row.try_get("telefono")?, e164: row.try_get("telefono_e164")? };
    let email = Email { typed: row.try_get("email")?, normal: row.try_get("email_normal")? };
    Ok((row.try_get("nombre")?, telefono, email, row.try_get("provincia")?))
}

/// The renovation type, the company and the loop of a lead that was locked.
pub(crate) fn lead_closed(row: &Row) -> Step<(Option<Zona>, uuid::Uuid, Option<WatchedLoop>)> {
    Ok((opt_word(row, "tipo_reforma", Zona::parse)?, row.try_get("empresa_id")?, watched_loop(row)?))
}

/// A photo.
pub(crate) fn foto(row: &Row) -> Step<Foto> {
    let url: Option<String> = row.try_get("url")?;
    let prefix: Option<String> = row.try_get("prefijo")?;
    let image = match (url, prefix, opt_digest(row, "bytes")?, opt_digest(row, "crudo")?) {
        (Some(url), None, None, None) => StoredImage::Url(url),
        (None, Some(prefix), Some(bytes), None) => StoredImage::Canonical { prefix, bytes },
        (None, Some(prefix), Some(bytes), Some(raw)) => StoredImage::Informal { prefix, bytes, raw },
        (None, Some(prefix), None, Some(raw)) => StoredImage::Unreadable { prefix, raw },
        _ => return Err(damaged("foto.url").into()),
    };
    Ok(Foto {
        id: FotoId(row.try_get("id")?),
        zona: word(row, "zona", Zona::parse)?,
        momento: word(row, "momento", Momento::parse)?,
        orden: row.try_get("orden")?,
        image,
        creada_en: timestamp(row, "creado_en")?,
    })
}

/// The four columns of a picture: `url`, `prefijo`, `bytes`, `crudo`.
pub(crate) type ImageColumns<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a [u8]>, Option<&'a [u8]>);

/// Where a picture goes.
pub(crate) fn image_columns(image: &StoredImage) -> ImageColumns<'_> {
    match image {
        StoredImage::Url(url) => (Some(url), None, None, None),
        StoredImage::Canonical { prefix, bytes } => (None, Some(prefix), Some(&bytes.0), None),
        StoredImage::Informal { prefix, bytes, raw } => (None, Some(prefix), Some(&bytes.0), Some(&raw.0)),
        StoredImage::Unreadable { prefix, raw } => (None, Some(prefix), None, Some(&raw.0)),
    }
}

/// A note.
pub(crate) fn nota(row: &Row) -> Step<Nota> {
    Ok(Nota {
        id: NotaId(row.try_get("id")?),
        text: row.try_get("texto")?,
        zona: opt_word(row, "zona", Zona::parse)?,
        creada_en: timestamp(row, "creado_en")?,
    })
}

/// A chat turn.
pub(crate) fn turno(row: &Row) -> Step<StoredTurno> {
    Ok(StoredTurno {
        id: TurnoId(row.try_get("id")?),
        rol: word(row, "rol", Rol::parse)?,
        mensaje: row.try_get("mensaje")?,
        media_type: row.try_get("media_type")?,
        media_url: row.try_get("media_url")?,
        transcripcion_audio: row.try_get("transcripcion_audio")?,
        creado_en: timestamp(row, "creado_en")?,
    })
}

/// A qualification.
pub(crate) fn calificacion(row: &Row) -> Step<Calificacion> {
    Ok(Calificacion {
        score: row.try_get("score")?,
        nivel: opt_word(row, "nivel", Nivel::parse)?,
        criterios: row.try_get("criterios")?,
        notas_agente: row.try_get("notas_agente")?,
    })
}

/// A contact attempt.
pub(crate) fn intento(row: &Row) -> Step<StoredIntento> {
    let intento = Intento {
        channel: word(row, "canal", Channel::parse)?,
        numero_intento: row.try_get("numero_intento")?,
        result: opt_word(row, "resultado", JobOutcome::parse)?,
        completed: row.try_get("completado")?,
        duracion_seg: row.try_get("duracion_seg")?,
        notas: row.try_get("notas")?,
        metadata: row.try_get("metadata")?,
    };
    Ok(StoredIntento { id: IntentoId(row.try_get("id")?), intento, creado_en: timestamp(row, "creado_en")? })
}

/// An event.
pub(crate) fn event(row: &Row) -> Step<Event> {
    Ok(Event {
        kind: word(row, "tipo", EventKind::parse)?,
        simulated: row.try_get("simulado")?,
        ok: row.try_get("ok")?,
        detail: row.try_get("detalle")?,
        creado_en: timestamp(row, "creado_en")?,
    })
}

/// A consent.
pub(crate) fn consentimiento(row: &Row) -> Step<Consentimiento> {
    Ok(Consentimiento {
        purpose: row.try_get("finalidad")?,
        channel: row.try_get("canal")?,
        texto_version: row.try_get("texto_version")?,
        source: row.try_get("fuente")?,
        granted: row.try_get("otorgado")?,
        otorgado_en: opt_timestamp(row, "otorgado_en")?,
    })
}

/// One value of a lead's states; `None` for the row of nulls of a lead without history.
pub(crate) fn state_change(row: &Row) -> Step<Option<StateChange>> {
    let Some(field) = row.try_get::<_, Option<String>>("campo")? else { return Ok(None) };
    Ok(Some(StateChange { field, value: row.try_get("valor")?, creado_en: timestamp(row, "creado_en")? }))
}

/// A marked blob.
pub(crate) fn brand(row: &Row) -> Step<(LeadId, Digest)> {
    Ok((LeadId(row.try_get("lead_id")?), digest(row)?))
}

/// A mark or a trace of a lead.
pub(crate) fn mark_blob(row: &Row) -> Step<BlobMark> {
    Ok(BlobMark { digest: digest(row)?, nth: row.try_get("vez")?, sweep: row.try_get("barrido")? })
}

/// An event with its place.
pub(crate) fn listed_event(row: &Row) -> Step<ListedEvent> {
    let event = event(row)?;
    let cursor =
        EventCursor { creado_en: event.creado_en, class: row.try_get("clase")?, n: row.try_get("n")? };
    Ok(ListedEvent { event, cursor })
}

/// A stored idempotency key.
pub(crate) fn idempotency(row: &Row) -> Step<KeyRow> {
    Ok(KeyRow {
        cuerpo_sha256: row.try_get("cuerpo_sha256")?,
        status: row.try_get("status")?,
        body: row.try_get("cuerpo")?,
        jobs: row.try_get("trabajos")?,
        expira_en: timestamp(row, "expira_en")?,
    })
}

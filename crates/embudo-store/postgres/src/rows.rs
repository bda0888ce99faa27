//! What a row means: from PostgreSQL's types to the domain's and back, here and nowhere else.

mod cells;
mod instante;
mod presupuesto;
mod trabajo;

use embudo_domain::bucle::Bucle;
use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::contacto::{Email, Telefono};
use embudo_domain::conversacion::Rol;
use embudo_domain::empresa::Empresa;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::{
    CambioEstado, Foto, ImagenGuardada, IntentoGuardado, Lead, LeadResumen, Nota, TurnoGuardado,
};
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::{Canal, Intento, Resultado};
use embudo_domain::{EmpresaId, FotoId, Huella, IntentoId, LeadId, NotaId, Timestamp, TurnoId, Zona};
use embudo_store::StoreError;
use embudo_store::command::MarcaBlob;
use embudo_store::idempotencia::KeyRow;
use embudo_store::query::{CursorEvento, EventoEnLista};
use tokio_postgres::Row;

use crate::failure::Step;

pub(crate) use cells::{CellParam, type_name};
use instante::Caja;
pub(crate) use instante::Instante;
pub(crate) use presupuesto::{
    entrega_presupuesto, marca_guardada, presupuesto, presupuesto_resumen, rendicion, tarifa,
};
pub(crate) use trabajo::{Held, bucle, entrega, held, job_count, trabajo, vencido};

fn damaged(column: &str) -> StoreError {
    StoreError::Internal(format!("column {column} holds a value that is not of this program"))
}

fn timestamp(row: &Row, column: &str) -> Step<Timestamp> {
    let instante: Instante = row.try_get(column)?;
    Ok(Timestamp::from_microsecond(instante.0).map_err(|_| damaged(column))?)
}

fn opt_timestamp(row: &Row, column: &str) -> Step<Option<Timestamp>> {
    match row.try_get::<_, Option<Instante>>(column)? {
        None => Ok(None),
        Some(instante) => Ok(Some(Timestamp::from_microsecond(instante.0).map_err(|_| damaged(column))?)),
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

fn opt_huella(row: &Row, column: &str) -> Step<Option<Huella>> {
    match row.try_get::<_, Option<&[u8]>>(column)? {
        None => Ok(None),
        Some(bytes) => Ok(Some(Huella(bytes.try_into().map_err(|_| damaged(column))?))),
    }
}

fn huella(row: &Row) -> Step<Huella> {
    Ok(opt_huella(row, "huella")?.ok_or_else(|| damaged("huella"))?)
}

/// The instant `cuando`; null where there is none.
pub(crate) fn instante(row: &Row) -> Step<Option<Timestamp>> {
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
        avisos: row.try_get("avisos")?,
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
        avisos: row.try_get("empresa_avisos")?,
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
        bucle: bucle(row)?,
    })
}

/// A lead in a list.
pub(crate) fn lead_resumen(row: &Row) -> Step<LeadResumen> {
    Ok(LeadResumen {
        lead: lead(row)?,
        nivel: opt_word(row, "nivel", Nivel::parse)?,
        score: row.try_get("score")?,
    })
}

/// Contact data as it is stored: name, telephone, e-mail, province.
pub(crate) fn contacto(row: &Row) -> Step<(String, Telefono, Email, Option<String>)> {
    let telefono = Telefono { tecleado: row.try_get("telefono")?, e164: row.try_get("telefono_e164")? };
    let email = Email { tecleado: row.try_get("email")?, normal: row.try_get("email_normal")? };
    Ok((row.try_get("nombre")?, telefono, email, row.try_get("provincia")?))
}

/// The renovation type, the company and the loop of a lead that was locked.
pub(crate) fn lead_cerrado(row: &Row) -> Step<(Option<Zona>, uuid::Uuid, Option<Bucle>)> {
    Ok((opt_word(row, "tipo_reforma", Zona::parse)?, row.try_get("empresa_id")?, bucle(row)?))
}

/// A photo.
pub(crate) fn foto(row: &Row) -> Step<Foto> {
    let url: Option<String> = row.try_get("url")?;
    let prefijo: Option<String> = row.try_get("prefijo")?;
    let imagen = match (url, prefijo, opt_huella(row, "bytes")?, opt_huella(row, "crudo")?) {
        (Some(url), None, None, None) => ImagenGuardada::Url(url),
        (None, Some(prefijo), Some(bytes), None) => ImagenGuardada::Canonica { prefijo, bytes },
        (None, Some(prefijo), Some(bytes), Some(crudo)) => ImagenGuardada::Informal { prefijo, bytes, crudo },
        (None, Some(prefijo), None, Some(crudo)) => ImagenGuardada::Ilegible { prefijo, crudo },
        _ => return Err(damaged("foto.url").into()),
    };
    Ok(Foto {
        id: FotoId(row.try_get("id")?),
        zona: word(row, "zona", Zona::parse)?,
        momento: word(row, "momento", Momento::parse)?,
        orden: row.try_get("orden")?,
        imagen,
        creada_en: timestamp(row, "creado_en")?,
    })
}

/// The four columns of a picture: `url`, `prefijo`, `bytes`, `crudo`.
pub(crate) type ColumnasImagen<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a [u8]>, Option<&'a [u8]>);

/// Where a picture goes.
pub(crate) fn columnas_imagen(imagen: &ImagenGuardada) -> ColumnasImagen<'_> {
    match imagen {
        ImagenGuardada::Url(url) => (Some(url), None, None, None),
        ImagenGuardada::Canonica { prefijo, bytes } => (None, Some(prefijo), Some(&bytes.0), None),
        ImagenGuardada::Informal { prefijo, bytes, crudo } => {
            (None, Some(prefijo), Some(&bytes.0), Some(&crudo.0))
        }
        ImagenGuardada::Ilegible { prefijo, crudo } => (None, Some(prefijo), None, Some(&crudo.0)),
    }
}

/// A note.
pub(crate) fn nota(row: &Row) -> Step<Nota> {
    Ok(Nota {
        id: NotaId(row.try_get("id")?),
        texto: row.try_get("texto")?,
        zona: opt_word(row, "zona", Zona::parse)?,
        creada_en: timestamp(row, "creado_en")?,
    })
}

/// A chat turn.
pub(crate) fn turno(row: &Row) -> Step<TurnoGuardado> {
    Ok(TurnoGuardado {
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
pub(crate) fn intento(row: &Row) -> Step<IntentoGuardado> {
    let intento = Intento {
        canal: word(row, "canal", Canal::parse)?,
        numero_intento: row.try_get("numero_intento")?,
        resultado: opt_word(row, "resultado", Resultado::parse)?,
        completado: row.try_get("completado")?,
        duracion_seg: row.try_get("duracion_seg")?,
        notas: row.try_get("notas")?,
        metadata: row.try_get("metadata")?,
    };
    Ok(IntentoGuardado {
        id: IntentoId(row.try_get("id")?),
        intento,
        creado_en: timestamp(row, "creado_en")?,
    })
}

/// An event.
pub(crate) fn evento(row: &Row) -> Step<Evento> {
    Ok(Evento {
        tipo: word(row, "tipo", TipoEvento::parse)?,
        simulado: row.try_get("simulado")?,
        ok: row.try_get("ok")?,
        detalle: row.try_get("detalle")?,
        creado_en: timestamp(row, "creado_en")?,
    })
}

/// A consent.
pub(crate) fn consentimiento(row: &Row) -> Step<Consentimiento> {
    Ok(Consentimiento {
        finalidad: row.try_get("finalidad")?,
        canal: row.try_get("canal")?,
        texto_version: row.try_get("texto_version")?,
        fuente: row.try_get("fuente")?,
        otorgado: row.try_get("otorgado")?,
        otorgado_en: opt_timestamp(row, "otorgado_en")?,
    })
}

/// One value of a lead's states; `None` for the row of nulls of a lead without history.
pub(crate) fn cambio_estado(row: &Row) -> Step<Option<CambioEstado>> {
    let Some(campo) = row.try_get::<_, Option<String>>("campo")? else { return Ok(None) };
    Ok(Some(CambioEstado { campo, valor: row.try_get("valor")?, creado_en: timestamp(row, "creado_en")? }))
}

/// A marked blob.
pub(crate) fn marca(row: &Row) -> Step<(LeadId, Huella)> {
    Ok((LeadId(row.try_get("lead_id")?), huella(row)?))
}

/// A mark or a trace of a lead.
pub(crate) fn marca_blob(row: &Row) -> Step<MarcaBlob> {
    Ok(MarcaBlob { huella: huella(row)?, vez: row.try_get("vez")?, barrido: row.try_get("barrido")? })
}

/// An event with its place.
pub(crate) fn evento_en_lista(row: &Row) -> Step<EventoEnLista> {
    let evento = evento(row)?;
    let cursor =
        CursorEvento { creado_en: evento.creado_en, clase: row.try_get("clase")?, n: row.try_get("n")? };
    Ok(EventoEnLista { evento, cursor })
}

/// A stored idempotency key.
pub(crate) fn idempotencia(row: &Row) -> Step<KeyRow> {
    Ok(KeyRow {
        cuerpo_sha256: row.try_get("cuerpo_sha256")?,
        status: row.try_get("status")?,
        cuerpo: row.try_get("cuerpo")?,
        trabajos: row.try_get("trabajos")?,
        expira_en: timestamp(row, "expira_en")?,
    })
}

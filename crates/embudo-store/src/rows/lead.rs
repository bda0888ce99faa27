//! Rows of a lead and of its data.

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::columns::{Cell, CellType, Column};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::Rol;
use embudo_domain::empresa::Empresa;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::foto::{Foto, StoredImage};
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::{Channel, Intento, IntentoResult};
use embudo_domain::lead::{Lead, LeadSummary};
use embudo_domain::nota::Nota;
use embudo_domain::notice::Topics;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::Perfil;
use embudo_domain::record::{StateChange, StoredIntento, StoredTurno};
use embudo_domain::watched_loop::{LoopStep, WatchedLoop};
use embudo_domain::{EmpresaId, FotoId, IntentoId, LeadId, NotaId, TurnoId, Zona};

use crate::Result;
use crate::leads::EventCursor;
use crate::leads::ListedEvent;
use crate::row::{Columns, Raw, damaged};

/// A lead's row joined to its company's (`empresa_…`), without its `utm` and its `obra`, which have tables of their
/// own.
pub fn lead(c: &Columns<'_>) -> Result<Lead> {
    let empresa = Empresa {
        id: EmpresaId(c.get("empresa_id")?),
        nombre: c.get("empresa_nombre")?,
        slug: c.get("empresa_slug")?,
        por_defecto: c.get("empresa_por_defecto")?,
        email_avisos: c.get("empresa_email_avisos")?,
        notices: c.get("empresa_avisos")?,
        topics: c.word("empresa_avisos_elegidos", Topics::parse)?,
        personal_topics: c.word("empresa_avisos_personas", Topics::parse)?,
    };
    Ok(Lead {
        id: LeadId(c.get("id")?),
        empresa,
        nombre: c.get("nombre")?,
        telefono: c.get("telefono")?,
        telefono_e164: c.get("telefono_e164")?,
        email: c.get("email")?,
        provincia: c.get("provincia")?,
        perfil: perfil(c)?,
        obra: Obra::default(),
        utm: Vec::new(),
        creado_en: c.get("creado_en")?,
        actualizado_en: c.get("actualizado_en")?,
        watched_loop: watched_loop(c)?,
    })
}

fn perfil(c: &Columns<'_>) -> Result<Perfil> {
    Perfil::from_cells(|column| cell(c, column), |column| damaged(column.name))
}

/// The obra, which decides tax and price, from its own table.
pub fn obra(c: &Columns<'_>) -> Result<Obra> {
    Obra::from_cells(|column| cell(c, column), |column| damaged(column.name))
}

fn cell<'r>(c: &Columns<'r>, column: &Column) -> Result<Option<Cell<'r>>> {
    let name = column.name;
    Ok(match (column.holds, c.raw(name)?) {
        (_, Raw::Null) => None,
        (CellType::Text, Raw::Text(text)) => Some(Cell::Text(text)),
        (CellType::Boolean, _) => Some(Cell::Boolean(c.get(name)?)),
        (CellType::Number, _) => Some(Cell::Number(c.get(name)?)),
        (CellType::Integer, _) => Some(Cell::Integer(c.get(name)?)),
        (CellType::Instant, _) => Some(Cell::Instant(c.get(name)?)),
        (CellType::Text, _) => return Err(damaged(name)),
    })
}

/// A lead's watched loop.
pub fn watched_loop(c: &Columns<'_>) -> Result<Option<WatchedLoop>> {
    let Some(step) = c.word_opt("bucle_paso", LoopStep::parse)? else { return Ok(None) };
    Ok(Some(WatchedLoop {
        step,
        since: c.get("bucle_desde")?,
        limit: c.get("bucle_limite")?,
        overdue: c.get("bucle_vencido")?,
        resignals: c.get("bucle_resenales")?,
    }))
}

pub fn lead_summary(c: &Columns<'_>) -> Result<LeadSummary> {
    Ok(LeadSummary { lead: lead(c)?, nivel: c.word_opt("nivel", Nivel::parse)?, score: c.get("score")? })
}

/// A campaign id and its lead.
pub fn utm(c: &Columns<'_>) -> Result<(LeadId, (String, String))> {
    Ok((LeadId(c.get("lead_id")?), (c.get("nombre")?, c.get("valor")?)))
}

pub fn consentimiento(c: &Columns<'_>) -> Result<Consentimiento> {
    Ok(Consentimiento {
        purpose: c.get("finalidad")?,
        channel: c.get("canal")?,
        texto_version: c.get("texto_version")?,
        source: c.get("fuente")?,
        granted: c.get("otorgado")?,
        otorgado_en: Some(c.get("otorgado_en")?),
    })
}

pub fn turno(c: &Columns<'_>) -> Result<StoredTurno> {
    Ok(StoredTurno {
        id: TurnoId(c.get("id")?),
        rol: c.word("rol", Rol::parse)?,
        mensaje: c.get("mensaje")?,
        media_type: c.get("media_type")?,
        media_url: c.get("media_url")?,
        transcripcion_audio: c.get("transcripcion_audio")?,
        creado_en: c.get("creado_en")?,
    })
}

/// A change of one of a lead's states (`estado_wa`, `bot_step`) to a new value.
pub fn state_change(c: &Columns<'_>) -> Result<StateChange> {
    Ok(StateChange { field: c.get("campo")?, value: c.get("valor")?, creado_en: c.get("creado_en")? })
}

pub fn calificacion(c: &Columns<'_>) -> Result<Calificacion> {
    Ok(Calificacion {
        score: c.get("score")?,
        nivel: c.word_opt("nivel", Nivel::parse)?,
        criterios: c.get("criterios")?,
        notas_agente: c.get("notas_agente")?,
    })
}

pub fn intento(c: &Columns<'_>) -> Result<StoredIntento> {
    Ok(StoredIntento {
        id: IntentoId(c.get("id")?),
        intento: Intento {
            channel: c.word("canal", Channel::parse)?,
            numero_intento: c.get("numero_intento")?,
            result: c.word_opt("resultado", IntentoResult::parse)?,
            completed: c.get("completado")?,
            duracion_seg: c.get("duracion_seg")?,
            notas: c.get("notas")?,
            metadata: c.get("metadata")?,
        },
        creado_en: c.get("creado_en")?,
    })
}

pub fn foto(c: &Columns<'_>) -> Result<Foto> {
    Ok(Foto {
        id: FotoId(c.get("id")?),
        zona: c.word("zona", Zona::parse)?,
        momento: c.word("momento", Momento::parse)?,
        orden: c.get("orden")?,
        image: image(c)?,
        creada_en: c.get("creado_en")?,
    })
}

/// The picture; which columns are filled decides which of the four kinds it is.
fn image(c: &Columns<'_>) -> Result<StoredImage> {
    match (c.get("url")?, c.get("prefijo")?, c.get("bytes")?, c.get("crudo")?) {
        (Some(url), None::<String>, None, None) => Ok(StoredImage::Url(url)),
        (None, Some(prefix), Some(bytes), None) => Ok(StoredImage::Canonical { prefix, bytes }),
        (None, Some(prefix), Some(bytes), Some(raw)) => Ok(StoredImage::Informal { prefix, bytes, raw }),
        (None, Some(prefix), None, Some(raw)) => Ok(StoredImage::Unreadable { prefix, raw }),
        _ => Err(damaged("url")),
    }
}

/// The columns `url`, `prefijo`, `bytes`, `crudo` of a picture.
pub type ImageColumns<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a [u8]>, Option<&'a [u8]>);

/// The columns from which [`foto`] reads a picture.
pub fn image_columns(image: &StoredImage) -> ImageColumns<'_> {
    match image {
        StoredImage::Url(url) => (Some(url), None, None, None),
        StoredImage::Canonical { prefix, bytes } => (None, Some(prefix), Some(&bytes.0), None),
        StoredImage::Informal { prefix, bytes, raw } => (None, Some(prefix), Some(&bytes.0), Some(&raw.0)),
        StoredImage::Unreadable { prefix, raw } => (None, Some(prefix), None, Some(&raw.0)),
    }
}

pub fn nota(c: &Columns<'_>) -> Result<Nota> {
    Ok(Nota {
        id: NotaId(c.get("id")?),
        text: c.get("texto")?,
        zona: c.word_opt("zona", Zona::parse)?,
        creada_en: c.get("creado_en")?,
    })
}

pub fn event(c: &Columns<'_>) -> Result<Event> {
    Ok(Event {
        kind: c.word("tipo", EventKind::parse)?,
        simulated: c.get("simulado")?,
        ok: c.get("ok")?,
        detail: c.get("detalle")?,
        creado_en: c.get("creado_en")?,
    })
}

pub fn event_in_list(c: &Columns<'_>) -> Result<ListedEvent> {
    let event = event(c)?;
    let cursor = EventCursor { creado_en: event.creado_en, class: c.get("clase")?, n: c.get("n")? };
    Ok(ListedEvent { event, cursor })
}

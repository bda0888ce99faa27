//! Rows of the database ↔ words of the domain, in one place.
//!
//! Columns are read in the order in which the SQL file names them. A value that the domain does not know is a defect or
//! a damaged database: an `Internal` error that names table and column, never the value.

mod cells;
mod cola;
mod presupuesto;

use embudo_domain::bucle::{Bucle, PasoBucle};
use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::consentimiento::Consentimiento;
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
use rusqlite::Row;
use rusqlite::types::FromSql;

use crate::failure::{Failure, Step};
pub(crate) use cells::CellParam;
pub(crate) use cola::{Held, bucle_vencido, entrega, held, inicio, job_count, trabajo};
pub(crate) use presupuesto::{
    columnas_rendicion, entrega_presupuesto, marca_guardada, presupuesto, presupuesto_resumen, rendicion,
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

    fn huella_opt(&mut self) -> Step<Option<Huella>> {
        self.parse_opt(|b: [u8; 32]| Some(Huella(b)))
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
        avisos: c.take()?,
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
        bucle: bucle_in(c)?,
    })
}

pub(crate) fn bucle(row: &Row<'_>) -> Step<Option<Bucle>> {
    bucle_in(&mut Columns::of("lead", row))
}

fn bucle_in(c: &mut Columns<'_>) -> Step<Option<Bucle>> {
    let paso = c.word_opt(PasoBucle::parse)?;
    let (desde, limite) = (c.instant_opt()?, c.instant_opt()?);
    let (vencido, resenales) = (c.take()?, c.take()?);
    match (paso, desde, limite) {
        (None, _, _) => Ok(None),
        (Some(paso), Some(desde), Some(limite)) => {
            Ok(Some(Bucle { paso, desde, limite, vencido, resenales }))
        }
        _ => Err(c.unknown(c.next - 1)),
    }
}

pub(crate) fn lead_resumen(row: &Row<'_>) -> Step<LeadResumen> {
    let mut c = Columns::of("lead", row);
    Ok(LeadResumen { lead: lead(&mut c)?, nivel: c.word_opt(Nivel::parse)?, score: c.take()? })
}

/// Only `tipo_reforma`, for what an ingestion decides.
pub(crate) fn tipo_reforma(row: &Row<'_>) -> Step<Option<Zona>> {
    Columns::of("lead", row).word_opt(Zona::parse)
}

pub(crate) fn consentimiento(row: &Row<'_>) -> Step<Consentimiento> {
    let mut c = Columns::of("consentimiento", row);
    Ok(Consentimiento {
        finalidad: c.take()?,
        canal: c.take()?,
        texto_version: c.take()?,
        fuente: c.take()?,
        otorgado: c.take()?,
        otorgado_en: Some(c.instant()?),
    })
}

pub(crate) fn turno(row: &Row<'_>) -> Step<TurnoGuardado> {
    let mut c = Columns::of("turno", row);
    Ok(TurnoGuardado {
        id: TurnoId(c.take()?),
        rol: c.word(Rol::parse)?,
        mensaje: c.take()?,
        media_type: c.take()?,
        media_url: c.take()?,
        transcripcion_audio: c.take()?,
        creado_en: c.instant()?,
    })
}

pub(crate) fn cambio(row: &Row<'_>) -> Step<CambioEstado> {
    let mut c = Columns::of("estado_historia", row);
    Ok(CambioEstado { campo: c.take()?, valor: c.take()?, creado_en: c.instant()? })
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

pub(crate) fn intento(row: &Row<'_>) -> Step<IntentoGuardado> {
    let mut c = Columns::of("intento", row);
    Ok(IntentoGuardado {
        id: IntentoId(c.take()?),
        intento: Intento {
            canal: c.word(Canal::parse)?,
            numero_intento: c.take()?,
            resultado: c.word_opt(Resultado::parse)?,
            completado: c.take()?,
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
        imagen: imagen(&mut c)?,
        creada_en: c.instant()?,
    })
}

/// Which of the four kinds a picture is, by which columns are filled.
fn imagen(c: &mut Columns<'_>) -> Step<ImagenGuardada> {
    let (url, prefijo): (Option<String>, Option<String>) = (c.take()?, c.take()?);
    match (url, prefijo, c.huella_opt()?, c.huella_opt()?) {
        (Some(url), None, None, None) => Ok(ImagenGuardada::Url(url)),
        (None, Some(prefijo), Some(bytes), None) => Ok(ImagenGuardada::Canonica { prefijo, bytes }),
        (None, Some(prefijo), Some(bytes), Some(crudo)) => {
            Ok(ImagenGuardada::Informal { prefijo, bytes, crudo })
        }
        (None, Some(prefijo), None, Some(crudo)) => Ok(ImagenGuardada::Ilegible { prefijo, crudo }),
        _ => Err(c.unknown(c.next - 1)),
    }
}

/// The columns `url`, `prefijo`, `bytes`, `crudo` of a picture.
pub(crate) type ColumnasImagen<'a> = (Option<&'a str>, Option<&'a str>, Option<[u8; 32]>, Option<[u8; 32]>);

/// The way back of [`foto`].
pub(crate) fn columnas_imagen(imagen: &ImagenGuardada) -> ColumnasImagen<'_> {
    match imagen {
        ImagenGuardada::Url(url) => (Some(url), None, None, None),
        ImagenGuardada::Canonica { prefijo, bytes } => (None, Some(prefijo), Some(bytes.0), None),
        ImagenGuardada::Informal { prefijo, bytes, crudo } => {
            (None, Some(prefijo), Some(bytes.0), Some(crudo.0))
        }
        ImagenGuardada::Ilegible { prefijo, crudo } => (None, Some(prefijo), None, Some(crudo.0)),
    }
}

pub(crate) fn nota(row: &Row<'_>) -> Step<Nota> {
    let mut c = Columns::of("nota", row);
    Ok(Nota {
        id: NotaId(c.take()?),
        texto: c.take()?,
        zona: c.word_opt(Zona::parse)?,
        creada_en: c.instant()?,
    })
}

pub(crate) fn evento_en_lista(row: &Row<'_>) -> Step<EventoEnLista> {
    let mut c = Columns::of("evento", row);
    let evento = Evento {
        tipo: c.word(TipoEvento::parse)?,
        simulado: c.take()?,
        ok: c.take()?,
        detalle: c.take()?,
        creado_en: c.instant()?,
    };
    let cursor = CursorEvento { creado_en: evento.creado_en, clase: c.take()?, n: c.take()? };
    Ok(EventoEnLista { evento, cursor })
}

pub(crate) fn blob_marcado(row: &Row<'_>) -> Step<(LeadId, Huella)> {
    let mut c = Columns::of("blob_marca", row);
    Ok((LeadId(c.take()?), Huella(c.take()?)))
}

pub(crate) fn marca_blob(row: &Row<'_>) -> Step<MarcaBlob> {
    let mut c = Columns::of("blob_marca", row);
    Ok(MarcaBlob { huella: Huella(c.take()?), vez: c.take()?, barrido: c.take()? })
}

pub(crate) fn idempotencia(row: &Row<'_>) -> Step<KeyRow> {
    let mut c = Columns::of("idempotencia", row);
    Ok(KeyRow {
        cuerpo_sha256: c.take()?,
        status: c.take()?,
        cuerpo: c.take()?,
        trabajos: c.take()?,
        expira_en: c.instant()?,
    })
}

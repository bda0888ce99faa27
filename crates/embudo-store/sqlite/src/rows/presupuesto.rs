//! Rows of quotes, price tables, brands and what was made of photos.

use embudo_domain::dinero::Cents;
use embudo_domain::presupuesto::{
    CanalEntrega, EntregaPresupuesto, EstadoEntrega, EstadoPresupuesto, NumeroPresupuesto, PdfGuardado,
    Presupuesto, PresupuestoResumen, RespuestaCliente, Validez,
};
use embudo_domain::rendicion::{Derivadas, Rendicion, Resultado};
use embudo_domain::trabajo::EstadoTrabajo;
use embudo_domain::{EmpresaId, FotoId, Huella, LeadId, PresupuestoId};
use embudo_store::presupuestos::{MarcaGuardada, TarifaGuardada};
use jiff::civil::Date;
use rusqlite::Row;

use super::Columns;
use crate::failure::Step;

/// A day.
fn dia(c: &mut Columns<'_>) -> Step<Date> {
    c.word(|t| t.parse().ok())
}

fn numero(c: &mut Columns<'_>) -> Step<NumeroPresupuesto> {
    let anio = c.take()?;
    c.parse(|orden| NumeroPresupuesto::new(anio, orden))
}

fn validez(c: &mut Columns<'_>) -> Step<Validez> {
    Ok(Validez { emitido: dia(c)?, hasta: dia(c)? })
}

fn pdf(c: &mut Columns<'_>) -> Step<Option<PdfGuardado>> {
    let (huella, sha256) = (c.huella_opt()?, c.take()?);
    let bytes = c.parse_opt(|n: i64| u64::try_from(n).ok())?;
    match (huella, sha256, bytes) {
        (None, None, None) => Ok(None),
        (Some(huella), Some(sha256), Some(bytes)) => Ok(Some(PdfGuardado { huella, sha256, bytes })),
        _ => Err(c.unknown(c.next - 1)),
    }
}

/// A quote with the last answer to it.
pub(crate) fn presupuesto(row: &Row<'_>) -> Step<Presupuesto> {
    let mut c = Columns::of("presupuesto", row);
    Ok(Presupuesto {
        id: PresupuestoId(c.take()?),
        lead: LeadId(c.take()?),
        empresa: EmpresaId(c.take()?),
        numero: numero(&mut c)?,
        version: c.take()?,
        estado: c.word(EstadoPresupuesto::parse)?,
        documento: c.word(|t| serde_json::from_str(t).ok())?,
        contenido: Huella(c.take()?),
        validez: validez(&mut c)?,
        pdf: pdf(&mut c)?,
        creado_en: c.instant()?,
        emitido_en: c.instant_opt()?,
        respuesta: respuesta(&mut c)?,
    })
}

/// The last answer; all its columns are null where there is none.
fn respuesta(c: &mut Columns<'_>) -> Step<Option<RespuestaCliente>> {
    let Some(aceptado) = c.take()? else { return Ok(None) };
    Ok(Some(RespuestaCliente {
        aceptado,
        motivo: c.take()?,
        ip: c.take()?,
        texto_version: c.take()?,
        pdf_sha256: c.take()?,
        en: c.instant()?,
    }))
}

/// A quote as a lead's record shows it.
pub(crate) fn presupuesto_resumen(row: &Row<'_>) -> Step<PresupuestoResumen> {
    let mut c = Columns::of("presupuesto", row);
    Ok(PresupuestoResumen {
        id: PresupuestoId(c.take()?),
        numero: numero(&mut c)?,
        version: c.take()?,
        estado: c.word(EstadoPresupuesto::parse)?,
        total: Cents(c.take()?),
        validez: validez(&mut c)?,
        pdf: pdf(&mut c)?,
        creado_en: c.instant()?,
        emitido_en: c.instant_opt()?,
        entregas: Vec::new(),
    })
}

/// A delivery, and the quote that it carries.
pub(crate) fn entrega_presupuesto(row: &Row<'_>) -> Step<(PresupuestoId, EntregaPresupuesto)> {
    let mut c = Columns::of("presupuesto_entrega", row);
    let (de, canal) = (PresupuestoId(c.take()?), c.word(CanalEntrega::parse)?);
    let estado = EstadoEntrega::of(c.take()?, c.word_opt(EstadoTrabajo::parse)?);
    Ok((de, EntregaPresupuesto { canal, estado, en: c.instant()? }))
}

/// A price table.
pub(crate) fn tarifa(row: &Row<'_>) -> Step<TarifaGuardada> {
    let mut c = Columns::of("tarifa", row);
    Ok(TarifaGuardada { version: c.take()?, desde: dia(&mut c)?, texto: c.take()?, creada_en: c.instant()? })
}

/// A brand, without the bytes of its logo.
pub(crate) fn marca_guardada(row: &Row<'_>) -> Step<MarcaGuardada> {
    let mut c = Columns::of("marca", row);
    let marca = c.word_opt(|t| serde_json::from_str(t).ok())?;
    Ok(MarcaGuardada { marca: marca.unwrap_or_default(), logo: c.huella_opt()? })
}

/// What was made of a photo.
pub(crate) fn rendicion(row: &Row<'_>) -> Step<Rendicion> {
    let mut c = Columns::of("rendicion", row);
    let (lead, foto) = (LeadId(c.take()?), FotoId(c.take()?));
    let copia = c.huella_opt()?;
    let (impresion, ancho, alto, miniatura) = (c.huella_opt()?, c.take()?, c.take()?, c.huella_opt()?);
    let resultado = match (impresion, ancho, alto, miniatura, c.take()?) {
        (Some(impresion), Some(ancho), Some(alto), Some(miniatura), None) => {
            Resultado::Hecha(Derivadas { impresion, ancho, alto, miniatura })
        }
        (None, None, None, None, Some(motivo)) => Resultado::Fallida(motivo),
        _ => return Err(c.unknown(c.next - 1)),
    };
    Ok(Rendicion { lead, foto, copia, resultado, creada_en: c.instant()? })
}

/// The columns `impresion`, `ancho`, `alto`, `miniatura`, `motivo`.
pub(crate) type ColumnasRendicion<'a> =
    (Option<[u8; 32]>, Option<u32>, Option<u32>, Option<[u8; 32]>, Option<&'a str>);

/// The way back of [`rendicion`].
pub(crate) fn columnas_rendicion(resultado: &Resultado) -> ColumnasRendicion<'_> {
    match resultado {
        Resultado::Hecha(d) => (Some(d.impresion.0), Some(d.ancho), Some(d.alto), Some(d.miniatura.0), None),
        Resultado::Fallida(motivo) => (None, None, None, None, Some(motivo)),
    }
}

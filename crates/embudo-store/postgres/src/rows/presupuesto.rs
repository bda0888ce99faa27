//! Rows of quotes, price tables, brands and what was made of photos.

use embudo_domain::dinero::Cents;
use embudo_domain::presupuesto::{
    CanalEntrega, EntregaPresupuesto, EstadoEntrega, EstadoPresupuesto, NumeroPresupuesto, PdfGuardado,
    Presupuesto, PresupuestoResumen, RespuestaCliente, Validez,
};
use embudo_domain::rendicion::{Derivadas, Rendicion, Resultado};
use embudo_domain::trabajo::EstadoTrabajo;
use embudo_domain::{EmpresaId, FotoId, LeadId, PresupuestoId};
use embudo_store::presupuestos::{MarcaGuardada, TarifaGuardada};
use tokio_postgres::Row;

use super::{damaged, opt_huella, opt_timestamp, opt_word, timestamp, word};
use crate::failure::Step;

fn small<T: TryFrom<i64>>(row: &Row, column: &str) -> Step<T> {
    Ok(T::try_from(row.try_get(column)?).map_err(|_| damaged(column))?)
}

fn opt_small<T: TryFrom<i64>>(row: &Row, column: &str) -> Step<Option<T>> {
    let value = row.try_get::<_, Option<i64>>(column)?.map(T::try_from).transpose();
    Ok(value.map_err(|_| damaged(column))?)
}

fn opt_sha256(row: &Row, column: &str) -> Step<Option<[u8; 32]>> {
    // The same 32 bytes as any mark.
    Ok(opt_huella(row, column)?.map(|h| h.0))
}

fn numero(row: &Row) -> Step<NumeroPresupuesto> {
    let anio: i32 = row.try_get("anio")?;
    let anio = u16::try_from(anio).map_err(|_| damaged("anio"))?;
    Ok(NumeroPresupuesto::new(anio, small(row, "orden")?).ok_or_else(|| damaged("orden"))?)
}

fn validez(row: &Row) -> Step<Validez> {
    Ok(Validez { emitido: row.try_get("emitido")?, hasta: row.try_get("hasta")? })
}

fn pdf(row: &Row) -> Step<Option<PdfGuardado>> {
    let (huella, sha256) = (opt_huella(row, "pdf_huella")?, opt_sha256(row, "pdf_sha256")?);
    match (huella, sha256, opt_small(row, "pdf_bytes")?) {
        (None, None, None) => Ok(None),
        (Some(huella), Some(sha256), Some(bytes)) => Ok(Some(PdfGuardado { huella, sha256, bytes })),
        _ => Err(damaged("pdf_huella").into()),
    }
}

/// A quote with the last answer to it.
pub(crate) fn presupuesto(row: &Row) -> Step<Presupuesto> {
    Ok(Presupuesto {
        id: PresupuestoId(row.try_get("id")?),
        lead: LeadId(row.try_get("lead_id")?),
        empresa: EmpresaId(row.try_get("empresa_id")?),
        numero: numero(row)?,
        version: small(row, "version")?,
        estado: word(row, "estado", EstadoPresupuesto::parse)?,
        documento: word(row, "documento", |t| serde_json::from_str(t).ok())?,
        contenido: opt_huella(row, "contenido")?.ok_or_else(|| damaged("contenido"))?,
        validez: validez(row)?,
        pdf: pdf(row)?,
        creado_en: timestamp(row, "creado_en")?,
        emitido_en: opt_timestamp(row, "emitido_en")?,
        respuesta: respuesta(row)?,
    })
}

/// The last answer; all its columns are null where there is none.
fn respuesta(row: &Row) -> Step<Option<RespuestaCliente>> {
    let Some(aceptado) = row.try_get("r_aceptado")? else { return Ok(None) };
    Ok(Some(RespuestaCliente {
        aceptado,
        motivo: row.try_get("r_motivo")?,
        ip: row.try_get("r_ip")?,
        texto_version: row.try_get("r_texto_version")?,
        pdf_sha256: opt_sha256(row, "r_pdf_sha256")?.ok_or_else(|| damaged("pdf_sha256"))?,
        en: timestamp(row, "r_creado_en")?,
    }))
}

/// A quote as a lead's record shows it.
pub(crate) fn presupuesto_resumen(row: &Row) -> Step<PresupuestoResumen> {
    Ok(PresupuestoResumen {
        id: PresupuestoId(row.try_get("id")?),
        numero: numero(row)?,
        version: small(row, "version")?,
        estado: word(row, "estado", EstadoPresupuesto::parse)?,
        total: Cents(row.try_get("total_cents")?),
        validez: validez(row)?,
        pdf: pdf(row)?,
        creado_en: timestamp(row, "creado_en")?,
        emitido_en: opt_timestamp(row, "emitido_en")?,
        entregas: Vec::new(),
    })
}

/// A delivery, and the quote that it carries.
pub(crate) fn entrega_presupuesto(row: &Row) -> Step<(PresupuestoId, EntregaPresupuesto)> {
    let trabajo = opt_word(row, "trabajo_estado", EstadoTrabajo::parse)?;
    let entrega = EntregaPresupuesto {
        canal: word(row, "canal", CanalEntrega::parse)?,
        estado: EstadoEntrega::of(row.try_get("simulada")?, trabajo),
        en: timestamp(row, "en")?,
    };
    Ok((PresupuestoId(row.try_get("presupuesto_id")?), entrega))
}

/// A price table.
pub(crate) fn tarifa(row: &Row) -> Step<TarifaGuardada> {
    Ok(TarifaGuardada {
        version: row.try_get("version")?,
        desde: row.try_get("desde")?,
        texto: row.try_get("texto")?,
        creada_en: timestamp(row, "creado_en")?,
    })
}

/// A brand, without the bytes of its logo.
pub(crate) fn marca_guardada(row: &Row) -> Step<MarcaGuardada> {
    let marca = row.try_get::<_, Option<&str>>("datos")?.map(serde_json::from_str).transpose();
    let marca = marca.map_err(|_| damaged("datos"))?;
    Ok(MarcaGuardada { marca: marca.unwrap_or_default(), logo: opt_huella(row, "logo_huella")? })
}

/// What was made of a photo.
pub(crate) fn rendicion(row: &Row) -> Step<Rendicion> {
    let (impresion, miniatura) = (opt_huella(row, "impresion")?, opt_huella(row, "miniatura")?);
    let (ancho, alto) = (opt_small(row, "ancho")?, opt_small(row, "alto")?);
    let resultado = match (impresion, ancho, alto, miniatura, row.try_get("motivo")?) {
        (Some(impresion), Some(ancho), Some(alto), Some(miniatura), None) => {
            Resultado::Hecha(Derivadas { impresion, ancho, alto, miniatura })
        }
        (None, None, None, None, Some(motivo)) => Resultado::Fallida(motivo),
        _ => return Err(damaged("motivo").into()),
    };
    Ok(Rendicion {
        lead: LeadId(row.try_get("lead_id")?),
        foto: FotoId(row.try_get("foto_id")?),
        copia: opt_huella(row, "copia")?,
        resultado,
        creada_en: timestamp(row, "creado_en")?,
    })
}

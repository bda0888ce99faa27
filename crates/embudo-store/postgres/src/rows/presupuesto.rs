//! Rows of quotes, price tables, brands and what was made of photos.

use embudo_domain::job::JobState;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{
    DeliveryChannel, DeliveryState, Presupuesto, PresupuestoDelivery, PresupuestoNumber, PresupuestoState,
    PresupuestoSummary, SignedAnswer, StoredPdf, Validity,
};
use embudo_domain::rendition::{Derived, Rendition, RenditionOutcome};
use embudo_domain::{EmpresaId, FotoId, LeadId, PresupuestoId};
use embudo_store::presupuestos::{StoredBrand, StoredTarifa};
use tokio_postgres::Row;

use super::{damaged, opt_digest, opt_timestamp, opt_word, timestamp, word};
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
    Ok(opt_digest(row, column)?.map(|h| h.0))
}

fn number(row: &Row) -> Step<PresupuestoNumber> {
    let year: i32 = row.try_get("anio")?;
    let year = u16::try_from(year).map_err(|_| damaged("anio"))?;
    Ok(PresupuestoNumber::new(year, small(row, "orden")?).ok_or_else(|| damaged("orden"))?)
}

fn validity(row: &Row) -> Step<Validity> {
    Ok(Validity { issued: row.try_get("emitido")?, until: row.try_get("hasta")? })
}

fn pdf(row: &Row) -> Step<Option<StoredPdf>> {
    let (digest, sha256) = (opt_digest(row, "pdf_huella")?, opt_sha256(row, "pdf_sha256")?);
    match (digest, sha256, opt_small(row, "pdf_bytes")?) {
        (None, None, None) => Ok(None),
        (Some(digest), Some(sha256), Some(bytes)) => Ok(Some(StoredPdf { digest, sha256, bytes })),
        _ => Err(damaged("pdf_huella").into()),
    }
}

/// A quote with the last answer to it.
pub(crate) fn presupuesto(row: &Row) -> Step<Presupuesto> {
    Ok(Presupuesto {
        id: PresupuestoId(row.try_get("id")?),
        lead: LeadId(row.try_get("lead_id")?),
        empresa: EmpresaId(row.try_get("empresa_id")?),
        number: number(row)?,
        version: small(row, "version")?,
        state: word(row, "estado", PresupuestoState::parse)?,
        document: word(row, "documento", |t| serde_json::from_str(t).ok())?,
        content: opt_digest(row, "contenido")?.ok_or_else(|| damaged("contenido"))?,
        validity: validity(row)?,
        pdf: pdf(row)?,
        creado_en: timestamp(row, "creado_en")?,
        emitido_en: opt_timestamp(row, "emitido_en")?,
        answer: answer(row)?,
    })
}

/// The last answer; all its columns are null where there is none.
fn answer(row: &Row) -> Step<Option<SignedAnswer>> {
    let Some(accepted) = row.try_get("r_aceptado")? else { return Ok(None) };
    Ok(Some(SignedAnswer {
        accepted,
        reason: row.try_get("r_motivo")?,
        ip: row.try_get("r_ip")?,
        texto_version: row.try_get("r_texto_version")?,
        pdf_sha256: opt_sha256(row, "r_pdf_sha256")?.ok_or_else(|| damaged("pdf_sha256"))?,
        at: timestamp(row, "r_creado_en")?,
    }))
}

/// A quote as a lead's record shows it.
pub(crate) fn presupuesto_summary(row: &Row) -> Step<PresupuestoSummary> {
    Ok(PresupuestoSummary {
        id: PresupuestoId(row.try_get("id")?),
        number: number(row)?,
        version: small(row, "version")?,
        state: word(row, "estado", PresupuestoState::parse)?,
        total: Cents(row.try_get("total_cents")?),
        validity: validity(row)?,
        pdf: pdf(row)?,
        creado_en: timestamp(row, "creado_en")?,
        emitido_en: opt_timestamp(row, "emitido_en")?,
        deliveries: Vec::new(),
    })
}

/// A delivery, and the quote that it carries.
pub(crate) fn presupuesto_delivery(row: &Row) -> Step<(PresupuestoId, PresupuestoDelivery)> {
    let job = opt_word(row, "trabajo_estado", JobState::parse)?;
    let delivery = PresupuestoDelivery {
        channel: word(row, "canal", DeliveryChannel::parse)?,
        state: DeliveryState::of(row.try_get("simulada")?, job),
        at: timestamp(row, "en")?,
    };
    Ok((PresupuestoId(row.try_get("presupuesto_id")?), delivery))
}

/// A price table.
pub(crate) fn tarifa(row: &Row) -> Step<StoredTarifa> {
    Ok(StoredTarifa {
        version: row.try_get("version")?,
        since: row.try_get("desde")?,
        text: row.try_get("texto")?,
        creada_en: timestamp(row, "creado_en")?,
    })
}

/// A brand, without the bytes of its logo.
pub(crate) fn stored_brand(row: &Row) -> Step<StoredBrand> {
    let brand = row.try_get::<_, Option<&str>>("datos")?.map(serde_json::from_str).transpose();
    let brand = brand.map_err(|_| damaged("datos"))?;
    Ok(StoredBrand { brand: brand.unwrap_or_default(), logo: opt_digest(row, "logo_huella")? })
}

/// What was made of a photo.
pub(crate) fn rendition(row: &Row) -> Step<Rendition> {
    let (print, thumbnail) = (opt_digest(row, "impresion")?, opt_digest(row, "miniatura")?);
    let (width, height) = (opt_small(row, "ancho")?, opt_small(row, "alto")?);
    let result = match (print, width, height, thumbnail, row.try_get("motivo")?) {
        (Some(print), Some(width), Some(height), Some(thumbnail), None) => {
            RenditionOutcome::Done(Derived { print, width, height, thumbnail })
        }
        (None, None, None, None, Some(reason)) => RenditionOutcome::Failed(reason),
        _ => return Err(damaged("motivo").into()),
    };
    Ok(Rendition {
        lead: LeadId(row.try_get("lead_id")?),
        foto: FotoId(row.try_get("foto_id")?),
        copy: opt_digest(row, "copia")?,
        result,
        creada_en: timestamp(row, "creado_en")?,
    })
}

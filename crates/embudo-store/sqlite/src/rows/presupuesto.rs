//! Rows of quotes, price tables, brands and what was made of photos.

use embudo_domain::job::JobState;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{
    DeliveryChannel, DeliveryState, Presupuesto, PresupuestoDelivery, PresupuestoNumber, PresupuestoState,
    PresupuestoSummary, SignedAnswer, StoredPdf, Validity,
};
use embudo_domain::rendition::{Derived, Rendition, RenditionOutcome};
use embudo_domain::{Digest, EmpresaId, FotoId, LeadId, PresupuestoId};
use embudo_store::presupuestos::{StoredBrand, StoredTarifa};
use jiff::civil::Date;
use rusqlite::Row;

use super::Columns;
use crate::failure::Step;

/// A day.
fn day(c: &mut Columns<'_>) -> Step<Date> {
    c.word(|t| t.parse().ok())
}

fn number(c: &mut Columns<'_>) -> Step<PresupuestoNumber> {
    let year = c.take()?;
    c.parse(|orden| PresupuestoNumber::new(year, orden))
}

fn validity(c: &mut Columns<'_>) -> Step<Validity> {
    Ok(Validity { issued: day(c)?, until: day(c)? })
}

fn pdf(c: &mut Columns<'_>) -> Step<Option<StoredPdf>> {
    let (digest, sha256) = (c.digest_opt()?, c.take()?);
    let bytes = c.parse_opt(|n: i64| u64::try_from(n).ok())?;
    match (digest, sha256, bytes) {
        (None, None, None) => Ok(None),
        (Some(digest), Some(sha256), Some(bytes)) => Ok(Some(StoredPdf { digest, sha256, bytes })),
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
        number: number(&mut c)?,
        version: c.take()?,
        state: c.word(PresupuestoState::parse)?,
        document: c.word(|t| serde_json::from_str(t).ok())?,
        content: Digest(c.take()?),
        validity: validity(&mut c)?,
        pdf: pdf(&mut c)?,
        creado_en: c.instant()?,
        emitido_en: c.instant_opt()?,
        answer: answer(&mut c)?,
    })
}

/// The last answer; all its columns are null where there is none.
fn answer(c: &mut Columns<'_>) -> Step<Option<SignedAnswer>> {
    let Some(accepted) = c.take()? else { return Ok(None) };
    Ok(Some(SignedAnswer {
        accepted,
        reason: c.take()?,
        ip: c.take()?,
        texto_version: c.take()?,
        pdf_sha256: c.take()?,
        at: c.instant()?,
    }))
}

/// A quote as a lead's record shows it.
pub(crate) fn presupuesto_summary(row: &Row<'_>) -> Step<PresupuestoSummary> {
    let mut c = Columns::of("presupuesto", row);
    Ok(PresupuestoSummary {
        id: PresupuestoId(c.take()?),
        number: number(&mut c)?,
        version: c.take()?,
        state: c.word(PresupuestoState::parse)?,
        total: Cents(c.take()?),
        validity: validity(&mut c)?,
        pdf: pdf(&mut c)?,
        creado_en: c.instant()?,
        emitido_en: c.instant_opt()?,
        deliveries: Vec::new(),
    })
}

/// A delivery, and the quote that it carries.
pub(crate) fn presupuesto_delivery(row: &Row<'_>) -> Step<(PresupuestoId, PresupuestoDelivery)> {
    let mut c = Columns::of("presupuesto_entrega", row);
    let (of, channel) = (PresupuestoId(c.take()?), c.word(DeliveryChannel::parse)?);
    let state = DeliveryState::of(c.take()?, c.word_opt(JobState::parse)?);
    Ok((of, PresupuestoDelivery { channel, state, at: c.instant()? }))
}

/// A price table.
pub(crate) fn tarifa(row: &Row<'_>) -> Step<StoredTarifa> {
    let mut c = Columns::of("tarifa", row);
    Ok(StoredTarifa { version: c.take()?, since: day(&mut c)?, text: c.take()?, creada_en: c.instant()? })
}

/// A brand, without the bytes of its logo.
pub(crate) fn stored_brand(row: &Row<'_>) -> Step<StoredBrand> {
    let mut c = Columns::of("marca", row);
    let brand = c.word_opt(|t| serde_json::from_str(t).ok())?;
    Ok(StoredBrand { brand: brand.unwrap_or_default(), logo: c.digest_opt()? })
}

/// What was made of a photo.
pub(crate) fn rendition(row: &Row<'_>) -> Step<Rendition> {
    let mut c = Columns::of("rendicion", row);
    let (lead, foto) = (LeadId(c.take()?), FotoId(c.take()?));
    let copy = c.digest_opt()?;
    let (print, width, height, thumbnail) = (c.digest_opt()?, c.take()?, c.take()?, c.digest_opt()?);
    let result = match (print, width, height, thumbnail, c.take()?) {
        (Some(print), Some(width), Some(height), Some(thumbnail), None) => {
            RenditionOutcome::Done(Derived { print, width, height, thumbnail })
        }
        (None, None, None, None, Some(reason)) => RenditionOutcome::Failed(reason),
        _ => return Err(c.unknown(c.next - 1)),
    };
    Ok(Rendition { lead, foto, copy, result, creada_en: c.instant()? })
}

/// The columns `impresion`, `ancho`, `alto`, `miniatura`, `motivo`.
pub(crate) type RenditionColumns<'a> =
    (Option<[u8; 32]>, Option<u32>, Option<u32>, Option<[u8; 32]>, Option<&'a str>);

/// The way back of [`rendicion`].
pub(crate) fn rendition_columns(result: &RenditionOutcome) -> RenditionColumns<'_> {
    match result {
        RenditionOutcome::Done(d) => {
            (Some(d.print.0), Some(d.width), Some(d.height), Some(d.thumbnail.0), None)
        }
        RenditionOutcome::Failed(reason) => (None, None, None, None, Some(reason)),
    }
}

//! Rows of quotes, drafts and what was delivered.

use embudo_domain::job::JobState;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{
    Acceptance, ByPhone, Certainty, ChosenOption, DeliveryChannel, DeliveryState, Presupuesto,
    PresupuestoDelivery, PresupuestoNumber, PresupuestoState, PresupuestoSummary, SignedAnswer, StoredPdf,
    Validity, VisitRequest,
};
use embudo_domain::pricing::Range;
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, UserId};

use crate::Result;
use crate::drafts::{DraftReason, ListedDraft, ListedQuote, StoredDraft};
use crate::inbox::LeadAmount;
use crate::rights::BlockedQuote;
use crate::row::{Columns, damaged};

/// A quote with the last answer to it (`r_…`).
pub fn presupuesto(c: &Columns<'_>) -> Result<Presupuesto> {
    Ok(Presupuesto {
        id: PresupuestoId(c.get("id")?),
        lead: LeadId(c.get("lead_id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        number: number(c)?,
        version: c.get("version")?,
        state: c.word("estado", PresupuestoState::parse)?,
        document: c.word("documento", |json| serde_json::from_str(json).ok())?,
        content: c.get("contenido")?,
        validity: validity(c)?,
        pdf: pdf(c)?,
        accepted_pdf: accepted_pdf(c)?,
        creado_en: c.get("creado_en")?,
        emitido_en: c.get("emitido_en")?,
        answer: client_answer(c)?,
        visit: visit(c)?,
    })
}

/// An accepted quote of an erased lead, with the last answer to it (`r_…`).
pub fn blocked_quote(c: &Columns<'_>) -> Result<BlockedQuote> {
    Ok(BlockedQuote {
        id: PresupuestoId(c.get("id")?),
        lead: LeadId(c.get("lead_id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        number: number(c)?,
        total: Cents(c.get("total_cents")?),
        pdf: pdf(c)?,
        document: c.get("documento")?,
        answer: client_answer(c)?,
        blocked_at: c.get("bloqueado_en")?,
        until: c.get("bloqueado_hasta")?,
    })
}

/// A quote that somebody is still writing.
pub fn draft(c: &Columns<'_>) -> Result<StoredDraft> {
    Ok(StoredDraft {
        id: PresupuestoId(c.get("id")?),
        lead: LeadId(c.get("lead_id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        reason: c.word("motivo", DraftReason::parse)?,
        revision: c.get("revision")?,
        json: c.get("hoja")?,
        saved_by: c.get::<Option<_>>("guardado_por")?.map(UserId),
        creado_en: c.get("creado_en")?,
        guardado_en: c.get("guardado_en")?,
    })
}

/// A draft in a company's list.
pub fn listed_draft(c: &Columns<'_>) -> Result<ListedDraft> {
    Ok(ListedDraft {
        id: PresupuestoId(c.get("id")?),
        lead: LeadId(c.get("lead_id")?),
        nombre: c.get("nombre")?,
        reason: c.word("motivo", DraftReason::parse)?,
        saved_by: c.get::<Option<_>>("guardado_por")?.map(UserId),
        guardado_en: c.get("guardado_en")?,
    })
}

/// A quote in a company's list.
pub fn listed_quote(c: &Columns<'_>) -> Result<ListedQuote> {
    Ok(ListedQuote {
        id: PresupuestoId(c.get("id")?),
        lead: LeadId(c.get("lead_id")?),
        nombre: c.get("nombre")?,
        number: number(c)?,
        version: c.get("version")?,
        state: c.word("estado", PresupuestoState::parse)?,
        total: Cents(c.get("total_cents")?),
        certainty: certainty(c)?,
        validity: validity(c)?,
        is_by_phone: c.get::<Option<String>>("apuntado_por")?.is_some(),
        creado_en: c.get("creado_en")?,
    })
}

/// The amount of a quote: the agreed one if the quote is accepted.
pub fn lead_amount(c: &Columns<'_>) -> Result<LeadAmount> {
    let state = c.word("estado", PresupuestoState::parse)?;
    let agreed = c.get::<Option<i64>>("pactado_cents")?.filter(|_| state == PresupuestoState::Aceptado);
    let total = agreed.unwrap_or(c.get("total_cents")?);
    let certainty = if agreed.is_some() { Certainty::default() } else { certainty(c)? };
    Ok(LeadAmount {
        lead: LeadId(c.get("lead_id")?),
        state,
        version: c.get("version")?,
        total: Cents(total),
        certainty,
    })
}

/// A quote as a lead's record shows it.
pub fn presupuesto_summary(c: &Columns<'_>) -> Result<PresupuestoSummary> {
    Ok(PresupuestoSummary {
        id: PresupuestoId(c.get("id")?),
        number: number(c)?,
        version: c.get("version")?,
        state: c.word("estado", PresupuestoState::parse)?,
        total: Cents(c.get("total_cents")?),
        certainty: certainty(c)?,
        validity: validity(c)?,
        pdf: pdf(c)?,
        accepted_pdf: accepted_pdf(c)?,
        creado_en: c.get("creado_en")?,
        emitido_en: c.get("emitido_en")?,
        deliveries: Vec::new(),
        accepted: acceptance(c)?,
        visit: visit(c)?,
    })
}

pub(super) fn number(c: &Columns<'_>) -> Result<PresupuestoNumber> {
    PresupuestoNumber::new(c.get("anio")?, c.get("orden")?).ok_or_else(|| damaged("orden"))
}

fn validity(c: &Columns<'_>) -> Result<Validity> {
    Ok(Validity { issued: c.get("emitido")?, until: c.get("hasta")? })
}

fn pdf(c: &Columns<'_>) -> Result<Option<StoredPdf>> {
    stored_pdf(c, ["pdf_huella", "pdf_sha256", "pdf_bytes"])
}

fn accepted_pdf(c: &Columns<'_>) -> Result<Option<StoredPdf>> {
    stored_pdf(c, ["aceptado_huella", "aceptado_sha256", "aceptado_bytes"])
}

fn stored_pdf(c: &Columns<'_>, [digest, sha256, bytes]: [&'static str; 3]) -> Result<Option<StoredPdf>> {
    match (c.get(digest)?, c.get(sha256)?, c.get(bytes)?) {
        (None, None, None) => Ok(None),
        (Some(digest), Some(sha256), Some(bytes)) => Ok(Some(StoredPdf { digest, sha256, bytes })),
        _ => Err(damaged(digest)),
    }
}

fn certainty(c: &Columns<'_>) -> Result<Certainty> {
    let range = match (c.get("rango_min_cents")?, c.get("rango_max_cents")?) {
        (Some(minimum), Some(maximum)) => Some(Range { minimum: Cents(minimum), maximum: Cents(maximum) }),
        _ => None,
    };
    Ok(Certainty { is_orientative: c.get::<Option<bool>>("orientativo")?.unwrap_or(false), range })
}

/// The client's answer; all its columns are null if there is none.
fn client_answer(c: &Columns<'_>) -> Result<Option<SignedAnswer>> {
    let Some(accepted) = c.get("r_aceptado")? else { return Ok(None) };
    Ok(Some(SignedAnswer {
        accepted,
        reason: c.get("r_motivo")?,
        ip: c.get("r_ip")?,
        texto_version: c.get("r_texto_version")?,
        declaracion: c.get("r_declaracion")?,
        options: options(c, "r_opciones")?,
        total: c.get::<Option<i64>>("r_total_cents")?.map(Cents),
        early_start: c.get("r_inicio_anticipado")?,
        by_phone: by_phone(c.get("r_apuntado_por")?, c.get("r_apuntado_nota")?),
        pdf_sha256: c.get("r_pdf_sha256")?,
        at: c.get("r_creado_en")?,
    }))
}

fn by_phone(who: Option<String>, note: Option<String>) -> Option<ByPhone> {
    Some(ByPhone { who: who?, note })
}

fn options(c: &Columns<'_>, name: &str) -> Result<Vec<ChosenOption>> {
    Ok(c.word_opt(name, |json| serde_json::from_str(json).ok())?.unwrap_or_default())
}

fn visit(c: &Columns<'_>) -> Result<Option<VisitRequest>> {
    let Some(at) = c.get("visita_en")? else { return Ok(None) };
    Ok(Some(VisitRequest { at, note: c.get("visita_nota")? }))
}

/// What was accepted of a quote, besides its total; `None` if it was not accepted.
pub(super) fn acceptance(c: &Columns<'_>) -> Result<Option<Acceptance>> {
    if c.get::<Option<bool>>("aceptado")? != Some(true) {
        return Ok(None);
    }
    let agreed: Option<i64> = c.get("pactado_cents")?;
    Ok(Some(Acceptance {
        total: Cents(agreed.map_or_else(|| c.get("total_cents"), Ok)?),
        options: options(c, "opciones")?,
        declared: c.get::<Option<String>>("declaracion")?.is_some(),
        early_start: c.get::<Option<String>>("inicio_anticipado")?.is_some(),
        by_phone: by_phone(c.get("apuntado_por")?, c.get("apuntado_nota")?),
        at: c.get("respondido_en")?,
    }))
}

/// A delivery, and the quote that it delivers.
pub fn quote_delivery(c: &Columns<'_>) -> Result<(PresupuestoId, PresupuestoDelivery)> {
    let job = c.word_opt("trabajo_estado", JobState::parse)?;
    let delivery = PresupuestoDelivery {
        channel: c.word("canal", DeliveryChannel::parse)?,
        state: DeliveryState::of(c.get("simulada")?, job),
        at: c.get("en")?,
    };
    Ok((PresupuestoId(c.get("presupuesto_id")?), delivery))
}

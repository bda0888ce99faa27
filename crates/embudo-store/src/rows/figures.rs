//! Rows of the data from which the summary is computed.

use embudo_domain::etapa::Etapa;
use embudo_domain::figures::{AcceptedFigures, LeadFigures, QuoteFigures, Sums};
use embudo_domain::money::Cents;
use embudo_domain::perfil::CanalOrigen;
use embudo_domain::{EmpresaId, LeadId, Timestamp};

use crate::Result;
use crate::figures::{IssuedQuote, LeadCount};
use crate::row::Columns;

/// The reason of a lead that is lost because the client declined.
const DECLINED: &str = "Rechazó el presupuesto";

pub fn lead_figures(c: &Columns<'_>) -> Result<LeadFigures> {
    let instant = |name| c.get::<Option<Timestamp>>(name);
    let first = |one: Option<Timestamp>, other: Option<Timestamp>| one.into_iter().chain(other).min();
    let etapa = c.word("etapa", Etapa::parse)?;
    let archived = instant("archivado_en")?.zip(c.get("archivado_motivo")?);
    let declined = (c.get("desde")?, DECLINED.to_owned());
    Ok(LeadFigures {
        lead: LeadId(c.get("lead_id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        created: c.get("creado_en")?,
        canal: c.word_opt("canal_origen", CanalOrigen::parse)?,
        campaign: c.get("campana")?,
        etapa,
        united: c.get("unido")?,
        contact: first(first(instant("turno_en")?, instant("intento_en")?), instant("mensaje_en")?),
        word: instant("palabra_en")?,
        answer: first(
            first(instant("respuesta_turno_en")?, instant("respuesta_intento_en")?),
            instant("respuesta_mensaje_en")?,
        ),
        profile: c.get("perfil")?,
        visit: c.get("visita")?,
        lost: (etapa == Etapa::Perdido).then(|| archived.unwrap_or(declined)),
        quotes: Vec::new(),
        stands_for: Vec::new(),
    })
}

/// An issued quote. Its draft may be so old that this program cannot read it; then its costs are not known.
pub fn issued_quote(c: &Columns<'_>) -> Result<IssuedQuote> {
    let total = Cents(c.get("total_cents")?);
    let agreed = c.get::<Option<i64>>("pactado_cents")?.map_or(total, Cents);
    let accepted: Option<Timestamp> = c.get("aceptado_en")?;
    let accepted = accepted.map(|at| AcceptedFigures { at, total: agreed, margin: None });
    let draft = c.get::<Option<String>>("hoja")?.and_then(|json| serde_json::from_str(&json).ok());
    let document = c.get::<Option<String>>("documento")?.and_then(|json| serde_json::from_str(&json).ok());
    Ok(IssuedQuote {
        lead: LeadId(c.get("lead_id")?),
        version: c.get("version")?,
        quote: QuoteFigures {
            issued: c.get("emitido_en")?,
            total,
            is_orientative: c.get::<Option<bool>>("orientativo")?.unwrap_or(false),
            accepted,
        },
        draft: draft.zip(document),
    })
}

pub fn lead_count(c: &Columns<'_>) -> Result<LeadCount> {
    Ok(LeadCount {
        lead: LeadId(c.get("lead_id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        counted: c.word("datos", |json| serde_json::from_str(json).ok())?,
    })
}

pub fn sums(c: &Columns<'_>) -> Result<Sums> {
    c.word("datos", |json| serde_json::from_str(json).ok())
}

//! What is supposed where a lead says nothing, each supposition in a sentence that the quote prints.

use serde::{Deserialize, Serialize};

use super::{ReformaFacts, Scenario};
use crate::Zona;
use crate::decimal::{Cantidad, Percentage};
use crate::perfil::{Calidad, Urgencia};
use crate::provincia::Provincia;
use crate::tarifa::{Tarifa, TarifaKind};

/// Something that the price takes for granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assumption {
    /// The datum, by its name in the API (`m2Suelo`); `medidas` for what is estimated from the floor area.
    #[serde(rename = "dato")]
    pub datum: String,
    /// The sentence, in Spanish.
    #[serde(rename = "texto")]
    pub text: String,
}

impl Assumption {
    pub(crate) fn new(datum: &str, text: impl Into<String>) -> Self {
        Self { datum: datum.to_owned(), text: text.into() }
    }
}

/// Fills what is missing, and says what it filled.
pub(super) fn complete(
    data: &ReformaFacts,
    tarifa: &Tarifa,
) -> (Scenario, Option<Provincia>, Vec<Assumption>) {
    let mut assumptions = Vec::new();
    let mut assume = |datum: &str, text: String| assumptions.push(Assumption::new(datum, text));
    if data.kind.is_none() {
        let text = "La reforma es de una estancia, porque aún no sabemos qué quieres reformar.";
        assume("tipoReforma", text.into());
    }
    let kind = Zona::assumed(data.kind);
    let (m2, nota) = superficie(data.m2_suelo, tarifa.kind(kind));
    if let Some(nota) = nota {
        assume("m2Suelo", nota);
    }
    if data.calidad.is_none() {
        assume("calidadGlobal", "La calidad es media.".into());
    }
    let provincia = data.provincia.as_deref().and_then(Provincia::parse);
    if provincia.is_none() {
        let why = match data.provincia.as_deref().is_none_or(|p| p.trim().is_empty()) {
            true => "porque aún no sabemos la provincia",
            false => "porque no reconocemos la provincia indicada",
        };
        assume("provincia", format!("Los precios son los medios de España, {why}."));
    }
    if data.estructural.is_none() {
        let text = "No hay obra estructural (muros de carga, vigas o pilares).";
        assume("estructural", text.into());
    }
    if data.urgencia.is_none() {
        assume("urgencia", "El plazo es normal, sin urgencia.".into());
    }
    assume(
        "medidas",
        format!(
            "Calculamos las paredes y los demás metros a partir de {m2} m² de suelo y techos de {} m; \
             los confirmamos en la visita.",
            tarifa.height
        ),
    );
    let scenario = Scenario {
        kind,
        m2,
        calidad: data.calidad.unwrap_or(Calidad::Media),
        estructural: data.estructural.unwrap_or(false),
        urgencia: data.urgencia.unwrap_or(Urgencia::Media),
        factor: provincia.map_or(Percentage::HUNDRED, |p| tarifa.factor(p)),
    };
    (scenario, provincia, assumptions)
}

/// The area to price, within what the table believes of this type, and what to say about it.
pub(super) fn superficie(m2: Option<f64>, kind: &TarifaKind) -> (Cantidad, Option<String>) {
    let Some(m2) = m2.filter(|m| m.is_finite() && *m > 0.0) else {
        let text = format!("La superficie es de {} m², {}.", kind.assumed_m2, kind.assumption);
        return (kind.assumed_m2, Some(text));
    };
    let hundredths = (m2 * 100.0).round();
    // Compared as floats: within the limits (at most 10^6) the conversion below is exact.
    #[allow(clippy::cast_precision_loss)]
    let (minimum, maximum) = (kind.min_m2.0 as f64, kind.max_m2.0 as f64);
    if hundredths > maximum {
        let text = format!(
            "Nos indicas más de {0} m²; calculamos con {0} m² hasta medir en la visita.",
            kind.max_m2
        );
        return (kind.max_m2, Some(text));
    }
    if hundredths < minimum {
        let text = format!(
            "Nos indicas menos de {0} m²; calculamos con {0} m² hasta medir en la visita.",
            kind.min_m2
        );
        return (kind.min_m2, Some(text));
    }
    #[allow(clippy::cast_possible_truncation)]
    (Cantidad(hundredths as i64), None)
}

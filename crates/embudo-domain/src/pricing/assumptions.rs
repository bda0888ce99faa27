//! What is assumed where a lead says nothing. Each assumption is a sentence that the quote prints.

use serde::{Deserialize, Serialize};

use super::PricingInput;
use super::scenario::{Scenario, bathrooms};
use crate::Zona;
use crate::decimal::{Cantidad, Percentage};
use crate::perfil::{Calidad, Urgencia};
use crate::provincia::Provincia;
use crate::tarifa::{Cause, FloorSpan, Tarifa, TarifaKind};

/// Something that the price assumes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assumption {
    /// The datum, by its name in the API (`m2Suelo`); `medidas` for what is estimated from the floor area.
    #[serde(rename = "dato")]
    pub datum: String,
    /// The sentence, in Spanish.
    #[serde(rename = "texto")]
    pub text: String,
}

/// The data that decide the price, by their names in the API: while one of them is assumed, a price is not binding.
pub(crate) const DECIDING: [&str; 4] = ["tipoReforma", "m2Suelo", "calidadGlobal", "provincia"];
/// The data that belong to the whole job, even if it has several rooms.
pub(crate) const OF_THE_JOB: [&str; 4] = ["provincia", "urgencia", "planta", "ascensor"];

/// The beginning of the sentence about an area that the client estimated.
const ESTIMATE: &str = "Los m² son una estimación del cliente:";
/// By how many per cent an estimate may be wrong, in either direction.
const ESTIMATE_MARGIN: i64 = 15;

impl Assumption {
    /// Whether this says that the area is known but is only an estimate.
    pub(crate) fn is_estimate(&self) -> bool {
        self.datum == "m2Suelo" && self.text.to_lowercase().contains(&ESTIMATE.to_lowercase())
    }

    /// Whether a price with this assumption is not binding.
    pub fn is_deciding(&self) -> bool {
        DECIDING.contains(&self.datum.as_str())
    }

    pub(crate) fn new(datum: &str, text: impl Into<String>) -> Self {
        Self { datum: datum.to_owned(), text: text.into() }
    }
}

/// Fills in missing values, and says what it filled in.
pub(super) fn complete(
    data: &PricingInput,
    tarifa: &Tarifa,
) -> (Scenario, Option<Provincia>, Vec<Assumption>) {
    let mut assumptions = Vec::new();
    let mut assume = |datum: &str, text: String| assumptions.push(Assumption::new(datum, text));
    if data.kind.is_none() {
        let text = "La reforma es de una estancia, porque aún no sabemos qué quieres reformar.";
        assume("tipoReforma", text.into());
    }
    let kind = Zona::assumed(data.kind);
    let of_kind = tarifa.kind_of(kind, data.room_kind.filter(|_| data.kind.is_some()));
    let Area { m2, note, .. } = superficie(data, of_kind);
    if let Some(note) = note {
        assume("m2Suelo", note);
    }
    if data.calidad.is_none() {
        assume("calidadGlobal", "La calidad es media.".into());
    }
    let by_code = data.codigo_postal.as_deref().and_then(Provincia::of_postal_code);
    let provincia = by_code.or_else(|| data.provincia.as_deref().and_then(Provincia::parse));
    if provincia.is_none() {
        let told = [&data.provincia, &data.codigo_postal].into_iter().flatten().any(|p| !p.trim().is_empty());
        let why = match told {
            false => "porque aún no sabemos la provincia",
            true => "porque no reconocemos la provincia indicada",
        };
        let what = match tarifa.partidas.iter().any(|p| tarifa.scales(p)) {
            true => "Los precios son los medios de España",
            false => "El impuesto es el de la península",
        };
        assume("provincia", format!("{what}, {why}."));
    }
    if data.estructural.is_none() {
        let text = "No hay obra estructural (muros de carga, vigas o pilares).";
        assume("estructural", text.into());
    }
    if data.urgencia.is_none() {
        assume("urgencia", "El plazo es normal, sin urgencia.".into());
    }
    if let Some(banos) = bathrooms(of_kind, m2, data.banos).filter(|n| data.banos != Some(*n)) {
        let count = match banos {
            1 => "un cuarto de baño".to_owned(),
            n => format!("{n} cuartos de baño"),
        };
        let text = match data.banos {
            None => format!("La reforma incluye {count}."),
            Some(_) => format!("Nos indicas más baños; calculamos con {count} hasta verlo en la visita."),
        };
        assume("banos", text);
    }
    if let Some((datum, text)) = carrying(data, tarifa) {
        assume(datum, text);
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
        room_kind: of_kind.room_kind,
        m2,
        calidad: data.calidad.unwrap_or(Calidad::Media),
        estructural: data.estructural.unwrap_or(false),
        urgencia: data.urgencia.unwrap_or(Urgencia::Media),
        banos: data.banos,
        floors_on_foot: match data.ascensor {
            Some(false) => u8::try_from(data.planta.unwrap_or(0)).unwrap_or(0),
            _ => 0,
        },
        factor: provincia.map_or(Percentage::HUNDRED, |p| tarifa.factor(p)),
    };
    (scenario, provincia, assumptions)
}

/// The assumption about floor and lift, if the answer would change the price.
fn carrying(data: &PricingInput, tarifa: &Tarifa) -> Option<(&'static str, String)> {
    let recargo = tarifa.recargos.iter().find(|r| r.when == Cause::SinAscensor)?;
    let FloorSpan { first, .. } = recargo.floors.filter(|_| recargo.percentage.0 > 0)?;
    let is_high = |planta: i8| i16::from(planta) >= i16::from(first);
    let low = match first {
        1 => "en una planta baja".to_owned(),
        _ => format!("en la planta {} o más abajo", first - 1),
    };
    match (data.planta, data.ascensor) {
        (Some(planta), None) if is_high(planta) => {
            Some(("ascensor", "Hay ascensor para la obra.".to_owned()))
        }
        (None, Some(false)) => Some(("planta", format!("La obra, sin ascensor, está {low}."))),
        (None, None) => Some(("ascensor", format!("Hay ascensor para la obra, o está {low}."))),
        _ => None,
    }
}

/// The area to price.
pub(super) struct Area {
    pub m2: Cantidad,
    /// The range in which the area may lie.
    pub low: Cantidad,
    pub high: Cantidad,
    /// What to say about it; `None` if the area is known.
    pub note: Option<String>,
}

/// The area to price, within the limits that the table sets for this type, and what to say about it.
pub(super) fn superficie(data: &PricingInput, kind: &TarifaKind) -> Area {
    let supposed = |m2: Cantidad, note: String| Area {
        m2,
        low: kind.m2_low.min(m2),
        high: kind.m2_high.max(m2),
        note: Some(note),
    };
    let Some(m2) = data.m2_suelo.filter(|m| m.is_finite() && *m > 0.0) else {
        let text = format!("La superficie es de {} m², {}.", kind.assumed_m2, kind.assumption);
        return supposed(kind.assumed_m2, text);
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
        return supposed(kind.max_m2, text);
    }
    if hundredths < minimum {
        let text = format!(
            "Nos indicas menos de {0} m²; calculamos con {0} m² hasta medir en la visita.",
            kind.min_m2
        );
        return supposed(kind.min_m2, text);
    }
    #[allow(clippy::cast_possible_truncation)]
    let m2 = Cantidad(hundredths as i64);
    if !data.m2_estimated {
        return Area { m2, low: m2, high: m2, note: None };
    }
    let off = m2.0 * ESTIMATE_MARGIN / 100;
    Area {
        m2,
        low: Cantidad(m2.0 - off).max(kind.min_m2),
        high: Cantidad(m2.0 + off).min(kind.max_m2),
        note: Some(format!("{ESTIMATE} calculamos con {m2} m² hasta medir en la visita.")),
    }
}

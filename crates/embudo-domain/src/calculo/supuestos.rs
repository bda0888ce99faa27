//! What is supposed where a lead says nothing, each supposition in a sentence that the quote prints.

use serde::{Deserialize, Serialize};

use super::{DatosReforma, Escenario};
use crate::Zona;
use crate::decimal::{Cantidad, Porcentaje};
use crate::perfil::{Calidad, Urgencia};
use crate::provincia::Provincia;
use crate::tarifa::{Tarifa, TipoTarifa};

/// Something that the price takes for granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Supuesto {
    /// The datum, by its name in the API (`m2Suelo`); `medidas` for what is estimated from the floor area.
    pub dato: String,
    /// The sentence, in Spanish.
    pub texto: String,
}

impl Supuesto {
    pub(crate) fn new(dato: &str, texto: impl Into<String>) -> Self {
        Self { dato: dato.to_owned(), texto: texto.into() }
    }
}

/// Fills what is missing, and says what it filled.
pub(super) fn completar(
    datos: &DatosReforma,
    tarifa: &Tarifa,
) -> (Escenario, Option<Provincia>, Vec<Supuesto>) {
    let mut supuestos = Vec::new();
    let mut suponer = |dato: &str, texto: String| supuestos.push(Supuesto::new(dato, texto));
    if datos.tipo.is_none() {
        let texto = "La reforma es de una estancia, porque aún no sabemos qué quieres reformar.";
        suponer("tipoReforma", texto.into());
    }
    let tipo = Zona::supuesta(datos.tipo);
    let (m2, nota) = superficie(datos.m2_suelo, tarifa.tipo(tipo));
    if let Some(nota) = nota {
        suponer("m2Suelo", nota);
    }
    if datos.calidad.is_none() {
        suponer("calidadGlobal", "La calidad es media.".into());
    }
    let provincia = datos.provincia.as_deref().and_then(Provincia::parse);
    if provincia.is_none() {
        let por_que = match datos.provincia.as_deref().is_none_or(|p| p.trim().is_empty()) {
            true => "porque aún no sabemos la provincia",
            false => "porque no reconocemos la provincia indicada",
        };
        suponer("provincia", format!("Los precios son los medios de España, {por_que}."));
    }
    if datos.estructural.is_none() {
        let texto = "No hay obra estructural (muros de carga, vigas o pilares).";
        suponer("estructural", texto.into());
    }
    if datos.urgencia.is_none() {
        suponer("urgencia", "El plazo es normal, sin urgencia.".into());
    }
    suponer(
        "medidas",
        format!(
            "Calculamos las paredes y los demás metros a partir de {m2} m² de suelo y techos de {} m; \
             los confirmamos en la visita.",
            tarifa.altura
        ),
    );
    let escenario = Escenario {
        tipo,
        m2,
        calidad: datos.calidad.unwrap_or(Calidad::Media),
        estructural: datos.estructural.unwrap_or(false),
        urgencia: datos.urgencia.unwrap_or(Urgencia::Media),
        factor: provincia.map_or(Porcentaje::CIEN, |p| tarifa.factor(p)),
    };
    (escenario, provincia, supuestos)
}

/// The area to price, within what the table believes of this type, and what to say about it.
pub(super) fn superficie(m2: Option<f64>, tipo: &TipoTarifa) -> (Cantidad, Option<String>) {
    let Some(m2) = m2.filter(|m| m.is_finite() && *m > 0.0) else {
        let texto = format!("La superficie es de {} m², {}.", tipo.m2_supuesto, tipo.supuesto);
        return (tipo.m2_supuesto, Some(texto));
    };
    let centesimas = (m2 * 100.0).round();
    // Compared as floats: within the limits (at most 10^6) the conversion below is exact.
    #[allow(clippy::cast_precision_loss)]
    let (minimo, maximo) = (tipo.m2_minimo.0 as f64, tipo.m2_maximo.0 as f64);
    if centesimas > maximo {
        let texto = format!(
            "Nos indicas más de {0} m²; calculamos con {0} m² hasta medir en la visita.",
            tipo.m2_maximo
        );
        return (tipo.m2_maximo, Some(texto));
    }
    if centesimas < minimo {
        let texto = format!(
            "Nos indicas menos de {0} m²; calculamos con {0} m² hasta medir en la visita.",
            tipo.m2_minimo
        );
        return (tipo.m2_minimo, Some(texto));
    }
    #[allow(clippy::cast_possible_truncation)]
    (Cantidad(centesimas as i64), None)
}

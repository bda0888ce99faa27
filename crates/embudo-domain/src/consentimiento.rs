//! Consents given with a lead: purpose, channel, which text was shown, and when.

use jiff::Timestamp;

use crate::cuerpo::{Datos, Lista, Listas};
use crate::esquema::{Campo, Tipo};

/// One consent, given or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consentimiento {
    /// What for (`presupuesto`, `comercial`, …).
    pub finalidad: String,
    /// By which channel, where it is limited to one.
    pub canal: Option<String>,
    /// The version of the text the person saw.
    pub texto_version: String,
    /// Where it was given or withdrawn (`formulario_web`, `llamada`, …).
    pub fuente: Option<String>,
    /// Whether it was given.
    pub otorgado: bool,
    /// When; the moment of the call if it says nothing.
    pub otorgado_en: Option<Timestamp>,
}

/// The fields of one consent.
pub const CAMPOS: &[Campo] = &[
    Campo::requerido("finalidad", Tipo::TextoNoVacio, "Para qué se consiente.", r#""presupuesto""#),
    Campo::opcional("canal", Tipo::TextoNoVacio, "Canal al que se limita.", r#""email""#),
    Campo::requerido(
        "textoVersion",
        Tipo::TextoNoVacio,
        "Versión del texto que vio la persona.",
        r#""2026-01""#,
    ),
    Campo::opcional("fuente", Tipo::TextoNoVacio, "Dónde se recogió.", r#""formulario_web""#),
    Campo::opcional("otorgado", Tipo::Booleano, "Si lo otorgó; por defecto true.", "true"),
    Campo::opcional(
        "otorgadoEn",
        Tipo::FechaHora,
        "Cuándo; por defecto, el momento de la llamada.",
        r#""2026-11-14T10:30:00Z""#,
    ),
];

pub(crate) static CONSENTIMIENTOS: Listas =
    Listas { campos: CAMPOS, vacia: || Lista::Consentimientos(Vec::new()) };

impl Consentimiento {
    pub(crate) fn armar(mut d: Datos) -> Self {
        Self {
            finalidad: d.texto("finalidad").expect("required"),
            canal: d.texto("canal"),
            texto_version: d.texto("textoVersion").expect("required"),
            fuente: d.texto("fuente"),
            otorgado: d.booleano("otorgado").unwrap_or(true),
            otorgado_en: d.fecha("otorgadoEn"),
        }
    }
}

//! Consents given with a lead: purpose, channel, which text was shown, and when.

use jiff::Timestamp;

use crate::body::{Element, all_right};
use crate::errors::Invalid;
use crate::json::ParsedValues;
use crate::schema::{Field, Kind};

/// One consent, given or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consentimiento {
    /// What for (`presupuesto`, `comercial`, …).
    pub purpose: String,
    /// By which channel, where it is limited to one.
    pub channel: Option<String>,
    /// The version of the text the person saw.
    pub texto_version: String,
    /// Where it was given or withdrawn (`formulario_web`, `llamada`, …).
    pub source: Option<String>,
    /// Whether it was given.
    pub granted: bool,
    /// When; the moment of the call if it says nothing.
    pub otorgado_en: Option<Timestamp>,
}

/// The fields of one consent.
pub const FIELD_TABLE: &[Field] = &[
    Field::required("finalidad", Kind::NonEmptyText, "Para qué se consiente.", r#""presupuesto""#),
    Field::optional("canal", Kind::NonEmptyText, "Canal al que se limita.", r#""email""#),
    Field::required(
        "textoVersion",
        Kind::NonEmptyText,
        "Versión del texto que vio la persona.",
        r#""2026-01""#,
    ),
    Field::optional("fuente", Kind::NonEmptyText, "Dónde se recogió.", r#""formulario_web""#),
    Field::optional("otorgado", Kind::Boolean, "Si lo otorgó; por defecto true.", "true"),
    Field::optional(
        "otorgadoEn",
        Kind::DateTime,
        "Cuándo; por defecto, el momento de la llamada.",
        r#""2026-11-14T10:30:00Z""#,
    ),
];

impl Element for Consentimiento {
    const FIELD_TABLE: &'static [Field] = FIELD_TABLE;

    fn read(read_ones: ParsedValues<'_>, base: &str, wrong: &mut Invalid) -> Option<Self> {
        let mut d = all_right(read_ones, base, wrong)?;
        Some(Self {
            purpose: d.text("finalidad").expect("required"),
            channel: d.text("canal"),
            texto_version: d.text("textoVersion").expect("required"),
            source: d.text("fuente"),
            granted: d.boolean("otorgado").unwrap_or(true),
            otorgado_en: d.date("otorgadoEn"),
        })
    }
}

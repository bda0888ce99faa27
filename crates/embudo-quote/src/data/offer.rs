//! What a quote offers besides its lines: whether it is binding, options, payments, texts.

use embudo_domain::legal::{LegalKey, LegalText};
use embudo_domain::presupuesto::{Character, Document};
use serde::Serialize;

use crate::text::Cleanup;

#[derive(Serialize)]
pub(super) struct Offer {
    #[serde(rename = "vinculante")]
    is_binding: bool,
    /// A sentence for the client: what it means that the quote is binding, or not.
    #[serde(rename = "caracter")]
    character: &'static str,
    #[serde(rename = "introduccion")]
    intro: Vec<String>,
    #[serde(rename = "texto_adicional")]
    extra: Vec<String>,
    #[serde(rename = "opciones")]
    options: Vec<PrintedOption>,
    #[serde(rename = "pagos")]
    payments: Vec<PrintedPayment>,
    legal: Vec<PrintedText>,
    /// The form of withdrawal, for a page of its own.
    #[serde(rename = "formulario")]
    form: Option<PrintedText>,
}

#[derive(Serialize)]
struct PrintedOption {
    concepto: String,
    #[serde(rename = "detalle")]
    detail: Option<String>,
    /// The room of the option, if the quote has several rooms.
    #[serde(rename = "estancia")]
    room: Option<String>,
    cantidad: String,
    unidad: &'static str,
    importe: String,
    /// What this option alone adds to the total, tax included.
    #[serde(rename = "con_impuestos")]
    with_tax: String,
}

#[derive(Serialize)]
struct PrintedPayment {
    #[serde(rename = "porcentaje")]
    percentage: String,
    #[serde(rename = "momento")]
    moment: String,
    importe: String,
}

#[derive(Serialize)]
struct PrintedText {
    #[serde(rename = "clave")]
    key: &'static str,
    #[serde(rename = "titulo")]
    title: String,
    #[serde(rename = "parrafos")]
    paragraphs: Vec<String>,
    version: String,
}

impl Offer {
    pub(super) fn of(d: &Document, l: &mut Cleanup<'_>) -> Self {
        let mut prose = |t: &Option<String>| t.as_deref().map(|t| l.paragraphs(t)).unwrap_or_default();
        let (intro, extra) = (prose(&d.terms.intro), prose(&d.terms.extra));
        let options = d.options.iter().map(|o| PrintedOption {
            concepto: l.sentence(&o.line.concepto),
            detail: o.line.detail.as_ref().map(|t| l.sentence(t)),
            room: o.room.as_ref().map(|r| l.line(r)),
            cantidad: o.line.cantidad.with_decimals(),
            unidad: o.line.unidad.symbol(),
            importe: o.line.importe.to_string(),
            with_tax: d.option_price(o).to_string(),
        });
        let options = options.collect();
        let payments = d.terms.payments_of(d.impuesto.total).into_iter().map(|due| PrintedPayment {
            percentage: due.payment.percentage.to_string(),
            moment: l.sentence(&due.payment.moment),
            importe: due.importe.to_string(),
        });
        let payments = payments.collect();
        let mut text = |t: &LegalText| PrintedText {
            key: t.key.as_str(),
            title: l.line(&t.title),
            paragraphs: t.paragraphs.iter().map(|p| l.sentence(p)).collect(),
            version: l.line(&t.version),
        };
        Self {
            is_binding: d.character() == Character::Binding,
            character: d.character().explanation(),
            intro,
            extra,
            options,
            payments,
            legal: d.legal.iter().filter(|t| t.key != LegalKey::Form).map(&mut text).collect(),
            form: d.legal.iter().find(|t| t.key == LegalKey::Form).map(&mut text),
        }
    }
}

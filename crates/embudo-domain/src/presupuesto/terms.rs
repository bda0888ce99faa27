//! What a quote offers besides its lines: the site, when and for how long, how it is paid, what is taken off, and whether it is a
//! promise.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::decimal::Percentage;
use crate::lead::Lead;
use crate::money::Cents;

enumeration! {
    /// Whether a quote can be accepted as a contract.
    Character { Binding = "vinculante", Orientative = "orientativo" }
}

impl Character {
    /// What it means for the client.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Binding => {
                "Es un presupuesto vinculante: si lo aceptas dentro de plazo, este es el precio de lo descrito."
            }
            Self::Orientative => {
                "Es un presupuesto orientativo: aún no se puede aceptar como contrato. Lo cerramos tras una visita gratuita."
            }
        }
    }
}

/// What a person wrote into a quote besides its lines. Every part may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Terms {
    /// Running text before the lines.
    #[serde(rename = "introduccion", skip_serializing_if = "Option::is_none")]
    pub intro: Option<String>,
    /// Running text after the total.
    #[serde(rename = "textoAdicional", skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
    /// Where the work is done.
    #[serde(rename = "direccionObra", skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The client's tax number.
    #[serde(rename = "nifCliente", skip_serializing_if = "Option::is_none")]
    pub nif: Option<String>,
    /// The client's postal address.
    #[serde(rename = "direccionCliente", skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The day on which the work begins.
    #[serde(rename = "inicio", with = "crate::day::optional", skip_serializing_if = "Option::is_none")]
    pub start: Option<Date>,
    /// How long it takes, in the company's words («tres semanas»).
    #[serde(rename = "duracion", skip_serializing_if = "Option::is_none")]
    pub duration: Option<String>,
    /// How it is paid; the percentages sum to 100.
    #[serde(rename = "pagos", skip_serializing_if = "Vec::is_empty")]
    pub payments: Vec<Payment>,
}

/// A part of the price, and when it is due.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Payment {
    #[serde(rename = "porcentaje")]
    pub percentage: Percentage,
    /// «Al aceptar», «A mitad de la obra».
    #[serde(rename = "momento")]
    pub moment: String,
}

/// A payment with its amount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due<'a> {
    pub payment: &'a Payment,
    pub importe: Cents,
}

/// Something taken off the whole, before tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Discount {
    #[serde(rename = "valor")]
    pub value: DiscountValue,
    /// Why, as the client reads it.
    #[serde(rename = "motivo", default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiscountValue {
    #[serde(rename = "porcentaje")]
    Percentage(Percentage),
    /// Before tax; what exceeds the whole is not taken.
    #[serde(rename = "importe")]
    Amount(Cents),
}

impl Terms {
    /// What a lead says of them.
    pub fn of(lead: &Lead) -> Self {
        Self { site: lead.address_of_obra(), ..Self::default() }
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Without what is blank.
    pub(super) fn tidy(&self) -> Self {
        let Self { intro, extra, site, nif, address, start, duration, payments } = self;
        let text =
            |t: &Option<String>| t.as_deref().map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
        Self {
            intro: text(intro),
            extra: text(extra),
            site: text(site),
            nif: text(nif),
            address: text(address),
            start: *start,
            duration: text(duration),
            payments: payments.clone(),
        }
    }

    /// The payments of a total. They sum to it exactly: each is what is due by then less what was due before.
    pub fn payments_of(&self, total: Cents) -> Vec<Due<'_>> {
        let (mut due, mut paid) = (Percentage(0), Cents::ZERO);
        let each = self.payments.iter().map(|payment| {
            due = Percentage(due.0.saturating_add(payment.percentage.0));
            let so_far = total.part(due).unwrap_or(total);
            let importe = so_far.checked_sub(paid).unwrap_or_default();
            paid = so_far;
            Due { payment, importe }
        });
        each.collect()
    }
}

impl Discount {
    /// What it takes off a sum, never more than that.
    pub fn of(&self, sum: Cents) -> Cents {
        let off = match self.value {
            DiscountValue::Percentage(p) => sum.part(p).unwrap_or(sum),
            DiscountValue::Amount(amount) => amount,
        };
        off.clamp(Cents::ZERO, sum.max(Cents::ZERO))
    }

    /// «Descuento (5 %): cliente de siempre».
    pub(super) fn concepto(&self) -> String {
        let mut text = "Descuento".to_owned();
        if let DiscountValue::Percentage(p) = self.value {
            text.push_str(&format!(" ({p})"));
        }
        if let Some(reason) = self.reason.as_deref().map(str::trim).filter(|r| !r.is_empty()) {
            text.push_str(&format!(": {reason}"));
        }
        text
    }
}

//! What a quote offers besides its lines: the site, the dates, the payments, the discount, and whether it is binding.

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
    /// The payments; their percentages sum to 100.
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

/// A discount on the whole, before tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Discount {
    #[serde(rename = "valor")]
    pub value: DiscountValue,
    /// The reason, as the client reads it.
    #[serde(rename = "motivo", default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiscountValue {
    #[serde(rename = "porcentaje")]
    Percentage(Percentage),
    /// Before tax. A discount that exceeds the whole is limited to the whole.
    #[serde(rename = "importe")]
    Amount(Cents),
}

impl Terms {
    /// The terms that follow from a lead.
    pub fn of(lead: &Lead) -> Self {
        Self { site: lead.address_of_obra(), ..Self::default() }
    }

    /// How many calendar days the work takes, if the text of the duration says so; the longest time that it names.
    pub fn days(&self) -> Option<u16> {
        days_in(self.duration.as_deref()?)
    }

    /// Whether nobody wrote anything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The terms without blank texts.
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

    /// The payments of a total. They sum to it exactly: each payment is the amount due by then, less the amount due
    /// before.
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

/// The numbers that people write as words in durations.
const NUMBERS: [(&str, u16); 17] = [
    ("un", 1),
    ("una", 1),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("diez", 10),
    ("doce", 12),
    ("quince", 15),
    ("veinte", 20),
    ("treinta", 30),
    ("cuarenta", 40),
    ("sesenta", 60),
];

/// The calendar days in a text: «tres semanas», «de 10 a 12 días laborables», «un mes y dos semanas».
fn days_in(text: &str) -> Option<u16> {
    let text = text.to_lowercase().replace('í', "i").replace('á', "a");
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let (mut total, mut most) = (0_u16, None);
    for (n, word) in words.iter().enumerate() {
        let named = NUMBERS.iter().find(|(name, _)| name == word).map(|(_, number)| *number);
        if let Some(number) = named.or_else(|| word.parse().ok()) {
            most = most.max(Some(number));
            continue;
        }
        let is_working =
            words.get(n + 1).is_some_and(|w| w.starts_with("laborable") || w.starts_with("habil"));
        let days = |number: u16| match *word {
            // A week has five working days.
            "dia" | "dias" if is_working && number > 0 => {
                Some(((number - 1) / 5).saturating_mul(7) + (number - 1) % 5 + 1)
            }
            "dia" | "dias" => Some(number),
            "semana" | "semanas" => Some(number.saturating_mul(7)),
            "mes" | "meses" => Some(number.saturating_mul(30)),
            _ => None,
        };
        if let Some(days) = most.and_then(days) {
            (total, most) = (total.saturating_add(days), None);
        }
    }
    (1..=MAX_DAYS).contains(&total).then_some(total)
}

/// The maximum duration of a job.
const MAX_DAYS: u16 = 730;

impl Discount {
    /// The amount of the discount on a sum, never more than the sum.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_in_words_is_a_number_of_days() {
        let known = [
            ("tres semanas", 21),
            ("3 semanas", 21),
            ("De 2 a 3 semanas", 21),
            ("10-12 días", 12),
            ("15 días laborables", 19),
            ("Cinco días hábiles aproximadamente", 5),
            ("Un mes y dos semanas", 44),
            ("entre 4 y 6 semanas desde el inicio", 42),
        ];
        for (text, days) in known {
            assert_eq!(days_in(text), Some(days), "{text}");
        }
        for text in ["", "según materiales", "semanas", "99999 semanas", "0 días", "en 2027"] {
            assert_eq!(days_in(text), None, "{text}");
        }
    }
}

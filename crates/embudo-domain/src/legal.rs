//! What consumer law requires a distance contract to say. The texts are dated, they ship with the program
//! (`datos/legal.toml`), and a company may replace each one. A quote carries only the texts that apply, filled in and
//! with their versions.
//!
//! The shipped words follow the law as read on their date of review; a lawyer should review them.

mod parse;
mod typed;

pub use typed::paragraphs;

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::data::InvalidData;
use crate::errors::Invalid;
use crate::iva::{Condiciones, Impuesto};
use crate::presupuesto::{Character, Document};
use crate::words;

/// The texts that the program ships.
pub const DEFAULT_TEXT: &str = include_str!("../datos/legal.toml");

/// How many days a consumer has to withdraw (TRLGDCU art. 104).
const WITHDRAWAL_DAYS: i32 = 14;
const MAX_PARAGRAPHS: usize = 30;
const MAX_PARAGRAPH: usize = 2_000;
const MAX_TITLE: usize = 120;
/// The words that are printed in place of company data that is missing.
const PENDING: &str = "(pendiente de indicar)";

enumeration! {
    /// What a text is about. Quotes print the texts in this order.
    LegalKey {
        Identidad = "identidad",
        Precio = "precio",
        Pago = "pago",
        Plazo = "plazo",
        Garantia = "garantia",
        Reclamaciones = "reclamaciones",
        /// The right of withdrawal.
        Withdrawal = "desistimiento",
        /// The request to begin within the days of withdrawal, and what it costs.
        EarlyStart = "inicio_anticipado",
        /// The model form of withdrawal; on a page of its own.
        Form = "formulario",
    }
}

/// A text, with placeholders or filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LegalText {
    #[serde(rename = "clave")]
    pub key: LegalKey,
    #[serde(rename = "titulo")]
    pub title: String,
    #[serde(rename = "parrafos")]
    pub paragraphs: Vec<String>,
    /// The version of the shipped set, or the day on which the company wrote the text.
    pub version: String,
    /// In a filled-in text: the paragraphs with amounts, by their position, as they were before they were filled in.
    /// They are filled in again for what the client accepts, because options change the amounts. `None` in a text that
    /// is not filled in, and in quotes that were stored before this field existed.
    #[serde(rename = "conImportes", default, skip_serializing_if = "Option::is_none")]
    pub with_amounts: Option<BTreeMap<usize, String>>,
}

/// The texts of a company: the shipped ones, with the company's own texts in their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legal {
    pub(crate) version: String,
    pub(crate) reviewed: Date,
    pub(crate) texts: Vec<LegalText>,
}

/// What a company wrote itself; kept as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct OwnLegal {
    #[serde(rename = "textos")]
    pub texts: Vec<LegalText>,
}

/// The placeholders of amounts: they change with the options that a client chooses.
const AMOUNTS: [&str; 3] = ["base", "impuesto", "total"];

/// The placeholders that may be written between braces.
pub const PLACEHOLDERS: [&str; 14] = [
    "empresa",
    "nif",
    "direccion",
    "telefono",
    "email",
    "cliente",
    "obra",
    "base",
    "impuesto",
    "total",
    "validez",
    "pago",
    "inicio",
    "duracion",
];

impl Legal {
    /// Reads and checks a set of texts; all its mistakes at once.
    pub fn parse(text: &str) -> Result<Self, InvalidData> {
        parse::parse(text)
    }

    /// The texts that the program ships.
    pub fn por_defecto() -> Self {
        Self::parse(DEFAULT_TEXT).expect("a test reads the shipped texts")
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    /// The day on which a person last checked the texts against the law.
    pub fn reviewed(&self) -> Date {
        self.reviewed
    }

    pub fn texts(&self) -> &[LegalText] {
        &self.texts
    }

    /// Replaces shipped texts by the company's own ones.
    #[must_use]
    pub fn with_own(mut self, own: &OwnLegal) -> Self {
        for text in &mut self.texts {
            if let Some(written) = own.texts.iter().find(|o| o.key == text.key) {
                text.clone_from(written);
            }
        }
        self
    }

    /// The texts that a quote needs, filled in. A quote that is no contract has none. Guarantee, complaints and
    /// withdrawal belong to consumer law: only clients who may be consumers get them. The request for an early start is
    /// included only if the work may begin within the days of withdrawal.
    pub fn texts_for(&self, document: &Document, condiciones: Condiciones, day: Date) -> Vec<LegalText> {
        if document.character() == Character::Orientative {
            return Vec::new();
        }
        let is_consumer = condiciones.may_be_consumer();
        // The last day of withdrawal, if the client accepts on the last day of the quote.
        let latest = day.saturating_add((i32::from(document.valid_days) + WITHDRAWAL_DAYS).days());
        let may_be_early = document.terms.start.is_none_or(|start| start <= latest);
        let applies = |t: &&LegalText| match t.key {
            LegalKey::Garantia | LegalKey::Reclamaciones | LegalKey::Withdrawal | LegalKey::Form => {
                is_consumer
            }
            LegalKey::EarlyStart => is_consumer && may_be_early,
            _ => true,
        };
        self.texts.iter().filter(applies).map(|text| text.filled(document)).collect()
    }
}

impl LegalText {
    fn filled(&self, document: &Document) -> Self {
        let has_amount = |p: &str| placeholders(p).any(|word| AMOUNTS.contains(&word));
        let with_amounts = self.paragraphs.iter().enumerate().filter(|(_, p)| has_amount(p));
        Self {
            with_amounts: Some(with_amounts.map(|(at, p)| (at, p.clone())).collect()),
            paragraphs: self.paragraphs.iter().map(|p| filled(p, document)).collect(),
            ..self.clone()
        }
    }

    /// A filled-in text with the amounts of another document instead of those of the former one.
    #[must_use]
    pub(crate) fn with_amounts_of(mut self, document: &Document, former: &Impuesto) -> Self {
        let Some(with_amounts) = &self.with_amounts else {
            let amounts = |i: &Impuesto| [i.total, i.base, i.quota].map(|amount| amount.to_string());
            let (former, agreed) = (amounts(former), amounts(&document.impuesto));
            let pairs: Vec<_> = former.into_iter().zip(agreed).collect();
            self.paragraphs.iter_mut().for_each(|paragraph| *paragraph = replaced(paragraph, &pairs));
            return self;
        };
        for (at, unfilled) in with_amounts {
            if let Some(paragraph) = self.paragraphs.get_mut(*at) {
                *paragraph = filled(unfilled, document);
            }
        }
        self
    }
}

/// A text with the new amounts instead of the former ones. Each occurrence is replaced once. A former amount at the end
/// of a larger amount is not replaced.
fn replaced(text: &str, amounts: &[(String, String)]) -> String {
    let mut new = String::with_capacity(text.len());
    let (mut rest, mut before) = (text, ' ');
    while let Some(c) = rest.chars().next() {
        let is_start = !(before.is_ascii_digit() || matches!(before, '.' | ',' | '-'));
        let found = amounts.iter().find(|(former, _)| is_start && rest.starts_with(former.as_str()));
        let (written, taken) = match found {
            Some((former, agreed)) => (agreed.as_str(), former.len()),
            None => (&rest[..c.len_utf8()], c.len_utf8()),
        };
        new.push_str(written);
        (rest, before) = (&rest[taken..], c);
    }
    new
}

impl OwnLegal {
    /// Replaces the company's own text on the same subject.
    pub fn put(&mut self, text: LegalText) {
        self.remove(text.key);
        self.texts.push(text);
        self.texts.sort_by_key(|text| text.key);
    }

    /// Removes the company's own text, so that the shipped text applies again.
    pub fn remove(&mut self, key: LegalKey) {
        self.texts.retain(|text| text.key != key);
    }

    /// Everything that is wrong with what a company wrote.
    pub fn check(&self) -> Result<(), Invalid> {
        let mut wrong = Invalid::default();
        for (n, text) in self.texts.iter().enumerate() {
            let at = |field: &str| format!("/textos/{n}/{field}");
            if self.texts[..n].iter().any(|other| other.key == text.key) {
                wrong.note_down(at("clave"), "valor", "Este texto ya está: deja solo uno.");
            }
            if text.title.trim().is_empty() || text.title.chars().count() > MAX_TITLE {
                let mensaje = format!("Pon un título de hasta {MAX_TITLE} caracteres.");
                wrong.note_down(at("titulo"), "rango", mensaje);
            }
            if text.paragraphs.is_empty() || text.paragraphs.len() > MAX_PARAGRAPHS {
                let mensaje = format!("Escribe entre 1 y {MAX_PARAGRAPHS} párrafos.");
                wrong.note_down(at("parrafos"), "rango", mensaje);
            }
            if text.version.trim().is_empty() || text.version.len() > 32 {
                wrong.note_down(at("version"), "valor", "Falta la fecha del texto.");
            }
            for (p, paragraph) in text.paragraphs.iter().enumerate().take(MAX_PARAGRAPHS) {
                if let Some(mensaje) = mistake(paragraph) {
                    wrong.note_down(at(&format!("parrafos/{p}")), "valor", mensaje);
                }
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }
}

/// What is wrong with a paragraph, and how to correct it.
fn mistake(paragraph: &str) -> Option<String> {
    if paragraph.trim().is_empty() || paragraph.chars().count() > MAX_PARAGRAPH {
        return Some(format!("Escribe un párrafo de hasta {MAX_PARAGRAPH} caracteres."));
    }
    if paragraph.contains('\0') {
        return Some("Quita el carácter nulo del texto.".to_owned());
    }
    let unknown = placeholders(paragraph).find(|p| !PLACEHOLDERS.contains(p))?;
    Some(format!("No se conoce «{{{unknown}}}»: usa {{{}}}.", PLACEHOLDERS.join("}, {")))
}

/// The words between braces.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(word, _)| word))
}

/// A paragraph with the quote's data.
fn filled(paragraph: &str, d: &Document) -> String {
    filled_with(paragraph, |word| value(word, d))
}

/// A paragraph with its placeholders filled in. Filled-in text is not searched for placeholders again.
fn filled_with(paragraph: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(paragraph.len());
    let mut rest = paragraph;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        match after.split_once('}').and_then(|(word, later)| value(word).map(|v| (v, later))) {
            Some((value, later)) => {
                text.push_str(&value);
                rest = later;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

fn value(placeholder: &str, d: &Document) -> Option<String> {
    let (e, terms) = (&d.empresa, &d.terms);
    let or_pending = |t: &Option<String>| {
        let written = t.as_deref().map(str::trim).filter(|t| !t.is_empty());
        written.unwrap_or(PENDING).to_owned()
    };
    let value = match placeholder {
        "empresa" => e.razon_social.clone().unwrap_or_else(|| e.nombre.clone()),
        "nif" => or_pending(&e.nif),
        "direccion" => or_pending(&e.address),
        // A telephone number that breaks across lines is hard to dial.
        "telefono" => or_pending(&e.telefono.as_ref().map(|t| t.trim().replace(' ', "\u{a0}"))),
        "email" => or_pending(&e.email),
        "cliente" => d.cliente.nombre.clone(),
        "obra" => d.pricing.title.clone(),
        "base" => d.impuesto.base.to_string(),
        "impuesto" => format!("{} de {} ({})", d.impuesto.quota, d.impuesto.nombre, d.impuesto.percentage),
        "total" => d.impuesto.total.to_string(),
        "validez" => match d.valid_days {
            1 => "un día desde su fecha".to_owned(),
            days => format!("{days} días desde su fecha"),
        },
        "pago" => match terms.payments.as_slice() {
            [] => "Según las condiciones de este presupuesto.".to_owned(),
            all => {
                let each = all
                    .iter()
                    .map(|p| format!("{} {}", p.percentage, words::lowercase_first(p.moment.trim())));
                format!("{}.", each.collect::<Vec<_>>().join("; "))
            }
        },
        "inicio" => terms
            .start
            .map_or_else(|| "en la fecha que acordemos por escrito al aceptar".to_owned(), words::day),
        "duracion" => terms
            .duration
            .clone()
            .unwrap_or_else(|| "la que indiquemos por escrito antes de empezar".to_owned()),
        _ => return None,
    };
    Some(value)
}

#[cfg(test)]
mod tests;

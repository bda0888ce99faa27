//! A company's brand: what its clients see of it on pages, mails and quotes.
//!
//! The brand is stored as one JSON text per company. A field that an older program did not know reads as its default.
//! The logo's bytes are stored next to it.

use serde::{Deserialize, Serialize};

use crate::color::Color;

/// The conditions that a quote prints when the company has written none.
pub const DEFAULT_CONDITIONS: &[&str] = &[
    "El precio incluye mano de obra, materiales, medios auxiliares y retirada de escombros de las partidas descritas.",
    "Las mediciones son estimadas y se comprueban en una visita gratuita antes de empezar; lo que cambie se presupuesta por escrito.",
    "Forma de pago: 40 % al aceptar, 40 % a mitad de la obra y 20 % a la entrega.",
    "Las licencias, tasas municipales y proyectos técnicos no están incluidos, salvo que se indique.",
    "Los trabajos tienen la garantía que marca la ley: tres años en los elementos instalados.",
];

/// The messaging channel by which people in Spain expect to be contacted.
pub const DEFAULT_MENSAJERIA: &str = "WhatsApp";

/// How many days a quote is valid unless the company says otherwise.
pub const VALID_DAYS: u16 = 30;

/// What a company shows of itself. Every text is optional. An absent text is left out, unless its field names a
/// default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Brand {
    pub color: Color,
    pub nif: Option<String>,
    /// Its registered name, where it differs from the trade name.
    pub razon_social: Option<String>,
    /// Its postal address, in one line.
    #[serde(rename = "direccion")]
    pub address: Option<String>,
    /// The company's telephone, as the company wants it printed.
    pub telefono: Option<String>,
    /// The company's e-mail for clients. Answers to mails go there, unless `Sender::reply_to` is set.
    pub email: Option<String>,
    pub web: Option<String>,
    /// The conditions of its quotes, one sentence each; empty for [`DEFAULT_CONDITIONS`].
    pub condiciones: Vec<String>,
    /// How many days its quotes are valid.
    #[serde(rename = "diasValidez")]
    pub valid_days: u16,
    /// Whether its quotes print the notes that came through the API, which may be an agent's remarks; those that
    /// clients write are printed anyway.
    pub notas_api: bool,
    /// The greeting of its form.
    #[serde(rename = "saludo")]
    pub greeting: Option<String>,
    /// What clients call the channel by which the company writes to them; [`DEFAULT_MENSAJERIA`] if absent.
    pub mensajeria: Option<String>,
    /// Its privacy policy, in plain text with empty lines between paragraphs; the shipped one if absent.
    #[serde(rename = "politica")]
    pub policy: Option<String>,
    /// Origins (`https://www.ejemplo.es`) whose pages may show the form in a frame.
    #[serde(rename = "origenes")]
    pub origins: Vec<String>,
}

impl Default for Brand {
    fn default() -> Self {
        Self {
            color: Color::DEFAULT,
            nif: None,
            razon_social: None,
            address: None,
            telefono: None,
            email: None,
            web: None,
            condiciones: Vec::new(),
            valid_days: VALID_DAYS,
            notas_api: true,
            greeting: None,
            mensajeria: None,
            policy: None,
            origins: Vec::new(),
        }
    }
}

impl Brand {
    /// The channel by which the company writes to its clients, as clients call it («WhatsApp»).
    pub fn mensajeria(&self) -> &str {
        self.mensajeria.as_deref().unwrap_or(DEFAULT_MENSAJERIA)
    }

    /// The conditions that its quotes print.
    pub fn condiciones(&self) -> Vec<String> {
        if self.condiciones.is_empty() {
            return DEFAULT_CONDITIONS.iter().map(ToString::to_string).collect();
        }
        self.condiciones.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_text_still_reads() {
        let old: Brand = serde_json::from_str(r##"{"color":"#aa3300","algoNuevo":1}"##).expect("reads");
        assert_eq!(old, Brand { color: Color([0xaa, 0x33, 0]), ..Brand::default() });
        let json = serde_json::to_string(&old).expect("writes");
        assert_eq!(serde_json::from_str::<Brand>(&json).expect("reads"), old);
        assert_eq!(old.condiciones().len(), DEFAULT_CONDITIONS.len());
        assert_eq!(old.mensajeria(), "WhatsApp");
        assert_eq!(Brand { mensajeria: Some("Telegram".into()), ..old }.mensajeria(), "Telegram");
    }
}

//! A text as a person types it, and how it would print.

use jiff::civil::Date;

use super::{LegalKey, LegalText, PENDING, filled_with};
use crate::brand::Brand;
use crate::empresa::Empresa;

impl LegalText {
    /// The text's paragraphs as a quote would print them, with the company's own data and an invented quote.
    pub fn sample(&self, empresa: &Empresa, brand: &Brand) -> Vec<String> {
        let or_pending = |t: &Option<String>| t.clone().unwrap_or_else(|| PENDING.to_owned());
        let value = |word: &str| {
            Some(match word {
                "empresa" => brand.razon_social.clone().unwrap_or_else(|| empresa.nombre.clone()),
                "nif" => or_pending(&brand.nif),
                "direccion" => or_pending(&brand.address),
                "telefono" => or_pending(&brand.telefono),
                "email" => or_pending(&brand.email),
                "cliente" => "Ana García".to_owned(),
                "obra" => "Reforma de baño".to_owned(),
                "base" => "5.000,00 €".to_owned(),
                "impuesto" => "500,00 € de IVA (10 %)".to_owned(),
                "total" => "5.500,00 €".to_owned(),
                "validez" => format!("{} días desde su fecha", brand.valid_days),
                "pago" => "40 % al aceptar; 40 % a mitad de la obra; 20 % a la entrega.".to_owned(),
                "inicio" => "1 de marzo".to_owned(),
                "duracion" => "tres semanas".to_owned(),
                _ => return None,
            })
        };
        self.paragraphs.iter().map(|paragraph| filled_with(paragraph, value)).collect()
    }

    /// Its paragraphs as one text, with empty lines between them.
    pub fn as_text(&self) -> String {
        self.paragraphs.join("\n\n")
    }

    /// A text that somebody typed, with empty lines between paragraphs.
    pub fn typed(key: LegalKey, title: &str, text: &str, day: Date) -> Self {
        let (title, paragraphs, version) = (title.trim().to_owned(), paragraphs(text), day.to_string());
        Self { key, title, paragraphs, version, with_amounts: None }
    }
}

/// The paragraphs of a text with empty lines between them.
pub fn paragraphs(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    let paragraphs =
        text.split("\n\n").map(|p| p.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned());
    paragraphs.filter(|p| !p.is_empty()).collect()
}

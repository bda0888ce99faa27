//! What a quote says: everything that is printed except its number and its days.
//!
//! It is composed once from a lead and sealed with the quote: the PDF and the quote's page are both drawn from it, so
//! that they say the same whatever happens to the lead afterwards.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Bounds, Character, Discount, PrintedOption, PrintedRoom, Terms};
use crate::brand::Brand;
use crate::color::Color;
use crate::decimal::Percentage;
use crate::digest::Digest;
use crate::foto::{Foto, StoredImage};
use crate::ingesta::Momento;
use crate::iva::{Condiciones, Impuesto, Impuestos, TotalRange, ratio};
use crate::lead::Lead;
use crate::legal::{Legal, LegalText};
use crate::money::Cents;
use crate::nota::Nota;
use crate::pricing::{Pricing, PricingInput, Range};
use crate::tarifa::Tarifa;
use crate::{FotoId, NotaId, Zona};

/// Everything that a quote says, except its number and its days.
///
/// Two finalizations with equal content are one quote; any difference that a client could see makes another quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    pub cliente: Cliente,
    pub empresa: Issuer,
    /// The lines, totals and assumptions.
    #[serde(rename = "calculo")]
    pub pricing: Pricing,
    pub impuesto: Impuesto,
    #[serde(rename = "diasValidez")]
    pub valid_days: u16,
    /// The client's wishes, then notes in their order, under the zone they are printed in.
    pub notas: Vec<PrintedNota>,
    /// Photos in their order.
    pub fotos: Vec<PrintedFoto>,
    /// The conditions besides the prices, one sentence each.
    pub condiciones: Vec<String>,
    // These fields were added later. An absent one is not serialised, so that older quotes keep their digest.
    /// The rooms, if a person priced several or named one.
    #[serde(rename = "estancias", default, skip_serializing_if = "Vec::is_empty")]
    pub rooms: Vec<PrintedRoom>,
    /// Lines that the client may tick. They are not in the base.
    #[serde(rename = "opciones", default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<PrintedOption>,
    /// The discount on the whole; the lines show its amount.
    #[serde(rename = "descuento", default, skip_serializing_if = "Option::is_none")]
    pub discount: Option<Discount>,
    #[serde(rename = "terminos", default, skip_serializing_if = "Terms::is_empty")]
    pub terms: Terms,
    /// The character that a person decided on; see [`Document::character`].
    #[serde(rename = "caracter", default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Character>,
    /// The texts that the law requires, each with its version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legal: Vec<LegalText>,
}

/// The client, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cliente {
    pub nombre: String,
    /// Telephone as E.164; empty if none is known.
    pub telefono: String,
    /// Empty if none is known.
    pub email: String,
    pub provincia: Option<String>,
}

/// The company, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Issuer {
    pub nombre: String,
    /// Registered name, if it differs.
    pub razon_social: Option<String>,
    pub nif: Option<String>,
    #[serde(rename = "direccion")]
    pub address: Option<String>,
    pub telefono: Option<String>,
    pub email: Option<String>,
    pub web: Option<String>,
    pub color: Color,
    /// The digest of the logo, in hexadecimal.
    pub logo: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrintedNota {
    pub zona: Zona,
    #[serde(rename = "texto")]
    pub text: String,
}

/// A photo, as printed. The picture itself is found by the photo's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrintedFoto {
    pub id: FotoId,
    pub zona: Zona,
    /// Before the work, or after it. A picture of the time after the work was generated.
    pub momento: Momento,
}

/// The company's side of a quote: brand, prices, taxes and legal texts.
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    pub brand: &'a Brand,
    /// The digest of its logo.
    pub logo: Option<Digest>,
    pub tarifa: &'a Tarifa,
    pub impuestos: &'a Impuestos,
    /// What is known of the conditions that decide the rate.
    pub condiciones: Condiciones,
    /// The legal texts that a binding quote carries. `None`: the quote carries no legal texts.
    pub legal: Option<&'a Legal>,
    /// The day whose prices and taxes apply.
    pub day: Date,
    /// The maximum size of the printed quote.
    pub bounds: Bounds,
}

impl Document {
    /// Composes what a quote says from what is known of a lead.
    pub fn compose(lead: &Lead, notas: &[Nota], fotos: &[Foto], base: Base<'_>) -> Self {
        let data = PricingInput::of(lead);
        let (pricing, impuesto) = base.impuestos.price(&data, base.tarifa, base.condiciones, base.day);
        let nota = |n: &Nota| PrintedNota::new(n, lead);
        let foto = |f: &Foto| PrintedFoto { id: f.id, zona: f.zona, momento: f.momento };
        let document = Self {
            cliente: Cliente::new(lead),
            empresa: Issuer::new(&lead.empresa.nombre, base.brand, base.logo),
            pricing,
            impuesto,
            valid_days: base.brand.valid_days,
            notas: wishes(lead)
                .into_iter()
                .chain(notas.iter().filter(|n| is_printed(n, lead, base.brand)).map(nota))
                .collect(),
            fotos: fotos.iter().filter(|f| is_shown(&f.image)).map(foto).collect(),
            condiciones: base.brand.condiciones(),
            rooms: Vec::new(),
            options: Vec::new(),
            discount: None,
            terms: Terms::of(lead),
            decided: None,
            legal: Vec::new(),
        };
        document.with_legal(base.legal, base.condiciones, base.day).within(base.bounds).0
    }

    /// Adds the legal texts that the character, the client and the days of the quote require.
    pub(super) fn with_legal(mut self, legal: Option<&Legal>, condiciones: Condiciones, day: Date) -> Self {
        self.legal = legal.map(|l| l.texts_for(&self, condiciones, day)).unwrap_or_default();
        self
    }

    /// Whether the quote can be accepted as a contract. It cannot while something that decides its price (type, area,
    /// quality, province) is assumed, or while a range is shown. A person may decide otherwise. Unknown facts about the
    /// tax do not prevent a contract: the client declares them when accepting.
    pub fn character(&self) -> Character {
        let open = self.pricing.range.is_some()
            || self.impuesto.range.is_some()
            || self.pricing.assumptions.iter().any(crate::pricing::Assumption::is_deciding);
        self.decided.unwrap_or(if open { Character::Orientative } else { Character::Binding })
    }

    /// For the company only: the share of materials in the discounted base. The printed share is the one before
    /// discounts. If the share after discounts exceeds the limit of a reduced rate, the company should check the quote
    /// again.
    pub fn materials_after_discounts(&self) -> Percentage {
        ratio(self.pricing.totals().material, self.pricing.base)
    }

    /// The digest of the content. The hashed bytes begin with the format's name, so that a new format gives new
    /// digests.
    pub fn digest(&self) -> Digest {
        let mut content = self.clone();
        // What is not printed does not make two quotes different.
        content.legal.iter_mut().for_each(|text| text.with_amounts = None);
        let mut bytes = b"embudo/presupuesto/1\n".to_vec();
        serde_json::to_writer(&mut bytes, &content).expect("plain data becomes JSON");
        Digest::of(&bytes)
    }

    /// The range of totals in which the job may lie. Older quotes, from before each end had its own tax, show what they
    /// showed then.
    pub fn total_range(&self) -> Option<TotalRange> {
        let from_before = || self.pricing.range.and_then(|r| self.impuesto.in_range(r));
        self.impuesto.range.or_else(from_before)
    }

    /// The range that is shown instead of the total: for a quote that is not binding because something that decides its
    /// price is open.
    pub fn shown_range(&self) -> Option<Range> {
        let is_open = self.character() == Character::Orientative;
        let range = self.total_range().filter(|_| is_open)?;
        Some(Range { minimum: range.minimum, maximum: range.maximum })
    }

    /// The amount that the client wanted to spend, if it is shown. It is not shown beside a total above it.
    pub fn shown_target(&self) -> Option<Cents> {
        self.pricing.target.filter(|target| target.0 > 0 && self.impuesto.total <= *target)
    }

    /// What a client reads as the price: the total, or its range.
    pub fn figure(&self) -> String {
        self.shown_range().map_or_else(|| self.impuesto.total.to_string(), |range| range.figure())
    }

    /// The zones that have something to show, the zone of the priced type first.
    pub fn zonas(&self) -> Vec<Zona> {
        let all = Zona::WORDS.iter().filter_map(|p| Zona::parse(p));
        let has = |z: &Zona| {
            self.pricing.capitulos.iter().any(|c| c.zona == *z)
                || self.notas.iter().any(|n| n.zona == *z)
                || self.fotos.iter().any(|f| f.zona == *z)
        };
        let mut zonas: Vec<Zona> = all.filter(has).collect();
        zonas.sort_by_key(|z| (*z != self.pricing.kind, *z));
        zonas
    }
}

impl Cliente {
    pub(super) fn new(lead: &Lead) -> Self {
        Self {
            nombre: lead.nombre.clone(),
            telefono: lead.telefono_e164.clone(),
            email: lead.email.clone(),
            provincia: lead.provincia_of_obra().map(str::to_owned),
        }
    }
}

impl PrintedNota {
    pub(super) fn new(nota: &Nota, lead: &Lead) -> Self {
        let zona = nota.zona.unwrap_or(Zona::assumed(lead.perfil.tipo_reforma));
        Self { zona, text: nota.text.clone() }
    }
}

/// The client's wishes as a note, if there are any. A quote prints this note before all others.
pub(super) fn wishes(lead: &Lead) -> Option<PrintedNota> {
    let text = lead.perfil.taste_text.as_ref().filter(|t| !t.trim().is_empty())?;
    Some(PrintedNota { zona: Zona::assumed(lead.perfil.tipo_reforma), text: text.clone() })
}

/// Whether a note is printed by default. A person may decide otherwise.
pub(super) fn is_printed(nota: &Nota, lead: &Lead, brand: &Brand) -> bool {
    let is_of_cliente = nota.zona.is_some_and(|z| nota.id == NotaId::of_form(lead.id, z));
    brand.notas_api || is_of_cliente
}

impl Issuer {
    pub(super) fn new(nombre: &str, brand: &Brand, logo: Option<Digest>) -> Self {
        let brand = brand.clone();
        Self {
            nombre: nombre.to_owned(),
            razon_social: brand.razon_social,
            nif: brand.nif,
            address: brand.address,
            telefono: brand.telefono,
            email: brand.email,
            web: brand.web,
            color: brand.color,
            logo: logo.map(|h| h.to_string()),
        }
    }
}

/// A photo that cannot be decoded is not printed: the client did not mean to send noise.
pub(super) fn is_shown(image: &StoredImage) -> bool {
    image.legible()
}

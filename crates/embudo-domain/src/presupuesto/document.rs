//! What a quote says: everything that is printed except its number and its days.
//!
//! It is composed once from a lead and sealed with the quote: the PDF and the quote's page are both drawn from it, so that they
//! say the same whatever happens to the lead afterwards.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::brand::Brand;
use crate::color::Color;
use crate::digest::Digest;
use crate::foto::{Foto, StoredImage};
use crate::ingesta::Momento;
use crate::iva::{Condiciones, Impuesto, Impuestos, TotalRange};
use crate::lead::Lead;
use crate::nota::Nota;
use crate::pricing::{Capitulo, Pricing, ReformaFacts};
use crate::tarifa::Tarifa;
use crate::{FotoId, NotaId, Zona};

/// Everything that a quote says, except its number and its days.
///
/// Two finalizations with equal content are one quote; any difference a client could see is another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    pub cliente: Cliente,
    pub empresa: Issuer,
    /// The lines, totals and suppositions.
    #[serde(rename = "calculo")]
    pub pricing: Pricing,
    pub impuesto: Impuesto,
    #[serde(rename = "diasValidez")]
    pub valid_days: u16,
    /// The client's wishes, then notes in their order, under the zone they are printed in.
    pub notas: Vec<PrintedNota>,
    /// Photos in their order.
    pub fotos: Vec<PrintedFoto>,
    /// What holds besides the prices, one sentence each.
    pub condiciones: Vec<String>,
}

/// The client, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cliente {
    pub nombre: String,
    /// Telephone as E.164.
    pub telefono: String,
    pub email: String,
    pub provincia: Option<String>,
}

/// The company, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Issuer {
    pub nombre: String,
    /// Registered name, where it differs.
    pub razon_social: Option<String>,
    pub nif: Option<String>,
    #[serde(rename = "direccion")]
    pub address: Option<String>,
    pub telefono: Option<String>,
    pub email: Option<String>,
    pub web: Option<String>,
    pub color: Color,
    /// The mark of the logo, in hexadecimal.
    pub logo: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrintedNota {
    pub zona: Zona,
    #[serde(rename = "texto")]
    pub text: String,
}

/// A photo, as printed. The picture itself is found by the photo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrintedFoto {
    pub id: FotoId,
    pub zona: Zona,
    /// Before, or after: an image that was generated.
    pub momento: Momento,
}

/// The company's side of a quote.
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    pub brand: &'a Brand,
    /// The mark of its logo.
    pub logo: Option<Digest>,
    pub tarifa: &'a Tarifa,
    pub impuestos: &'a Impuestos,
    /// The day on which prices and taxes are taken.
    pub day: Date,
}

impl Document {
    /// Composes what a quote says from what is known of a lead.
    pub fn compose(lead: &Lead, notas: &[Nota], fotos: &[Foto], base: Base<'_>) -> Self {
        let data = ReformaFacts::new(&lead.perfil, lead.provincia.as_deref());
        let (pricing, impuesto) = base.impuestos.price(&data, base.tarifa, Condiciones::default(), base.day);
        let assumed = Zona::assumed(lead.perfil.tipo_reforma);
        let nota = |n: &Nota| PrintedNota { zona: n.zona.unwrap_or(assumed), text: n.text.clone() };
        let is_of_cliente = |n: &Nota| n.zona.is_some_and(|z| n.id == NotaId::of_form(lead.id, z));
        let is_printed = |n: &&Nota| base.brand.notas_api || is_of_cliente(n);
        // What the client would like comes before what was said of single things.
        let tastes = lead.perfil.taste_text.iter().filter(|t| !t.trim().is_empty());
        let tastes = tastes.map(|t| PrintedNota { zona: assumed, text: t.clone() });
        let foto = |f: &Foto| PrintedFoto { id: f.id, zona: f.zona, momento: f.momento };
        Self {
            cliente: Cliente {
                nombre: lead.nombre.clone(),
                telefono: lead.telefono_e164.clone(),
                email: lead.email.clone(),
                provincia: lead.provincia.clone(),
            },
            empresa: Issuer::new(&lead.empresa.nombre, base.brand, base.logo),
            pricing,
            impuesto,
            valid_days: base.brand.valid_days,
            notas: tastes.chain(notas.iter().filter(is_printed).map(nota)).collect(),
            fotos: fotos.iter().filter(|f| is_shown(&f.image)).map(foto).collect(),
            condiciones: base.brand.condiciones(),
        }
    }

    /// The mark of the content. The first line names the format: a change of it changes every mark on purpose.
    pub fn digest(&self) -> Digest {
        let mut bytes = b"embudo/presupuesto/1\n".to_vec();
        serde_json::to_writer(&mut bytes, self).expect("plain data becomes JSON");
        Digest::of(&bytes)
    }

    /// Between what totals the job may lie. Quotes sealed before each end had its own tax show what they showed then.
    pub fn total_range(&self) -> Option<TotalRange> {
        let from_before = || self.pricing.range.and_then(|r| self.impuesto.in_range(r));
        self.impuesto.range.or_else(from_before)
    }

    /// The chapters by zone, and the surcharges apart where they are over several zones.
    pub fn capitulos(&self) -> (&[Capitulo], Option<&Capitulo>) {
        match self.pricing.capitulos.as_slice() {
            [antes @ .., second_last, last]
                if second_last.zona != last.zona && antes.iter().any(|c| c.zona == last.zona) =>
            {
                (&self.pricing.capitulos[..antes.len() + 1], Some(last))
            }
            all => (all, None),
        }
    }

    /// The zones that have something to show, the priced one first.
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

impl Issuer {
    fn new(nombre: &str, brand: &Brand, logo: Option<Digest>) -> Self {
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

/// A photo that nobody can read is not worth a frame: the client did not mean to send noise.
fn is_shown(image: &StoredImage) -> bool {
    image.legible()
}

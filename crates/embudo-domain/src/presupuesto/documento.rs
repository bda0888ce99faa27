//! What a quote says: everything that is printed except its number and its days.
//!
//! It is composed once from a lead and sealed with the quote: the PDF and the quote's page are both drawn from it, so that they
//! say the same whatever happens to the lead afterwards.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::calculo::{Calculo, Capitulo, DatosReforma};
use crate::color::Color;
use crate::ficha::{Foto, ImagenGuardada, Lead, Nota};
use crate::huella::Huella;
use crate::ingesta::Momento;
use crate::iva::{Condiciones, Impuesto, Impuestos, RangoTotal};
use crate::marca::Marca;
use crate::tarifa::Tarifa;
use crate::{FotoId, NotaId, Zona};

/// Everything that a quote says, except its number and its days.
///
/// Two finalizations with equal content are one quote; any difference a client could see is another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Documento {
    /// Whose quote.
    pub cliente: Cliente,
    /// Who quotes.
    pub empresa: Emisor,
    /// The lines, totals and suppositions.
    pub calculo: Calculo,
    /// The tax.
    pub impuesto: Impuesto,
    /// Days of validity.
    pub dias_validez: u16,
    /// The client's wishes, then notes in their order, under the zone they are printed in.
    pub notas: Vec<NotaImpresa>,
    /// Photos in their order.
    pub fotos: Vec<FotoImpresa>,
    /// What holds besides the prices, one sentence each.
    pub condiciones: Vec<String>,
}

/// The client, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cliente {
    /// Name.
    pub nombre: String,
    /// Telephone as E.164.
    pub telefono: String,
    /// E-mail.
    pub email: String,
    /// Province, as told.
    pub provincia: Option<String>,
}

/// The company, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Emisor {
    /// Name.
    pub nombre: String,
    /// Registered name, where it differs.
    pub razon_social: Option<String>,
    /// Tax number.
    pub nif: Option<String>,
    /// Address.
    pub direccion: Option<String>,
    /// Telephone.
    pub telefono: Option<String>,
    /// E-mail.
    pub email: Option<String>,
    /// Web site.
    pub web: Option<String>,
    /// Colour.
    pub color: Color,
    /// The mark of the logo, in hexadecimal.
    pub logo: Option<String>,
}

/// A note, as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotaImpresa {
    /// Where it stands.
    pub zona: Zona,
    /// What it says.
    pub texto: String,
}

/// A photo, as printed. The picture itself is found by the photo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FotoImpresa {
    /// The photo.
    pub id: FotoId,
    /// Its zone.
    pub zona: Zona,
    /// Before, or after: an image that was generated.
    pub momento: Momento,
}

/// The company's side of a quote.
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    /// Its brand.
    pub marca: &'a Marca,
    /// The mark of its logo.
    pub logo: Option<Huella>,
    /// Its prices.
    pub tarifa: &'a Tarifa,
    /// The taxes.
    pub impuestos: &'a Impuestos,
    /// The day on which prices and taxes are taken.
    pub dia: Date,
}

impl Documento {
    /// Composes what a quote says from what is known of a lead.
    pub fn componer(lead: &Lead, notas: &[Nota], fotos: &[Foto], base: Base<'_>) -> Self {
        let datos = DatosReforma::new(&lead.perfil, lead.provincia.as_deref());
        let (calculo, impuesto) = base.impuestos.price(&datos, base.tarifa, Condiciones::default(), base.dia);
        let supuesta = Zona::supuesta(lead.perfil.tipo_reforma);
        let nota = |n: &Nota| NotaImpresa { zona: n.zona.unwrap_or(supuesta), texto: n.texto.clone() };
        let es_del_cliente = |n: &Nota| n.zona.is_some_and(|z| n.id == NotaId::del_formulario(lead.id, z));
        let se_imprime = |n: &&Nota| base.marca.notas_api || es_del_cliente(n);
        // What the client would like comes before what was said of single things.
        let gustos = lead.perfil.taste_text.iter().filter(|t| !t.trim().is_empty());
        let gustos = gustos.map(|t| NotaImpresa { zona: supuesta, texto: t.clone() });
        let foto = |f: &Foto| FotoImpresa { id: f.id, zona: f.zona, momento: f.momento };
        Self {
            cliente: Cliente {
                nombre: lead.nombre.clone(),
                telefono: lead.telefono_e164.clone(),
                email: lead.email.clone(),
                provincia: lead.provincia.clone(),
            },
            empresa: Emisor::new(&lead.empresa.nombre, base.marca, base.logo),
            calculo,
            impuesto,
            dias_validez: base.marca.dias_validez,
            notas: gustos.chain(notas.iter().filter(se_imprime).map(nota)).collect(),
            fotos: fotos.iter().filter(|f| se_muestra(&f.imagen)).map(foto).collect(),
            condiciones: base.marca.condiciones(),
        }
    }

    /// The mark of the content. The first line names the format: a change of it changes every mark on purpose.
    pub fn huella(&self) -> Huella {
        let mut bytes = b"embudo/presupuesto/1\n".to_vec();
        serde_json::to_writer(&mut bytes, self).expect("plain data becomes JSON");
        Huella::of(&bytes)
    }

    /// Between what totals the job may lie. Quotes sealed before each end had its own tax show what they showed then.
    pub fn rango_total(&self) -> Option<RangoTotal> {
        let de_antes = || self.calculo.rango.and_then(|r| self.impuesto.en_rango(r));
        self.impuesto.rango.or_else(de_antes)
    }

    /// The chapters by zone, and the surcharges apart where they are over several zones.
    pub fn capitulos(&self) -> (&[Capitulo], Option<&Capitulo>) {
        match self.calculo.capitulos.as_slice() {
            [antes @ .., penultimo, ultimo]
                if penultimo.zona != ultimo.zona && antes.iter().any(|c| c.zona == ultimo.zona) =>
            {
                (&self.calculo.capitulos[..antes.len() + 1], Some(ultimo))
            }
            todos => (todos, None),
        }
    }

    /// The zones that have something to show, the priced one first.
    pub fn zonas(&self) -> Vec<Zona> {
        let todas = Zona::PALABRAS.iter().filter_map(|p| Zona::parse(p));
        let hay = |z: &Zona| {
            self.calculo.capitulos.iter().any(|c| c.zona == *z)
                || self.notas.iter().any(|n| n.zona == *z)
                || self.fotos.iter().any(|f| f.zona == *z)
        };
        let mut zonas: Vec<Zona> = todas.filter(hay).collect();
        zonas.sort_by_key(|z| (*z != self.calculo.tipo, *z));
        zonas
    }
}

impl Emisor {
    fn new(nombre: &str, marca: &Marca, logo: Option<Huella>) -> Self {
        let marca = marca.clone();
        Self {
            nombre: nombre.to_owned(),
            razon_social: marca.razon_social,
            nif: marca.nif,
            direccion: marca.direccion,
            telefono: marca.telefono,
            email: marca.email,
            web: marca.web,
            color: marca.color,
            logo: logo.map(|h| h.to_string()),
        }
    }
}

/// A photo that nobody can read is not worth a frame: the client did not mean to send noise.
fn se_muestra(imagen: &ImagenGuardada) -> bool {
    imagen.legible()
}

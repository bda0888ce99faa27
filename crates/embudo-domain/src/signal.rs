//! The content of the outgoing signals (contract §4), fixed at the moment that caused them.
//!
//! A signal is stored when its data is committed, and sent later, perhaps several times. Field values and photo ids are
//! stored here, as JSON text. The bytes of photos and PDF are fetched when the signal is sent. The delivery crate turns
//! a signal into the body of a call; this module must not know how photos are stored.

mod event;

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};

use crate::foto::Foto;
use crate::ingesta::Momento;
use crate::lead::Lead;
use crate::number::PlainNumber;
use crate::perfil::{Calidad, Urgencia};
use crate::record::LeadRecord;
use crate::reply::Reply;
use crate::{EmpresaId, FotoId, LeadId, ReplyId, Zona};

pub use event::{EventData, EventSignal, EventTopic, NewEvent};

/// "Profile complete" (contract §4). Photos are references; the call contains the photos themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PerfilSignal {
    pub lead_id: LeadId,
    pub cliente: ClienteSignal,
    pub reforma: ReformaSignal,
    pub empresa: EmpresaSignal,
    /// Zones with a note or a photo, in the order of the enum.
    pub zonas: Vec<ZonaSignal>,
}

/// The person of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClienteSignal {
    pub nombre: String,
    /// In E.164.
    pub telefono: Option<String>,
    /// E-mail as typed.
    pub email: Option<String>,
    pub provincia: Option<String>,
}

/// The work that the lead wants; what is not known is `null`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReformaSignal {
    #[serde(rename = "tipo")]
    pub kind: Option<Zona>,
    #[serde(serialize_with = "number")]
    pub m2_suelo: Option<f64>,
    pub calidad: Option<Calidad>,
    /// Whether structural work is present.
    pub estructural: Option<bool>,
    pub urgencia: Option<Urgencia>,
    /// Target budget in cents.
    #[serde(rename = "presupuestoTarget")]
    pub presupuesto_target_cents: Option<i64>,
}

/// The company of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmpresaSignal {
    pub tenant_id: EmpresaId,
    pub nombre: String,
}

/// The notes and photos of one zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZonaSignal {
    pub zona: Zona,
    /// Its notes, in the order in which they came.
    pub notas: Vec<String>,
    pub fotos: FotosSignal,
}

/// The photos of a zone, by `orden`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FotosSignal {
    #[serde(rename = "antes")]
    pub before: Vec<FotoRef>,
    #[serde(rename = "despues")]
    pub after: Vec<FotoRef>,
}

/// A photo, to be replaced by its picture when the signal is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FotoRef {
    pub foto_id: FotoId,
}

/// "PDF delivery" (contract §4) without the PDF itself, which is read when the signal is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PdfSignal {
    pub lead_id: LeadId,
    pub telefono: String,
    /// The client's name.
    pub nombre: String,
    /// The company's name.
    pub empresa: String,
    /// The PDF's file name.
    pub filename: String,
}

/// "Conversation start" (contract §4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MensajeriaSignal {
    pub lead_id: LeadId,
    pub telefono: String,
    /// The client's name.
    pub nombre: String,
    /// The company's name.
    pub empresa: String,
}

/// "Reply by hand" (contract §4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplySignal {
    pub mensaje_id: ReplyId,
    pub lead_id: LeadId,
    pub telefono: String,
    /// The client's name.
    pub nombre: String,
    /// The company's name.
    pub empresa: String,
    #[serde(rename = "texto")]
    pub text: String,
    /// The name of the person who wrote it.
    #[serde(rename = "autor")]
    pub author: String,
    /// Until when the reply is worth sending, RFC 3339 in UTC.
    #[serde(rename = "caduca")]
    pub expires: String,
}

impl ReplySignal {
    /// A reply to a lead that is worth sending until `expires`.
    pub fn new(lead: &Lead, reply: &Reply, expires: Timestamp) -> Self {
        let MensajeriaSignal { lead_id, telefono, nombre, empresa } = MensajeriaSignal::from(lead);
        Self {
            mensaje_id: reply.id,
            lead_id,
            telefono,
            nombre,
            empresa,
            text: reply.text.clone(),
            author: reply.author_name.clone(),
            expires: expires.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }
}

/// The profile at this moment.
impl From<&LeadRecord> for PerfilSignal {
    fn from(record: &LeadRecord) -> Self {
        let lead = &record.lead;
        let perfil = &lead.perfil;
        Self {
            lead_id: lead.id,
            cliente: ClienteSignal {
                nombre: lead.nombre.clone(),
                telefono: lead.e164().map(str::to_owned),
                email: lead.mail().map(str::to_owned),
                provincia: lead.provincia.clone(),
            },
            reforma: ReformaSignal {
                kind: perfil.tipo_reforma,
                m2_suelo: perfil.m2_suelo,
                calidad: perfil.calidad_global,
                estructural: perfil.estructural,
                urgencia: perfil.urgencia,
                presupuesto_target_cents: perfil.presupuesto_target_cents,
            },
            empresa: EmpresaSignal { tenant_id: lead.empresa.id, nombre: lead.empresa.nombre.clone() },
            zonas: zonas_of(record),
        }
    }
}

impl PerfilSignal {
    /// Every photo that it names, in the order of the payload.
    pub fn fotos(&self) -> impl Iterator<Item = FotoId> {
        self.zonas.iter().flat_map(|z| z.fotos.before.iter().chain(&z.fotos.after)).map(|f| f.foto_id)
    }
}

impl PdfSignal {
    /// The delivery of a lead's quote under this file name.
    pub fn new(lead: &Lead, filename: String) -> Self {
        let MensajeriaSignal { lead_id, telefono, nombre, empresa } = MensajeriaSignal::from(lead);
        Self { lead_id, telefono, nombre, empresa, filename }
    }
}

/// The start of a lead's conversation.
impl From<&Lead> for MensajeriaSignal {
    fn from(lead: &Lead) -> Self {
        Self {
            lead_id: lead.id,
            telefono: lead.telefono_e164.clone(),
            nombre: lead.nombre.clone(),
            empresa: lead.empresa.nombre.clone(),
        }
    }
}

/// Only zones with a note or a photo. A note without a zone belongs to the renovation type (contract §2).
fn zonas_of(record: &LeadRecord) -> Vec<ZonaSignal> {
    let assumed = Zona::assumed(record.lead.perfil.tipo_reforma);
    let mut fotos: Vec<&Foto> = record.fotos.iter().collect();
    // The sort is stable: photos with the same number stay in the order in which they came.
    fotos.sort_by(|a, b| a.orden.total_cmp(&b.orden));
    let refs = |zona, momento| {
        let own = move |f: &&&Foto| f.zona == zona && f.momento == momento;
        fotos.iter().filter(own).map(|f| FotoRef { foto_id: f.id }).collect::<Vec<_>>()
    };
    let zona_of = |word: &&str| {
        let zona = Zona::parse(word).expect("PALABRAS holds the words of the enum");
        let notas = record.notas.iter().filter(|n| n.zona.unwrap_or(assumed) == zona);
        ZonaSignal {
            zona,
            notas: notas.map(|n| n.text.clone()).collect(),
            fotos: FotosSignal { before: refs(zona, Momento::Before), after: refs(zona, Momento::After) },
        }
    };
    let with_something = |z: &ZonaSignal| !z.notas.is_empty() || z.fotos != FotosSignal::default();
    Zona::WORDS.iter().map(zona_of).filter(with_something).collect()
}

fn number<S: Serializer>(n: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
    n.map(PlainNumber).serialize(s)
}

#[cfg(test)]
mod tests;

//! What the three outgoing signals say (contract §4), fixed at the moment that caused them.
//!
//! A signal is written down when its data is committed and sent later, perhaps several times: field values and photo
//! ids are kept here and go to and from JSON text, the bytes of photos and PDF are fetched when it is sent. Turning a
//! signal into the body of a call is the delivery crate's work; this module must not know how photos are kept.

use serde::{Deserialize, Serialize, Serializer};

use crate::ficha::{Ficha, Foto, Lead};
use crate::ingesta::Momento;
use crate::number::PlainNumber;
use crate::perfil::{Calidad, Urgencia};
use crate::{EmpresaId, FotoId, LeadId, Zona};

/// "Profile complete" (contract §4). Photos are references; the call carries what they stand for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PerfilSenal {
    /// The lead.
    pub lead_id: LeadId,
    /// The person.
    pub cliente: ClienteSenal,
    /// The work wanted.
    pub reforma: ReformaSenal,
    /// The company.
    pub empresa: EmpresaSenal,
    /// Zones that have something, in the order of the enum.
    pub zonas: Vec<ZonaSenal>,
}

/// The person of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClienteSenal {
    /// Name.
    pub nombre: String,
    /// Telephone, E.164.
    pub telefono: String,
    /// E-mail as typed.
    pub email: String,
    /// Province.
    pub provincia: Option<String>,
}

/// The work wanted; what the lead lacks is `null`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReformaSenal {
    /// Renovation type.
    pub tipo: Option<Zona>,
    /// Floor area.
    #[serde(serialize_with = "numero")]
    pub m2_suelo: Option<f64>,
    /// Quality.
    pub calidad: Option<Calidad>,
    /// Whether structural work is present.
    pub estructural: Option<bool>,
    /// How soon.
    pub urgencia: Option<Urgencia>,
    /// Target budget in cents.
    #[serde(rename = "presupuestoTarget")]
    pub presupuesto_target_cents: Option<i64>,
}

/// The company of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmpresaSenal {
    /// Its id.
    pub tenant_id: EmpresaId,
    /// Its name.
    pub nombre: String,
}

/// What one zone has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZonaSenal {
    /// The zone.
    pub zona: Zona,
    /// Its notes, in the order they came.
    pub notas: Vec<String>,
    /// Its photos.
    pub fotos: FotosSenal,
}

/// The photos of a zone, by `orden`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FotosSenal {
    /// Before the work.
    pub antes: Vec<FotoRef>,
    /// After it: renders.
    pub despues: Vec<FotoRef>,
}

/// A photo, to be replaced by its picture when the signal is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FotoRef {
    /// Its id.
    pub foto_id: FotoId,
}

/// "PDF delivery" (contract §4) without the PDF itself, which is read when the signal is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PdfSenal {
    /// The lead.
    pub lead_id: LeadId,
    /// Telephone, E.164.
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
pub struct MensajeriaSenal {
    /// The lead.
    pub lead_id: LeadId,
    /// Telephone, E.164.
    pub telefono: String,
    /// The client's name.
    pub nombre: String,
    /// The company's name.
    pub empresa: String,
}

/// The profile as it stands now.
impl From<&Ficha> for PerfilSenal {
    fn from(ficha: &Ficha) -> Self {
        let lead = &ficha.lead;
        let perfil = &lead.perfil;
        Self {
            lead_id: lead.id,
            cliente: ClienteSenal {
                nombre: lead.nombre.clone(),
                telefono: lead.telefono_e164.clone(),
                email: lead.email.clone(),
                provincia: lead.provincia.clone(),
            },
            reforma: ReformaSenal {
                tipo: perfil.tipo_reforma,
                m2_suelo: perfil.m2_suelo,
                calidad: perfil.calidad_global,
                estructural: perfil.estructural,
                urgencia: perfil.urgencia,
                presupuesto_target_cents: perfil.presupuesto_target_cents,
            },
            empresa: EmpresaSenal { tenant_id: lead.empresa.id, nombre: lead.empresa.nombre.clone() },
            zonas: zonas_de(ficha),
        }
    }
}

impl PerfilSenal {
    /// Every photo it names, in the order of the payload.
    pub fn fotos(&self) -> impl Iterator<Item = FotoId> {
        self.zonas.iter().flat_map(|z| z.fotos.antes.iter().chain(&z.fotos.despues)).map(|f| f.foto_id)
    }
}

impl PdfSenal {
    /// The delivery of a lead's quote under this file name.
    pub fn new(lead: &Lead, filename: String) -> Self {
        let MensajeriaSenal { lead_id, telefono, nombre, empresa } = MensajeriaSenal::from(lead);
        Self { lead_id, telefono, nombre, empresa, filename }
    }
}

/// The start of a lead's conversation.
impl From<&Lead> for MensajeriaSenal {
    fn from(lead: &Lead) -> Self {
        Self {
            lead_id: lead.id,
            telefono: lead.telefono_e164.clone(),
            nombre: lead.nombre.clone(),
            empresa: lead.empresa.nombre.clone(),
        }
    }
}

/// Only zones that have something. A note without a zone stands under the renovation type (contract §2).
fn zonas_de(ficha: &Ficha) -> Vec<ZonaSenal> {
    let supuesta = Zona::supuesta(ficha.lead.perfil.tipo_reforma);
    let mut fotos: Vec<&Foto> = ficha.fotos.iter().collect();
    // A stable sort: photos that share a number stay in the order they came.
    fotos.sort_by(|a, b| a.orden.total_cmp(&b.orden));
    let refs = |zona, momento| {
        let suya = move |f: &&&Foto| f.zona == zona && f.momento == momento;
        fotos.iter().filter(suya).map(|f| FotoRef { foto_id: f.id }).collect::<Vec<_>>()
    };
    let zona_de = |palabra: &&str| {
        let zona = Zona::parse(palabra).expect("PALABRAS holds the words of the enum");
        let notas = ficha.notas.iter().filter(|n| n.zona.unwrap_or(supuesta) == zona);
        ZonaSenal {
            zona,
            notas: notas.map(|n| n.texto.clone()).collect(),
            fotos: FotosSenal { antes: refs(zona, Momento::Antes), despues: refs(zona, Momento::Despues) },
        }
    };
    let con_algo = |z: &ZonaSenal| !z.notas.is_empty() || z.fotos != FotosSenal::default();
    Zona::PALABRAS.iter().map(zona_de).filter(con_algo).collect()
}

fn numero<S: Serializer>(n: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
    n.map(PlainNumber).serialize(s)
}

#[cfg(test)]
mod tests;

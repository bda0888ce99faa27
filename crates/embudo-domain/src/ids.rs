//! Typed identities, so that a photo's id is never passed where a lead's is meant.

use crate::contacto::{Email, Telefono};
use crate::{Huella, Zona};

identidad! {
    /// A lead.
    LeadId,
    /// A company (tenant).
    EmpresaId,
    /// A chat turn.
    TurnoId,
    /// A photo.
    FotoId,
    /// A note.
    NotaId,
    /// A contact attempt.
    IntentoId,
    /// An event of a lead.
    EventoId,
    /// A job of the outbox.
    TrabajoId,
    /// A process that works on jobs.
    ProcesoId,
    /// A quote.
    PresupuestoId,
}

/// Reads a hyphenated UUID in any case; every other spelling names nothing (contract §1).
pub fn parse_uuid(texto: &str) -> Option<uuid::Uuid> {
    if texto.len() != 36 {
        return None;
    }
    uuid::Uuid::try_parse(texto).ok()
}

impl NotaId {
    /// The form's one note about a zone: written again, it is the same note.
    pub fn del_formulario(lead: LeadId, zona: Zona) -> Self {
        Self(derived(&[b"nota del formulario", lead.0.as_bytes(), zona.as_str().as_bytes()]))
    }
}

impl LeadId {
    /// The lead of somebody else who was given another's ticket: the same person is the same lead again.
    pub fn de_otra_persona(self, telefono: &Telefono, email: &Email) -> Self {
        let persona = format!("{} {}", telefono.e164, email.normal);
        Self(derived(&[b"otra persona", self.0.as_bytes(), persona.as_bytes()]))
    }
}

/// An id that the same parts always have.
fn derived(partes: &[&[u8]]) -> uuid::Uuid {
    let huella = Huella::of(&partes.concat());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&huella.0[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_ids_differ_by_lead_and_zone_and_stay() {
        let [una, otra] = [1, 2].map(|n| LeadId(uuid::Uuid::from_u128(n)));
        let id = NotaId::del_formulario(una, Zona::Bano);
        assert_eq!(id, NotaId::del_formulario(una, Zona::Bano));
        assert_ne!(id, NotaId::del_formulario(una, Zona::Cocina));
        assert_ne!(id, NotaId::del_formulario(otra, Zona::Bano));
    }

    #[test]
    fn only_the_hyphenated_form_names_a_lead() {
        let id = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";
        assert!(LeadId::parse(id).is_some());
        assert_eq!(LeadId::parse(&id.to_uppercase()), LeadId::parse(id));
        for otro in [&id.replace('-', ""), &format!("{{{id}}}"), &format!("urn:uuid:{id}"), "", "x"] {
            assert_eq!(LeadId::parse(otro), None, "{otro}");
        }
    }
}

//! Typed identities, so that a photo's id is never passed where a lead's is meant.

use crate::{Digest, Zona};

identity! {
    LeadId,
    EmpresaId,
    TurnoId,
    FotoId,
    NotaId,
    IntentoId,
    /// An event of a lead.
    EventId,
    /// A job of the outbox.
    JobId,
    /// A process that works on jobs.
    ProcessId,
    PresupuestoId,
    /// A person who signs in.
    UserId,
    SessionId,
    /// A line of the audit log.
    AuditId,
    /// An API key of a company.
    CompanyKeyId,
    VisitaId,
}

/// Reads a hyphenated UUID in any case; every other spelling names nothing (contract §1).
pub fn parse_uuid(text: &str) -> Option<uuid::Uuid> {
    if text.len() != 36 {
        return None;
    }
    uuid::Uuid::try_parse(text).ok()
}

impl NotaId {
    /// The form's one note about a zone: written again, it is the same note.
    pub fn of_form(lead: LeadId, zona: Zona) -> Self {
        Self(derived(&[b"nota del formulario", lead.0.as_bytes(), zona.as_str().as_bytes()]))
    }

    /// What somebody wrote into one form: sent twice, it is the same note, and no form names one of another lead.
    pub fn of_press(lead: LeadId, once: uuid::Uuid, text: &str) -> Self {
        Self(derived(&[b"nota interna", lead.0.as_bytes(), once.as_bytes(), text.as_bytes()]))
    }
}

impl VisitaId {
    /// The visit that one form prepares: sent twice it is the same visit, and no form names one of another lead.
    pub fn of_press(lead: LeadId, once: uuid::Uuid) -> Self {
        Self(derived(&[b"visita preparada", lead.0.as_bytes(), once.as_bytes()]))
    }
}

impl LeadId {
    /// The lead that one page of a form makes: sent again it is the same lead, and nobody names it who does not have the page's secret.
    /// It begins with the ticket's moment, so that ids are in the order of time.
    pub fn of_form(ticket: uuid::Uuid, secret: &str) -> Self {
        let mut bytes = *derived(&[b"formulario", ticket.as_bytes(), secret.as_bytes()]).as_bytes();
        bytes[..6].copy_from_slice(&ticket.as_bytes()[..6]);
        Self(uuid::Builder::from_bytes(bytes).with_version(uuid::Version::SortRand).into_uuid())
    }
}

/// An id that the same parts always have.
fn derived(parts: &[&[u8]]) -> uuid::Uuid {
    let digest = Digest::of(&parts.concat());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.0[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_ids_differ_by_lead_and_zone_and_stay() {
        let [a, another] = [1, 2].map(|n| LeadId(uuid::Uuid::from_u128(n)));
        let id = NotaId::of_form(a, Zona::Bano);
        assert_eq!(id, NotaId::of_form(a, Zona::Bano));
        assert_ne!(id, NotaId::of_form(a, Zona::Cocina));
        assert_ne!(id, NotaId::of_form(another, Zona::Bano));
    }

    #[test]
    fn a_page_of_a_form_names_its_lead_by_ticket_and_secret() {
        let [ticket, another] = [7, 8].map(|n| uuid::Uuid::from_u128(n << 80 | n));
        let id = LeadId::of_form(ticket, "a");
        assert_eq!(id, LeadId::of_form(ticket, "a"));
        assert_ne!(id, LeadId::of_form(ticket, "b"));
        assert_ne!(id, LeadId::of_form(another, "a"));
        assert!(LeadId::of_form(ticket, "b").0 < LeadId::of_form(another, "a").0);
        assert_eq!((id.0.get_version_num(), id.0.get_variant()), (7, uuid::Variant::RFC4122));
    }

    #[test]
    fn a_form_names_no_visit_of_another_lead() {
        let [a, another, once] = [1, 2, 3].map(uuid::Uuid::from_u128);
        let id = VisitaId::of_press(LeadId(a), once);
        assert_eq!(id, VisitaId::of_press(LeadId(a), once));
        assert_ne!(id, VisitaId::of_press(LeadId(another), once));
        assert_ne!(id, VisitaId::of_press(LeadId(a), another));
        assert_ne!(id.0, once);
    }

    #[test]
    fn only_the_hyphenated_form_names_a_lead() {
        let id = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";
        assert!(LeadId::parse(id).is_some());
        assert_eq!(LeadId::parse(&id.to_uppercase()), LeadId::parse(id));
        for other in [&id.replace('-', ""), &format!("{{{id}}}"), &format!("urn:uuid:{id}"), "", "x"] {
            assert_eq!(LeadId::parse(other), None, "{other}");
        }
    }
}

//! Typed identities, so that a photo's id is never passed where a lead's is meant.

use crate::reply::ReplyChannel;
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
    /// What a person writes to a client.
    ReplyId,
    /// A browser that gets notices by web push.
    PushId,
}

/// Reads a hyphenated UUID in any case. Any other spelling is not an id (contract §1).
pub fn parse_uuid(text: &str) -> Option<uuid::Uuid> {
    if text.len() != 36 {
        return None;
    }
    uuid::Uuid::try_parse(text).ok()
}

impl NotaId {
    /// The form has only one note about each zone. If the note is sent again, it gets the same id.
    pub fn of_form(lead: LeadId, zona: Zona) -> Self {
        Self(derived(&[b"nota del formulario", lead.0.as_bytes(), zona.as_str().as_bytes()]))
    }

    /// Derived from one form. The same text sent twice is the same note, and a form cannot name a note of another lead.
    pub fn of_press(lead: LeadId, once: uuid::Uuid, text: &str) -> Self {
        Self(derived(&[b"nota interna", lead.0.as_bytes(), once.as_bytes(), text.as_bytes()]))
    }
}

impl ReplyId {
    /// Derived from one form: the same reply sent twice gets the same id, and no form can name a reply of another lead.
    pub fn of_press(lead: LeadId, once: uuid::Uuid, channel: ReplyChannel, text: &str) -> Self {
        let parts: [&[u8]; 5] =
            [b"respuesta", lead.0.as_bytes(), once.as_bytes(), channel.as_str().as_bytes(), text.as_bytes()];
        Self(derived(&parts))
    }
}

impl VisitaId {
    /// The visit that one form prepares. The same form sent twice gives the same id, and no form can name a visit of
    /// another lead.
    pub fn of_press(lead: LeadId, once: uuid::Uuid) -> Self {
        Self(derived(&[b"visita preparada", lead.0.as_bytes(), once.as_bytes()]))
    }
}

impl LeadId {
    /// The lead that one page of a form creates. The same page always gives the same id, and nobody can compute it
    /// without the page's secret. The id begins with the timestamp of the ticket, so that ids are in the order of time.
    /// Twelve bits of the ticket's hash follow, so that the leads of one ticket are next to each other. Its UUID
    /// version is 8; the ids of other leads are version 7.
    pub fn of_form(ticket: uuid::Uuid, secret: &str) -> Self {
        let mut bytes = *derived(&[b"formulario", ticket.as_bytes(), secret.as_bytes()]).as_bytes();
        let of_ticket = derived(&[b"boleto", ticket.as_bytes()]);
        bytes[..6].copy_from_slice(&ticket.as_bytes()[..6]);
        bytes[6..TICKET_BYTES].copy_from_slice(&of_ticket.as_bytes()[6..TICKET_BYTES]);
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// The first and the last id that the ticket of this lead's form can produce. For a lead that was not created by a
    /// form: its own id, twice.
    pub fn of_same_ticket(self) -> (Self, Self) {
        if self.0.get_version() != Some(uuid::Version::Custom) {
            return (self, self);
        }
        let filled_with = |filler: u8| {
            let mut bytes = [filler; 16];
            bytes[..TICKET_BYTES].copy_from_slice(&self.0.as_bytes()[..TICKET_BYTES]);
            Self(uuid::Uuid::from_bytes(bytes))
        };
        (filled_with(0), filled_with(u8::MAX))
    }
}

/// How many bytes of a form's lead come from its ticket; the others come from the page's secret.
const TICKET_BYTES: usize = 8;

/// An id that depends only on these parts.
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
        assert_eq!((id.0.get_version_num(), id.0.get_variant()), (8, uuid::Variant::RFC4122));

        let (first, last) = id.of_same_ticket();
        assert!(
            ["a", "b", "c"]
                .map(|secret| LeadId::of_form(ticket, secret))
                .iter()
                .all(|id| (first..=last).contains(id))
        );
        let same_moment = LeadId::of_form(uuid::Uuid::from_u128(7 << 80 | 9), "a");
        assert!(
            !(first..=last).contains(&same_moment)
                && !(first..=last).contains(&LeadId::of_form(another, "a"))
        );
        let other = LeadId::parse("0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b").expect("an id");
        assert_eq!(other.of_same_ticket(), (other, other), "no form made it");
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

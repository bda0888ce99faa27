//! United leads and possible duplicates, as the page of a lead lists them.

use embudo_domain::contact::Email;
use embudo_domain::{Timestamp, Zona};
use embudo_store::inbox::InboxRow;

use super::union::Union;
use crate::panel::kit::chips::etapa_tone;
use crate::panel::kit::phone::Phone;
use crate::panel::words::day;

/// A lead for which the page's lead stands.
pub(super) struct UnitedView {
    pub nombre: String,
    pub phone: Phone,
    pub email: String,
    pub since: String,
    pub etapa: (&'static str, &'static str),
    pub base: String,
}

impl UnitedView {
    pub fn of(row: &InboxRow, now: Timestamp) -> Self {
        let lead = &row.summary.lead;
        Self {
            nombre: lead.name(),
            phone: Phone::of(&lead.telefono_e164),
            email: lead.email.clone(),
            since: day(lead.creado_en, now),
            etapa: (row.etapa.label(), etapa_tone(row.etapa)),
            base: format!("/panel/leads/{}", lead.id),
        }
    }
}

/// A lead that may be the same person.
pub(super) struct DuplicateView {
    pub id: String,
    pub nombre: String,
    /// Why it may be the same person, for example «mismo teléfono».
    pub why: &'static str,
    pub what: String,
    pub since: String,
}

impl DuplicateView {
    pub fn of(row: &InboxRow, union: &Union, now: Timestamp) -> Self {
        let lead = &row.summary.lead;
        let of_union = || union.rows().iter().map(|row| &row.summary.lead);
        let telefono = lead.e164().is_some_and(|e164| of_union().any(|own| own.telefono_e164 == e164));
        let correo = lead.mail().is_some_and(|mail| of_union().any(|own| normal(&own.email) == normal(mail)));
        Self {
            id: lead.id.to_string(),
            nombre: lead.name(),
            why: match (telefono, correo) {
                (true, true) => "mismo teléfono y correo",
                (true, false) => "mismo teléfono",
                (false, true) => "mismo correo",
                (false, false) => "mismo contacto que uno unido",
            },
            what: lead.perfil.tipo_reforma.map_or("Reforma por definir", Zona::label).to_owned(),
            since: day(lead.creado_en, now),
        }
    }
}

fn normal(email: &str) -> String {
    Email::parse(email).map_or_else(|_| email.to_lowercase(), |email| email.normal)
}

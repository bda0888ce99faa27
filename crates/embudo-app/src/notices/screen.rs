//! A notice on the screen of a device: what happened, and the name of the lead. It contains no message, telephone,
//! address or amount, because a locked telephone shows it to everybody.

use embudo_domain::lead::Lead;
use embudo_domain::push::PushMessage;
use embudo_domain::rights::RightAsked;
use embudo_domain::role::{Permission, Role};
use embudo_domain::words;

use super::Notice;

/// The maximum length of a name, in characters.
const MAX_NAME: usize = 60;

/// What a device of a person with this role shows.
pub(crate) fn on_screen(notice: &Notice, lead: &Lead, role: Role) -> PushMessage {
    let path = match (notice.draft(), notice) {
        (Some(draft), _) if role.may(Permission::WriteQuotes) => format!("/panel/presupuestos/{draft}"),
        (_, Notice::NotDelivered { job: Some(job), .. }) if role.may(Permission::RunOutbox) => {
            format!("/panel/envios/{job}")
        }
        _ => format!("/panel/leads/{}", lead.id),
    };
    let text = words::beginning(&lead.name(), MAX_NAME);
    PushMessage { title: title(notice), text, path, tag: lead.id.to_string() }
}

fn title(notice: &Notice) -> String {
    match notice {
        Notice::NewLead => "Nuevo lead".to_owned(),
        Notice::CompleteForm => "Formulario completo".to_owned(),
        Notice::HalfDoneForm => "Formulario a medias".to_owned(),
        Notice::PerfilComplete => "Perfil completo".to_owned(),
        Notice::Call => "Pide que le llames".to_owned(),
        Notice::MessageWaits => "Mensaje en espera".to_owned(),
        Notice::ClientWrote => "Mensaje de un cliente".to_owned(),
        Notice::ToReview { .. } => "Presupuesto por revisar".to_owned(),
        Notice::AskedAgain { .. } => "Piden el presupuesto".to_owned(),
        Notice::Answered { number, accepted: true, .. } => format!("Presupuesto {number} aceptado"),
        Notice::Answered { number, accepted: false, .. } => format!("Presupuesto {number} rechazado"),
        Notice::AskedVisit { .. } => "Pide una visita".to_owned(),
        Notice::RightAsked { what, .. } => match RightAsked::parse(what) {
            Some(RightAsked::Erasure) => "Pide que se borren sus datos".to_owned(),
            _ => "Pide una copia de sus datos".to_owned(),
        },
        Notice::OverdueLoop { .. } => "El circuito se retrasa".to_owned(),
        Notice::NotDelivered { doubt: true, .. } => "Entrega dudosa".to_owned(),
        Notice::NotDelivered { .. } => "Algo no se ha entregado".to_owned(),
    }
}

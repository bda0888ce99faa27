//! Devices that get notices by web push, and clients who wait for an answer.

use embudo_domain::push::PushDevice;
use embudo_domain::{LeadId, PushId, Timestamp, UserId};

use super::Query;
use crate::rows;

fn devices() -> Query<PushDevice> {
    Query::new(include_str!("../../sql/dispositivo/list.sql"), rows::push_device)
}

pub fn device(id: PushId) -> Query<PushDevice> {
    devices().only("id = :id").bind("id", id.0)
}

pub fn devices_of(user: UserId) -> Query<PushDevice> {
    devices().only("usuario_id = :usuario").bind("usuario", user.0)
}

/// Clients who wrote between two moments and wait for an answer, with the time. Either all of them, or only those for
/// whom a person answers instead of the bot and who wrote after `attended`.
pub fn unanswered(
    from: Timestamp,
    until: Timestamp,
    attended: Option<Timestamp>,
    max: u32,
) -> Query<(LeadId, Timestamp)> {
    let text = match attended {
        Some(_) => include_str!("../../sql/lead_actividad/unanswered_attended.sql"),
        None => include_str!("../../sql/lead_actividad/unanswered.sql"),
    };
    let query = Query::new(text, |c| Ok((LeadId(c.get("lead_id")?), c.get("turno_en")?)));
    let query = query.bind("from", from).bind("until", until).bind("max", max);
    match attended {
        Some(since) => query.bind("since", since),
        None => query,
    }
}

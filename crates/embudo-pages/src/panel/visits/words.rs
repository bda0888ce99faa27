//! The words for visits.

use embudo_app::VisitWarning;
use embudo_domain::visita::{Busy, Cancelled, LocalTime, SpanishTimeZone, Visita, VisitaError, VisitaState};
use embudo_domain::{Timestamp, UserId};
use url::form_urlencoded::byte_serialize;

use crate::panel::form_state::FormState;
use crate::panel::kit::people::People;

pub(super) const STALE: &str = "Esta visita ha cambiado mientras la mirabas. No se ha hecho nada: así está ahora; míralo y vuelve a probar.";

pub(super) fn refused(error: VisitaError) -> &'static str {
    match error {
        VisitaError::State(VisitaState::Cancelada) => "La visita está cancelada.",
        VisitaError::State(_) => "Con la visita como está, eso no se puede.",
        VisitaError::NotProposed => "Esa hora no es de las propuestas.",
        VisitaError::OutOfReach => "Elige una hora de aquí a un año.",
        VisitaError::TooSoon => "El cliente necesita al menos dos horas de margen: propón otra.",
        VisitaError::TooLate => "Ya es tarde para cambiarla.",
        VisitaError::NotYet => "La visita aún no ha empezado.",
        VisitaError::NoSlots => "Elige al menos una hora que proponer.",
    }
}

/// The place on the page where a conflict is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At the agreed hour.
    Hour,
    /// At the proposed hours.
    Slots,
    /// At the people and the length.
    Data,
}

/// The conflicts, by the place where they are shown.
#[derive(Default)]
pub(super) struct Warned {
    pub hour: Vec<String>,
    pub slots: Vec<String>,
    pub data: Vec<String>,
}

impl Warned {
    /// Adds the conflicts to the summary at the top of the page, with links to their places.
    pub fn add_to(&self, form: &mut FormState) {
        let places = [("aviso-hora", &self.hour), ("aviso-huecos", &self.slots), ("aviso-datos", &self.data)];
        for (id, lines) in places {
            for line in lines {
                form.add(id, line.as_str());
            }
        }
    }

    pub fn at(place: Place, lines: Vec<String>) -> Self {
        match place {
            Place::Hour => Self { hour: lines, ..Self::default() },
            Place::Slots => Self { slots: lines, ..Self::default() },
            Place::Data => Self { data: lines, ..Self::default() },
        }
    }
}

/// The conflicts of a visit, one line each. If the visit has several hours, each line names its hour.
pub(super) fn warned(
    visita: &Visita,
    warnings: &[(Timestamp, VisitWarning)],
    people: &People,
    zone: SpanishTimeZone,
) -> Vec<String> {
    let line = |(start, warning): &(Timestamp, VisitWarning)| {
        let text = match warning {
            VisitWarning::Gone(person) => return gone(people, *person),
            VisitWarning::Overlap(busy) => overlap(busy, zone),
            VisitWarning::OutsideHours => "Cae fuera del horario de quien va, o en un día libre.".to_owned(),
        };
        match visita.state {
            VisitaState::Propuesta => format!("{}. {text}", zone.short(*start)),
            _ => text,
        }
    };
    warnings.iter().map(line).collect()
}

pub(super) fn overlap(busy: &Busy, zone: SpanishTimeZone) -> String {
    format!(
        "Hay otra visita el {} (hasta las {}), o queda menos margen del que se pide.",
        zone.short(busy.start),
        zone.hour(busy.end)
    )
}

/// «La canceló el cliente desde su enlace, mar 14 nov, 10:30». `None` for visits cancelled before this was recorded.
pub(super) fn cancelled(visita: &Visita, people: &People, zone: SpanishTimeZone) -> Option<String> {
    let Cancelled { at, by } = visita.cancelled?;
    let who = by.map_or("el cliente desde su enlace", |id| people.name(id));
    Some(format!("La canceló {who}, {}", zone.short(at)))
}

pub(super) fn gone(people: &People, person: UserId) -> String {
    format!("{} ya no trabaja aquí: cambia quién va.", people.name(person))
}

/// The value of a date-and-time field: `2026-11-14T10:30`.
pub(super) fn to_field(zone: SpanishTimeZone, at: Timestamp) -> String {
    zone.local(at).strftime("%Y-%m-%dT%H:%M").to_string()
}

/// Parses the value of a date-and-time field, in the company's time zone.
pub(super) fn from_field(zone: SpanishTimeZone, text: &str) -> Result<Timestamp, &'static str> {
    let local: jiff::civil::DateTime = text.parse().map_err(|_| "Elige el día y la hora.")?;
    match zone.at(local) {
        LocalTime::At(at) | LocalTime::Twice(at) => Ok(at),
        LocalTime::Never => Err("Esa hora no existe: esa noche cambia el reloj."),
    }
}

/// The link to a map of an address. The page itself loads nothing from there, so only a click contacts the map's
/// server.
pub(super) fn map_link(address: &str) -> String {
    let encoded: String = byte_serialize(address.as_bytes()).collect();
    format!("https://www.openstreetmap.org/search?query={encoded}")
}

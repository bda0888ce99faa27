//! How visits are spoken of.

use embudo_app::VisitWarning;
use embudo_domain::Timestamp;
use embudo_domain::visita::{LocalTime, VisitaError, VisitaState, Zone};

pub(super) const STALE: &str = "Esta visita ha cambiado mientras la mirabas. No se ha hecho nada: así está ahora; míralo y vuelve a probar.";

/// A state and the look of its chip.
pub(in crate::panel) fn short_state(state: VisitaState) -> (&'static str, &'static str) {
    let class = match state {
        VisitaState::Propuesta => "ficha-ojo",
        VisitaState::Confirmada | VisitaState::Realizada => "ficha-bien",
        VisitaState::NoPresentado => "ficha-mal",
        VisitaState::Cancelada => "",
    };
    (state.words(), class)
}

pub(super) fn refused(error: VisitaError) -> &'static str {
    match error {
        VisitaError::State(VisitaState::Cancelada) => "La visita está cancelada.",
        VisitaError::State(_) => "Con la visita como está, eso no se puede.",
        VisitaError::NotProposed => "Esa hora no es de las propuestas.",
        VisitaError::OutOfReach => "Elige una hora de aquí a un año.",
        VisitaError::TooLate => "Ya es tarde para cambiarla.",
        VisitaError::NotYet => "La visita aún no ha empezado.",
        VisitaError::NoSlots => "Elige al menos una hora que proponer.",
    }
}

pub(super) fn warned(warning: &VisitWarning, zone: Zone) -> String {
    match warning {
        VisitWarning::Overlap(busy) => format!(
            "Hay otra visita el {} (hasta las {}), o queda menos margen del que se pide.",
            zone.short(busy.start),
            zone.hour(busy.end)
        ),
        VisitWarning::OutsideHours => "Cae fuera del horario de quien va, o en un día libre.".to_owned(),
    }
}

/// As a field for a moment writes it: `2026-11-14T10:30`.
pub(super) fn to_field(zone: Zone, at: Timestamp) -> String {
    zone.local(at).strftime("%Y-%m-%dT%H:%M").to_string()
}

/// What such a field says, in the company's zone.
pub(super) fn from_field(zone: Zone, text: &str) -> Result<Timestamp, &'static str> {
    let local: jiff::civil::DateTime = text.parse().map_err(|_| "Elige el día y la hora.")?;
    match zone.at(local) {
        LocalTime::At(at) | LocalTime::Twice(at) => Ok(at),
        LocalTime::Never => Err("Esa hora no existe: esa noche cambia el reloj."),
    }
}

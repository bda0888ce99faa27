//! How the inbox says things.

use embudo_domain::etapa::Etapa;
use embudo_domain::next_action::ActionKind;

/// The chip's colour.
pub(in crate::panel) fn etapa_tone(etapa: Etapa) -> &'static str {
    match etapa {
        Etapa::Nuevo | Etapa::PorRevisar => "ficha-ojo",
        Etapa::Aceptado | Etapa::Visita | Etapa::EnObra => "ficha-bien",
        Etapa::Perdido => "ficha-mal",
        _ => "",
    }
}

pub(in crate::panel) fn action(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::ByHand => "Pendiente",
        ActionKind::Right => "Atender sus datos",
        ActionKind::Call => "Llamar",
        ActionKind::AskedVisit => "Visita pedida",
        ActionKind::Answer => "Responder",
        ActionKind::Review => "Revisar presupuesto",
        ActionKind::Contact => "Contactar",
        ActionKind::Loop => "Mirar el circuito",
        ActionKind::Chase => "Insistir",
        ActionKind::PlanWork => "Planificar la obra",
        ActionKind::WaitVisit => "Esperando la visita",
        ActionKind::WaitWork => "Esperando la obra",
        ActionKind::WaitRenders => "Esperando los renders",
        ActionKind::WaitClient => "Esperando al cliente",
        ActionKind::WaitBot => "Esperando al bot",
    }
}

/// Why a lead is archived.
pub(in crate::panel) const REASONS: &[&str] =
    &["Precio", "Eligió a otra empresa", "No contesta", "Fuera de zona", "No es viable", "Duplicado", "Otro"];

/// «612 34 56 78»; foreign numbers with `00`, so that no spreadsheet takes a plus for a formula.
pub(in crate::panel) fn telefono(e164: &str) -> String {
    match e164.strip_prefix("+34") {
        Some(own) if own.len() == 9 && own.is_ascii() => {
            format!("{} {} {} {}", &own[..3], &own[3..5], &own[5..7], &own[7..])
        }
        _ if e164.is_empty() => String::new(),
        _ => format!("00{}", e164.trim_start_matches('+')),
    }
}

#[cfg(test)]
mod tests {
    use super::telefono;

    #[test]
    fn telephones_read_as_in_spain() {
        assert_eq!(telefono("+34612345678"), "612 34 56 78");
        assert_eq!(telefono("+33612345678"), "0033612345678");
    }
}

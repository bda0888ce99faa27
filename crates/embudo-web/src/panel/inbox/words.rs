//! How the inbox says things.

use embudo_domain::Zona;
use embudo_domain::etapa::Etapa;
use embudo_domain::next_action::ActionKind;
use embudo_domain::perfil::{CanalOrigen, Urgencia};

pub(in crate::panel) fn etapa(etapa: Etapa) -> &'static str {
    match etapa {
        Etapa::Nuevo => "Nuevo",
        Etapa::EnConversacion => "En conversación",
        Etapa::PerfilCompleto => "Perfil completo",
        Etapa::EsperandoRenders => "Esperando renders",
        Etapa::PorRevisar => "Por revisar",
        Etapa::PresupuestoEnviado => "Presupuesto enviado",
        Etapa::Visita => "Visita",
        Etapa::Aceptado => "Aceptado",
        Etapa::EnObra => "En obra",
        Etapa::Terminado => "Terminado",
        Etapa::Perdido => "Perdido",
    }
}

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
        ActionKind::Right => "Atender sus datos",
        ActionKind::Call => "Llamar",
        ActionKind::Visit => "Visita",
        ActionKind::AskedVisit => "Visita pedida",
        ActionKind::Review => "Revisar presupuesto",
        ActionKind::Answer => "Responder",
        ActionKind::Loop => "Bucle retrasado",
        ActionKind::Chase => "Insistir",
        ActionKind::ByHand => "Pendiente",
    }
}

pub(in crate::panel) fn canal(canal: CanalOrigen) -> &'static str {
    match canal {
        CanalOrigen::WebForm => "Formulario",
        CanalOrigen::Messaging => "Mensajería",
        CanalOrigen::Call => "Llamada",
        CanalOrigen::Referido => "Recomendación",
        CanalOrigen::Anuncio => "Anuncio",
    }
}

pub(in crate::panel) fn urgencia(urgencia: Urgencia) -> &'static str {
    match urgencia {
        Urgencia::Alta => "Urgente",
        Urgencia::Media => "Urgencia media",
        Urgencia::Baja => "Sin prisa",
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
        _ => format!("00{}", e164.trim_start_matches('+')),
    }
}

pub(in crate::panel) fn zona(zona: Zona) -> &'static str {
    crate::form::words::zona(zona).nombre
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

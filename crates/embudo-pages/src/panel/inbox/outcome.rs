//! The result of a form about several leads: what was done and how to undo it, or why it was refused.

use embudo_domain::LeadId;
use embudo_store::desk::MAX_BULK;

use crate::parts::FormFields;

/// A form about several leads that was refused: the reason, and its contents.
#[derive(Default)]
pub(super) struct Refused {
    pub why: Option<&'static str>,
    pub ticked: Vec<LeadId>,
    pub action: String,
    pub person: String,
    pub reason: String,
}

impl Refused {
    pub fn of(fields: &FormFields, why: &'static str) -> Self {
        let (action, person) = (fields.text("accion"), fields.text("persona"));
        Self { why: Some(why), ticked: ticked(fields), action, person, reason: fields.text("motivo") }
    }

    /// The reason, for the place beside the buttons. If nothing was ticked, the buttons are hidden, and so is the
    /// reason.
    pub fn beside(&self) -> Option<&'static str> {
        self.why.filter(|_| !self.ticked.is_empty())
    }
}

/// The ticked leads without duplicates, limited to the maximum number of leads in one action.
pub(super) fn ticked(fields: &FormFields) -> Vec<LeadId> {
    let values = fields.0.iter().filter(|(name, _)| name == "lead");
    let mut leads: Vec<LeadId> = values.filter_map(|(_, id)| LeadId::parse(id)).take(MAX_BULK).collect();
    leads.sort();
    leads.dedup();
    leads
}

/// The result in words, if the address contains one.
pub(super) fn done(fields: &FormFields) -> Option<String> {
    let (what, count) = fields.raw("hecho").split_once('-')?;
    let count: u32 = count.parse().ok()?;
    let words = |one: &str, many: &str| match count {
        0 => "No ha cambiado nada.".to_owned(),
        1 => format!("1 lead {one}."),
        _ => format!("{count} leads {many}."),
    };
    Some(match what {
        "asignar" => words("asignado", "asignados"),
        "archivar" => words("archivado", "archivados"),
        "deshacer" if count == 0 => "No se ha podido deshacer: ya se habían reabierto.".to_owned(),
        "deshacer" => words("vuelve a estar como estaba", "vuelven a estar como estaban"),
        "reabrir" => words("reabierto", "reabiertos"),
        "leidos" => words("marcado como leído", "marcados como leídos"),
        "noleidos" => words("marcado como no leído", "marcados como no leídos"),
        _ => return None,
    })
}

/// The moment of an archiving that can be undone, in microseconds.
pub(super) fn undo(fields: &FormFields) -> Option<i64> {
    let (what, count) = fields.raw("hecho").split_once('-')?;
    let batch = fields.raw("lote").parse().ok()?;
    (what == "archivar" && count != "0").then_some(batch)
}

pub(super) fn mistake(fields: &FormFields) -> Option<&'static str> {
    match fields.raw("fallo") {
        "clave" => Some("Esa no es tu contraseña: no se ha exportado nada."),
        "muchos" => Some("Son demasiados para una hoja de cálculo: acota la lista o elige CSV."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::read_fields;

    #[test]
    fn what_was_done_is_said_in_words() {
        let shown = |query: &str| done(&read_fields(query.as_bytes()));
        assert_eq!(shown("hecho=asignar-1").as_deref(), Some("1 lead asignado."));
        assert_eq!(shown("hecho=archivar-12").as_deref(), Some("12 leads archivados."));
        assert_eq!(shown("hecho=archivar-0").as_deref(), Some("No ha cambiado nada."));
        assert_eq!(shown("hecho=%3Cb%3E-1"), None);
        assert_eq!(shown("hecho=asignar"), None);
    }

    #[test]
    fn each_lead_counts_once() {
        let id = "0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";
        assert_eq!(ticked(&read_fields(format!("lead={id}&lead=x&lead={id}").as_bytes())).len(), 1);
    }
}

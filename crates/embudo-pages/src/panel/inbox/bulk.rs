//! `POST /panel/leads`: what is done to several leads at once.

use axum::extract::{Request, State};
use embudo_domain::role::Permission;
use embudo_domain::{LeadId, UserId};
use embudo_store::desk::MAX_BULK;

use super::viewer;
use crate::WebState;
use crate::panel::kit::archiving::archive_reason;
use crate::panel::kit::people::workers_of;
use crate::panel::switches::back;
use crate::panel::{PanelResult, Signed};
use crate::parts::{FormFields, Refusal, fields_of, redirect};

/// Assigns, archives, takes up again or marks as read what was ticked; then back to the list.
pub(in crate::panel) async fn act(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let viewer = viewer(&signed)?;
    let leads = ticked(&fields);
    if leads.is_empty() {
        return Ok(to(&fields, "fallo", "ninguno"));
    }
    let (desk, actor) = (state.app.desk(), signed.actor());
    let word = fields.text("accion");
    if word == "leidos" {
        let count = leads.len();
        desk.mark_read(&viewer, leads).await?;
        return Ok(to(&fields, "hecho", &format!("leidos-{count}")));
    }
    let empresa = signed.empresa()?;
    if !signed.may(Permission::WorkLeads) {
        return Err(Refusal::Forbidden);
    }
    let count = match word.as_str() {
        "asignar" => {
            let person = match fields.raw("persona") {
                "" => None,
                id => Some(UserId::parse(id).ok_or(Refusal::NotUnderstood)?),
            };
            let people = workers_of(&state, empresa.id).await?;
            let named =
                person.map(|id| people.iter().find(|p| p.id == id).ok_or(Refusal::NotFound)).transpose()?;
            desk.assign_all(&viewer, leads, named, &actor).await?
        }
        "archivar" => {
            let Some(reason) = archive_reason(&fields) else { return Ok(to(&fields, "fallo", "motivo")) };
            desk.archive_all(&viewer, leads, reason, &actor).await?
        }
        "reabrir" => {
            let count = leads.len();
            desk.reopen_all(&viewer, leads, &actor).await?;
            count
        }
        _ => return Err(Refusal::NotUnderstood),
    };
    Ok(to(&fields, "hecho", &format!("{word}-{count}")))
}

/// The leads that were ticked, each once, as many as may be changed at once.
fn ticked(fields: &FormFields) -> Vec<LeadId> {
    let values = fields.0.iter().filter(|(name, _)| name == "lead");
    let mut leads: Vec<LeadId> = values.filter_map(|(_, id)| LeadId::parse(id)).take(MAX_BULK).collect();
    leads.sort();
    leads.dedup();
    leads
}

/// Back to where it was asked, with what came of it.
fn to(fields: &FormFields, name: &str, value: &str) -> axum::response::Response {
    let place = back(fields.raw("a"));
    let joint = if place.contains('?') { '&' } else { '?' };
    redirect(&format!("{place}{joint}{name}={value}"))
}

/// What was done, in words, if the address says so.
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
        "reabrir" => words("reabierto", "reabiertos"),
        "leidos" => words("marcado como leído", "marcados como leídos"),
        "noleidos" => words("marcado como no leído", "marcados como no leídos"),
        _ => return None,
    })
}

pub(super) fn mistake(fields: &FormFields) -> Option<&'static str> {
    match fields.raw("fallo") {
        "ninguno" => Some("Marca primero los leads."),
        "motivo" => Some("Elige por qué se archivan."),
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

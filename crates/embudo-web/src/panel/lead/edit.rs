//! `POST /panel/leads/:id/datos`: what somebody made of a group of facts.

use axum::extract::{Path, Request, State};
use embudo_domain::facts::Facts;
use embudo_domain::role::Role;
use embudo_store::sheet::Edited;
use http::StatusCode;

use super::facts::{Group, mark, read};
use super::open;
use super::show::{Shown, render};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelResult, Signed};
use crate::parts::{FormFields, fields_of, redirect};

/// A form that came back: what was typed, and where somebody else wrote something else meanwhile.
pub(super) struct Typed {
    pub group: &'static Group,
    pub fields: FormFields,
    /// Names of facts.
    pub conflicts: Vec<&'static str>,
}

const STALE: &str = "Alguien ha cambiado lo mismo mientras escribías. No se ha guardado nada: compara las dos versiones y guarda la buena.";

pub(crate) async fn save(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    request: Request,
) -> PanelResult {
    let mut lead = open(&state, &signed, &id, Role::Comercial).await?;
    let fields = fields_of(&state, request).await?;
    let Some(group) = Group::of(fields.raw("grupo")) else {
        let shown =
            Shown { form: FormState::wrong("", "El formulario no ha llegado entero."), ..Shown::default() };
        return render(&state, &signed, lead.id, StatusCode::UNPROCESSABLE_ENTITY, shown).await;
    };
    let mut status = StatusCode::CONFLICT;
    // A bot may write between the look and the write; then it is looked at anew.
    for _ in 0..3 {
        let now = Facts::of(&lead);
        let (merged, conflicts) = merge(group, &fields, &now);
        let mut form = FormState::default();
        let edited = read(group, &merged, &now, &mut form);
        if !conflicts.is_empty() {
            form.add("", STALE);
        } else if let Some(edited) = edited {
            match state.app.leads().edit(&lead, edited, &signed.actor()).await? {
                Edited::Saved => {
                    return Ok(redirect(&format!("/panel/leads/{}?hecho=datos#{}", lead.id, group.id)));
                }
                Edited::Same => return Ok(redirect(&format!("/panel/leads/{}#{}", lead.id, group.id))),
                Edited::Stale => {
                    lead = state.app.store.lead(lead.id).await?;
                    continue;
                }
            }
        } else {
            status = StatusCode::UNPROCESSABLE_ENTITY;
        }
        let typed = Some(Typed { group, fields: merged, conflicts });
        return render(&state, &signed, lead.id, status, Shown { form, typed, ..Shown::default() }).await;
    }
    let shown = Shown { form: FormState::wrong("", STALE), ..Shown::default() };
    render(&state, &signed, lead.id, status, shown).await
}

/// What was typed, with what others wrote in the fields that were left alone; and the facts that both changed.
fn merge(group: &Group, fields: &FormFields, now: &Facts) -> (FormFields, Vec<&'static str>) {
    let version: Vec<&str> = fields.raw("version").split('-').collect();
    let (mut merged, mut conflicts) = (Vec::new(), Vec::new());
    for (n, fact) in group.facts.iter().enumerate() {
        let (typed, current) = (fields.text(fact.name), fact.typed(now));
        let seen = version.get(n).copied().unwrap_or_default();
        let is_sent = fields.0.iter().any(|(name, _)| name == fact.name);
        if !is_sent || mark(&typed) == seen {
            merged.push((fact.name.to_owned(), current));
            continue;
        }
        if mark(&current) != seen && typed != current {
            conflicts.push(fact.name);
        }
        merged.push((fact.name.to_owned(), typed));
    }
    (FormFields(merged), conflicts)
}

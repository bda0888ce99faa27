//! What is typed into the forms of `/panel/empresa/textos`, saved or given back.

use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::legal::{LegalKey, LegalText, OwnLegal};
use embudo_domain::privacy::Privacy;
use embudo_domain::settings::Settings;
use http::StatusCode;

use super::company;
use super::edit;
use super::settings_edit::{self, Change};
use super::texts::{
    PATH, POLICY_NAMES, QUOTE_NAMES, Returned, current, page, recipients, shipped, values, version_of_text,
};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::stale::{Merged, STALE, merge};
use crate::panel::{PanelResult, Signed};
use crate::parts::{fields_of, redirect};

/// `POST /panel/empresa/textos/legal`: one text is looked at, saved, or given up for the shipped one.
pub(crate) async fn save_legal(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let Some(key) = LegalKey::parse(&sent.text("clave")) else { return Ok(redirect(PATH)) };
    let today = state.app.today();
    let is_back = sent.text("accion") == "volver";
    if sent.text("accion") == "ver" {
        let text = LegalText::typed(key, &sent.text("titulo"), &sent.text("texto"), today);
        let (form, status) = match check(&text) {
            Ok(()) => (FormState::default(), StatusCode::OK),
            Err(form) => (form, StatusCode::UNPROCESSABLE_ENTITY),
        };
        let returned = Returned { form, text: Some(text), typed: sent, ..Returned::default() };
        return page(&state, &signed, status, returned).await;
    }
    let change = |before: &Settings| {
        let now = current(before, key);
        let Merged { fields, conflicts } = merge(&sent, &values(&now));
        let text = match is_back {
            true => shipped(key).clone(),
            false => LegalText::typed(key, &fields.text("titulo"), &fields.text("texto"), today),
        };
        // Going back is a wish about what was seen, too.
        let is_seen = sent.raw("version") == version_of_text(&now);
        if !conflicts.is_empty() || (is_back && !is_seen) {
            let form = FormState::wrong("", STALE);
            let other = Some((key.as_str(), format!("{}\n\n{}", now.title, now.as_text())));
            let returned = Returned { form, text: Some(text), other, ..Returned::default() };
            return Err(Box::new((StatusCode::CONFLICT, returned)));
        }
        if let Err(form) = check(&text) {
            let returned = Returned { form, text: Some(text), ..Returned::default() };
            return Err(Box::new((StatusCode::UNPROCESSABLE_ENTITY, returned)));
        }
        let mut edited = before.clone();
        if text.title == now.title && text.paragraphs == now.paragraphs {
            return Ok(Change { edited, said: (String::new(), String::new()) });
        }
        let of_house = shipped(key);
        match text.title == of_house.title && text.paragraphs == of_house.paragraphs {
            true => edited.legal.remove(key),
            false => edited.legal.put(text.clone()),
        }
        Ok(Change { edited, said: (said(&now), said(&text)) })
    };
    match settings_edit::edit(&state, &signed, AuditAction::TextsChanged, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho{}", if is_back { "=volver" } else { "" }))),
        Err(wrong) => {
            let (status, returned) = *wrong;
            page(&state, &signed, status, returned).await
        }
    }
}

/// `POST /panel/empresa/textos/condiciones`.
pub(crate) async fn save_conditions(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    match edit::save(&state, &signed, &sent, &QUOTE_NAMES).await? {
        None => Ok(redirect(&format!("{PATH}?hecho"))),
        Some(returned) => give_back(&state, &signed, returned).await,
    }
}

/// `POST /panel/empresa/textos/privacidad`: the company's own policy, and who it names.
pub(crate) async fn save_privacy(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let today = state.app.today().to_string();
    let (_, before) = company(&state, &signed).await?;
    if let Some(returned) = edit::save(&state, &signed, &sent, &POLICY_NAMES).await? {
        return give_back(&state, &signed, returned).await;
    }
    let (_, after) = company(&state, &signed).await?;
    let has_new_policy = before.brand.policy != after.brand.policy;
    // The version of who is named stands in a field of its own beside that of the policy.
    let mut named = sent.clone();
    named.0.push(("version".to_owned(), sent.raw("version-quien").to_owned()));
    let change = |before: &Settings| {
        let now = recipients(&before.privacy);
        let Merged { fields, conflicts } = merge(&named, &now);
        if let Some(name) = conflicts.first() {
            let other = Some((*name, before.privacy.text(name).to_owned()));
            let form = FormState::wrong("", STALE);
            let returned = Returned { form, typed: fields, other, ..Returned::default() };
            return Err(Box::new((StatusCode::CONFLICT, returned)));
        }
        let (mut edited, mut form) = (before.clone(), FormState::default());
        for name in Privacy::NAMES {
            if let Err(mistake) = edited.privacy.write(name, &fields.text(name)) {
                form.add(name, mistake);
            }
        }
        if !form.is_good() {
            let returned = Returned { form, typed: fields, ..Returned::default() };
            return Err(Box::new((StatusCode::UNPROCESSABLE_ENTITY, returned)));
        }
        if has_new_policy || edited.privacy != before.privacy {
            edited.privacy.version = Some(today.clone());
        }
        Ok(Change { said: (told(&before.privacy), told(&edited.privacy)), edited })
    };
    match settings_edit::edit(&state, &signed, AuditAction::TextsChanged, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho"))),
        Err(wrong) => {
            let (status, returned) = *wrong;
            page(&state, &signed, status, returned).await
        }
    }
}

async fn give_back(state: &WebState, signed: &Signed, returned: edit::Returned) -> PanelResult {
    let (_, stored) = company(state, signed).await?;
    let other = returned.conflicts.first().map(|name| {
        let now = match *name {
            "condiciones" => stored.brand.condiciones.join("\n"),
            "diasValidez" => stored.brand.valid_days.to_string(),
            _ => stored.brand.policy.clone().unwrap_or_default(),
        };
        (*name, now)
    });
    let back = Returned { form: returned.form, typed: returned.typed, other, ..Returned::default() };
    page(state, signed, returned.status, back).await
}

fn check(text: &LegalText) -> Result<(), FormState> {
    let Err(invalid) = (OwnLegal { texts: vec![text.clone()] }).check() else { return Ok(()) };
    let mut form = FormState::default();
    for wrong in &invalid.errors {
        let field = if wrong.field.ends_with("titulo") { "titulo" } else { "texto" };
        form.add(field, wrong.mensaje.clone());
    }
    Err(form)
}

/// A legal text for the log, which need not hold all of it.
fn said(text: &LegalText) -> String {
    let start: String = text.as_text().chars().take(200).collect();
    format!("{} ({}): {start}…", text.title, text.version)
}

fn told(privacy: &Privacy) -> String {
    let named = privacy.named().into_iter().map(|(what, who)| format!("{what}: {who}"));
    let named = named.collect::<Vec<_>>().join("; ");
    if named.is_empty() { "nadie nombrado".to_owned() } else { named }
}

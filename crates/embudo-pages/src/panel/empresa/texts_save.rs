//! Saves the forms of `/panel/empresa/textos`, or returns them with their errors.

use axum::extract::{Request, State};
use embudo_domain::audit::AuditAction;
use embudo_domain::identity::Identity;
use embudo_domain::legal::{LegalKey, LegalText};
use embudo_domain::settings::Settings;

use super::company;
use super::edit;
use super::texts::{Back, CONDITIONS, LEGAL, PATH, POLICY, RECIPIENTS, current, page, shipped};
use crate::WebState;
use crate::panel::kit::form::Returned;
use crate::panel::kit::settings_edit::{self, Change};
use crate::panel::{PanelResult, Signed};
use crate::parts::{fields_of, redirect};

/// `POST /panel/empresa/textos/legal`: previews one text, saves it, or goes back to the shipped text.
pub(crate) async fn save_legal(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let Some(key) = LegalKey::parse(&sent.text("clave")) else { return Ok(redirect(PATH)) };
    let (today, wish) = (state.app.today(), sent.text("accion"));
    let is_back = wish == "volver";
    let change = |before: &Settings| {
        let now = current(before, key);
        // The form that goes back to the shipped text must also carry the version that the person saw.
        if is_back && sent.raw("version") != LEGAL.version(&now) {
            return Err(Box::new(Returned::stale(LEGAL.fields_of(&now))));
        }
        let mut text = if is_back { shipped(key).clone() } else { LEGAL.read(&sent, &now)? };
        if wish == "ver" {
            return Err(Box::new(Returned { typed: LEGAL.fields_of(&text), ..Returned::default() }));
        }
        let mut edited = before.clone();
        let is = |other: &LegalText| text.title == other.title && text.paragraphs == other.paragraphs;
        let (before, after) = LEGAL.audit_text(&now, &text);
        let audit_texts = (format!("{}. {before}", now.title), format!("{}. {after}", now.title));
        if is(&now) {
            return Ok(Change { edited, audit_texts });
        }
        if is(shipped(key)) {
            edited.legal.remove(key);
        } else {
            text.version = today.to_string();
            edited.legal.put(text);
        }
        Ok(Change { edited, audit_texts })
    };
    match settings_edit::edit(&state, &signed, AuditAction::TextsChanged, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho{}", if is_back { "=volver" } else { "" }))),
        Err(mut returned) => {
            let typed = &returned.typed;
            let text = Some(LegalText::typed(key, &typed.text("titulo"), &typed.text("texto"), today));
            returned.form = returned.form.prefixed(format!("{key}-"));
            page(&state, &signed, Back { returned: *returned, text, done: None }).await
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
    match edit::save(&state, &signed, &sent, &CONDITIONS).await? {
        None => Ok(redirect(&format!("{PATH}?hecho"))),
        Some(returned) => page(&state, &signed, Back { returned, ..Back::default() }).await,
    }
}

/// `POST /panel/empresa/textos/privacidad`: saves the company's own policy and the recipients of data.
pub(crate) async fn save_privacy(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    let today = state.app.today().to_string();
    // The recipients have a version field of their own, beside that of the policy.
    let mut named = sent.clone();
    named.0.push(("version".to_owned(), sent.raw("version-quien").to_owned()));
    let (empresa, before) = company(&state, &signed).await?;
    let settings = state.app.store.settings(empresa.id).await?;
    let policy = POLICY.read(&sent, &Identity::of(&empresa, &before.brand));
    // Both parts are checked before either is saved, so that all errors are reported at once.
    let wrong = [policy.err(), RECIPIENTS.read(&named, &settings).err()];
    if let Some(returned) = wrong.into_iter().flatten().map(|wrong| *wrong).reduce(Returned::and) {
        return page(&state, &signed, Back { returned, ..Back::default() }).await;
    }
    if let Some(returned) = edit::save(&state, &signed, &sent, &POLICY).await? {
        return page(&state, &signed, Back { returned, ..Back::default() }).await;
    }
    let (_, after) = company(&state, &signed).await?;
    let has_new_policy = before.brand.policy != after.brand.policy;
    let change = |before: &Settings| {
        let mut edited = RECIPIENTS.read(&named, before)?;
        if has_new_policy || edited.privacy != before.privacy {
            edited.privacy.version = Some(today.clone());
        }
        Ok::<_, Box<Returned>>(Change { audit_texts: RECIPIENTS.audit_text(before, &edited), edited })
    };
    match settings_edit::edit(&state, &signed, AuditAction::TextsChanged, change).await? {
        Ok(()) => Ok(redirect(&format!("{PATH}?hecho"))),
        Err(returned) => page(&state, &signed, Back { returned: *returned, ..Back::default() }).await,
    }
}

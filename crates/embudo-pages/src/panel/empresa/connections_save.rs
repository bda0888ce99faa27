//! The forms of `/panel/empresa/conexiones`: receivers and the secret that signs their signals, the sender of mails,
//! and API keys.

use axum::extract::{Request, State};
use embudo_domain::CompanyKeyId;
use embudo_domain::audit::AuditAction;
use embudo_domain::company_key::{MAX_LIVE, parse_name};
use embudo_domain::connections::{Connections, MAX_URL};
use embudo_domain::settings::Settings;

use super::connections::{self, PATH};
use super::keys::NAME;
use super::receivers::RECEIVERS;
use super::sender::SENDER;
use super::shown_once;
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::Returned;
use crate::panel::kit::password::{WRONG_PASSWORD, is_password};
use crate::panel::kit::settings_edit::{self, Change};
use crate::panel::{Caller, PanelResult, Signed};
use crate::parts::{FormFields, Refusal, fields_of, redirect};

/// `POST /panel/empresa/conexiones`.
pub(crate) async fn save_receivers(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let mut sent = fields_of(&state, request).await?;
    let mut form = FormState::default();
    for to in Connections::SIGNALS {
        let (name, url) = (to.as_str(), sent.text(to.as_str()));
        // An empty field changes nothing, unless its receiver is to be removed.
        if url.is_empty() {
            let is_removed = sent.has(&format!("quitar-{name}"));
            sent.0.retain(|(field, _)| field != name);
            sent.0.extend(is_removed.then(|| (name.to_owned(), String::new())));
            continue;
        }
        // The check makes the server look up a host name that the person typed, so it counts against the limit of
        // samples.
        state.throttle.sample(signed.open.user.id).await?;
        if let Err(mistake) = check(&state, &url).await {
            form.add(name, mistake);
        }
    }
    let action = AuditAction::ConnectionsChanged;
    let returned = match form.is_good() {
        true => settings_edit::save(&state, &signed, action, &sent, &RECEIVERS).await?,
        false => Some(Returned::wrong(form, sent)),
    };
    match returned {
        None => Ok(redirect(&format!("{}?hecho=direcciones", PATH))),
        Some(returned) => connections::page(&state, &signed, &caller, returned.into()).await,
    }
}

/// Whether signals may be sent to an address now. The check is repeated before every delivery.
async fn check(state: &WebState, url: &str) -> Result<(), String> {
    if url.len() > MAX_URL {
        return Err(format!("La dirección puede tener hasta {MAX_URL} letras."));
    }
    let checked = state.app.outbound.fetches.check_receiver(url).await;
    checked.map_err(|why| format!("No podemos enviar ahí: {why}."))
}

/// `POST /panel/empresa/conexiones/secreto`: creates a new secret, which is shown once. The previous secret stays valid
/// for one more day.
pub(crate) async fn renew_secret(State(state): State<WebState>, signed: Signed) -> PanelResult {
    signed.empresa()?;
    let secret = state.app.empresas().new_webhook_secret();
    let now = state.app.now();
    let change = |before: &Settings| {
        let mut edited = before.clone();
        edited.connections.renew(secret.clone(), now);
        let signing = |own: &Connections| match own.secret.is_some() {
            true => "señales firmadas".to_owned(),
            false => "señales sin firmar".to_owned(),
        };
        Ok::<_, ()>(Change {
            audit_texts: (signing(&before.connections), "secreto nuevo".to_owned()),
            edited,
        })
    };
    let _: Result<(), ()> =
        settings_edit::edit(&state, &signed, AuditAction::WebhookSecretRenewed, change).await?;
    let text = "Con él se firman las señales que van a tus direcciones (Standard Webhooks). Ponlo en quien las recibe; si había otro, firma también durante un día más.";
    shown_once::page(&state, &signed, "Secreto para firmar".to_owned(), text, "Secreto", secret).await
}

/// `POST /panel/empresa/conexiones/correo`.
pub(crate) async fn save_sender(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let sent = fields_of(&state, request).await?;
    match settings_edit::save(&state, &signed, AuditAction::ConnectionsChanged, &sent, &SENDER).await? {
        None => Ok(redirect(&format!("{}?hecho=remitente", PATH))),
        Some(returned) => connections::page(&state, &signed, &caller, returned.into()).await,
    }
}

/// `POST /panel/empresa/conexiones/claves`. A key gives access to the same data as an export, so the password is
/// required as for an export.
pub(crate) async fn create_key(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let empresa = signed.empresa()?.id;
    let fields = fields_of(&state, request).await?;
    let mut form = FormState::default();
    let typed = fields.text(NAME);
    let nombre = form.check(NAME, parse_name(&typed));
    if nombre.is_some() && !is_password(&state, &signed, &caller, &fields).await? {
        form.add("clave", WRONG_PASSWORD);
    }
    if let Some(nombre) = nombre.filter(|_| form.is_good()) {
        let title = format!("Clave «{nombre}»");
        if let Some(key) = state.app.company_keys().create(empresa, nombre, &signed.actor()).await? {
            let text = "Ponla en el programa que llama a la API: «Authorization: Bearer» y la clave. Solo abre los leads de esta empresa.";
            return shown_once::page(&state, &signed, title, text, "Clave", key).await;
        }
        form.add(NAME, format!("Ya hay {MAX_LIVE} claves en uso: revoca antes una que no se use."));
    }
    let returned = Returned::wrong(form, FormFields::default());
    connections::page(&state, &signed, &caller, connections::Shown { key_name: typed, ..returned.into() })
        .await
}

/// `POST /panel/empresa/conexiones/claves/revocar`.
pub(crate) async fn revoke_key(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let empresa = signed.empresa()?.id;
    let fields = fields_of(&state, request).await?;
    let Some(id) = CompanyKeyId::parse(&fields.text("clave")) else {
        return Ok(redirect(PATH));
    };
    match state.app.company_keys().revoke(empresa, id, &signed.actor()).await? {
        true => Ok(redirect(&format!("{}?hecho=revocada", PATH))),
        false => Err(Refusal::NotFound),
    }
}

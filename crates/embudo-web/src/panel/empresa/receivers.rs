//! `POST /panel/empresa/conexiones`: the company's own receivers of the three signals, and the secret that signs what they get. An address is
//! not shown again once it is saved: it may hold a secret.

use axum::extract::{Request, State};
use embudo_app::host_of;
use embudo_domain::audit::AuditAction;
use embudo_domain::connections::{Connections, MAX_URL};
use embudo_domain::job::Destination;
use embudo_domain::role::Role;
use embudo_domain::settings::Settings;
use http::StatusCode;

use super::settings_edit::{self, Change};
use super::{connections, shown_once};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::stale::{STALE, mark, version};
use crate::panel::{PanelResult, Signed, Visit};
use crate::parts::{FormFields, fields_of, redirect};

/// What a form of the receivers was made from.
pub(super) fn version_of(own: &Connections) -> String {
    version(Connections::SIGNALS.map(|to| own.own(to).unwrap_or_default()))
}

/// What somebody wants of a receiver.
#[derive(Clone, PartialEq, Eq)]
enum Wish {
    Keep,
    /// Back to the server's.
    Remove,
    Set(String),
}

impl Wish {
    fn of(fields: &FormFields, to: Destination) -> Self {
        let typed = fields.text(to.as_str());
        match (typed.is_empty(), fields.has(&format!("quitar-{to}"))) {
            (false, _) => Self::Set(typed),
            (true, true) => Self::Remove,
            (true, false) => Self::Keep,
        }
    }
}

/// `POST /panel/empresa/conexiones`.
pub(crate) async fn save(
    State(state): State<WebState>,
    signed: Signed,
    visit: Visit,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let wishes = Connections::SIGNALS.map(|to| (to, Wish::of(&fields, to)));
    let mut form = FormState::default();
    for (to, wish) in &wishes {
        if let Wish::Set(url) = wish {
            // Looking a name up costs somebody: no more often than samples.
            state.throttle.sample(signed.open.user.id).await?;
            if let Err(mistake) = check(&state, url).await {
                form.add(to.as_str(), mistake);
            }
        }
    }
    let mut status = StatusCode::UNPROCESSABLE_ENTITY;
    if form.is_good() {
        let sent = fields.raw("version").split('-').map(str::to_owned).collect::<Vec<_>>();
        let change = |before: &Settings| changed(before, &wishes, &sent);
        match settings_edit::edit(&state, &signed, AuditAction::ConnectionsChanged, change).await? {
            Ok(()) => return Ok(redirect(&format!("{}?hecho=direcciones", connections::PATH))),
            Err(conflict) => {
                form = conflict;
                status = StatusCode::CONFLICT;
            }
        }
    }
    let returned = connections::Returned { form, typed: fields, ..connections::Returned::default() };
    connections::page(&state, &signed, &visit, status, returned).await
}

/// Whether signals may go to an address, as things are now; it is looked at again whenever one does.
async fn check(state: &WebState, url: &str) -> Result<(), String> {
    if url.len() > MAX_URL {
        return Err(format!("La dirección puede tener hasta {MAX_URL} letras."));
    }
    let checked = state.app.outbound.fetches.check_receiver(url).await;
    checked.map_err(|why| format!("No podemos enviar ahí: {why}."))
}

fn changed(before: &Settings, wishes: &[(Destination, Wish)], sent: &[String]) -> Result<Change, FormState> {
    let mut edited = before.clone();
    let mut form = FormState::default();
    for (n, (to, wish)) in wishes.iter().enumerate() {
        let now = before.connections.own(*to);
        let new = match wish {
            Wish::Keep => continue,
            Wish::Remove => None,
            Wish::Set(url) => Some(url.clone()),
        };
        let is_seen = sent.get(n).is_some_and(|seen| *seen == mark(now.unwrap_or_default()));
        if !is_seen && new.as_deref() != now {
            form.add(to.as_str(), format!("Ahora va a {}.", place(now)));
        }
        edited.connections.set(*to, new);
    }
    if !form.is_good() {
        form.add("", STALE);
        return Err(form);
    }
    Ok(Change { said: (said(&before.connections), said(&edited.connections)), edited })
}

/// The receivers for the log: hosts only.
fn said(own: &Connections) -> String {
    let one = |to: Destination| format!("{}: {}", to.words(), place(own.own(to)));
    Connections::SIGNALS.map(one).join("; ")
}

fn place(url: Option<&str>) -> String {
    url.and_then(host_of).unwrap_or_else(|| "lo del servidor".to_owned())
}

/// `POST /panel/empresa/conexiones/secreto`: a new secret, shown once; the last one signs beside it for a day.
pub(crate) async fn renew_secret(State(state): State<WebState>, signed: Signed) -> PanelResult {
    signed.at_least(Role::Gestor)?;
    let secret = state.app.empresas().new_webhook_secret();
    let now = state.app.now();
    let change = |before: &Settings| {
        let mut edited = before.clone();
        edited.connections.renew(secret.clone(), now);
        let told = |own: &Connections| match own.secret.is_some() {
            true => "señales firmadas".to_owned(),
            false => "señales sin firmar".to_owned(),
        };
        Ok::<_, ()>(Change { said: (told(&before.connections), "secreto nuevo".to_owned()), edited })
    };
    let _: Result<(), ()> =
        settings_edit::edit(&state, &signed, AuditAction::WebhookSecretRenewed, change).await?;
    let text = "Con él se firman las señales que van a tus direcciones (Standard Webhooks). Ponlo en quien las recibe; si había otro, firma también durante un día más.";
    shown_once::page(&state, &signed, "Secreto para firmar".to_owned(), text, "Secreto", secret).await
}

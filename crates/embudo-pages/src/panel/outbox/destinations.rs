//! Where things go, and the switch that pauses one of them for the company that is looked at.

use axum::extract::{Request, State};
use embudo_app::Hosts;
use embudo_domain::Timestamp;
use embudo_domain::job::Destination;
use embudo_domain::role::Role;
use embudo_store::pauses::Pause;
use http::StatusCode;

use super::super::form_state::FormState;
use super::super::words::moment;
use super::super::{PanelResult, Signed};
use super::list;
use crate::WebState;
use crate::parts::{FormFields, fields_of, redirect};

/// A destination as it is shown.
pub(super) struct ShownDestination {
    pub word: &'static str,
    pub name: &'static str,
    /// The host, or a name in its place.
    pub place: String,
    pub is_configured: bool,
    /// Since when it is paused, and by whom.
    pub paused: Option<(String, String)>,
}

/// Every destination, with what the company has paused.
pub(super) fn shown(hosts: &Hosts, pauses: &[Pause], now: Timestamp) -> Vec<ShownDestination> {
    let one = |destination: Destination| {
        let pause = pauses.iter().find(|pause| pause.kind.destination() == Some(destination));
        let host = hosts.of(destination);
        let is_configured = host.is_some();
        let place = host.unwrap_or_else(|| "Sin configurar: no se envía nada".to_owned());
        ShownDestination {
            word: destination.as_str(),
            name: destination.label(),
            place,
            is_configured,
            paused: pause.map(|pause| (moment(pause.since, now), pause.who.clone())),
        }
    };
    Destination::ALL.into_iter().map(one).collect()
}

/// `POST /panel/envios/destinos`: pauses a destination, or resumes it.
pub(in super::super) async fn set(
    State(state): State<WebState>,
    signed: Signed,
    request: Request,
) -> PanelResult {
    let empresa = signed.at_least(Role::Gestor)?.id;
    let fields = fields_of(&state, request).await?;
    let destination = Destination::parse(&fields.text("destino"));
    let (desk, actor) = (state.app.outbox(), signed.actor());
    match (destination, fields.text("accion").as_str()) {
        (Some(destination), "pausar") => {
            desk.pause(empresa, destination, &actor).await?;
            Ok(redirect("/panel/envios?hecho=pausa"))
        }
        (Some(destination), "reanudar") => {
            desk.resume(empresa, destination, &actor).await?;
            Ok(redirect("/panel/envios?hecho=reanudado"))
        }
        _ => {
            let form = FormState::wrong("", "Elige qué destino quieres pausar o reanudar.");
            list::page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, &FormFields::default()).await
        }
    }
}

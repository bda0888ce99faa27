//! `/panel/empresa/conexiones`: the destinations of signals and mails with their latest results, the company's own
//! receivers, and its API keys. The page shows only hosts, because an address may contain a secret.

use askama::Template;
use axum::extract::State;
use embudo_domain::Timestamp;
use embudo_domain::job::{Destination, JobStanding};
use embudo_store::outbox_admin::{ListedJob, OutboxFilter};
use http::Uri;

use super::keys::{self, ShownKey};
use super::{Tabs, frame, receivers, sender, words};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::{FormView, Returned};
use crate::panel::words::ago;
use crate::panel::{Caller, PanelFrame, PanelResult, Signed};
use crate::parts::{Input, private_page};

pub(super) const PATH: &str = "/panel/empresa/conexiones";
/// How many of the newest jobs are searched for the latest results.
const LATEST: u32 = 200;

#[derive(Template)]
#[template(path = "panel/empresa/connections.html")]
struct ConnectionsPage {
    frame: PanelFrame,
    tabs: Tabs,
    is_admin: bool,
    connections: Vec<Connection>,
    form: FormState,
    done: Option<&'static str>,
    /// The company's own receivers: the fields, and the version that the form carries.
    receivers: (Vec<Input>, String),
    is_signed: bool,
    sender: FormView,
    /// The recipient of a test mail. `None` if the server cannot send mail.
    own_email: Option<String>,
    keys: Vec<ShownKey>,
    key_name: String,
}

/// The result of the form that was sent, and the typed name of a new key.
#[derive(Default)]
pub(super) struct Shown {
    pub returned: Returned,
    pub done: Option<&'static str>,
    pub key_name: String,
}

impl From<Returned> for Shown {
    fn from(returned: Returned) -> Self {
        Self { returned, ..Self::default() }
    }
}

struct Connection {
    name: &'static str,
    word: &'static str,
    /// The purpose of the destination.
    purpose: &'static str,
    is_mail: bool,
    /// Whether the company connected the destination itself.
    is_own: bool,
    host: Option<String>,
    /// The sender of the mails.
    from: Option<String>,
    lines: Vec<String>,
    /// The latest success and the latest failure: how long ago it was, and the job's id.
    success: Option<(String, String)>,
    failure: Option<(String, String)>,
}

pub(crate) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    uri: Uri,
) -> PanelResult {
    let done = match uri.query() {
        Some("hecho=direcciones") => Some("Guardado. Prueba cada dirección con una muestra."),
        Some("hecho=remitente") => Some("Guardado. Así salen desde ahora los correos a tus clientes."),
        Some("hecho=revocada") => Some("La clave ya no abre nada."),
        _ => None,
    };
    page(&state, &signed, &caller, Shown { done, ..Shown::default() }).await
}

pub(super) async fn page(state: &WebState, signed: &Signed, caller: &Caller, shown: Shown) -> PanelResult {
    let Shown { returned, done, key_name } = shown;
    let empresa = signed.empresa()?.id;
    let now = state.app.now();
    let filter = OutboxFilter { empresa, standing: None, kind: None };
    let jobs = state.app.store.list_outbox(filter, now, None, LATEST).await?;
    let settings = state.app.store.settings(empresa).await?;
    let own = &settings.connections;
    let hosts = state.app.outbox().hosts(empresa).await?;
    let one = |destination: Destination| {
        let mail = state.app.outbound.mail.as_ref().filter(|_| destination == Destination::Mail);
        Connection {
            name: destination.label(),
            word: destination.as_str(),
            purpose: words::purpose(destination),
            is_mail: destination == Destination::Mail,
            is_own: own.own(destination).is_some(),
            host: hosts.of(destination),
            from: mail.map(|mail| own.sender.email.clone().unwrap_or_else(|| mail.from.clone())),
            lines: words::lines(destination.settings(), &caller.home),
            success: latest(&jobs, destination, now, |job| job.standing == JobStanding::Done),
            failure: latest(&jobs, destination, now, has_failed),
        }
    };
    let mut sender = sender::SENDER.view(&settings, &returned);
    sender.adorn("remitente", |input| input.id("de-nombre"));
    let page = ConnectionsPage {
        frame: frame(state, signed, "Conexiones").await?,
        tabs: Tabs { here: PATH },
        is_admin: signed.open.user.is_admin,
        connections: Destination::ALL.into_iter().map(one).collect(),
        receivers: receivers::inputs(&settings, &returned),
        is_signed: own.secret.is_some(),
        sender,
        own_email: state.app.outbound.mail.as_ref().map(|_| signed.open.user.email.typed.clone()),
        form: returned.form,
        done,
        keys: keys::list(state, empresa).await?,
        key_name,
    };
    Ok(private_page(returned.status, &page))
}

fn has_failed(job: &ListedJob) -> bool {
    matches!(job.standing, JobStanding::Failing | JobStanding::Dead | JobStanding::Parked)
}

/// The newest job of a destination with this result.
fn latest(
    jobs: &[ListedJob],
    to: Destination,
    now: Timestamp,
    went_so: impl Fn(&ListedJob) -> bool,
) -> Option<(String, String)> {
    let own = jobs.iter().filter(|job| job.kind.destination() == Some(to) && went_so(job));
    let newest = own.max_by_key(|job| job.terminado_en.unwrap_or(job.creado_en))?;
    Some((ago(newest.terminado_en.unwrap_or(newest.creado_en), now), newest.id.to_string()))
}

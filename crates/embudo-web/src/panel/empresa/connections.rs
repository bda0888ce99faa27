//! `/panel/empresa/conexiones`: where things are sent from here, and how that went lately; what the company connects itself, and its API
//! keys. Hosts only: an address may hold a secret.

use askama::Template;
use axum::extract::State;
use embudo_app::host_of;
use embudo_domain::Timestamp;
use embudo_domain::connections::Connections;
use embudo_domain::job::{Destination, JobStanding};
use embudo_domain::role::Role;
use embudo_store::outbox_admin::{ListedJob, OutboxFilter};
use http::{StatusCode, Uri};

use super::keys::{self, ShownKey};
use super::{Tabs, frame, receivers, sender, words};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::words::ago;
use crate::panel::{PanelFrame, PanelResult, Signed, Visit};
use crate::parts::{FormFields, private_page};

pub(super) const PATH: &str = "/panel/empresa/conexiones";
/// How many of the newest jobs are looked at.
const LATEST: u32 = 200;

#[derive(Template)]
#[template(path = "panel/empresa/connections.html")]
struct Page {
    frame: PanelFrame,
    tabs: Tabs,
    is_admin: bool,
    connections: Vec<Connection>,
    form: FormState,
    done: Option<&'static str>,
    receivers: Vec<OwnReceiver>,
    receivers_version: String,
    is_signed: bool,
    sender: [(&'static str, String); 3],
    sender_version: String,
    /// Whom a test mail goes to; none: no mail is sent from here.
    own_email: Option<String>,
    keys: Vec<ShownKey>,
    key_name: String,
}

/// A receiver in the form.
struct OwnReceiver {
    word: &'static str,
    name: &'static str,
    /// What was typed and came back.
    typed: String,
    /// Where it goes now, if to one of the company's own.
    host: Option<String>,
}

impl Page {
    fn sender_of(&self, name: &str) -> &str {
        self.sender.iter().find(|(field, _)| *field == name).map_or("", |(_, value)| value.as_str())
    }
}

/// A form of the page that came back, with what was typed.
#[derive(Default)]
pub(super) struct Returned {
    pub form: FormState,
    pub done: Option<&'static str>,
    /// What was typed into the form of receivers, or into that of the sender.
    pub typed: FormFields,
    pub key_name: String,
}

struct Connection {
    name: &'static str,
    word: &'static str,
    /// What it is good for.
    purpose: &'static str,
    is_mail: bool,
    /// Whether the company connected it itself.
    is_own: bool,
    host: Option<String>,
    /// Whom mails are from.
    from: Option<String>,
    lines: Vec<String>,
    /// How long ago, and the job.
    success: Option<(String, String)>,
    failure: Option<(String, String)>,
}

pub(crate) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    visit: Visit,
    uri: Uri,
) -> PanelResult {
    let done = match uri.query() {
        Some("hecho=direcciones") => Some("Guardado. Prueba cada dirección con una muestra."),
        Some("hecho=remitente") => Some("Guardado. Así salen desde ahora los correos a tus clientes."),
        Some("hecho=revocada") => Some("La clave ya no abre nada."),
        _ => None,
    };
    page(&state, &signed, &visit, StatusCode::OK, Returned { done, ..Returned::default() }).await
}

pub(super) async fn page(
    state: &WebState,
    signed: &Signed,
    visit: &Visit,
    status: StatusCode,
    returned: Returned,
) -> PanelResult {
    let empresa = signed.at_least(Role::Gestor)?.id;
    let now = state.app.now();
    let filter = OutboxFilter { empresa, standing: None, kind: None };
    let jobs = state.app.store.list_outbox(filter, now, None, LATEST).await?;
    let own = state.app.store.settings(empresa).await?.connections;
    let hosts = state.app.outbox().hosts(empresa).await?;
    let one = |destination: Destination| {
        let mail = state.app.outbound.mail.as_ref().filter(|_| destination == Destination::Mail);
        Connection {
            name: destination.words(),
            word: destination.as_str(),
            purpose: words::purpose(destination),
            is_mail: destination == Destination::Mail,
            is_own: own.own(destination).is_some(),
            host: hosts.of(destination),
            from: mail.map(|mail| own.sender.email.clone().unwrap_or_else(|| mail.from.clone())),
            lines: words::lines(destination.settings(), &visit.home),
            success: latest(&jobs, destination, now, |job| job.standing == JobStanding::Done),
            failure: latest(&jobs, destination, now, has_failed),
        }
    };
    let page = Page {
        frame: frame(state, signed, "Conexiones").await?,
        tabs: Tabs { here: PATH },
        is_admin: signed.open.user.is_admin,
        connections: Destination::ALL.into_iter().map(one).collect(),
        receivers: Connections::SIGNALS.map(|to| receiver(to, &own, &returned.typed)).into(),
        receivers_version: receivers::version_of(&own),
        is_signed: own.secret.is_some(),
        sender: sender::values(&own.sender).map(|(name, value)| {
            let is_typed = returned.typed.0.iter().any(|(sent, _)| sent == name);
            (name, if is_typed { returned.typed.text(name) } else { value })
        }),
        sender_version: sender::version_of(&own.sender),
        own_email: state.app.outbound.mail.as_ref().map(|_| signed.open.user.email.typed.clone()),
        form: returned.form,
        done: returned.done,
        keys: keys::list(state, empresa).await?,
        key_name: returned.key_name,
    };
    Ok(private_page(status, &page))
}

fn receiver(to: Destination, own: &Connections, typed: &FormFields) -> OwnReceiver {
    let host = own.own(to).map(|url| host_of(url).unwrap_or_else(|| "una dirección propia".to_owned()));
    OwnReceiver { word: to.as_str(), name: to.words(), typed: typed.text(to.as_str()), host }
}

fn has_failed(job: &ListedJob) -> bool {
    matches!(job.standing, JobStanding::Failing | JobStanding::Dead | JobStanding::Parked)
}

/// The newest job to a destination that went so.
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

//! `/panel/leads/:id/persona`: a person's stored data, who saw them, a copy of them, and their erasure.

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use embudo_app::{Archive, Reach, Rights};
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::PresupuestoState;
use embudo_domain::rights::ErasureReason;
use embudo_domain::words::name;
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode, Uri};
use tokio::sync::mpsc;

use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::password::{WRONG_PASSWORD, is_password};
use crate::panel::kit::people::People;
use crate::panel::kit::work::open;
use crate::panel::words::{day, exact};
use crate::panel::{Caller, PanelFrame, PanelResult, Section, Signed};
use crate::parts::{FormFields, Refusal, fields_of, private_page, redirect};

/// The maximum number of entries about who saw the lead.
const MAX_SEEN: u32 = 200;
/// The capacity of the channel to the download, in pieces of the archive.
const PIECES: usize = 4;
/// The maximum number of visits that are read. No lead has more.
const MAX_VISITAS: u32 = 100;
const PIECE_BYTES: usize = 64 * 1024;

#[derive(Template)]
#[template(path = "panel/lead/persona.html")]
struct PersonaPage {
    frame: PanelFrame,
    form: FormState,
    done: Option<&'static str>,
    base: String,
    /// The address of the lead's page.
    lead: String,
    nombre: String,
    /// The kinds of stored data, with their number.
    kept: Vec<(&'static str, usize)>,
    /// The accepted quotes, which are kept after the erasure, and the number of years.
    blocked: Vec<String>,
    years: u8,
    /// Other leads of the same person: name and address.
    united: Vec<(String, String)>,
    consents: Vec<Consent>,
    /// The requests that nobody has answered, with their moment.
    waiting: Vec<(String, String)>,
    /// Day, person, and the first time on that day.
    seen: Vec<(String, String, String)>,
}

/// An entry about a consent. The page shows all entries, newest first.
struct Consent {
    what: String,
    granted: bool,
    when: String,
    version: String,
    source: String,
}

pub(crate) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    uri: Uri,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    let done = match uri.query() {
        Some("hecho=revocados") => {
            Some("Los enlaces que tenía ya no abren nada. Los que salgan desde ahora, sí.")
        }
        Some("hecho=atendido") => Some("Hecho: queda anotado que está atendido."),
        _ => None,
    };
    page(&state, &signed, lead, StatusCode::OK, FormState::default(), done).await
}

async fn page(
    state: &WebState,
    signed: &Signed,
    lead: Lead,
    status: StatusCode,
    form: FormState,
    done: Option<&'static str>,
) -> PanelResult {
    let (store, now) = (&state.app.store, state.app.now());
    let record = store.record(lead.id).await?;
    let people = People::load(state).await?;
    let mut united = Vec::new();
    for other in state.app.rights().person(lead.id, Reach::United).await?.into_iter().skip(1) {
        united.push((store.lead(other).await?.name(), format!("/panel/leads/{other}")));
    }
    let accepted = record.presupuestos.iter().filter(|quote| quote.state == PresupuestoState::Aceptado);
    let consents = record.consentimientos.iter().rev().map(|consent| Consent {
        what: consent.what(),
        granted: consent.granted,
        when: consent.otorgado_en.map(|at| exact(at, now)).unwrap_or_default(),
        version: name(&consent.texto_version),
        source: consent.place().unwrap_or_default(),
    });
    let seen = store.seen_of(lead.id, MAX_SEEN).await?.into_iter().map(|seen| {
        (day(seen.at, now), people.name(seen.user).to_owned(), crate::panel::words::clock(seen.at))
    });
    let page = PersonaPage {
        frame: PanelFrame::new(state, signed, "Datos de la persona", Section::Inbox).await?,
        form,
        done,
        base: format!("/panel/leads/{}/persona", lead.id),
        lead: format!("/panel/leads/{}", lead.id),
        nombre: lead.name(),
        kept: vec![
            ("Mensajes", record.conversacion.len()),
            ("Fotos", record.fotos.len()),
            ("Notas", record.notas.len()),
            ("Intentos de contacto", record.intentos.len()),
            ("Presupuestos", record.presupuestos.len()),
            ("Visitas", store.visitas_of(lead.id, MAX_VISITAS).await?.len()),
            ("Consentimientos", record.consentimientos.len()),
        ],
        blocked: accepted.map(|quote| quote.number.to_string()).collect(),
        years: store.settings(lead.empresa.id).await?.retention.legal_years(),
        united,
        consents: consents.collect(),
        waiting: Rights::waiting(&record.events)
            .into_iter()
            .map(|event| (event.detail.clone().unwrap_or_default(), exact(event.creado_en, now)))
            .collect(),
        seen: seen.collect(),
    };
    Ok(private_page(status, &page))
}

fn reach(fields: &FormFields) -> Reach {
    if fields.has("unidos") { Reach::United } else { Reach::Alone }
}

/// `POST /panel/leads/:id/persona/exportar`: downloads a copy of all data as a ZIP.
pub(crate) async fn export(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    Path(id): Path<String>,
    request: Request,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    let fields = fields_of(&state, request).await?;
    if !is_password(&state, &signed, &caller, &fields).await? {
        let form = FormState::wrong("clave", WRONG_PASSWORD);
        return page(&state, &signed, lead, StatusCode::UNPROCESSABLE_ENTITY, form, None).await;
    }
    let archive = state.app.exports().person(&lead, reach(&fields), &signed.actor()).await?;
    Ok(download(archive, &format!("persona-{}.zip", lead.id)))
}

/// Streams the archive. A separate thread writes it as fast as the client downloads it.
fn download(archive: Archive, name: &str) -> Response {
    let (sender, receiver) = mpsc::channel(PIECES);
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || {
        let mut out = std::io::BufWriter::with_capacity(PIECE_BYTES, Pieces(sender.clone()));
        if let Err(error) = archive.write(&mut out, &runtime) {
            tracing::warn!(%error, "a copy of a person's data could not be written");
            // The download must fail, so that a truncated archive does not look complete.
            let _ = sender.blocking_send(Err(std::io::Error::other("broken off")));
        }
    });
    let pieces = stream::unfold(receiver, |mut receiver| async { Some((receiver.recv().await?, receiver)) });
    let mut response = Body::from_stream(pieces).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    headers.insert(CONTENT_DISPOSITION, disposition.expect("a plain name"));
    response
}

/// Sends what is written to the download. Writing fails once the client has disconnected.
struct Pieces(mpsc::Sender<std::io::Result<Bytes>>);

impl std::io::Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes)));
        sent.map_err(|_| std::io::Error::from(std::io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// `POST /panel/leads/:id/persona/revocar`: revokes every link of the client.
pub(crate) async fn revoke(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    let (store, rights, actor) = (&state.app.store, state.app.rights(), signed.actor());
    rights.revoke(lead.id, lead.id.0, "formulario", &actor).await?;
    rights.revoke_quotes(lead.id, &actor).await?;
    for visita in store.visitas_of(lead.id, MAX_VISITAS).await? {
        rights.revoke(lead.id, visita.id.0, "visita", &actor).await?;
    }
    Ok(redirect(&format!("/panel/leads/{}/persona?hecho=revocados", lead.id)))
}

/// `POST /panel/leads/:id/persona/atendido`: records that somebody has answered the person's request.
pub(crate) async fn grant(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    state.app.rights().grant(lead.id, &signed.actor()).await?;
    Ok(redirect(&format!("/panel/leads/{}/persona?hecho=atendido", lead.id)))
}

/// `POST /panel/leads/:id/persona/borrar`: erases the person. This cannot be undone.
pub(crate) async fn erase(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    Path(id): Path<String>,
    request: Request,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    let fields = fields_of(&state, request).await?;
    let mut form = FormState::default();
    if !fields.has("seguro") {
        form.add("seguro", "Marca que sabes que no se puede deshacer.");
    } else if !is_password(&state, &signed, &caller, &fields).await? {
        form.add("clave-borrar", WRONG_PASSWORD);
    }
    if !form.is_good() {
        return page(&state, &signed, lead, StatusCode::UNPROCESSABLE_ENTITY, form, None).await;
    }
    let (app, actor) = (state.app.clone(), signed.actor());
    // The erasure has several steps. The spawned task finishes them even if the client disconnects.
    let work = embudo_trace::spawn(async move {
        app.rights().erase(lead.id, reach(&fields), ErasureReason::Asked, &actor).await
    });
    work.await.map_err(|_| Refusal::Internal)??;
    Ok(redirect("/panel/empresa/privacidad?hecho=borrado"))
}

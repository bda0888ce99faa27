//! `/demo`: suggestions of what to try, the mailbox, and the clients' telephones. Served only to this machine.

use askama::Template;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use embudo_app::{App, qr_svg};
use embudo_domain::LeadId;
use embudo_domain::etapa::Etapa;
use embudo_store::inbox::{InboxFilter, InboxSort, PageStart, Reading, Viewer};
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde::Deserialize;
use serde_json::json;
use tower::ServiceExt as _;
use url::form_urlencoded::byte_serialize;

use crate::band::Bare;
use crate::mailbox::{MailLine, Mailbox, OpenMail};
use crate::messages::{Author, ChatMessage, Messages};
use crate::story::{OWNER, PASSWORD, SALES, SITE, SLUG};
use crate::workflow::Workflow;

/// The maximum size of a client's message, in bytes.
const MAX_FORM: usize = 16 * 1024;
/// The maximum number of clients in the list of messages.
const MAX_PEOPLE: usize = 60;

/// Resources only from this server; nothing inline except pictures.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";
/// A mail may use inline styles, and pictures that are embedded or from this server, but no scripts.
const MAIL_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox";

/// The addresses and the folder of the demo.
#[derive(Debug, Clone)]
pub struct Places {
    /// The address of the panel, such as `http://127.0.0.1:8080`.
    pub panel: String,
    /// The address for clients. It uses another host, so that the browser does not send the panel's session and the
    /// person can act as a client.
    pub client: String,
    /// The address of the form for a telephone in the same network; `None` without `--lan`.
    pub lan: Option<String>,
    /// The data folder, as it was given on the command line.
    pub folder: String,
}

#[derive(Clone)]
pub(crate) struct Pages {
    pub app: App,
    pub mailbox: Mailbox,
    pub messages: Messages,
    pub workflow: Workflow,
    /// The router of the whole product. The demo signs in through it.
    pub product: Router,
    pub places: Places,
}

pub(crate) fn routes(pages: Pages) -> Router {
    Router::new()
        .route("/demo", get(start))
        .route("/demo/entrar", get(enter))
        .route("/demo/qr.svg", get(qr))
        .route("/demo/correo", get(mails))
        .route("/demo/correo/{name}", get(mail))
        .route("/demo/correo/{name}/html", get(mail_html))
        .route("/demo/correo/{name}/adjunto/{number}", get(attachment))
        .route("/demo/mensajes", get(messages).post(write))
        .route("/demo/mensajes/pdf/{name}", get(pdf))
        .layer(DefaultBodyLimit::max(MAX_FORM))
        .with_state(pages)
        .merge(style())
}

/// The style sheet, which the client's pages need too.
pub(crate) fn style() -> Router {
    let css = || async { ([(CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("../assets/demo.css")) };
    Router::new().route("/demo/demo.css", get(css))
}

#[derive(Template)]
#[template(path = "start.html")]
struct StartPage {
    company: &'static str,
    owner: &'static str,
    password: &'static str,
    form: String,
    to_review: Option<(String, LeadId)>,
    sent: Option<(String, String)>,
    panel: String,
    key_file: String,
    lan: Option<String>,
    folder: String,
}

#[derive(Template)]
#[template(path = "mails.html")]
struct MailsPage {
    mails: Vec<MailLine>,
}

#[derive(Template)]
#[template(path = "mail.html")]
struct MailPage {
    mail: OpenMail,
}

#[derive(Template)]
#[template(path = "messages.html")]
struct MessagesPage {
    people: Vec<ChatMessage>,
    chosen: Option<String>,
    chat: Vec<ChatMessage>,
}

fn page(template: &impl Template) -> Response {
    let html = template.render().expect("writing a template to memory does not fail");
    let mut response = Html(html).into_response();
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

async fn start(State(pages): State<Pages>, headers: HeaderMap) -> Result<Response, Response> {
    // The panel's session cookie belongs to the host of `places.panel`; the other host is for the client's pages.
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !pages.places.panel.ends_with(host) {
        return Ok(Redirect::to(&format!("{}/demo", pages.places.panel)).into_response());
    }
    let places = pages.places.clone();
    let to_review = pages.newest(Etapa::PorRevisar).await?;
    let sent = match pages.newest(Etapa::PresupuestoEnviado).await? {
        Some((name, lead)) => {
            let quotes = pages.app.store.presupuestos(lead).await.map_err(failed)?;
            let path = quotes.first().map(|quote| pages.app.quotes().page_path(quote.id));
            path.map(|path| (name, format!("{}{path}", places.client)))
        }
        None => None,
    };
    let key_file = format!("{}/api-key", places.folder);
    Ok(page(&StartPage {
        company: "Reformas Alba",
        owner: "Eva Sanz, la dueña",
        password: PASSWORD,
        form: format!("{}/f/{SLUG}", places.client),
        to_review,
        sent,
        panel: places.panel,
        key_file,
        lan: places.lan,
        folder: places.folder,
    }))
}

impl Pages {
    /// The newest lead of an etapa, with its name; `None` if there is none.
    async fn newest(&self, etapa: Etapa) -> Result<Option<(String, LeadId)>, Response> {
        let empresas = self.app.store.list_empresas().await.map_err(failed)?;
        let nobody = Viewer {
            who: embudo_domain::UserId(uuid::Uuid::nil()),
            empresas: empresas.iter().map(|e| e.id).collect(),
        };
        let filter = InboxFilter { etapa: Some(etapa), ..InboxFilter::default() };
        let (sort, from) = (InboxSort::Created, PageStart::Start);
        let found =
            self.app.store.inbox(&nobody, filter, sort, from, Reading::rows(1)).await.map_err(failed)?;
        Ok(found.rows.into_iter().next().map(|row| (row.summary.lead.nombre, row.summary.lead.id)))
    }
}

fn failed(error: impl std::fmt::Display) -> Response {
    tracing::error!(%error, "demo: a page could not be made");
    (StatusCode::INTERNAL_SERVER_ERROR, "La demo no puede leer sus datos.").into_response()
}

#[derive(Deserialize)]
struct Who {
    #[serde(default)]
    como: String,
}

/// Signs in through the panel's own sign-in page and redirects to the page on which the person works.
async fn enter(
    State(pages): State<Pages>,
    Query(who): Query<Who>,
    request: Request,
) -> Result<Response, Response> {
    let (email, place) = match who.como.as_str() {
        "luis" => (SALES, "/panel/leads"),
        "nacho" => (SITE, "/panel/visitas"),
        _ => (OWNER, "/demo"),
    };
    let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let form = format!("correo={}&clave={}", encode(email), encode(PASSWORD));
    let (mut parts, _) = request.into_parts();
    parts.method = Method::POST;
    parts.uri = http::Uri::from_static("/panel/entrar");
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    parts.headers.insert(http::header::CONTENT_LENGTH, HeaderValue::from(form.len()));
    // The sign-in page only accepts its own forms, and a link printed in a terminal comes from no page. So the header
    // is added here.
    parts.headers.insert("sec-fetch-site", HeaderValue::from_static("same-origin"));
    let answer = pages.product.clone().oneshot(Request::from_parts(parts, Body::from(form))).await;
    let answer = answer.map_err(failed)?;
    if !answer.headers().contains_key(SET_COOKIE) {
        return Err((
            StatusCode::CONFLICT,
            "No se ha podido entrar: ¿ha cambiado la contraseña? embudo demo --reset empieza de nuevo.",
        )
            .into_response());
    }
    let mut response = StatusCode::SEE_OTHER.into_response();
    for cookie in answer.headers().get_all(SET_COOKIE) {
        response.headers_mut().append(SET_COOKIE, cookie.clone());
    }
    response.headers_mut().insert(LOCATION, HeaderValue::from_static(place));
    Ok(response)
}

async fn qr(State(pages): State<Pages>) -> Result<Response, StatusCode> {
    let svg = pages.places.lan.as_deref().and_then(qr_svg).ok_or(StatusCode::NOT_FOUND)?;
    Ok(([(CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

async fn mails(State(pages): State<Pages>) -> Result<Response, Response> {
    let mailbox = pages.mailbox.clone();
    let listed = tokio::task::spawn_blocking(move || mailbox.list()).await.map_err(failed)?;
    Ok(page(&MailsPage { mails: listed.map_err(failed)? }))
}

async fn open_mail(pages: &Pages, name: String) -> Result<OpenMail, Response> {
    let mailbox = pages.mailbox.clone();
    let read = tokio::task::spawn_blocking(move || mailbox.read(&name)).await.map_err(failed)?;
    read.ok_or_else(|| (StatusCode::NOT_FOUND, "Ese correo no está.").into_response())
}

async fn mail(State(pages): State<Pages>, Path(name): Path<String>) -> Result<Response, Response> {
    Ok(page(&MailPage { mail: open_mail(&pages, name).await? }))
}

/// The HTML of a mail. Its links open in a new window.
async fn mail_html(State(pages): State<Pages>, Path(name): Path<String>) -> Result<Response, Response> {
    let html = open_mail(&pages, name).await?.html.unwrap_or_default();
    let html = html.replacen("<head>", "<head><base target=\"_blank\">", 1);
    let mut response = Html(html).into_response();
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(MAIL_POLICY));
    response.extensions_mut().insert(Bare);
    Ok(response)
}

async fn attachment(
    State(pages): State<Pages>,
    Path((name, number)): Path<(String, usize)>,
) -> Result<Response, Response> {
    let mut mail = open_mail(&pages, name).await?;
    if number >= mail.attachments.len() {
        return Err(StatusCode::NOT_FOUND.into_response());
    }
    let file = mail.attachments.swap_remove(number);
    let kind = HeaderValue::from_str(&file.kind).map_err(failed)?;
    let mut response = Body::from(file.bytes).into_response();
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
    Ok(response)
}

#[derive(Deserialize)]
struct Chosen {
    lead: Option<String>,
}

async fn messages(State(pages): State<Pages>, Query(chosen): Query<Chosen>) -> Response {
    let all = pages.messages.all();
    let mut people: Vec<ChatMessage> = Vec::new();
    for message in all.iter().rev() {
        if people.len() < MAX_PEOPLE && people.iter().all(|person| person.lead != message.lead) {
            people.push(message.clone());
        }
    }
    let chosen = chosen.lead.filter(|lead| people.iter().any(|person| person.lead == *lead));
    let chat = all.into_iter().filter(|message| Some(&message.lead) == chosen.as_ref()).collect();
    page(&MessagesPage { people, chosen, chat })
}

/// Takes a message from a client: passes it to the API as a turn of the chat, like a real channel would, and stores it.
/// Nobody answers by itself.
async fn write(
    State(pages): State<Pages>,
    Query(chosen): Query<Chosen>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Response> {
    let is_own = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
    let known =
        pages.messages.all().into_iter().rev().find(|message| Some(&message.lead) == chosen.lead.as_ref());
    let text = url::form_urlencoded::parse(&body).find(|(name, _)| name == "texto");
    let text = text.map(|(_, text)| text.into_owned()).unwrap_or_default();
    let (true, Some(last), false) = (is_own, known, text.trim().is_empty()) else {
        return Err(StatusCode::UNPROCESSABLE_ENTITY.into_response());
    };
    let lead = last.lead.clone();
    let turn = json!({ "rol": "user", "mensaje": text });
    let path = format!("/api/leads/{lead}/conversacion");
    pages.workflow.call(&path, turn, &uuid::Uuid::now_v7().to_string()).await.map_err(failed)?;
    let message = ChatMessage {
        at: pages.messages.now().as_millisecond(),
        author: Author::Client,
        text,
        pdf: None,
        ..last
    };
    pages.messages.add(message).map_err(failed)?;
    Ok(Redirect::to(&format!("/demo/mensajes?lead={lead}")).into_response())
}

async fn pdf(State(pages): State<Pages>, Path(name): Path<String>) -> Result<Response, StatusCode> {
    let bytes = pages.messages.pdf(&name).ok_or(StatusCode::NOT_FOUND)?;
    Ok(([(CONTENT_TYPE, "application/pdf")], bytes).into_response())
}

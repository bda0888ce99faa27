//! The middleware around every page: it turns refusals into pages and adds the headers that all responses have.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use embudo_domain::empresa::is_slug;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue};

use super::frame::policy;
use super::{Refusal, Storefront, wants_json};
use crate::{WebState, panel};
use embudo_server::{accepts_gzip, compress};

/// Headers of every response, unless the handler has set its own value.
const HEADERS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // An address may contain a pass, so other sites must not see it. Our own forms still send their origin: in browsers
    // that send nothing else, only the origin tells our forms from those of other sites.
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(self), geolocation=(), microphone=(), payment=(), browsing-topics=()",
    ),
];

/// The data of a request that the middleware needs after the handler has consumed the request.
struct Wanted {
    secure: bool,
    address: IpAddr,
    path: String,
    query: String,
    /// The session token of the panel. It decides which company's look a refusal gets.
    token: Option<String>,
    data: bool,
    gzip: bool,
}

impl Wanted {
    fn of(state: &WebState, request: &Request) -> Self {
        Self {
            secure: state.callers.by_https(request.extensions(), request.headers()),
            address: state.callers.address_of(request),
            path: request.uri().path().to_owned(),
            query: request.uri().query().map(|query| format!("?{query}")).unwrap_or_default(),
            token: panel::holds(request.uri().path()).then(|| panel::token(request, state)).flatten(),
            data: wants_json(request.headers()),
            gzip: accepts_gzip(request.headers()) && !is_probed(request),
        }
    }
}

/// Whether another site chose the query of a page of the panel, which the browser opened with the person's cookie. The
/// page may repeat the query, and the length of the compressed page would tell an eavesdropper what else is on it
/// (BREACH).
fn is_probed(request: &Request) -> bool {
    let site = request.headers().get("sec-fetch-site").map(HeaderValue::as_bytes);
    panel::holds(request.uri().path())
        && request.uri().query().is_some()
        && matches!(site, Some(b"cross-site" | b"same-site"))
}

pub(crate) async fn layer(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let requested = Wanted::of(&state, &request);
    let response = next.run(request).await;
    compress(finish(&state, &requested, response).await, requested.gzip).await
}

/// Answers an address that has no route. Below the addresses of pages the answer is a page; everywhere else it is the
/// answer of `elsewhere`, which is meant for programs.
pub(crate) async fn unknown(
    State(state): State<WebState>,
    request: Request,
    elsewhere: fn() -> Response,
) -> Response {
    let requested = Wanted::of(&state, &request);
    if !["/f/", "/p/", "/c/", "/v/", "/r/", "/panel/"].iter().any(|place| requested.path.starts_with(place)) {
        return elsewhere();
    }
    compress(finish(&state, &requested, Refusal::NotFound.into_response()).await, requested.gzip).await
}

/// Turns a refusal into its page and adds the headers.
async fn finish(state: &WebState, requested: &Wanted, mut response: Response) -> Response {
    if let Some(refusal) = response.extensions_mut().remove::<Refusal>() {
        let refusal = counted(state, requested, refusal);
        let moved = if refusal == Refusal::NotFound { moved_to(state, requested).await } else { None };
        response = if let Some(place) = moved {
            moved_response(&place)
        } else if requested.data {
            refusal.data()
        } else if panel::holds(&requested.path) {
            panel::refuse(refusal, company_of(state, requested).await.as_ref())
        } else {
            refusal.render_page(company_of(state, requested).await)
        };
    }
    let is_redirect = response.status().is_redirection();
    let headers = response.headers_mut();
    // Fragments and files have no policy of their own, so they get the policy of pages. A redirect gets none: the
    // policy of its target applies.
    if !is_redirect {
        headers.entry(CONTENT_SECURITY_POLICY).or_insert_with(|| policy(""));
    }
    for (nombre, value) in HEADERS {
        headers.entry(nombre).or_insert(HeaderValue::from_static(value));
    }
    if requested.secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// Counts a forged pass like a wrong key, against the client's address. This holds on every page. A pass that was valid
/// once does not count.
fn counted(state: &WebState, requested: &Wanted, refusal: Refusal) -> Refusal {
    if refusal != Refusal::Forged {
        return refusal;
    }
    match state.callers.guessed_from(requested.address) {
        Ok(()) => refusal,
        Err(limit) => Refusal::TooMuch(limit.retry_after_s),
    }
}

/// The company whose look the refusal gets: the company chosen in the panel, else the company in the address, else the
/// default company. `None` if storage is not available.
async fn company_of(state: &WebState, requested: &Wanted) -> Option<Storefront> {
    let storefront = match (&requested.token, slug_in(&requested.path), pass_in(&requested.path)) {
        (Some(token), ..) => of_session(state, token).await,
        (_, Some(slug), _) => Storefront::of_slug(state, slug).await,
        (.., Some(pass)) => of_pass(state, pass).await,
        _ => Err(Refusal::NotFound),
    };
    match storefront {
        Ok(storefront) => Some(storefront),
        Err(Refusal::NotFound) => Storefront::of_default(state).await.ok(),
        Err(_) => None,
    }
}

async fn of_session(state: &WebState, token: &str) -> Result<Storefront, Refusal> {
    let empresa = panel::empresa_of(state, token).await?.ok_or(Refusal::NotFound)?;
    Storefront::of_empresa(state, empresa).await
}

async fn of_pass(state: &WebState, pass: &str) -> Result<Storefront, Refusal> {
    let id = state.app.rights().empresa_of_pass(pass).await?.ok_or(Refusal::NotFound)?;
    let empresas = state.app.store.list_empresas().await?;
    let empresa = empresas.into_iter().find(|empresa| empresa.id == id).ok_or(Refusal::NotFound)?;
    Storefront::of_empresa(state, empresa).await
}

/// The pass in `/p/:pase/…` and similar addresses.
fn pass_in(path: &str) -> Option<&str> {
    let rest = ["/p/", "/v/", "/c/", "/r/"].iter().find_map(|place| path.strip_prefix(place))?;
    rest.split('/').next()
}

/// The current address of a page of the form, if the address contains a former slug of the company.
async fn moved_to(state: &WebState, requested: &Wanted) -> Option<String> {
    let slug = slug_in(&requested.path).filter(|slug| is_slug(slug))?;
    let rest = requested.path.strip_prefix("/f/")?.strip_prefix(slug)?;
    let empresa = state.app.store.empresa_by_former_slug(slug.to_owned()).await.ok()??;
    Some(format!("/f/{}{rest}{}", empresa.slug, requested.query))
}

/// A permanent redirect, with which browsers also send a form again. It must not be cached, because the company may
/// take its former slug back.
fn moved_response(place: &str) -> Response {
    let mut response = Redirect::permanent(place).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The slug of the company in `/f/:slug/…`.
fn slug_in(path: &str) -> Option<&str> {
    path.strip_prefix("/f/")?.split('/').next()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_sample_for_nginx_passes_on_what_is_read_here() {
        let guide = include_str!("../../../../docs/operating.md");
        for header in
            ["Host $host", "X-Forwarded-Proto $scheme", "X-Forwarded-For $proxy_add_x_forwarded_for"]
        {
            assert!(guide.contains(&format!("proxy_set_header {header};")), "{header}");
        }
    }
}

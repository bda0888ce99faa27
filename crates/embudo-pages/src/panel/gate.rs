//! The checks before every page of the panel: where the request comes from, who is signed in, and which permission they
//! have.

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::MethodRouter;
use embudo_app::Origin;
use http::header::{HOST, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode, Uri};
use url::form_urlencoded::byte_serialize;

use super::cookies::{self, Scheme};
use super::frame::Theme;
use super::{Needs, Signed};
use crate::WebState;
use crate::parts::{ClientAddress, Refusal, names_our_origin, redirect, wants_json};

/// How many bytes of the `User-Agent` are read.
const MAX_AGENT: usize = 400;

/// The header with which a JavaScript module marks requests that it sends without the person.
const BY_ITSELF: &str = "embudo-sola";
/// The stream on which pages listen for changes.
const STREAM: &str = "/panel/vivo";

#[derive(Clone)]
struct Gate {
    state: WebState,
    needs: Needs,
}

/// Adds the checks to the handler of a page.
pub(super) fn guarded(
    state: &WebState,
    needs: Needs,
    page: MethodRouter<WebState>,
) -> MethodRouter<WebState> {
    page.route_layer(from_fn_with_state(Gate { state: state.clone(), needs }, gate))
}

async fn gate(State(Gate { state, needs }): State<Gate>, request: Request, next: Next) -> Response {
    let public_url = state.app.outbound.links.as_ref().map(|links| links.public_url.as_str());
    if !request.method().is_safe() && !is_own(request.headers(), request.uri(), public_url) {
        return Refusal::Foreign.into_response();
    }
    let (mut parts, body) = request.into_parts();
    let caller = Caller::of(&parts, &state);
    let signed = match &caller.token {
        Some(token) => match Signed::open(&state, token, &caller, needs).await {
            Ok(signed) => signed,
            Err(refusal) => return refusal.into_response(),
        },
        None => None,
    };
    match (needs, &signed) {
        (Needs::Nothing, _) | (Needs::Person | Needs::Within(_), Some(_)) => {}
        (Needs::May(_), Some(signed)) => {
            if let Err(refusal) = signed.empresa() {
                return refusal.into_response();
            }
        }
        (_, None) if wants_json(&parts.headers) => return StatusCode::UNAUTHORIZED.into_response(),
        (_, None) => return to_sign_in(&parts),
    }
    parts.extensions.insert(caller);
    if let Some(signed) = signed {
        parts.extensions.insert(signed);
    }
    next.run(Request::from_parts(parts, body)).await
}

/// Redirects to the sign-in page, and from there back to the requested address.
fn to_sign_in(parts: &Parts) -> Response {
    let back = parts.uri.path_and_query().map_or("/panel", http::uri::PathAndQuery::as_str);
    if !parts.method.is_safe() || back == "/panel" {
        return redirect("/panel/entrar");
    }
    redirect(&format!("/panel/entrar?a={}", byte_serialize(back.as_bytes()).collect::<String>()))
}

/// Whether one of our pages sent the form. Current browsers say so in `sec-fetch-site`; without this header the origin
/// of the request must be ours.
fn is_own(headers: &HeaderMap, uri: &Uri, public_url: Option<&str>) -> bool {
    match headers.get("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => names_our_origin(headers, uri, public_url) == Some(true),
    }
}

/// Whether the page sent the request without the person: it refreshed its list, opened its stream or loaded a picture.
/// A request without this mark counts as a request of the person. So does every request that changes something, an
/// autosave for example.
fn is_by_itself(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    let is_image = headers.get("sec-fetch-dest").is_some_and(|dest| dest == "image");
    method.is_safe() && (headers.contains_key(BY_ITSELF) || is_image || uri.path() == STREAM)
}

/// The sender of a request, with everything that signing in needs to know.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub origin: Origin,
    pub scheme: Scheme,
    /// The browser seems to use plain HTTP. It would not keep the session cookie.
    pub is_insecure: bool,
    /// The page sent the request without the person, so the request does not prolong the session.
    pub is_by_itself: bool,
    /// The session token in the browser's cookie.
    pub token: Option<String>,
    /// The identifier of the browser, if somebody has signed in there before.
    pub device: Option<String>,
    pub theme: Option<Theme>,
    /// The address at which people reach this server, without a slash at its end: the public address, or else the
    /// address of this request.
    pub home: String,
    /// The client's address, for the counters.
    pub cliente: ClientAddress,
}

impl Caller {
    fn of(parts: &Parts, state: &WebState) -> Self {
        let cliente = ClientAddress::of(parts, state);
        let agent = parts.headers.get(USER_AGENT).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let scheme = Scheme::of(&parts.extensions, &parts.headers, &parts.uri, state);
        Self {
            origin: Origin {
                ip: Some(cliente.0).filter(|ip| !ip.is_unspecified()),
                agent: agent.chars().take(MAX_AGENT).collect(),
            },
            scheme,
            // Browsers send this header only over a trustworthy connection.
            is_insecure: scheme == Scheme::Secure
                && !state.callers.by_https(&parts.extensions, &parts.headers)
                && !parts.headers.contains_key("sec-fetch-site"),
            is_by_itself: is_by_itself(&parts.method, &parts.uri, &parts.headers),
            token: cookies::read(&parts.headers, scheme.session_cookie()),
            device: cookies::read(&parts.headers, scheme.device_cookie()),
            theme: cookies::read(&parts.headers, cookies::THEME).and_then(|word| Theme::parse(&word)),
            home: home(parts, state, scheme),
            cliente,
        }
    }
}

impl Caller {
    /// Counts an invalid link as a wrong key.
    pub(super) fn guessed(&self, state: &WebState) -> Result<(), Refusal> {
        let counted = state.callers.guessed_from(self.cliente.0);
        counted.map_err(|limit| Refusal::TooMuch(limit.retry_after_s))
    }
}

fn home(parts: &Parts, state: &WebState, scheme: Scheme) -> String {
    if let Some(links) = &state.app.outbound.links {
        return links.public_url.clone();
    }
    let host = parts.headers.get(HOST).and_then(|h| h.to_str().ok());
    let host = host.or_else(|| parts.uri.authority().map(http::uri::Authority::as_str)).unwrap_or_default();
    let scheme = if scheme == Scheme::Loopback { "http" } else { "https" };
    format!("{scheme}://{host}")
}

impl FromRequestParts<WebState> for Caller {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &WebState) -> Result<Self, Refusal> {
        parts.extensions.get().cloned().ok_or(Refusal::Internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(pairs: &[(&'static str, &'static str)]) -> bool {
        let pairs = pairs.iter().map(|(n, v)| (n.parse().expect("a name"), v.parse().expect("a value")));
        let headers: HeaderMap = pairs.collect();
        is_own(&headers, &Uri::from_static("/panel/entrar"), Some("https://obras.es"))
    }

    #[test]
    fn forms_are_taken_from_our_own_pages_only() {
        for well in [
            &[("sec-fetch-site", "same-origin"), ("origin", "null")][..],
            &[("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:8080")],
            &[("origin", "https://OBRAS.es"), ("host", "interno:8080")],
        ] {
            assert!(own(well), "{well:?}");
        }
        for wrong in [
            &[][..],
            &[("sec-fetch-site", "none")],
            &[("sec-fetch-site", "cross-site"), ("origin", "https://obras.es")],
            &[("sec-fetch-site", "same-site"), ("origin", "https://obras.es")],
            &[("origin", "null"), ("host", "obras.es")],
            &[("origin", "https://obras.es.malo.com"), ("host", "obras.es")],
        ] {
            assert!(!own(wrong), "{wrong:?}");
        }
    }
}
